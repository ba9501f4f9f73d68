/** /w/{tenant}/oidc: what a tenant's clients need before they have a token; open to everybody in every mode. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, type TenantSpace } from '../../core';
import type { Edge } from '../edge';
import { INTERACTIONS } from '../interaction-names';
import { methodNotAllowed } from '../method';
import { openidConfiguration, smartConfiguration } from './discovery';
import { sendJson } from '../send-json';
import { token } from './token';

type OidcRequest = FastifyRequest<{ Params: { tenant: string }; Body: string | undefined }>;
type Answer = (request: OidcRequest, reply: FastifyReply, space: TenantSpace) => Promise<FastifyReply>;

const ROOT = '/w/:tenant/oidc';
/** Seconds; keys are listed before they sign for longer than that only where nobody waits for a rotation. */
const KEPT = 'public, max-age=60';

export function registerOidcRoutes(server: FastifyInstance, edge: Edge): void {
  const add = (method: 'GET' | 'POST', path: string, answer: Answer): void => {
    const url = ROOT + path;
    const open = async (request: OidcRequest): Promise<TenantSpace> => {
      const { tenant } = request.params;
      request.visit.interaction = INTERACTIONS.oidc;
      // A percent-encoded spelling of a name is no address.
      const isSpelledOut = request.url.startsWith(`/w/${tenant}/oidc`);
      const space = isSpelledOut ? await edge.core.findSpace(tenant, 'r4') : undefined;
      if (space === undefined) throw fhirError('unknownTenant');
      request.visit.tenant = tenant;
      return space;
    };
    server.route<{ Params: { tenant: string }; Body: string | undefined }>({
      method,
      url,
      handler: async (request, reply) => answer(request, reply, await open(request)),
    });
    const allowed = method === 'GET' ? ['GET', 'HEAD'] : [method];
    server.route<{ Params: { tenant: string }; Body: string | undefined }>({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !allowed.includes(other)),
      url,
      handler: async (request) => {
        await open(request);
        throw methodNotAllowed(request.method, allowed.join(', '));
      },
    });
  };

  add('POST', '/token', (request, reply, space) => token(edge, request, reply, space));
  add('GET', '/jwks', async (request, reply, { tenant }) =>
    sendJson(request, reply, 200, { keys: await edge.core.tokens.publicKeys(tenant) }, KEPT),
  );
  add('GET', '/.well-known/openid-configuration', async (request, reply, { tenant }) =>
    sendJson(request, reply, 200, openidConfiguration(edge.addresses.base(request), tenant), KEPT),
  );
  add('GET', '/.well-known/smart-configuration', async (request, reply, { tenant }) =>
    sendJson(request, reply, 200, smartConfiguration(edge.addresses.base(request), tenant), KEPT),
  );
}
