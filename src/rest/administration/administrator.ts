/**
 * Admits administrators of the server: clients of the tenant `system` that are administrators, and people whose account of
 * that tenant is one, for a client with the scope `administration`.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fhirError, isLoopback, type Core } from '../../core';
import { parseHost } from '../connections/host';
import { INTERACTIONS } from '../interaction-names';
import type { RestSettings } from '../settings';
import { READING_METHODS, type RequestLogEntry } from '../observation/request-log-entry';

const SYSTEM = 'system';

const ROOT = /^\/w\/system\/api\/v1\//;
/** Requests that are in the audit record: a failed recording leads to a second response. */
const isRecorded = new WeakSet<RequestLogEntry>();

/**
 * Refuses all requests to the routes of `scope` that do not come from an administrator, with `unauthorized` or
 * `forbidden`, and records the others. In open mode, requests from this machine are allowed too. The check comes before
 * the body of a request is read.
 */
export function admitAdministratorsOnly(
  scope: FastifyInstance,
  core: Core,
  { authMode }: Pick<RestSettings, 'authMode'>,
): void {
  scope.addHook('onRequest', async (request) => {
    request.logEntry.interaction = INTERACTIONS.tenants;
    const { authorization } = request.headers;
    const space = await core.access.findSpace(SYSTEM, 'r4');
    const origin = { address: request.ip, requestId: request.id, requestLine: request.url };
    const caller = await core.access.identify({ tenant: SYSTEM, space, authorization, ...origin });
    request.logEntry.caller = caller;
    const { access } = caller;
    if (access?.isAdministrator === true) return;
    if (access !== undefined || authMode === 'enforced')
      throw fhirError('forbidden', { reason: 'Only administrators of the tenant system may do that' });
    requireThisMachine(request);
  });
  // `identify` itself records a caller that it refuses.
  scope.addHook('onSend', async ({ logEntry, method, url, ip, id }, reply) => {
    const { caller } = logEntry;
    if (caller === undefined || isRecorded.has(logEntry)) return;
    isRecorded.add(logEntry);
    const requestLine = `${method} ${url.replace(ROOT, '')}`;
    const mayChange = !READING_METHODS.includes(method);
    await core.access.recordAdministration(
      { caller, requestLine, mayChange, address: ip, requestId: id },
      reply.statusCode,
    );
  });
}

/** Headers of proxies for forwarded requests, besides those that begin with `x-forwarded-`. */
const FORWARDING_HEADERS: readonly string[] = ['forwarded', 'via', 'x-real-ip'];

/**
 * Throws unless the request comes from this machine: by its socket, without headers of a proxy, and under a local name.
 * The name keeps out web pages whose host name was made to point here.
 */
function requireThisMachine({ headers, socket }: FastifyRequest): void {
  const isForwarded = Object.keys(headers).some(
    (name) => name.startsWith('x-forwarded-') || FORWARDING_HEADERS.includes(name),
  );
  const host = parseHost(headers.host ?? '')?.name;
  if (isLoopback(socket.remoteAddress ?? '') && !isForwarded && host !== undefined && isLoopback(host))
    return;
  const reason =
    'The server is administered from its own machine, or with the credentials of an administrator of the tenant system';
  throw fhirError('forbidden', { reason });
}
