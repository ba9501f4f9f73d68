import type { GraphQLResolveInfo } from 'graphql';
import type { Json, JsonObject } from '../json';
import type { ResourceSource } from '../types/resource';
import type { OperationRequest } from './operations/definitions';
import type { Condition } from './where/condition';

/** One parameter of a search as REST writes it: name with its modifier, value not percent-encoded. */
export type SearchPair = readonly [name: string, value: string];

/** A list or connection of resources of one type. */
export interface ListRequest {
  readonly type: string;
  /** In the order of the arguments, without those that say which page. */
  readonly parameters: readonly SearchPair[];
  /** What is to be met besides. */
  readonly where?: readonly Condition[];
  /** Only matches that this expression is true of; `counted` is before it. */
  readonly fhirpath?: string;
  /** Only what refers to this resource, by this parameter. */
  readonly referring?: { readonly parameter: string; readonly to: ResourceSource };
  readonly count?: number;
  readonly offset?: number;
  readonly cursor?: string;
  /** Whether the number of all matches is wanted. */
  readonly counted: boolean;
  /** False: only the number of all matches is wanted. */
  readonly listed: boolean;
  /** Whether cursors of the page before and of the last one are wanted. */
  readonly bothWays: boolean;
  /** An instant: the matches of then, each in its version of then. */
  readonly asOf?: string;
  /** False: all matches, or as many as `count` says; fewer are an error and not an answer. */
  readonly isPage: boolean;
}

/** One page of a list. */
export interface ListPage {
  readonly resources: readonly ResourceSource[];
  /** Resources to a page. */
  readonly pageSize: number;
  readonly total?: number;
  /** Cursor of the first page; undefined of a list. */
  readonly first?: string;
  /** Cursor of the next page; undefined on the last one. */
  readonly next?: string;
  /** Cursor of the page before; undefined on the first one. */
  readonly previous?: string;
  readonly last?: string;
}

/** What is counted of the resources of one type that meet all of it. */
export interface CountRequest extends Pick<ListRequest, 'type' | 'parameters' | 'where'> {
  /** By the values of which parameter; undefined: all together. */
  readonly by?: { readonly parameter: string; readonly bucket?: 'year' | 'month' | 'day'; readonly most?: number };
}

/** A value as a search takes it, and how many resources have it. */
export interface CountedValue {
  readonly value: string;
  readonly count: number;
  /** Of a token, as one of the resources has it. */
  readonly coding?: { readonly system?: string; readonly code: string; readonly display?: string };
}

export interface ReferenceRequest {
  /** The Reference as it stands in the resource. */
  readonly reference: JsonObject;
  /** Undefined: any. */
  readonly type?: string;
  /** True: what is not there is null without an error. */
  readonly optional: boolean;
}

export type ChangeKind = 'create' | 'update' | 'patch' | 'delete';

/** What a change of a resource came to. */
export interface ChangeResult {
  /** Of its new version, below the FHIR root: `Patient/1/_history/3`. */
  readonly location?: string;
  /** The new version; undefined after a deletion. */
  readonly resource?: ResourceSource;
  /** An OperationOutcome. */
  readonly information: ResourceSource;
}

/** How a field changes resources. */
export interface TypedChange<Context> {
  /** Extensions of the field, for code that inspects the whole document. */
  readonly extensions: Readonly<Record<string, unknown>>;
  resolve(
    given: Readonly<Record<string, unknown>>,
    context: Context,
    info: GraphQLResolveInfo,
  ): Promise<ChangeResult>;
}

/** What the fields of the generated types ask for; the schema itself reaches nothing. */
export interface Handlers<Context> {
  /** Undefined: there is none. `asOf`: an instant; undefined: now. */
  read(
    type: string,
    id: string,
    asOf: string | undefined,
    context: Context,
  ): Promise<ResourceSource | undefined>;
  list(request: ListRequest, context: Context): Promise<ListPage>;
  /** `total` where nothing says by what, else `groups`. */
  count(
    request: CountRequest,
    context: Context,
  ): Promise<{ readonly total?: number; readonly groups: readonly CountedValue[] }>;
  resolve(request: ReferenceRequest, context: Context): Promise<ResourceSource | undefined>;
  invoke(request: OperationRequest, context: Context): Promise<ResourceSource>;
  /** A resource inside of another one. */
  inner(resource: JsonObject): ResourceSource;
  /** Elements of a type (`HumanName`, `Patient.contact`) that a FHIRPath expression is true of. */
  filter(elements: readonly Json[], place: string, expression: string, context: Context): Promise<readonly Json[]>;
  change(kind: ChangeKind, type: string): TypedChange<Context>;
}
