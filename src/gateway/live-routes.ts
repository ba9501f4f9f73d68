/** Serves live queries at the gateway's addresses: authentication and the choice of the protocol. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type GraphQLSchema } from 'graphql';
import {
  type Core,
  fhirError,
  type Log,
  type RequestContext,
  requireMessageAdmitted,
  type TenantSpace,
  toFhirError,
} from '../core/index';
import { type ParsedCache } from '../resolvers/index';
import { type DocumentLimits } from '../schema/limits';
import {
  lastEventId,
  parseAddress,
  requireEventStream,
  sendEvents,
  sendRefusal,
  toLiveRequest,
} from './event-stream';
import type { ExecutionLimits } from './execution/gateway';
import { readBody } from './http';
import { LiveQueries, LiveRefusal, type LiveRequest, type LiveResults } from './live-query';
import type { PersistedDocuments } from './persisted-documents';
import { routeUpgrades, takeOver, upgradeOf } from '../upgrade';
import { type SocketSettings } from '../bounded-socket';
import { createLiveSockets } from './web-socket';

export interface LiveRoutesOptions {
  readonly core: Core;
  readonly settings: {
    readonly requestTimeoutMs: number;
    readonly extensionBase: string;
    readonly maxDepth: number;
    /** Limit on the cost of one result, and whether introspection is allowed. */
    readonly execution: Pick<ExecutionLimits, 'cost' | 'introspection'>;
    readonly subscriptions: SocketSettings;
  };
  readonly limits: DocumentLimits;
  readonly parsed: ParsedCache;
  readonly documents: PersistedDocuments;
  readonly log: Log;
  schemaOf(space: TenantSpace): Promise<GraphQLSchema>;
}

export interface LiveRoutes {
  /** Returns undefined when the request is not for a WebSocket. */
  acceptSocket(request: FastifyRequest, reply: FastifyReply, space: TenantSpace): FastifyReply | undefined;
  /** Serves server-sent events. Throws invalidValue, and the errors of reading the body. */
  stream(request: FastifyRequest, reply: FastifyReply, space: TenantSpace): Promise<FastifyReply>;
  /** Routes WebSocket requests to the server's routes, and ends all live queries when the server closes. */
  register(server: FastifyInstance): void;
}

/** Addresses that accept WebSockets. */
const SOCKET_ADDRESS = /^\/w\/[^/?]+\/api\/v1\/graphql\/[^/?]+\/?(\?|$)/;
const SOCKET_PATTERN = '/w/:tenant/api/v1/graphql/:release';
const SOCKET_INTERACTION = Object.freeze({ name: 'graphql-socket', pattern: SOCKET_PATTERN });

/** Returns the context of one result: the current space and access of the caller, and the deadline of a request. */
async function contextOf(
  { core, settings, log }: LiveRoutesOptions,
  request: FastifyRequest,
  { tenant, release }: TenantSpace,
  authorization: string | undefined,
): Promise<RequestContext> {
  const space = await core.access.findSpace(tenant, release);
  const origin = { address: request.ip, requestId: request.id, requestLine: request.url };
  const { actor, access } = await core.access.identify({ tenant, space, authorization, ...origin });
  if (space === undefined) throw fhirError('unknownTenant');
  const deadline = Date.now() + settings.requestTimeoutMs;
  const { id: requestId } = request;
  return {
    space,
    actor,
    deadline,
    requestId,
    address: request.ip,
    log,
    ...(access === undefined ? {} : { access }),
  };
}

/** Creates the routes of live queries. */
export function createLiveRoutes(options: LiveRoutesOptions): LiveRoutes {
  const { core, settings, limits, parsed, documents, log, schemaOf } = options;
  const { subscriptions } = settings;
  const sockets = createLiveSockets(subscriptions, log);
  const queries = new LiveQueries({
    core,
    settings,
    limits,
    execution: settings.execution,
    parsed,
    documents,
    schemaOf: ({ space }) => schemaOf(space),
  });

  return {
    acceptSocket(request, reply, space) {
      const upgrade = upgradeOf(request.raw);
      if (upgrade === undefined) return undefined;
      request.logEntry.interaction = SOCKET_INTERACTION;
      reply.hijack();
      takeOver(reply.raw, upgrade);
      // Browsers cannot set a header on a WebSocket, so that its first message may have the credentials.
      let { authorization } = request.headers;
      const contextNow = (): Promise<RequestContext> => contextOf(options, request, space, authorization);
      const { bytes, countError } = request.logEntry;
      const counted = async <T>(work: Promise<T>): Promise<T> => {
        try {
          return await work;
        } catch (error) {
          countError(error instanceof LiveRefusal ? 'graphqlRequest' : toFhirError(error, request.id).key);
          throw error;
        }
      };
      const open = async (live: LiveRequest): Promise<LiveResults> => {
        await requireMessageAdmitted(core.access.admit(await contextNow()));
        return queries.open(live, contextNow);
      };
      sockets.accept(request.raw, upgrade, request.id, {
        openShare: () => bytes.openAnother(),
        async admit(sent) {
          authorization = sent ?? authorization;
          await counted(contextNow());
        },
        open: (live) => counted(open(live)),
      });
      return reply;
    },
    async stream(request, reply, space) {
      requireEventStream(request);
      const isPost = request.method === 'POST';
      const live = isPost
        ? toLiveRequest(await readBody(request, core, settings.maxDepth))
        : parseAddress(request);
      const after = lastEventId(request);
      try {
        const results = await queries.open({ ...live, ...(after === undefined ? {} : { after }) }, () =>
          contextOf(options, request, space, request.headers.authorization),
        );
        return await sendEvents(request, reply, results, subscriptions.pingMs);
      } catch (error) {
        if (!(error instanceof LiveRefusal)) throw error;
        request.logEntry.countError('graphqlRequest');
        return sendRefusal(request, reply, error);
      }
    },
    register(server) {
      // `preClose` runs before the server waits for responses in progress; those of live queries would never end by
      // themselves.
      server.addHook('preClose', async () => {
        core.streams.end();
        await sockets.close();
      });
      routeUpgrades(server.server, SOCKET_ADDRESS, (request, response) => server.routing(request, response));
    },
  };
}
