/** The GraphQL gateway: Apollo Server behind a Fastify handler, at the addresses of docs/use/graphql-reference.md. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  type Core,
  FhirError,
  fhirError,
  isValidId,
  type Log,
  type Release,
  type RequestContext,
  toFhirError,
  toIssue,
  unknownType,
} from '../core/index';
import type { BuiltPages } from '../built-pages';
import { ParsedCache } from '../resolvers/index';
import { DEFAULT_LIMITS, type DocumentLimits } from '../schema/limits';
import {
  type Address,
  CACHE_URLS,
  FHIR_URLS,
  type GatewayRequest,
  INTERACTIONS,
  INTROSPECTION_URL,
  SCHEMA_URL,
  SERVED,
  STREAM_URL,
  SUBGRAPH_URL,
  toCacheUrl,
  URL,
} from './addresses';
import { Callers } from './callers';
import { type ErrorObserver, logUnexpected } from './errors';
import type { ExecutionLimits } from './execution/gateway';
import { readFhirQuery } from './fhir-request';
import { createLiveRoutes, type LiveRoutes } from './live-routes';
import { CONTENT_SECURITY_POLICY, createGraphiql, type Graphiql } from './graphiql';
import { type IntrospectionOutcome, Introspections } from './introspection';
import { type DocumentTrust, PersistedDocuments, readManifest } from './persisted-documents';
import type { InstanceAddress } from './instance';
import type { SubgraphRequest } from '../schema/subgraph';
import { refuseBlindQueries } from './query-origin';
import { QueryExecutor } from './query-executor';
import { SchemaFiles, unpack } from './schema-file';
import { registerSchemaRoutes } from './schema-routes';
import { pageLimits } from '../browser-limits';
import { type SocketSettings } from '../bounded-socket';
import { isBrowser, readBody, sendErrors, setCommonHeaders, toHeaderMap, toSearch } from './http';

export interface GatewaySettings {
  /** Milliseconds after which a request fails with `timeout`. */
  readonly requestTimeoutMs: number;
  /** Base of the urls of our extensions, without a slash at its end. */
  readonly extensionBase: string;
  /** Limit on the levels of objects and arrays in a resource. */
  readonly maxDepth: number;
  /** Bytes of the cache of parsed resources. */
  readonly parsedBytes: number;
  /** Limits on the cost of a request, and on the time of its snapshot. */
  readonly execution: ExecutionLimits;
  /** Releases whose schema is made at the start rather than by the first request. */
  readonly warm?: readonly Release[];
  /** File of the trusted documents (persisted-documents.ts); undefined: none. */
  readonly trusted?: string | undefined;
  /** True: other documents are refused. */
  readonly trustedOnly?: boolean;
  /** Set: the schemas are subgraphs of Apollo Federation. */
  readonly subgraph?: Pick<SubgraphRequest, 'isShareable'>;
  /** Undefined: DEFAULT_LIMITS. */
  readonly limits?: DocumentLimits;
  readonly subscriptions: SocketSettings;
  readonly pages: BuiltPages;
}

export interface GraphqlGateway {
  /** Registers the gateway's routes on the REST server; it uses its body parser, error handler and request log. */
  register(server: FastifyInstance): void;
  /** Executes a query as no request: it is not logged, recorded or admitted. Cost: makes the schema of the release. */
  warmUp(context: RequestContext, query: string): Promise<void>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly core: Core;
  readonly settings: GatewaySettings;
  readonly log: Log;
  /** Called for each introspection, for metrics. */
  readonly observeIntrospection: (outcome: IntrospectionOutcome) => void;
  readonly observeError: ErrorObserver;
}

/** Errors of the address are sent in the form of REST; all others in the form of GraphQL. */
const ADDRESS_ERRORS: readonly FhirError['key'][] = [
  'unknownTenant',
  'noSuchTenant',
  'unknownRelease',
  'unknownType',
  'invalidId',
  'methodNotAllowed',
  'unauthorized',
  'misdirected',
];

async function toTrust({ trusted, trustedOnly }: GatewaySettings): Promise<DocumentTrust> {
  return {
    documents: trusted === undefined ? new Map<string, string>() : await readManifest(trusted),
    only: trustedOnly ?? false,
  };
}

/**
 * Creates the gateway. The schema of a release that is not `warm` is made by its first request, in slices: about a
 * second.
 */
export async function createGraphqlGateway(options: GatewayOptions): Promise<GraphqlGateway> {
  const { core, settings, log, observeError } = options;
  const { subgraph } = settings;
  const limits = settings.limits ?? DEFAULT_LIMITS;
  const parsed = new ParsedCache(settings.parsedBytes);
  const introspections = new Introspections(options.observeIntrospection);
  const files = new SchemaFiles(introspections);
  const documents = new PersistedDocuments(core, await toTrust(settings));
  const executor = new QueryExecutor({
    ...{ core, settings, limits, parsed, documents, introspections, log, observeError },
    isSubgraph: subgraph !== undefined,
    async subgraphOf(served, { tenantNumber }) {
      if (subgraph === undefined) throw fhirError('noSuchAddress');
      const { packed } = await files.subgraph(served, subgraph, tenantNumber);
      return (await unpack(packed)).toString();
    },
  });
  for (const release of settings.warm ?? []) await executor.prepare(release);
  const schemaOf: Parameters<typeof createLiveRoutes>[0]['schemaOf'] = async (space) =>
    (await executor.servedTo(space)).schema;
  const live = createLiveRoutes({ core, settings, limits, parsed, documents, log, schemaOf });
  const callers = new Callers(core, settings.requestTimeoutMs, log);
  const { introspection } = settings.execution;
  const graphiql = createGraphiql(settings.pages);
  const gateway: Gateway = { options, limits, graphiql, executor, callers, live };
  return {
    register(server) {
      graphiql.registerAssets(server);
      live.register(server);
      void server.register(async (scope) => {
        scope.addHook('onRequest', async (request) => {
          const interaction = INTERACTIONS.get(request.routeOptions.url ?? URL);
          if (interaction) request.logEntry.interaction = interaction;
        });
        scope.setErrorHandler((thrown, request, reply) => sendFailure(options, thrown, request, reply));
        registerQueryRoutes(scope, gateway);
        registerSchemaRoutes(scope, { core, callers, executor, files, introspection, subgraph });
        for (const url of [SCHEMA_URL, INTROSPECTION_URL, SUBGRAPH_URL, ...CACHE_URLS.map(toCacheUrl)])
          refuseOtherMethods(scope, callers, url, ['GET', 'HEAD']);
      });
    },
    async warmUp(context, query) {
      if (settings.trustedOnly !== true) await executor.warmUp(context, query);
    },
    async close() {
      await introspections.close();
      await executor.close();
    },
  };
}

/** The parts that answer queries. */
interface Gateway {
  readonly options: GatewayOptions;
  readonly limits: DocumentLimits;
  readonly graphiql: Graphiql;
  readonly executor: QueryExecutor;
  readonly callers: Callers;
  readonly live: LiveRoutes;
}

function registerQueryRoutes(scope: FastifyInstance, gateway: Gateway): void {
  const handlers = [
    [URL, answer],
    [STREAM_URL, stream],
    ...FHIR_URLS.map((url) => [url, answerFhir] as const),
  ] as const;
  for (const [url, handler] of handlers) {
    scope.route<{ Params: Address }>({
      method: [...SERVED],
      url,
      exposeHeadRoute: false,
      handler: (request, reply) => handler(gateway, request, reply),
    });
    refuseOtherMethods(scope, gateway.callers, url, SERVED);
  }
}

async function answer(gateway: Gateway, request: GatewayRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { callers, executor, live, graphiql } = gateway;
  const { core, settings } = gateway.options;
  const identified = await callers.identify(request).catch((error: unknown) => {
    // A browser that opens an address sends no credentials. The page discloses nothing, and sends those that users
    // enter.
    if (isBrowser(request) && error instanceof FhirError && error.key === 'unauthorized') return undefined;
    throw error;
  });
  if (identified === undefined) return sendPage(graphiql, request, reply);
  const accepted = live.acceptSocket(request, reply, identified.space);
  if (accepted) return accepted;
  if (isBrowser(request)) return sendPage(graphiql, request, reply);
  refuseBlindQueries(request);
  return callers.admitted(request, reply, identified, async (context) => {
    const body = await readBody(request, core, settings.maxDepth);
    const sent = { headers: toHeaderMap(request), search: toSearch(request), body };
    return executor.run(request, reply, context, sent);
  });
}

/** Serves subscriptions. */
async function stream(
  { callers, live }: Gateway,
  request: GatewayRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const identified = await callers.identify(request);
  // A subscription runs until its client ends it, and has a limit of its own (MAX_SUBSCRIPTIONS).
  await callers.admitted(request, reply, identified, async () => undefined);
  return live.stream(request, reply, identified.space);
}

/** Serves HL7's addresses. */
async function answerFhir(
  { options: { core, settings }, callers, executor, limits }: Gateway,
  request: GatewayRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const identified = await callers.identify(request);
  refuseBlindQueries(request);
  const address = findInstance(core, request, identified.space.release);
  return callers.admitted(request, reply, identified, async (context) => {
    const sent = await readFhirQuery(request, core, { limits, maxDepth: settings.maxDepth, address });
    return executor.run(request, reply, context, sent);
  });
}

function findInstance(core: Core, request: GatewayRequest, release: Release): InstanceAddress | undefined {
  const { type, id } = request.params;
  if (type === undefined || id === undefined) return undefined;
  const types = core.interactions.resourceTypes(release);
  if (!types.includes(type)) throw unknownType(type, release, types);
  request.logEntry.type = type;
  if (!isValidId(id)) throw fhirError('invalidId', { id });
  return { type, id };
}

function sendPage(graphiql: Graphiql, request: GatewayRequest, reply: FastifyReply): FastifyReply {
  const { tenant, release } = request.params;
  const isFolder = /\/(\?|$)/.test(request.url);
  const { status, headers, html } = graphiql.toPage(tenant, release, isFolder);
  return setCommonHeaders(request, reply)
    .headers(pageLimits(request))
    .code(status)
    .headers(headers)
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', 'no-referrer')
    .send(html);
}

async function sendFailure(
  { core, log }: GatewayOptions,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const error = toFhirError(thrown, request.id);
  // Fastify passes an error of this handler on to that of the server around it.
  if (ADDRESS_ERRORS.includes(error.key)) throw error;
  logUnexpected(thrown, request.id, log);
  await request.logEntry.recordRefusal(core, request, error);
  return sendErrors(request, reply, error);
}

/** Answers OPTIONS with the methods that are served, and refuses all others after authentication, as REST does. */
function refuseOtherMethods(
  scope: FastifyInstance,
  callers: Callers,
  url: string,
  served: readonly string[],
): void {
  const allowed = served.join(', ');
  scope.route<{ Params: Address }>({
    method: scope.supportedMethods.filter((method) => !served.includes(method) && method !== 'OPTIONS'),
    url,
    handler: async (request) => {
      await callers.identify(request);
      const issue = toIssue('methodNotAllowed', { method: request.method, allowed });
      throw new FhirError('methodNotAllowed', [issue], allowed);
    },
  });
  scope.options(url, (request, reply) =>
    setCommonHeaders(request, reply).header('allow', `${allowed}, OPTIONS`).code(204).send(),
  );
}
