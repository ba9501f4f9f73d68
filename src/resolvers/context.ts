import type { ChangeStream, Core, Issue, RequestContext } from '../core/index';
import { createLoaders, type Loaders } from './loaders';
import type { ParsedCache, ParsedResources } from './parsed-resources';

/** Of a live query: where its changes go. */
export interface LiveContext {
  /** Stands for the argument `after`, where the client reconnects by itself (Last-Event-ID). */
  readonly after?: number;
  opened(stream: ChangeStream): void;
}

/** What was found in something that was written all the same, and where the answer tells of that write. */
export interface ReportedIssue extends Issue {
  readonly path: readonly (string | number)[];
}

/** What every resolver is given: who asks where, and the reads of this request. */
export interface GatewayContext {
  readonly core: Core;
  readonly request: RequestContext;
  readonly loaders: Loaders;
  /** Base of the urls of our extensions, without a slash at its end (FHIR_EXTENSION_BASE). */
  readonly extensionBase: string;
  /** Levels of objects and arrays that a resource may have. */
  readonly maxDepth: number;
  /** Of all writes of the request: `extensions.issues` of its answer. */
  readonly issues: ReportedIssue[];
  /** Versions of the space that were parsed before. */
  readonly parsed: ParsedResources;
  /** Undefined: subscriptions are not asked for here. */
  readonly live?: LiveContext;
}

/** Whether what Apollo Server hands to a gateway without its type is what it was given. */
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
  }: {
    readonly settings: Pick<GatewayContext, 'extensionBase' | 'maxDepth'>;
    readonly parsed: ParsedCache;
    readonly live?: LiveContext;
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
    loaders: createLoaders(core, request),
    ...(live ? { live } : {}),
  };
}

/** The same for another context of the same request, such as one that reads in a snapshot. */
export function withRequest(context: GatewayContext, request: RequestContext): GatewayContext {
  return { ...context, request, loaders: createLoaders(context.core, request) };
}
