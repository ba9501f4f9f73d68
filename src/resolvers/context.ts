import type { ChangeStream, Core, Issue, RequestContext } from '../core/index';
import { createLoaders, type Loaders } from './loaders';
import type { ParsedCache, ParsedResources } from './parsed-resources';

/** Part of the context of a live query: the receiver of its changes. */
export interface LiveContext {
  /** Replaces the argument `after` when the client reconnects by itself (Last-Event-ID). */
  readonly after?: number;
  opened(stream: ChangeStream): void;
}

/** A warning about a resource that was stored, with the response path of the write. */
export interface ReportedIssue extends Issue {
  readonly path: readonly (string | number)[];
}

/** The response of a request. */
export interface Answer {
  /** Characters of its values and names, estimated. */
  characters: number;
  /** Set for one that was written already. */
  text?: Buffer;
}

/** The context of all resolvers: the request and its caller, and the loaders of the request. */
export interface GatewayContext {
  readonly core: Core;
  readonly request: RequestContext;
  readonly loaders: Loaders;
  /** Base of the urls of our extensions, without a slash at its end (FHIR_EXTENSION_BASE). */
  readonly extensionBase: string;
  /** Limit on the levels of objects and arrays in a resource. */
  readonly maxDepth: number;
  /** Warnings of all writes of the request, for `extensions.issues` of the response. */
  readonly issues: ReportedIssue[];
  readonly answer: Answer;
  /** Cache of the parsed versions of the space. */
  readonly parsed: ParsedResources;
  /** Undefined: this request cannot subscribe. */
  readonly live?: LiveContext;
  /** Returns the text of the subgraph; undefined: there is none. */
  readonly subgraph?: () => Promise<string>;
  /** Called before a mutation is executed. */
  readonly beforeChanges?: () => void;
}

/** True for a GatewayContext. Apollo Server passes the context on without its type. */
export function isGatewayContext(value: object): value is GatewayContext {
  return 'core' in value && 'request' in value && 'loaders' in value;
}

export function createGatewayContext(
  core: Core,
  request: RequestContext,
  {
    settings,
    parsed,
    live,
    subgraph,
    beforeChanges,
  }: {
    readonly settings: Pick<GatewayContext, 'extensionBase' | 'maxDepth'>;
    readonly parsed: ParsedCache;
    readonly live?: LiveContext;
    readonly subgraph?: GatewayContext['subgraph'];
    readonly beforeChanges?: GatewayContext['beforeChanges'];
  },
): GatewayContext {
  const { extensionBase, maxDepth } = settings;
  return {
    core,
    request,
    extensionBase,
    maxDepth,
    parsed: parsed.within(request.space.number, request.bytes),
    issues: [],
    answer: { characters: 0 },
    loaders: createLoaders(core, request),
    ...(live ? { live } : {}),
    ...(subgraph ? { subgraph } : {}),
    ...(beforeChanges ? { beforeChanges } : {}),
  };
}

/** Returns the same context for another request context of the same request, such as one that reads in a snapshot. */
export function withRequest(context: GatewayContext, request: RequestContext): GatewayContext {
  return { ...context, request, loaders: createLoaders(context.core, request) };
}
