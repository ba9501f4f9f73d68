/** The GraphQL gateway: Apollo Server behind a Fastify handler, at the addresses of docs/use/graphql.md. */
import { type ApolloServer, type HTTPGraphQLResponse } from '@apollo/server';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type GraphQLSchema } from 'graphql';
import {
  ANONYMOUS_CALLER,
  type Caller,
  type Core,
  FhirError,
  fhirError,
  isRelease,
  isValidId,
  type Log,
  EMPTY_REQUEST_STATE,
  type Release,
  type RequestContext,
  type TenantSpace,
  toFhirError,
  toIssue,
} from '../core/index';
import type { BuiltPages } from '../built-pages';
import { type Answer, createGatewayContext, type GatewayContext, ParsedCache } from '../resolvers/index';
import { DEFAULT_LIMITS, type DocumentLimits } from '../schema/limits';
import { createApollo, isInvalid } from './apollo';
import { type ErrorObserver, logUnexpected } from './errors';
import type { ExecutionLimits, Introspect } from './execution/gateway';
import { readFhirQuery, type SentQuery } from './fhir-request';
import { createLiveRoutes } from './live-routes';
import { CONTENT_SECURITY_POLICY, createGraphiql } from './graphiql';
import { type IntrospectionOutcome, Introspections, type SchemaForm } from './introspection';
import { type DocumentTrust, PersistedDocuments, readManifest } from './persisted-documents';
import { type InstanceAddress, setInstance } from './instance';
import { NamedQueryCache } from './named-queries';
import type { SubgraphRequest } from '../schema/subgraph';
import type { CacheForm } from './built-schema';
import { refuseBlindQueries } from './query-origin';
import { SchemaFiles, sendSchemaFile, unpack } from './schema-file';
import { pageLimits } from '../browser-limits';
import { upgradeOf } from '../upgrade';
import { SchemaCache, type ServedSchema } from './schema-cache';
import { type SocketSettings } from '../bounded-socket';
import {
  checkText,
  isBrowser,
  readBody,
  sendErrors,
  setCommonHeaders,
  toHeaderMap,
  toSearch,
  jsonHeaders,
} from './http';

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

interface Address {
  readonly tenant: string;
  readonly release: string;
  /** Set for a query on one resource. */
  readonly type?: string;
  readonly id?: string;
}

interface Identified {
  readonly space: TenantSpace;
  readonly caller: Caller;
}
type GatewayRequest = FastifyRequest<{ Params: Address }>;

const URL = '/w/:tenant/api/v1/graphql/:release';
/** HL7's own addresses (http://hl7.org/fhir/R4/graphql.html#invoking). */
const FHIR_URLS = [
  '/w/:tenant/api/v1/fhir/:release/$graphql',
  '/w/:tenant/api/v1/fhir/:release/:type/:id/$graphql',
];
const SCHEMA_URL = `${URL}/schema.graphql`;
const INTROSPECTION_URL = `${URL}/schema.json`;
const SUBGRAPH_URL = `${URL}/subgraph.graphql`;
const CACHE_URLS = ['possibleTypes', 'nodeFields'] as const;
const STREAM_URL = `${URL}/stream`;
/** Names in logs and metrics, instead of the address. */
const INTERACTIONS = new Map(
  [
    URL,
    ...FHIR_URLS,
    SCHEMA_URL,
    INTROSPECTION_URL,
    SUBGRAPH_URL,
    ...CACHE_URLS.map(toCacheUrl),
    STREAM_URL,
  ].map((pattern) => [pattern, { name: pattern === STREAM_URL ? 'graphql-stream' : 'graphql', pattern }]),
);
function toCacheUrl(form: CacheForm): string {
  return `${URL}/${form}.json`;
}
const SERVED: readonly string[] = ['GET', 'POST'];
/** Introspection; not `__typename`, which many clients add to every query. */
const ABOUT_SCHEMA = /__(?:schema|type)\b/;

/** Errors of the address are sent in the form of REST; all others in the form of GraphQL. */
const ADDRESS_ERRORS: readonly FhirError['key'][] = [
  'unknownTenant',
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
  const limits = settings.limits ?? DEFAULT_LIMITS;
  const graphiql = createGraphiql(settings.pages);
  const parsed = new ParsedCache(settings.parsedBytes);
  const introspections = new Introspections(options.observeIntrospection);
  const schemaFiles = new SchemaFiles(introspections);
  const documents = new PersistedDocuments(core, await toTrust(settings));
  const servers = new Map<GraphQLSchema, Promise<ApolloServer<GatewayContext>>>();
  const queries = new NamedQueryCache(core);
  const schemas = new SchemaCache(
    (space) => queries.of(space),
    settings.subgraph !== undefined,
    (schema) => servers.delete(schema),
  );

  async function schemaOf(space: TenantSpace): Promise<GraphQLSchema> {
    return (await schemas.of(space)).schema;
  }

  async function serverOf({ schema, source }: ServedSchema): Promise<ApolloServer<GatewayContext>> {
    const introspect: Introspect = (introspection, tenant) =>
      introspections.answer(source, introspection, tenant);
    let server = servers.get(schema);
    if (!server) {
      const { execution } = settings;
      server = createApollo({
        ...{ schema, limits, execution, introspect, log, observeError },
        documents: documents.plugin,
      });
      servers.set(schema, server);
    }
    return server;
  }

  for (const release of settings.warm ?? []) await serverOf(await schemas.ofRelease(release));

  const live = createLiveRoutes({ core, settings, limits, parsed, documents, log, schemaOf });

  /**
   * Takes tenant and release from the path only, so that no query can reach another tenant. Throws the errors of
   * `Core.identify`.
   */
  async function identify(request: GatewayRequest): Promise<Identified> {
    const { tenant, release } = request.params;
    if (!isRelease(release)) throw fhirError('unknownRelease', { release });
    // An address with a percent-encoded name is not valid.
    const isSpelledOut = ['graphql', 'fhir'].some((root) =>
      request.url.startsWith(`/w/${tenant}/api/v1/${root}/${release}`),
    );
    const space = isSpelledOut ? await core.findSpace(tenant, release) : undefined;
    const { authorization } = request.headers;
    const origin = { address: request.ip, requestId: request.id, requestLine: request.url };
    // A WebSocket may send its credentials in its first message, and is authenticated then (live-routes.ts).
    const isLater = isSpelledOut && authorization === undefined && upgradeOf(request.raw) !== undefined;
    const caller = isLater
      ? ANONYMOUS_CALLER
      : await core.identify({ tenant, space, authorization, ...origin });
    const served = space ?? (isLater ? core.decoy(tenant, release) : undefined);
    if (!served) throw fhirError('unknownTenant');
    if (!isLater) request.logEntry.caller = caller;
    if (space) request.logEntry.tenant = tenant;
    request.logEntry.release = release;
    return { space: served, caller };
  }

  async function answer(request: GatewayRequest, reply: FastifyReply): Promise<FastifyReply> {
    const identified = await identify(request).catch((error: unknown) => {
      // A browser that opens an address sends no credentials. The page discloses nothing, and sends those that users
      // enter.
      if (isBrowser(request) && error instanceof FhirError && error.key === 'unauthorized') return undefined;
      throw error;
    });
    if (identified === undefined) return sendPage(request, reply);
    const accepted = live.acceptSocket(request, reply, identified.space);
    if (accepted) return accepted;
    if (isBrowser(request)) return sendPage(request, reply);
    refuseBlindQueries(request);
    return admitted(request, reply, identified, async (context) => {
      const body = await readBody(request, core, settings.maxDepth);
      return run(request, reply, context, { headers: toHeaderMap(request), search: toSearch(request), body });
    });
  }

  /** Serves subscriptions. */
  async function stream(request: GatewayRequest, reply: FastifyReply): Promise<FastifyReply> {
    const identified = await identify(request);
    // A subscription runs until its client ends it, and has a limit of its own (MAX_SUBSCRIPTIONS).
    await admitted(request, reply, identified, async () => undefined);
    return live.stream(request, reply, identified.space);
  }

  /** Serves HL7's addresses. */
  async function answerFhir(request: GatewayRequest, reply: FastifyReply): Promise<FastifyReply> {
    const identified = await identify(request);
    refuseBlindQueries(request);
    const instance = findInstance(request, identified.space.release);
    return admitted(request, reply, identified, async (context) => {
      const sent = await readFhirQuery(request, core, {
        limits,
        maxDepth: settings.maxDepth,
        address: instance,
      });
      return run(request, reply, context, sent);
    });
  }

  function findInstance(request: GatewayRequest, release: Release): InstanceAddress | undefined {
    const { type, id } = request.params;
    if (type === undefined || id === undefined) return undefined;
    if (!core.resourceTypes(release).includes(type))
      throw fhirError('unknownType', { type, release: release.toUpperCase() });
    request.logEntry.type = type;
    if (!isValidId(id)) throw fhirError('invalidId', { id });
    return { type, id };
  }

  async function run(
    request: GatewayRequest,
    reply: FastifyReply,
    context: RequestContext,
    sent: SentQuery,
  ): Promise<FastifyReply> {
    const { space } = context;
    const { headers, search, body, instance } = await documents.complete(space, sent);
    const address = toAuditedAddress(search, body);
    if (ABOUT_SCHEMA.test(address)) await queries.refresh(context);
    let answer: Answer | undefined;
    const execute = async (recorded: RequestContext, isAgain = false): Promise<HTTPGraphQLResponse> => {
      const served = await schemas.of(space);
      const apollo = await serverOf(served);
      const response = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method: request.method, headers, search, body },
        context: async () => {
          checkText(body, limits);
          const subgraph = (): Promise<string> => textOfSubgraph(served, space);
          const beforeChanges = (): void => void (request.logEntry.changesNothing = false);
          const made = createGatewayContext(core, recorded, { settings, parsed, subgraph, beforeChanges });
          ({ answer } = made);
          return instance ? setInstance(made, instance) : made;
        },
      });
      // An unknown field may be a named query that was added since. Nothing of such a document was executed, so that it
      // can be repeated.
      const mayBeStale = !isAgain && isInvalid(recorded);
      return mayBeStale && (await queries.refresh(context)) ? execute(recorded, true) : response;
    };
    const response = await core.recordAsOneAccess(
      context,
      address,
      (recorded) => execute(recorded),
      ({ status = 200 }) => status,
    );
    setCommonHeaders(request, reply).code(response.status ?? 200);
    for (const [name, value] of response.headers) void reply.header(name, value);
    request.logEntry.setLimitHeaders(reply);
    // Only @defer needs chunks, and graphql 16 does not have it.
    const text = answer?.text ?? (response.body.kind === 'complete' ? response.body.string : '');
    request.logEntry.sends(text.length);
    return reply.send(text);
  }

  /**
   * Counts the request against the limits before reading it, and as a request in progress until `work` is done. Throws
   * tooManyRequests.
   */
  async function admitted<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    identified: Identified,
    work: (context: RequestContext) => Promise<Result>,
  ): Promise<Result> {
    const context = toRequestContext(request, identified);
    request.logEntry.begin();
    request.logEntry.changesNothing = true;
    try {
      const admission = core.admit(context);
      if (admission !== undefined) await request.logEntry.requireAdmission(admission, request, reply);
      return await work(context);
    } finally {
      request.logEntry.leave();
    }
  }

  function toRequestContext(request: FastifyRequest, { space, caller }: Identified): RequestContext {
    const deadline = Date.now() + settings.requestTimeoutMs;
    return {
      space,
      actor: caller.actor,
      deadline,
      cancellation: request.logEntry.waitUntil(deadline),
      bytes: request.logEntry.bytes,
      requestId: request.id,
      address: request.ip,
      hasStatementBudget: true,
      log,
      ...EMPTY_REQUEST_STATE,
      ...(caller.access === undefined ? {} : { access: caller.access }),
    };
  }

  function sendPage(request: GatewayRequest, reply: FastifyReply): FastifyReply {
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

  async function sendSchema(
    request: GatewayRequest,
    reply: FastifyReply,
    form: SchemaForm,
  ): Promise<FastifyReply> {
    const identified = await identify(request);
    if (!settings.execution.introspection) throw fhirError('noSuchAddress');
    await queries.refresh(toRequestContext(request, identified));
    const served = await schemas.of(identified.space);
    return sendSchemaFile(request, reply, await schemaFiles.of(served, form), form);
  }

  async function sendSubgraph(request: GatewayRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { space, caller } = await identify(request);
    if (settings.subgraph === undefined || !settings.execution.introspection)
      throw fhirError('noSuchAddress');
    await queries.refresh(toRequestContext(request, { space, caller }));
    const types = readTypes(toSearch(request), core.resourceTypes(space.release));
    const wanted = { ...settings.subgraph, ...(types === undefined ? {} : { types }) };
    const file = await schemaFiles.subgraph(await schemas.of(space), wanted, space.tenantNumber);
    return sendSchemaFile(request, reply, file, 'graphql');
  }

  /** Throws `noSuchAddress` where the schemas are no subgraphs, and as `SchemaFiles.subgraph`. */
  async function textOfSubgraph(served: ServedSchema, { tenantNumber }: TenantSpace): Promise<string> {
    if (settings.subgraph === undefined) throw fhirError('noSuchAddress');
    const { packed } = await schemaFiles.subgraph(served, settings.subgraph, tenantNumber);
    return (await unpack(packed)).toString();
  }

  async function sendCacheFile(
    request: GatewayRequest,
    reply: FastifyReply,
    form: CacheForm,
  ): Promise<FastifyReply> {
    const { space } = await identify(request);
    if (!settings.execution.introspection) throw fhirError('noSuchAddress');
    return sendSchemaFile(request, reply, await schemaFiles.ofRelease(space.release, form), 'json');
  }

  async function sendFailure(
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

  /** Refuses other methods after authentication, as REST's addresses do. */
  /** Answers OPTIONS with the methods that are served, and refuses all others. */
  function refuseOtherMethods(scope: FastifyInstance, url: string, served: readonly string[]): void {
    const allowed = served.join(', ');
    scope.route<{ Params: Address }>({
      method: scope.supportedMethods.filter((method) => !served.includes(method) && method !== 'OPTIONS'),
      url,
      handler: async (request) => {
        await identify(request);
        const issue = toIssue('methodNotAllowed', { method: request.method, allowed });
        throw new FhirError('methodNotAllowed', [issue], allowed);
      },
    });
    scope.options(url, (request, reply) =>
      setCommonHeaders(request, reply).header('allow', `${allowed}, OPTIONS`).code(204).send(),
    );
  }

  function register(server: FastifyInstance): void {
    graphiql.registerAssets(server);
    live.register(server);
    void server.register(async (scope) => {
      scope.addHook('onRequest', async (request) => {
        const interaction = INTERACTIONS.get(request.routeOptions.url ?? URL);
        if (interaction) request.logEntry.interaction = interaction;
      });
      scope.setErrorHandler(sendFailure);
      scope.get<{ Params: Address }>(SCHEMA_URL, (request, reply) => sendSchema(request, reply, 'graphql'));
      scope.get<{ Params: Address }>(INTROSPECTION_URL, (request, reply) =>
        sendSchema(request, reply, 'json'),
      );
      for (const url of [URL, STREAM_URL, ...FHIR_URLS]) {
        scope.route<{ Params: Address }>({
          method: [...SERVED],
          url,
          exposeHeadRoute: false,
          handler: url === URL ? answer : url === STREAM_URL ? stream : answerFhir,
        });
        refuseOtherMethods(scope, url, SERVED);
      }
      for (const form of CACHE_URLS) {
        scope.get<{ Params: Address }>(toCacheUrl(form), (request, reply) =>
          sendCacheFile(request, reply, form),
        );
      }
      scope.get<{ Params: Address }>(SUBGRAPH_URL, sendSubgraph);
      for (const url of [SCHEMA_URL, INTROSPECTION_URL, SUBGRAPH_URL, ...CACHE_URLS.map(toCacheUrl)])
        refuseOtherMethods(scope, url, ['GET', 'HEAD']);
    });
  }

  async function warmUp(context: RequestContext, query: string): Promise<void> {
    if (settings.trustedOnly === true) return;
    const served = await schemas.of(context.space);
    const apollo = await serverOf(served);
    if (Date.now() >= context.deadline) return;
    const subgraph = (): Promise<string> => textOfSubgraph(served, context.space);
    await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: 'POST', headers: jsonHeaders(), search: '', body: { query } },
      context: async () => createGatewayContext(core, context, { settings, parsed, subgraph }),
    });
  }

  return {
    register,
    warmUp,
    async close() {
      await introspections.close();
      await Promise.all([...servers.values()].map(async (server) => (await server).stop()));
    },
  };
}

/** Reads `?types=Patient,Observation`; undefined: all types. Throws `unknownType`, `invalidValue`. */
function readTypes(search: string, existing: readonly string[]): readonly string[] | undefined {
  const given = new URLSearchParams(search).get('types');
  if (given === null) return undefined;
  const types = [...new Set(given.split(',').filter((type) => type !== ''))].sort();
  const stray = types.find((type) => !existing.includes(type));
  if (stray !== undefined || types.length === 0)
    throw fhirError('invalidValue', {
      reason:
        stray === undefined
          ? "'types' names no resource type"
          : `'types' has '${stray.slice(0, 80)}', which is no resource type`,
    });
  return types;
}

/** Returns the address for the audit record: the document, without its variables. */
function toAuditedAddress(search: string, body: unknown): string {
  if (search !== '') return `$graphql${search}`;
  const isNamed = typeof body === 'object' && body !== null && 'query' in body;
  const query = isNamed && typeof body.query === 'string' ? body.query : undefined;
  return query === undefined ? '$graphql' : `$graphql?${new URLSearchParams({ query }).toString()}`;
}
