/** The GraphQL gateway: Apollo Server behind our own Fastify handler, at the addresses of docs/graphql.md. */
import { type ApolloServer } from '@apollo/server';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  type Core,
  FhirError,
  fhirError,
  isRelease,
  type Log,
  type Release,
  type RequestContext,
  type TenantSpace,
  toFhirError,
  toIssue,
} from '../core/index';
import { createGatewayContext, createSchema, type GatewayContext } from '../resolvers/index';
import { DEFAULT_LIMITS, type DocumentLimits } from '../schema/limits';
import { createApollo } from './apollo';
import { logUnexpected } from './errors';
import { CONTENT_SECURITY_POLICY, createGraphiql } from './graphiql';
import { checkText, isBrowser, readBody, sendErrors, setCommonHeaders, toHeaderMap, toSearch } from './http';

export interface GatewaySettings {
  /** Milliseconds after which a request is answered with `timeout`. */
  readonly requestTimeoutMs: number;
  /** Base of the urls of our extensions, without a slash at its end. */
  readonly extensionBase: string;
  /** Levels of objects and arrays that a resource may have. */
  readonly maxDepth: number;
  /** Undefined: DEFAULT_LIMITS. */
  readonly limits?: DocumentLimits;
}

export interface GraphqlGateway {
  /** Mounts the gateway's addresses on the REST server, of which it uses body parser, error answers and log lines. */
  register(server: FastifyInstance): void;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly core: Core;
  readonly settings: GatewaySettings;
  readonly log: Log;
  /** Whom the changes of a request are attributed to; undefined: `anonymous`. */
  readonly actorOf?: (request: FastifyRequest) => string;
}

interface Address {
  readonly tenant: string;
  readonly release: string;
}
type GatewayRequest = FastifyRequest<{ Params: Address }>;

const URL = '/w/:tenant/api/v1/graphql/:release';
/** What logs and metrics say instead of the address. */
const INTERACTION = Object.freeze({ name: 'graphql', pattern: URL });
const ALLOWED = 'GET, POST';

/** Wrong addresses are answered as REST answers them; everything else as GraphQL clients expect. */
const ADDRESS_ERRORS: readonly FhirError['key'][] = ['unknownTenant', 'unknownRelease', 'methodNotAllowed'];

/** Creates the gateway. The schema of a release is built on its first request, in about 10 ms. */
export async function createGraphqlGateway(options: GatewayOptions): Promise<GraphqlGateway> {
  const { core, settings, log, actorOf = () => 'anonymous' } = options;
  const limits = settings.limits ?? DEFAULT_LIMITS;
  const graphiql = await createGraphiql();
  const servers = new Map<Release, Promise<ApolloServer<GatewayContext>>>();

  function serverOf(release: Release): Promise<ApolloServer<GatewayContext>> {
    let server = servers.get(release);
    if (!server) {
      server = createApollo(createSchema(core.resourceTypes(release)), limits, log);
      servers.set(release, server);
    }
    return server;
  }

  /** Tenant and release come from the path only, so that no query can cross them. */
  async function findSpace(request: GatewayRequest): Promise<TenantSpace> {
    const { tenant, release } = request.params;
    if (!isRelease(release)) throw fhirError('unknownRelease', { release });
    // A percent-encoded spelling of a name is no address.
    const isSpelledOut = request.url.startsWith(`/w/${tenant}/api/v1/graphql/${release}`);
    const space = isSpelledOut ? await core.findSpace(tenant, release) : undefined;
    if (!space) throw fhirError('unknownTenant');
    request.visit.tenant = tenant;
    request.visit.release = release;
    return space;
  }

  async function answer(request: GatewayRequest, reply: FastifyReply): Promise<FastifyReply> {
    const space = await findSpace(request);
    if (isBrowser(request)) return sendPage(request, reply);
    const body = await readBody(request, core, settings.maxDepth);
    const apollo = await serverOf(space.release);
    const response = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: request.method,
        headers: toHeaderMap(request),
        search: toSearch(request),
        body,
      },
      context: async () => {
        checkText(body, limits);
        return createGatewayContext(core, toRequestContext(request, space), settings);
      },
    });
    setCommonHeaders(request, reply).code(response.status ?? 200);
    for (const [name, value] of response.headers) void reply.header(name, value);
    // Chunks are for @defer, which graphql 16 does not have.
    return reply.send(response.body.kind === 'complete' ? response.body.string : '');
  }

  function toRequestContext(request: FastifyRequest, space: TenantSpace): RequestContext {
    const deadline = Date.now() + settings.requestTimeoutMs;
    return {
      space,
      actor: actorOf(request),
      deadline,
      waiter: request.visit.waitUntil(deadline),
      requestId: request.id,
      log,
    };
  }

  function sendPage(request: GatewayRequest, reply: FastifyReply): FastifyReply {
    const { tenant, release } = request.params;
    const isFolder = /\/(\?|$)/.test(request.url);
    return setCommonHeaders(request, reply)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(graphiql.toPage(tenant, release, isFolder));
  }

  function sendFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const error = toFhirError(thrown, request.id);
    // Fastify hands what an error handler throws to the one of the server around it.
    if (ADDRESS_ERRORS.includes(error.key)) throw error;
    logUnexpected(thrown, request.id, log);
    return sendErrors(request, reply, error);
  }

  function register(server: FastifyInstance): void {
    graphiql.registerAssets(server);
    void server.register(async (scope) => {
      scope.addHook('onRequest', async (request) => {
        request.visit.interaction = INTERACTION;
      });
      scope.setErrorHandler(sendFailure);
      scope.route<{ Params: Address }>({
        method: ['GET', 'POST'],
        url: URL,
        exposeHeadRoute: false,
        handler: answer,
      });
      scope.route<{ Params: Address }>({
        method: ['HEAD', 'PUT', 'PATCH', 'DELETE'],
        url: URL,
        handler: async (request) => {
          await findSpace(request);
          throw new FhirError(
            'methodNotAllowed',
            [toIssue('methodNotAllowed', { method: request.method, allowed: ALLOWED })],
            ALLOWED,
          );
        },
      });
    });
  }

  return {
    register,
    async close() {
      await Promise.all([...servers.values()].map(async (server) => (await server).stop()));
    },
  };
}
