import type { JsonObject } from '../../json';

/** What an operation is made a field of; core's list of operations has this shape. */
export interface SchemaOperation {
  /** Without the leading `$`. */
  readonly code: string;
  /** Canonical url of its OperationDefinition. */
  readonly definition: string;
  readonly levels: readonly ('system' | 'type' | 'instance')[];
  /** The types that it is defined on; `Resource` means all. */
  readonly types: readonly string[];
  readonly affectsState: boolean;
  /** The resource type that it answers with, or `Resource` where that may be any; undefined: Parameters. */
  readonly returns?: string;
  /** True: it answers page by page. */
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

/** What a field of an operation asks for. */
export interface OperationRequest {
  readonly level: 'system' | 'type' | 'instance';
  readonly type?: string;
  readonly id?: string;
  readonly code: string;
  readonly affectsState: boolean;
  /** The elements of `Parameters.parameter`. */
  readonly parameters: readonly JsonObject[];
  /** Of the next page. */
  readonly cursor?: string;
}
