/** Live queries at the gateway's addresses: who is let in, and by which protocol. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type GraphQLSchema } from 'graphql';
import {
  type Core,
  fhirError,
  type Log,
  type RequestContext,
  requireAdmitted,
  type TenantSpace,
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
import { LiveQueries, LiveRefusal } from './live-query';
import type { PersistedDocuments } from './persisted-documents';
import { routeUpgrades, takeOver, upgradeOf } from './upgrade';
import { createLiveSockets, type SocketSettings } from './web-socket';

export interface LiveRoutesOptions {
  readonly core: Core;
  readonly settings: {
    readonly requestTimeoutMs: number;
    readonly extensionBase: string;
    readonly maxDepth: number;
    /** What one result may cost, and whether the schema may be asked for. */
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
  /** Undefined: the request wants no WebSocket. */
  acceptSocket(request: FastifyRequest, reply: FastifyReply, space: TenantSpace): FastifyReply | undefined;
  /** Answers by server-sent events. Throws invalidValue, and what reading the body throws. */
  stream(request: FastifyRequest, reply: FastifyReply, space: TenantSpace): Promise<FastifyReply>;
  /** Lets WebSockets come to the server's routes, and ends all live queries when it is closed. */
  register(server: FastifyInstance): void;
}

/** Addresses at which a WebSocket may be asked for. */
const SOCKET_ADDRESS = /^\/w\/[^/?]+\/api\/v1\/graphql\/[^/?]+\/?(\?|$)/;
const SOCKET_PATTERN = '/w/:tenant/api/v1/graphql/:release';
const SOCKET_INTERACTION = Object.freeze({ name: 'graphql-socket', pattern: SOCKET_PATTERN });

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

  /** Of one result: the space and who asks as they are now, and the time that a request has. */
  async function contextOf(
    request: FastifyRequest,
    { tenant, release }: TenantSpace,
    authorization: string | undefined,
  ): Promise<RequestContext> {
    const space = await core.findSpace(tenant, release);
    const asked = { address: request.ip, requestId: request.id, asked: request.url };
    const { actor, access } = await core.identify({ tenant, space, authorization, ...asked });
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

  return {
    acceptSocket(request, reply, space) {
      const upgrade = upgradeOf(request.raw);
      if (upgrade === undefined) return undefined;
      request.visit.interaction = SOCKET_INTERACTION;
      reply.hijack();
      takeOver(reply.raw, upgrade);
      // Browsers can set no header on a WebSocket: its first message may bring what would stand there.
      let { authorization } = request.headers;
      const contextNow = (): Promise<RequestContext> => contextOf(request, space, authorization);
      sockets.accept(request.raw, upgrade, request.id, {
        async admit(sent) {
          authorization = sent ?? authorization;
          await contextNow();
        },
        async open(asked) {
          const admission = core.admit(await contextNow());
          if (admission !== undefined) {
            const decided = await admission;
            decided.leave();
            await decided.delay?.();
            requireAdmitted(decided);
          }
          return queries.open(asked, contextNow);
        },
      });
      return reply;
    },
    async stream(request, reply, space) {
      requireEventStream(request);
      const isPost = request.method === 'POST';
      const asked = isPost
        ? toLiveRequest(await readBody(request, core, settings.maxDepth))
        : parseAddress(request);
      const after = lastEventId(request);
      try {
        const results = await queries.open({ ...asked, ...(after === undefined ? {} : { after }) }, () =>
          contextOf(request, space, request.headers.authorization),
        );
        return await sendEvents(request, reply, results, subscriptions.pingMs);
      } catch (error) {
        if (error instanceof LiveRefusal) return sendRefusal(request, reply, error);
        throw error;
      }
    },
    register(server) {
      // Before the server waits for the answers that are under way: those of live queries end only when they are ended.
      server.addHook('preClose', async () => {
        core.endStreams();
        await sockets.close();
      });
      routeUpgrades(server.server, SOCKET_ADDRESS, (request, response) => server.routing(request, response));
    },
  };
}
