/**
 * The interface of operations. A new one is a file that exports an object of one of these types, and its line in
 * index.ts.
 */
import type { DocumentResult, Invocation, OperationLevel, StoredResult } from '../api/operation';
import type { SearchPage } from '../api/search';
import type { SearchRequest } from '../search/requests/search-request';
import type { OperationDefinition, OperationParameter } from '../fhir/definitions';
import { type JsonObject } from '../fhir/json';
import { type OperationEnvironment } from './environment';
import { type InputParameters } from './parameters';

export interface OperationInput {
  readonly level: OperationLevel;
  /** The type in the address; undefined at system level. */
  readonly type: string | undefined;
  /** Only at instance level. */
  readonly id: string | undefined;
  /** True for GET, by which nothing may be changed. */
  readonly isSafe: boolean;
  /** The languages that the client prefers where no parameter says one; see `Invocation`. */
  readonly languages: string | undefined;
  /** Checked against the OperationDefinition. */
  readonly parameters: InputParameters;
}

/** A resource as the parameter `return`; its structure is validated before it is sent. */
export interface ResourceAnswer {
  readonly resource: JsonObject;
  /**
   * Stored or submitted content in the answer. The operation is not responsible for errors in it: some of the
   * definitions that HL7 published have one.
   */
  readonly madeFrom?: JsonObject;
  /** Called with the text of the resource after its validation. */
  readonly cacheText?: (text: string) => void;
}

/** A cached text, which was validated before. */
export interface CachedAnswer {
  readonly cachedText: string;
}

/** A text that is made of stored texts and of others that tests validate. */
export interface TextAnswer {
  readonly text: string;
}

/** The elements of `Parameters.parameter`. */
export interface ParametersAnswer {
  readonly parameters: readonly JsonObject[];
}

export type OperationAnswer = ResourceAnswer | CachedAnswer | TextAnswer | ParametersAnswer;

interface NamedOperation {
  /** Canonical url of its OperationDefinition, which defines all other properties. */
  readonly definition: string;
  /** The definition itself for an operation of this program; otherwise that of the release applies. */
  readonly own?: OperationDefinition;
  /** Stands for the code in names of GraphQL fields, where type and code are the name of a resource type. */
  readonly fieldCode?: string;
  /** See `OperationInfo`. */
  readonly storesOnRequest?: true;
  /** True: it says what `metadata` says, to every client with a right in the space. */
  readonly isOfServer?: true;
  /** Additional levels at which it is available, beyond its definition. */
  readonly alsoAt?: readonly OperationLevel[];
}

/** An operation whose input is checked and validated before it runs. */
export interface ReadOperation extends NamedOperation {
  /** True: parameters that the definition does not name are accepted; see `InputParameters.undeclared`. */
  readonly takesOthers?: true;
  /** Those of them that fields of GraphQL take as arguments. */
  readonly others?: readonly OperationParameter[];
  /** Expected failures are thrown as FhirError. */
  run(environment: OperationEnvironment, input: OperationInput): Promise<OperationAnswer>;
}

/** Parts of the request that are not parameters of the operation itself. */
export interface RequestedPage {
  /** The client's `_cursor` parameter, from the previous page. */
  readonly cursor: string | undefined;
  /** Empty unless the operation takes a search. */
  readonly search: SearchRequest['parameters'];
}

/** An operation that answers with a searchset Bundle, page by page. */
export interface PagedOperation extends NamedOperation {
  /** True: parameters that the definition does not name are search parameters. */
  readonly takesSearch?: boolean;
  /** Expected failures are thrown as FhirError. */
  runPage(
    environment: OperationEnvironment,
    input: OperationInput,
    requested: RequestedPage,
  ): Promise<SearchPage>;
}

/** An operation that reads and checks its input itself. */
export interface UnreadOperation extends NamedOperation {
  /** Expected failures are thrown as FhirError; errors in the input as `readInput` throws them. */
  runUnread(environment: OperationEnvironment, invocation: Invocation): Promise<OperationAnswer>;
}

/** An operation that answers with a document, and stores it if the client asks for that. */
export interface DocumentOperation extends NamedOperation {
  /** Expected failures are thrown as FhirError. */
  runDocument(
    environment: OperationEnvironment,
    input: OperationInput,
  ): Promise<DocumentResult | StoredResult>;
}

export type Operation = ReadOperation | PagedOperation | DocumentOperation | UnreadOperation;
