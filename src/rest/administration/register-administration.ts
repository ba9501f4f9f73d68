/** Registers the addresses of administration below /w/system/api/v1. */
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../core';
import { readBytes } from '../requests/body-bytes';
import { toBuffer } from '../requests/collected-bytes';
import { sendJson } from '../responses/send-json';
import type { RestContext } from '../rest-context';
import { jobHandlers } from './administration-jobs';
import { admitAdministratorsOnly } from './administrator';
import { clientHandlers } from './clients';
import { describeAdministration } from './openapi';
import { packageHandlers } from './packages';
import { policyHandlers } from './policies';
import * as routes from './routes';
import { serveRoutes } from './serve-routes';
import { transferHandlers } from './tenant-transfer';
import { settingHandlers, tenantHandlers } from './tenants';
import { userHandlers } from './users';

/** Registers all routes. Only administrators reach them, but for the OpenAPI document, which has no data. */
export function registerAdministration(server: FastifyInstance, restContext: RestContext): void {
  const { core, settings, addresses, log } = restContext;
  const largest = settings.bodyLimits.bundle;
  const document = describeAdministration(VERSION);
  serveRoutes(server, routes.API_ROUTES, {
    getAdministrationApi: async ({ request, reply }) => ({
      sent: sendJson(request, reply, { status: 200, answer: document, cacheControl: 'no-cache' }),
    }),
  });
  void server.register(async (scope) => {
    admitAdministratorsOnly(scope, core, settings);
    scope.addContentTypeParser(routes.GZIP, (request, payload, done) =>
      readBytes(payload, request, largest, (error, bytes) => done(error, bytes && toBuffer(bytes))),
    );
    scope.addContentTypeParser(routes.LINES, (_request, payload, done) => done(null, payload));
    const transfer = { largestResource: largest, stallMs: settings.requestTimeoutMs };
    serveRoutes(scope, routes.TENANT_ROUTES, tenantHandlers(core));
    serveRoutes(scope, routes.TRANSFER_ROUTES, transferHandlers(core, transfer));
    serveRoutes(scope, routes.SETTING_ROUTES, settingHandlers(core));
    serveRoutes(scope, routes.CLIENT_ROUTES, clientHandlers(core));
    serveRoutes(scope, routes.USER_ROUTES, userHandlers({ core, addresses }));
    serveRoutes(scope, routes.POLICY_ROUTES, policyHandlers(core));
    serveRoutes(scope, routes.PACKAGE_ROUTES, packageHandlers({ core, addresses, log }));
    serveRoutes(scope, routes.JOB_ROUTES, jobHandlers({ core, addresses }));
  });
}
