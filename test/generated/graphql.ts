/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** One operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation = {
  /** The JSON Pointer from which `move` and `copy` take the value. */
  from?: string | null | undefined;
  op: JsonPatchOperationName;
  /** A JSON Pointer: `/name/0/family`; `/name/-` is after the last element. */
  path: string;
  /** For `add`, `replace` and `test`: any JSON value. */
  value?: unknown;
};

/** The kind of an operation of a JSON Patch (RFC 6902 section 4). */
export type JsonPatchOperationName =
  | 'add'
  | 'copy'
  | 'move'
  | 'remove'
  | 'replace'
  | 'test';

export type EditPatientMutationVariables = Exact<{
  id: string | number;
  patch: Array<JsonPatchOperation> | JsonPatchOperation;
  version: string | number;
}>;


export type EditPatientMutation = { PatientPatch: { resource: { id: string | null, gender: string | null, meta: { versionId: string | null } | null } | null } | null };

export type PatientChartQueryVariables = Exact<{
  name?: Array<string | null | undefined> | string | null | undefined;
  code?: Array<string | boolean | null | undefined> | string | boolean | null | undefined;
}>;


export type PatientChartQuery = { PatientConnection: { count: number | null, edges: Array<{ resource: { id: string | null, birthDate: string | null, meta: { versionId: string | null } | null, name: Array<{ family: string | null, given: Array<string | null> | null } | null> | null, ObservationList: Array<{ status: string | null, valueQuantity: { value: number | null, unit: string | null } | null } | null> | null } | null } | null> | null } | null };

export type PickCodesQueryVariables = Exact<{
  url: string;
  filter?: string | null | undefined;
  language?: string | null | undefined;
  count: number;
  offset: number;
}>;


export type PickCodesQuery = { ValueSetExpand: { expansion: { total: number | null, contains: Array<{ system: string | null, version: string | null, code: string | null, display: string | null, abstract: boolean | null } | null> | null } | null } | null };
