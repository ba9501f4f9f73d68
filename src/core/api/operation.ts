/** Operations: requests, results, and their list. */
import type { ResourceInput } from './resource-input';
import type { SearchPage } from './search';
import type { WriteResult } from './version';
import type { StoredVersion } from '../storage/read/stored-version';

export type OperationLevel = 'system' | 'type' | 'instance';

export interface Invocation {
  readonly level: OperationLevel;
  readonly type?: string;
  readonly id?: string;
  /** Without the leading `$`. */
  readonly code: string;
  /** The body of a POST: Parameters, or a bare resource where the definition allows it. */
  readonly input?: ResourceInput;
  /** The query parameters of a GET (or POST) invocation. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** True for GET, which is refused for operations that change state. */
  readonly safe: boolean;
  /** The languages that the client prefers, such as `de-AT, en;q=0.5`; a text that is no such list is ignored. */
  readonly languages?: string | undefined;
}

export interface TextResult {
  /** The bare resource or the Parameters resource, as JSON text. */
  readonly text: string;
}

/** One page of a searchset Bundle; the edge writes the Bundle and its links. */
export interface PageResult {
  /** `used`: the parameters that, with the `_cursor` of `next`, request the next page. */
  readonly page: SearchPage;
}

/** A document (https://hl7.org/fhir/R4/documents.html) without the addresses of its entries. */
export interface DocumentContent {
  /** `urn:uuid:…` */
  readonly identifier: string;
  /** An instant. */
  readonly timestamp: string;
  /** The Composition first. */
  readonly versions: readonly StoredVersion[];
}

/** The edge writes the Bundle. */
export interface DocumentResult {
  readonly document: DocumentContent;
}

/** A resource that the operation has stored because the client asked for it. */
export interface StoredResult {
  readonly stored: WriteResult;
}

export type InvocationResult = TextResult | PageResult | DocumentResult | StoredResult;

/** An operation that has an executor in this release. */
export interface OperationInfo {
  readonly code: string;
  /** Canonical url of the OperationDefinition. */
  readonly definition: string;
  readonly levels: readonly OperationLevel[];
  readonly types: readonly string[];
  readonly affectsState: boolean;
  /** True: it stores its result if the client asks for that by POST. */
  readonly storesOnRequest: boolean;
}
