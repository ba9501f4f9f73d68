/**
 * /w/{tenant}/oidc: what a tenant's clients, and people who sign in for them, need before there is a token; open
 * to everybody in every mode.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, type TenantSpace, type TokenRequest } from '../../core';
import type { Edge } from '../edge';
import { INTERACTIONS } from '../interaction-names';
import { refuseOtherMethods } from '../method';
import { openidConfiguration, smartConfiguration } from './discovery';
import { sendJson } from '../send-json';
import { authorize } from './authorize';
import { launch } from './launch';
import { answerClient } from './token';

type OidcRequest = FastifyRequest<{ Params: { tenant: string }; Body: string | undefined }>;
type Answer = (request: OidcRequest, reply: FastifyReply, space: TenantSpace) => Promise<FastifyReply>;

const ROOT = '/w/:tenant/oidc';
/** Seconds; keys are listed before they sign for longer than that only where nobody waits for a rotation. */
const KEPT = 'public, max-age=60';

export function registerOidcRoutes(server: FastifyInstance, edge: Edge): void {
  const add = (path: string, answers: Readonly<Partial<Record<'GET' | 'POST', Answer>>>): void => {
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
    const served: string[] = [];
    for (const method of ['GET', 'POST'] as const) {
      const answer = answers[method];
      if (answer === undefined) continue;
      served.push(method);
      server.route<{ Params: { tenant: string }; Body: string | undefined }>({
        method,
        url,
        handler: async (request, reply) => answer(request, reply, await open(request)),
      });
    }
    refuseOtherMethods(server, url, served, open);
  };

  const client =
    (ask: (request: TokenRequest) => Promise<object>): Answer =>
    (request, reply, space) =>
      answerClient(edge, request, reply, space, ask);
  const page: Answer = (request, reply, space) => authorize(edge, request, reply, space);
  const { tokens } = edge.core;

  add('/authorize', { GET: page, POST: page });
  add('/launch', { POST: (request, reply, space) => launch(edge, request, reply, space) });
  add('/token', { POST: client((asked) => tokens.grant(asked)) });
  add('/revoke', { POST: client((asked) => tokens.revoke(asked).then(() => ({}))) });
  add('/introspect', { POST: client((asked) => tokens.introspect(asked)) });
  add('/jwks', {
    GET: async (request, reply, { tenant }) =>
      sendJson(request, reply, 200, { keys: await tokens.publicKeys(tenant) }, KEPT),
  });
  add('/.well-known/openid-configuration', {
    GET: async (request, reply, { tenant }) =>
      sendJson(request, reply, 200, openidConfiguration(edge.addresses.base(request), tenant), KEPT),
  });
  add('/.well-known/smart-configuration', {
    GET: async (request, reply, { tenant }) =>
      sendJson(request, reply, 200, smartConfiguration(edge.addresses.base(request), tenant), KEPT),
  });
}
