/** Who may administer the server: clients of the tenant `system` that are administrators. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fhirError, type Core } from '../core';
import { INTERACTIONS } from './interaction-names';
import type { RestSettings } from './settings';

const SYSTEM = 'system';

/**
 * Refuses all requests to the routes of `scope` that do not come from an administrator: `unauthorized`, `forbidden`. In open
 * mode whoever is on this machine is one too. Nothing of a request is read before that.
 */
export function admitAdministratorsOnly(
  scope: FastifyInstance,
  core: Core,
  { authMode }: Pick<RestSettings, 'authMode'>,
): void {
  scope.addHook('onRequest', async (request) => {
    request.visit.interaction = INTERACTIONS.tenants;
    const { authorization } = request.headers;
    const space = await core.findSpace(SYSTEM, 'r4');
    const { access } = await core.identify({ tenant: SYSTEM, space, authorization, address: request.ip });
    if (access?.isAdministrator === true) return;
    if (access !== undefined || authMode === 'enforced')
      throw fhirError('forbidden', { reason: 'Only administrators of the tenant system may do that' });
    requireThisMachine(request);
  });
}

/**
 * By its socket, not through a proxy that tells so, and under a local name, so that a web page whose name was made to point
 * here stays outside.
 */
function requireThisMachine({ headers, socket }: FastifyRequest): void {
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (isLoopback(socket.remoteAddress ?? '') && !isForwarded && (host === 'localhost' || isLoopback(host)))
    return;
  const reason =
    'The server is administered from its own machine, or with the credentials of an administrator of the tenant system';
  throw fhirError('forbidden', { reason });
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address) || address === '::1' || address === '[::1]';
}
