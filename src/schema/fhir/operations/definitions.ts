import type { JsonObject } from '../../json';
import type { SearchPair } from '../search-pair';

/** The definition from which the field of an operation is made. Core's list of operations has this shape. */
export interface SchemaOperation {
  /** Without the leading `$`. */
  readonly code: string;
  /** Stands for the code in the name of the field. */
  readonly fieldCode?: string;
  /** Canonical url of its OperationDefinition. */
  readonly definition: string;
  readonly levels: readonly ('system' | 'type' | 'instance')[];
  /** The types for which it is defined; `Resource` means all. */
  readonly types: readonly string[];
  readonly affectsState: boolean;
  /** The resource type of its result, or `Resource` where any type is possible; undefined: Parameters. */
  readonly returns?: string;
  /** True: it also takes the search parameters of its type. */
  readonly takesSearch: boolean;
  /** True: its result has pages. */
  readonly isPaged: boolean;
  readonly parameters: readonly SchemaOperationParameter[];
}

export interface SchemaOperationParameter {
  readonly name: string;
  readonly use: 'in' | 'out';
  readonly min: number;
  /** Infinity for `*`. */
  readonly max: number;
  /** A data type, a resource type or `Any`; undefined when it has parts. */
  readonly type?: string;
  readonly parts: readonly SchemaOperationParameter[];
}

/** The call of an operation by a field. */
export interface OperationRequest {
  readonly level: 'system' | 'type' | 'instance';
  readonly type?: string;
  readonly id?: string;
  readonly code: string;
  readonly affectsState: boolean;
  /** The elements of `Parameters.parameter`. */
  readonly parameters: readonly JsonObject[];
  /** Search parameters. */
  readonly search: readonly SearchPair[];
  /** Cursor of the next page. */
  readonly cursor?: string;
}
