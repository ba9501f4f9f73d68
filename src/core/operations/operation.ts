/** What an operation is. A new one is a file that exports one of these, and its line in index.ts. */
import type { DocumentContent, Invocation, OperationLevel } from '../api/operation';
import type { SearchPage, SearchRequest } from '../api/search';
import { type OperationDefinition } from '../fhir/definitions';
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

/** A resource as the parameter `return`; its structure is validated before it is sent. */
export interface ResourceAnswer {
  readonly resource: JsonObject;
  /**
   * What was stored or sent and has gone into it. Its own faults are not the operation's: some of the definitions that
   * HL7 published have one.
   */
  readonly madeFrom?: JsonObject;
  /** Told the text of the resource once it has been found valid. */
  readonly remember?: (text: string) => void;
}

/** A text that was remembered: it has been validated. */
export interface RememberedAnswer {
  readonly rememberedText: string;
}

/** The elements of `Parameters.parameter`. */
export interface ParametersAnswer {
  readonly parameters: readonly JsonObject[];
}

export type OperationAnswer = ResourceAnswer | RememberedAnswer | ParametersAnswer;

interface Named {
  /** Canonical url of its OperationDefinition, which says everything else about it. */
  readonly definition: string;
  /** The definition itself, where it is one of our own; else that of the release counts. */
  readonly own?: OperationDefinition;
  /** Levels at which it is offered, though its definition does not name them. */
  readonly alsoAt?: readonly OperationLevel[];
}

/** An operation whose input is checked and validated before it runs. */
export interface ReadOperation extends Named {
  /** Expected failures are thrown as FhirError. */
  run(environment: OperationEnvironment, input: OperationInput): Promise<OperationAnswer>;
}

/** What of the address is no parameter of the operation itself. */
export interface AskedPage {
  /** Of the page before, as the client gave it in the parameter `_cursor`. */
  readonly cursor: string | undefined;
  /** Empty unless the operation takes a search. */
  readonly search: SearchRequest['parameters'];
}

/** An operation that answers with a searchset Bundle, page by page. */
export interface PagedOperation extends Named {
  /** True: parameters of the address that the definition does not name are those of a search. */
  readonly takesSearch?: boolean;
  /** Expected failures are thrown as FhirError. */
  runPage(environment: OperationEnvironment, input: OperationInput, asked: AskedPage): Promise<SearchPage>;
}

/** An operation that reads and checks its input itself. */
export interface UnreadOperation extends Named {
  /** Expected failures are thrown as FhirError, of the input as `readInput` throws them. */
  runUnread(environment: OperationEnvironment, invocation: Invocation): Promise<OperationAnswer>;
}

/** An operation that answers with a document. */
export interface DocumentOperation extends Named {
  /** Expected failures are thrown as FhirError. */
  runDocument(environment: OperationEnvironment, input: OperationInput): Promise<DocumentContent>;
}

export type Operation = ReadOperation | PagedOperation | DocumentOperation | UnreadOperation;
