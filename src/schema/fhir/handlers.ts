import type { GraphQLResolveInfo } from 'graphql';
import type { Json, JsonObject } from '../json';
import type { ResourceSource } from '../types/resource';
import type { OperationRequest } from './operations/definitions';
import type { SearchPair } from './search-pair';
import type { Condition } from './where/condition';

/** A list or connection of resources of one type. */
export interface ListRequest {
  readonly type: string;
  /** The parameters in the order of the arguments, without paging. */
  readonly parameters: readonly SearchPair[];
  /** Conditions that must also be met. */
  readonly where?: readonly Condition[];
  /** Filters the matches by this expression. The number of `counted` ignores it. */
  readonly fhirpath?: string;
  /** Only resources that refer to this resource by this parameter. */
  readonly referring?: { readonly parameter: string; readonly to: ResourceSource };
  readonly count?: number;
  readonly offset?: number;
  readonly cursor?: string;
  /** True: the response needs the number of all matches. */
  readonly counted: boolean;
  /** False: the response needs only the number of all matches. */
  readonly listed: boolean;
  /** True: the response needs the cursors of the previous and last page. */
  readonly bothWays: boolean;
  /** True: the response needs `cursors`. */
  readonly eachCursor: boolean;
  /** True: the page ends before the cursor, or at the end of all matches. */
  readonly isBackward: boolean;
  /** An instant: the matches at that time, each in its version of that time. */
  readonly asOf?: string;
  /** False: the response must have all matches, or as many as `count` allows; fewer are an error. */
  readonly isPage: boolean;
}

/** One page of a list. */
export interface ListPage {
  readonly resources: readonly ResourceSource[];
  /** If requested: the cursor of each resource. */
  readonly cursors?: readonly string[];
  /** If requested: the cursors of the first and the last match; a filter may have left out their resources. */
  readonly bounds?: { readonly start: string; readonly end: string } | undefined;
  /** Number of resources per page. */
  readonly pageSize: number;
  readonly total?: number;
  /** Cursor of the first page; undefined for a list. */
  readonly first?: string;
  /** Cursor of the next page; undefined for the last page. */
  readonly next?: string;
  /** Cursor of the previous page; undefined for the first page. */
  readonly previous?: string;
  readonly last?: string;
}

/** A count of the resources of one type that meet all criteria. */
export interface CountRequest extends Pick<ListRequest, 'type' | 'parameters' | 'where'> {
  /** Groups by the values of this parameter; undefined: one total. */
  readonly by?: {
    readonly parameter: string;
    readonly bucket?: 'year' | 'month' | 'day';
    readonly most?: number;
  };
  /** Statistics of the numbers of a parameter, in one unit or in all. */
  readonly numbers?: { readonly parameter: string; readonly unit?: string };
}

/** A value in the form of a search, and the number of resources that have it. */
export interface CountedValue {
  readonly value: string;
  readonly count: number;
  /** The coding of a token, from one of the resources. */
  readonly coding?: { readonly system?: string; readonly code: string; readonly display?: string };
}

/** Statistics of the numbers of one unit; the decimals are literals. */
export interface NumbersOfUnit {
  readonly unit: { readonly system?: string; readonly code?: string; readonly unit?: string };
  readonly count: number;
  readonly inexact: number;
  readonly min?: string;
  readonly max?: string;
  readonly avg?: string;
  readonly sum?: string;
}

/** The content of an Attachment. */
export interface AttachmentContent {
  readonly contentType?: string;
  /** Bytes. */
  readonly size: number;
  /** Returns the content in base64; absent if it is too long for a response. */
  readonly data?: () => string;
  /** Below {fhir_root}; absent for data in the Attachment itself. */
  readonly address?: string;
}

export interface ReferenceRequest {
  /** The Reference of the resource. */
  readonly reference: JsonObject;
  /** Expected resource type; undefined: any. */
  readonly type?: string;
  /** True: a missing resource gives null without an error. */
  readonly optional: boolean;
}

export type ChangeKind = 'create' | 'update' | 'patch' | 'delete';

/** The result of a change of a resource. */
export interface ChangeResult {
  /** Location of the new version, below the FHIR root: `Patient/1/_history/3`. */
  readonly location?: string;
  /** The new version; undefined after a deletion. */
  readonly resource?: ResourceSource;
  /** An OperationOutcome. */
  readonly information: ResourceSource;
}

/** The extensions and the resolver of a field that changes resources. */
export interface TypedChange<Context> {
  /** Extensions of the field, for code that inspects the whole document. */
  readonly extensions: Readonly<Record<string, unknown>>;
  resolve(
    given: Readonly<Record<string, unknown>>,
    context: Context,
    info: GraphQLResolveInfo,
  ): Promise<ChangeResult>;
}

/** The functions that the generated fields call; the schema itself does not import core. */
export interface Handlers<Context> {
  /** Returns undefined when the resource does not exist. `asOf`: an instant; undefined: now. */
  read(
    type: string,
    id: string,
    asOf: string | undefined,
    context: Context,
  ): Promise<ResourceSource | undefined>;
  /** Returns the resource with this `_key`; undefined if it is not stored, or inside of one that is not. */
  node(key: string, context: Context): Promise<ResourceSource | undefined>;
  /** Returns the text of the subgraph (schema/subgraph.ts). */
  subgraph(context: Context): Promise<string>;
  list(request: ListRequest, context: Context): Promise<ListPage>;
  /** Returns `groups` if the request has `by`, `statistics` if it has `numbers`, else `total`. */
  count(
    request: CountRequest,
    context: Context,
  ): Promise<{
    readonly total?: number;
    readonly groups: readonly CountedValue[];
    readonly statistics?: readonly NumbersOfUnit[];
  }>;
  resolve(request: ReferenceRequest, context: Context): Promise<ResourceSource | undefined>;
  /** Returns undefined for an Attachment without data that names no Binary. */
  content(attachment: JsonObject, context: Context): Promise<AttachmentContent | undefined>;
  /** Returns the best display of a Coding in a list of languages; undefined: there is none in whatever language. */
  display(coding: JsonObject, languages: string, context: Context): Promise<string | undefined>;
  /** The same for the text of a CodeableConcept. */
  conceptText(concept: JsonObject, languages: string, context: Context): Promise<string | undefined>;
  /** Returns the name of the client application that made the version of this `meta`; undefined: there is none. */
  authorName(meta: unknown, context: Context): Promise<string | undefined>;
  invoke(request: OperationRequest, context: Context): Promise<ResourceSource>;
  /** Returns a resource inside another one. */
  inner(resource: JsonObject): ResourceSource;
  /** Returns the elements of a type (`HumanName`, `Patient.contact`) for which a FHIRPath expression is true. */
  filter(
    elements: readonly Json[],
    place: string,
    expression: string,
    context: Context,
  ): Promise<readonly Json[]>;
  change(kind: ChangeKind, type: string): TypedChange<Context>;
}
