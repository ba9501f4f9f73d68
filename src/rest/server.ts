import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { ANSWER_LIMITS } from '../browser-limits';
import { type ByteBudget, errorOf, fhirError, type Core, type Log } from '../core';
import { CHECK_OPTIONS } from './administration/read-request';
import { registerAdministration } from './administration/register-administration';
import { answerLater } from './async';
import { isContentOfBinary, largestContent } from './binary';
import { readBody, readLongBody } from './requests/body';
import { readBytes } from './requests/body-bytes';
import { toBuffer } from './requests/collected-bytes';
import { compressAnswers } from './responses/compression';
import { connectionOptions, limitRequests } from './connections/connection-limits';
import { allowOrigin, allowOrigins } from './connections/cors';
import { refuseCrossSiteWrites } from './connections/cross-site';
import { answerAtDeadlines } from './connections/deadlines';
import { registerDocsSite } from './pages/docs-site';
import { RestContext } from './rest-context';
import { sendFailure } from './responses/failure';
import { registerHealthRoutes } from './observation/health';
import { checkHosts, toOriginForm } from './connections/host';
import { registerOidcRoutes } from './oidc/routes';
import { sendClientsAway } from './connections/listener-end';
import type { Metrics } from './observation/metrics';
import { admitEveryMethod } from './requests/method';
import { endUnreadBodies, leaveUnread } from './requests/uploaded-content';
import { toRequestId } from './requests/request-id';
import { watchRequests } from './observation/request-log';
import { traceRequests } from './observation/request-trace';
import { registerFhirRoutes } from './routes';
import type { RestSettings } from './settings';
import { registerSubscriptionSockets } from './sockets/subscription-socket';
import { RequestLogEntry } from './observation/request-log-entry';

export interface RestServerOptions {
  readonly core: Core;
  readonly settings: RestSettings;
  /** Budget of the bytes of all bodies and responses. */
  readonly budget: ByteBudget;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborted when the server begins to stop: it is not ready any more, and still answers. */
  readonly stopping: AbortSignal;
  /** True: traces are sent (src/tracing.ts). */
  readonly isTraced: boolean;
  /**
   * Adds routes of other modules (GraphQL) before the server is ready; they share error responses, log lines and
   * metrics.
   */
  readonly register?: (server: FastifyInstance) => void;
  /** Called for every method and pattern of the router. */
  readonly onRoute?: (method: string, pattern: string) => void;
}

/**
 * Longest part of an address that reaches this server's own checks; their error for a bad id is clearer than the
 * router's.
 */
const LONGEST_PART = 512;

/**
 * Creates the HTTP server with every route of the FHIR REST API, tenant administration and health checks; it is not yet
 * listening. All errors are sent as an OperationOutcome. Bodies reach handlers as text.
 */
export function createRestServer({
  core,
  settings,
  budget,
  log,
  metrics,
  stopping,
  isTraced,
  register,
  onRoute,
}: RestServerOptions): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: toRequestId,
    requestIdHeader: false,
    trustProxy: typeof settings.trustProxy === 'boolean' ? settings.trustProxy : [...settings.trustProxy],
    bodyLimit: settings.bodyLimits.bundle,
    forceCloseConnections: 'idle',
    // Requests on open connections are still executed while the server drains.
    return503OnClosing: false,
    ...connectionOptions(settings.connection),
    ajv: { customOptions: CHECK_OPTIONS },
    routerOptions: { maxParamLength: LONGEST_PART, ignoreTrailingSlash: true },
    // Clients often percent-encode `$`.
    rewriteUrl: (request) => spellOutDollar(toOriginForm(request.url ?? '/')),
    frameworkErrors(error, request, reply) {
      allowOrigin(request, reply, settings.corsOrigins);
      reply.headers(ANSWER_LIMITS);
      // Requests rejected by the router bypass hooks.
      request.logEntry = new RequestLogEntry(budget.open(), metrics.countError);
      void sendFailure(error, request, reply, { core, log });
    },
  });
  if (onRoute !== undefined)
    server.addHook('onRoute', ({ method, url }) => {
      for (const one of Array.isArray(method) ? method : [method]) onRoute(one, url);
    });
  admitEveryMethod(server);
  watchRequests(server, budget, log, metrics);
  if (isTraced) traceRequests(server);
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANSWER_LIMITS);
    done();
  });
  sendClientsAway(server, stopping);
  answerAtDeadlines(server, settings.requestTimeoutMs);
  limitRequests(server, settings.connection, log);
  checkHosts(server, settings);
  refuseCrossSiteWrites(server, settings);
  server.setErrorHandler((error, request, reply) => sendFailure(error, request, reply, { core, log }));
  server.setNotFoundHandler(() => {
    throw fhirError('noSuchAddress');
  });
  readBodiesAsText(server, settings);
  endUnreadBodies(server);
  allowOrigins(server, settings.corsOrigins);
  compressAnswers(server);
  registerHealthRoutes(server, core, stopping);
  registerDocsSite(server, settings);
  const restContext = new RestContext(core, settings, log);
  registerAdministration(server, restContext);
  registerOidcRoutes(server, restContext);
  restContext.webConsole.register(server);
  registerFhirRoutes(server, restContext);
  registerSubscriptionSockets(server, restContext);
  register?.(server);
  answerLater(server, core, settings);
  return server;
}

/** Reads bodies of any content type; each handler checks its own. Bodies of unknown addresses are not read. */
function readBodiesAsText(server: FastifyInstance, { bodyLimits, transfers }: RestSettings): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (request, payload, done) => {
    if (request.is404) {
      done(null, undefined);
    } else if (isContentOfBinary(request)) {
      const limit = Math.min(largestContent(bodyLimits.resource), transfers.maxBinaryBytes);
      if (isShort(request, limit)) {
        // In the form of the resource.
        readBytes(payload, request, limit, (error, bytes) =>
          done(error, bytes && toBuffer(bytes).toString('base64')),
        );
        return;
      }
      const refusal = errorOf(() =>
        leaveUnread(request, { limit: transfers.maxBinaryBytes, idleMs: transfers.idleMs }),
      );
      done(refusal ?? null, undefined);
    } else if (isImportAddress(request.url)) {
      // Files may be gzipped: their bytes are no text.
      readBytes(payload, request, bodyLimits.bundle, (error, bytes) =>
        done(error, bytes && [toBuffer(bytes)]),
      );
    } else {
      const limit = isBundleAddress(request.url) ? bodyLimits.bundle : bodyLimits.resource;
      const read = request.routeOptions.config.takesLongBodies === true ? readLongBody : readBody;
      read(payload, request, limit, done);
    }
  });
}

/** True for a body that announces at most `limit` bytes, without a coding. */
function isShort({ headers }: FastifyRequest, limit: number): boolean {
  const { 'content-length': length, 'content-encoding': coding } = headers;
  return length !== undefined && Number(length) <= limit && coding === undefined;
}

/** True for `…/Bundle`, `…/Bundle/id`, and `{fhir_root}` itself, which accepts batches. */
function isBundleAddress(url: string): boolean {
  return /^\/w\/[^/?]+\/api\/v1\/fhir\/[^/?]+(?:\/Bundle(?:\/[^/?]*)?)?\/?(?:\?|$)/.test(url);
}

function isImportAddress(url: string): boolean {
  return /^\/w\/[^/?]+\/api\/v1\/fhir\/[^/?]+\/\$import\/?(?:\?|$)/.test(url);
}

function spellOutDollar(url: string): string {
  if (!url.includes('/%24')) return url;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.replaceAll('/%24', '/$') + url.slice(path.length);
}
