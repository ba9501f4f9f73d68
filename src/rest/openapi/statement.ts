/** The lists of a CapabilityStatement from which the OpenAPI document is made. */

/** The members of a CapabilityStatement that are used. */
export interface CapabilityLists {
  readonly patchFormat?: readonly string[];
  readonly rest: readonly [
    {
      readonly resource: readonly {
        readonly type: string;
        readonly searchParam?: readonly SearchParam[];
        readonly searchInclude?: readonly string[];
        readonly searchRevInclude?: readonly string[];
        readonly operation?: readonly { readonly name: string; readonly definition: string }[];
      }[];
      readonly interaction?: readonly { readonly code: string }[];
      readonly searchParam?: readonly SearchParam[];
    },
  ];
}

export interface SearchParam {
  readonly name: string;
  readonly type: string;
  readonly definition?: string;
}
