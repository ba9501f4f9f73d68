/** What a space can do, as its CapabilityStatement tells it. */
import type { QueryInput } from '../search/named-query';

/** What a statement tells: all, what of it is normative, or the terminology (http.html#capabilities). */
export type CapabilityMode = 'full' | 'normative' | 'terminology';

/** A search that a tenant has given a name (search.html#query), to be asked as `_query`. */
export interface NamedQueryInfo {
  readonly code: string;
  /** Canonical url of its OperationDefinition. */
  readonly definition: string;
  /** Resource types that it can be asked of. */
  readonly types: readonly string[];
  readonly inputs: readonly NamedQueryInput[];
}

export type NamedQueryInput = Omit<QueryInput, 'place'>;

/** Those of a space, and a text that is another one after each change of them. */
export interface NamedQueries {
  readonly version: string;
  readonly queries: readonly NamedQueryInfo[];
}

/** The CapabilityStatement without anything that depends on the request. */
export interface Capabilities {
  readonly text: string;
  /** Strong hash of `text`, without quotes. */
  readonly etag: string;
}
