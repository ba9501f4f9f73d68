import type { JsonObject } from '../../../api/json';
import type { JsonPath } from '../../../fhir/compare/diff';
import type { FormField, FormPlace } from '../../../fhir/form/form-types';

/** What the view of an element gets. */
export interface FieldProps {
  readonly field: FormField;
  /** Where the element stands. */
  readonly place: FormPlace;
  /** Path and value of the object around it. */
  readonly path: JsonPath;
  readonly around: JsonObject;
}
