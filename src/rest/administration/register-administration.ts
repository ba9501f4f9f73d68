/** Registers the addresses of administration: the operator's below /w/system/api/v1, and each tenant's own. */
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../core';
import { readBytes } from '../requests/body-bytes';
import { toBuffer } from '../requests/collected-bytes';
import { sendJson } from '../responses/send-json';
import type { RestContext } from '../rest-context';
import { jobHandlers } from './administration-jobs';
import { admitAdministratorsOnly } from './administrator';
import { clientHandlers } from './clients';
import { OPERATOR, TENANT, type Mount } from './mounts';
import { describeAdministration } from './openapi';
import { accessHandlers } from './access';
import { ACCESS_ROUTES } from './access-routes';
import { auditHandlers } from './audit-trail';
import { AUDIT_ROUTES } from './audit-routes';
import { packageHandlers } from './packages';
import { policyHandlers } from './policies';
import * as routes from './routes';
import { serveRoutes } from './serve-routes';
import { transferHandlers } from './tenant-transfer';
import { serverHandlers } from './server';
import { subscriptionHandlers } from './subscriptions';
import { settingHandlers, tenantHandlers } from './tenants';
import { userHandlers } from './users';

/** Registers all routes. Only administrators reach them, but for the OpenAPI documents, which have no data. */
export function registerAdministration(server: FastifyInstance, restContext: RestContext): void {
  for (const mount of [OPERATOR, TENANT]) registerAt(server, restContext, mount);
}

function registerAt(server: FastifyInstance, restContext: RestContext, mount: Mount): void {
  const { core, settings, addresses, log } = restContext;
  const largest = settings.bodyLimits.bundle;
  const administration = mount.name === 'operator' ? core.tenants : core.tenants.own;
  const document = describeAdministration(VERSION, mount);
  serveRoutes(server, mount, routes.API_ROUTES, {
    getAdministrationApi: async ({ request, reply }) => ({
      sent: sendJson(request, reply, { status: 200, answer: document, cacheControl: 'no-cache' }),
    }),
  });
  void server.register(async (scope) => {
    admitAdministratorsOnly(scope, restContext, mount);
    scope.addContentTypeParser(routes.GZIP, (request, payload, done) =>
      readBytes(payload, request, largest, (error, bytes) => done(error, bytes && toBuffer(bytes))),
    );
    scope.addContentTypeParser(routes.LINES, (_request, payload, done) => done(null, payload));
    const limits = { largestResource: largest, stallMs: settings.requestTimeoutMs };
    const transfer = { administration, mount, ...limits };
    serveRoutes(scope, mount, routes.TENANT_ROUTES, tenantHandlers(core, administration));
    serveRoutes(scope, mount, routes.TRANSFER_ROUTES, transferHandlers(core, transfer));
    serveRoutes(scope, mount, routes.SETTING_ROUTES, settingHandlers(administration));
    serveRoutes(scope, mount, routes.CLIENT_ROUTES, clientHandlers(core, administration));
    serveRoutes(scope, mount, routes.USER_ROUTES, userHandlers(administration, addresses));
    serveRoutes(scope, mount, routes.POLICY_ROUTES, policyHandlers(administration));
    serveRoutes(scope, mount, routes.PACKAGE_ROUTES, packageHandlers({ core, addresses, mount, log }));
    serveRoutes(
      scope,
      mount,
      AUDIT_ROUTES,
      auditHandlers(core, { administration, mount, log, stallMs: limits.stallMs }),
    );
    serveRoutes(scope, mount, ACCESS_ROUTES, accessHandlers(administration, { mount, log }));
    serveRoutes(scope, mount, routes.JOB_ROUTES, jobHandlers({ core, addresses, mount }));
    serveRoutes(scope, mount, routes.SUBSCRIPTION_ROUTES, subscriptionHandlers(core));
    serveRoutes(scope, mount, routes.SERVER_ROUTES, serverHandlers(core, settings.inForce));
  });
}
