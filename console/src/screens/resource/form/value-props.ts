/** What the input of one value needs, whatever its type. */
import type { JsonValue } from '../../../api/json';
import type { JsonPath } from '../../../fhir/compare/diff';
import type { FieldType, FormField, FormPlace } from '../../../fhir/form/form-types';

export interface ValueProps {
  readonly path: JsonPath;
  readonly value: JsonValue | undefined;
  readonly field: FormField;
  readonly type: FieldType;
  /** The element or slice that the value is defined by. */
  readonly place: FormPlace;
  readonly label: string;
  /** A person has just added it. */
  readonly isNew: boolean;
}
