/**
 * /w/{tenant}/oidc: the endpoints that clients, and users who sign in for them, need before there is a token. They need
 * no credentials in any mode.
 */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  fhirError,
  STYLE_PATH,
  type PageVisit,
  type SignInStep,
  type TenantSpace,
  type TokenRequest,
} from '../../core';
import { allowEveryOrigin } from '../connections/cors';
import type { RestContext } from '../rest-context';
import { INTERACTIONS } from '../interaction-names';
import { refuseOtherMethods } from '../requests/method';
import { openidConfiguration, smartConfiguration, type Described } from './discovery';
import { sendJson } from '../responses/send-json';
import { showAccountPage } from './account';
import { authorize } from './authorize';
import { launch } from './launch';
import { logout } from './logout';
import { STYLE } from './style';
import { answerClient } from './token';

type OidcRequest = FastifyRequest<{ Params: { tenant: string }; Body: string | undefined }>;
type Answer = (request: OidcRequest, reply: FastifyReply, space: TenantSpace) => Promise<FastifyReply>;

const ROOT = '/w/:tenant/oidc';
/** Patterns of the routes of pages, to which clients send browsers from their own sites. */
export const PAGE_ADDRESSES: readonly (string | undefined)[] = [
  `${ROOT}/authorize`,
  `${ROOT}/logout`,
  `${ROOT}/invitation`,
  `${ROOT}/second-factor`,
];
/** Caches for 60 seconds. A new key of a rotation signs at once, so that a client may not have it for that long. */
const CACHE_CONTROL = 'public, max-age=60';
/** Another style has another address. */
const STYLE_CACHE_CONTROL = 'public, max-age=86400';
/** A document with the host of the request may be cached only by the client. */
const PRIVATE_CACHE_CONTROL = 'private, max-age=60';

export function registerOidcRoutes(server: FastifyInstance, edge: RestContext): void {
  const add = (
    path: string,
    answers: Readonly<Partial<Record<'GET' | 'POST', Answer>>>,
    config: FastifyContextConfig = {},
  ): void => {
    const url = ROOT + path;
    const open = async (request: OidcRequest): Promise<TenantSpace> => {
      const { tenant } = request.params;
      request.logEntry.interaction = INTERACTIONS.oidc;
      // An address with a percent-encoded name is not valid.
      const isSpelledOut = request.url.startsWith(`/w/${tenant}/oidc`);
      const space = isSpelledOut ? await edge.core.access.findSpace(tenant, 'r4') : undefined;
      if (space !== undefined) {
        request.logEntry.tenant = tenant;
        return space;
      }
      const decoy = isSpelledOut ? edge.core.access.decoy(tenant, 'r4') : undefined;
      if (decoy === undefined)
        throw isSpelledOut ? edge.core.access.unknownTenant(tenant) : fhirError('unknownTenant');
      return decoy;
    };
    const served: string[] = [];
    for (const method of ['GET', 'POST'] as const) {
      const answer = answers[method];
      if (answer === undefined) continue;
      served.push(method);
      server.route<{ Params: { tenant: string }; Body: string | undefined }>({
        method,
        url,
        config,
        handler: async (request, reply) => answer(request, reply, await open(request)),
      });
    }
    refuseOtherMethods(server, url, served, { before: open, config });
  };

  const client =
    (perform: (request: TokenRequest) => Promise<object>): Answer =>
    (request, reply, space) =>
      answerClient(edge, request, reply, { space, perform });
  const page: Answer = (request, reply, space) => authorize(edge, request, reply, space);
  const { tokens } = edge.core.access;
  const discoveryCacheControl = edge.settings.publicUrls.length > 0 ? CACHE_CONTROL : PRIVATE_CACHE_CONTROL;

  add('/authorize', { GET: page, POST: page });
  const leave: Answer = (request, reply, space) => logout(edge, request, reply, space);
  add('/logout', { GET: leave, POST: leave });
  const { signIn } = edge.core.access;
  const accountPage =
    (step: (visit: PageVisit) => Promise<SignInStep>): Answer =>
    (request, reply, space) =>
      showAccountPage(edge, request, reply, { space, step });
  const invitation = accountPage((visit) => signIn.invitation(visit));
  add('/invitation', { GET: invitation, POST: invitation });
  const secondFactor = accountPage((visit) => signIn.secondFactor(visit));
  add('/second-factor', { GET: secondFactor, POST: secondFactor });
  add('/launch', { POST: (request, reply, space) => launch(edge, request, reply, space) });
  const oauth = { hasOAuthErrors: true };
  add('/token', { POST: client((request) => tokens.grant(request)) }, oauth);
  add('/revoke', { POST: client((request) => tokens.revoke(request).then(() => ({}))) }, oauth);
  add('/introspect', { POST: client((request) => tokens.introspect(request)) }, oauth);
  const document = (
    describe: (request: OidcRequest, tenant: string) => object | Promise<object>,
    cacheControl: string,
  ): Readonly<Record<'GET', Answer>> => ({
    GET: async (request, reply, { tenant }) => {
      allowEveryOrigin(reply);
      return sendJson(request, reply, { status: 200, answer: await describe(request, tenant), cacheControl });
    },
  });
  const keys = async (_request: OidcRequest, tenant: string): Promise<object> => ({
    keys: await tokens.publicKeys(tenant),
  });
  const described =
    (describe: (described: Described) => object) =>
    (request: OidcRequest, tenant: string): object =>
      describe(edge.describe(request, tenant));
  add('/jwks', document(keys, CACHE_CONTROL));
  add(
    STYLE_PATH,
    document(() => STYLE, STYLE_CACHE_CONTROL),
  );
  add('/.well-known/openid-configuration', document(described(openidConfiguration), discoveryCacheControl));
  add('/.well-known/smart-configuration', document(described(smartConfiguration), discoveryCacheControl));
}
