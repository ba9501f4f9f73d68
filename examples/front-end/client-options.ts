import type { NodeFields } from './add-keys';

export interface ClientOptions {
  /** `https://fhir.example.org/w/clinic/api/v1/graphql/r4` */
  readonly address: string;
  /** possibleTypes.json and nodeFields.json, which the server has beside its schema. */
  readonly possibleTypes: Record<string, string[]>;
  readonly nodeFields: NodeFields;
  /** Fields of Query whose pages are shown as one list: `PatientConnection`. */
  readonly connections?: readonly string[];
  readonly headers?: Record<string, string>;
}
