/** WebSockets of Subscriptions: `{fhir_root}/websocket` (docs/use/subscriptions.md). */
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  ANONYMOUS_CALLER,
  EMPTY_REQUEST_STATE,
  fhirError,
  isRelease,
  requireMessageAdmitted,
  type Caller,
  type RequestContext,
  type TenantSpace,
} from '../../core';
import { routeUpgrades, takeOver, upgradeOf, type Upgrade } from '../../upgrade';
import type { FhirRequest } from '../requests/fhir-request';
import { INTERACTIONS } from '../interaction-names';
import { refuseOtherMethods } from '../requests/method';
import { openExchange } from '../open-exchange';
import type { RestContext } from '../rest-context';
import { createNotificationSockets } from './notification-sockets';

const { subscriptionSocket: INTERACTION } = INTERACTIONS;
/** Addresses that accept WebSockets. */
const ADDRESS = /^\/w\/[^/?]+\/api\/v1\/fhir\/[^/?]+\/websocket\/?(\?|$)/;

/** Registers the address. A request without an upgrade is refused as one to any other FHIR address. */
export function registerSubscriptionSockets(server: FastifyInstance, restContext: RestContext): void {
  const { core, settings, log } = restContext;
  const { pattern: url } = INTERACTION;
  const sockets = createNotificationSockets(settings.sockets, log);

  async function identify(request: FhirRequest, space: TenantSpace | undefined): Promise<Caller> {
    const { headers, ip, id, url: requestLine, params } = request;
    const { tenant } = params;
    const { authorization } = headers;
    return core.access.identify({ tenant, space, authorization, address: ip, requestId: id, requestLine });
  }

  async function accept(request: FhirRequest, reply: FastifyReply, upgrade: Upgrade): Promise<FastifyReply> {
    const { tenant, release } = request.params;
    const { logEntry, headers, id } = request;
    logEntry.interaction = INTERACTION;
    if (!isRelease(release)) throw fhirError('unknownRelease', { release });
    // An address with a percent-encoded name is not valid.
    const isSpelledOut = request.url.startsWith(`/w/${tenant}/api/v1/fhir/${release}/`);
    const found = isSpelledOut ? await core.access.findSpace(tenant, release) : undefined;
    // Browsers cannot set a header on a WebSocket: the token of its first message tells who opens it.
    const caller = headers.authorization === undefined ? undefined : await identify(request, found);
    const space = found ?? (isSpelledOut ? core.access.decoy(tenant, release) : undefined);
    if (space === undefined)
      throw isSpelledOut ? core.access.unknownTenant(tenant) : fhirError('unknownTenant');
    if (caller !== undefined) logEntry.caller = caller;
    if (found !== undefined) logEntry.tenant = tenant;
    logEntry.release = release;
    reply.hijack();
    takeOver(reply.raw, upgrade);

    const contextOf = async (by: Caller): Promise<RequestContext | undefined> => {
      const now = await core.access.findSpace(tenant, release);
      // A tenant of the same name that was made later has other spaces.
      if (now?.number !== space.number) return undefined;
      const deadline = Date.now() + settings.requestTimeoutMs;
      const context = { ...EMPTY_REQUEST_STATE, ...by, space: now, deadline, requestId: id, log };
      return { ...context, address: request.ip };
    };
    const stream = core.streams.openNotifications({ space, most: settings.sockets.perConnection });
    sockets.accept(request.raw, upgrade, {
      stream,
      requestId: id,
      openShare: () => logEntry.bytes.openAnother(),
      countError: logEntry.countError,
      async bindToken(token) {
        const sender = headers.authorization === undefined ? undefined : await identify(request, found);
        const context = await contextOf(sender ?? ANONYMOUS_CALLER);
        // No token is valid for an unknown tenant, which is refused with the same words.
        if (context !== undefined) await requireMessageAdmitted(core.access.admit(context));
        await stream.bindToken(token, sender);
      },
      async bind(subscription) {
        const context = await contextOf(await identify(request, found));
        if (context === undefined) throw fhirError('unknownTenant');
        await requireMessageAdmitted(core.access.admit(context));
        await stream.bind(context, subscription);
      },
    });
    return reply;
  }

  server.get(url, async (request: FhirRequest, reply) => {
    const upgrade = upgradeOf(request.raw);
    if (upgrade !== undefined) return accept(request, reply, upgrade);
    request.logEntry.begin();
    try {
      await openExchange(restContext, request, reply, INTERACTION);
    } finally {
      request.logEntry.leave();
    }
    throw fhirError('invalidValue', { reason: 'This address is for WebSockets: send Upgrade: websocket' });
  });
  refuseOtherMethods(server, url, ['GET'], {
    before: (request: FhirRequest, reply) =>
      openExchange(restContext, request, reply, INTERACTION).finally(() => request.logEntry.leave()),
  });
  // `preClose` runs before the server waits for responses in progress; these would never end by themselves.
  server.addHook('preClose', () => sockets.close());
  routeUpgrades(server.server, ADDRESS, (request, response) => server.routing(request, response));
}
