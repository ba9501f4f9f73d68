/** What an operation is. A new one is a file that exports one of these, and its line in index.ts. */
import { type OperationLevel } from '../api';
import { type JsonObject } from '../fhir/json';
import { type OperationEnvironment } from './environment';
import { type InputParameters } from './parameters';

export interface OperationInput {
  readonly level: OperationLevel;
  /** The type in the address; undefined at system level. */
  readonly type: string | undefined;
  /** Undefined but at instance level. */
  readonly id: string | undefined;
  /** Checked against the OperationDefinition. */
  readonly parameters: InputParameters;
}

/** The parameter `return` as JSON text of a resource, or the elements of `Parameters.parameter`. */
export type OperationAnswer =
  { readonly resourceText: string } | { readonly parameters: readonly JsonObject[] };

export interface Operation {
  /** Canonical url of its OperationDefinition, which says everything else about it. */
  readonly definition: string;
  /** Expected failures are thrown as FhirError. */
  run(environment: OperationEnvironment, input: OperationInput): Promise<OperationAnswer>;
}
