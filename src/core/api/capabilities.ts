/** The capabilities of a space, as in its CapabilityStatement. */
import type { QueryInput } from '../search/requests/named-query';

/** The content of a statement: all, the normative part, or the terminology capabilities (http.html#capabilities). */
export type CapabilityMode = 'full' | 'normative' | 'terminology';

/** A search that a tenant has given a name (search.html#query), invoked by `_query`. */
export interface NamedQueryInfo {
  readonly code: string;
  /** Canonical url of its OperationDefinition. */
  readonly definition: string;
  /** The resource types that it can search. */
  readonly types: readonly string[];
  readonly inputs: readonly NamedQueryInput[];
}

export type NamedQueryInput = Omit<QueryInput, 'place'>;

/** The named queries of a space, and a version text that differs after each change of them. */
export interface NamedQueries {
  readonly version: string;
  readonly queries: readonly NamedQueryInfo[];
}

/** The CapabilityStatement without the elements that depend on the request. */
export interface Capabilities {
  readonly text: string;
  /** Strong hash of `text`, without quotes. */
  readonly etag: string;
}
