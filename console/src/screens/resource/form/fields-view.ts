/** The view of all fields of a value. A group gets it from the form, because its fields can be groups again. */
import { createContext, type ComponentType } from 'react';
import type { JsonObject } from '../../../api/json';
import type { JsonPath } from '../../../fhir/compare/diff';
import type { FormPlace } from '../../../fhir/form/form-types';

export interface FieldsProps {
  readonly place: FormPlace;
  readonly path: JsonPath;
  readonly value: JsonObject;
  /** A person has just added the value. */
  readonly isNew: boolean;
  /** Members that stand elsewhere in the form. */
  readonly without?: ReadonlySet<string> | undefined;
}

export const FieldsView = createContext<ComponentType<FieldsProps>>(() => {
  throw new Error('Only a form shows fields');
});
