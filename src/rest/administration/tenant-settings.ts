/**
 * The settings that tenants can have, for administrators only (administrator.ts): GET /w/system/api/v1/settings lists them
 * with their values, meaning, and the defaults of this server.
 */
import type { FastifyInstance } from 'fastify';
import type { Core, TenantSetting } from '../../core';
import { ADMINISTRATION } from './administration';
import { refuseOtherMethods } from '../requests/method';
import { sendJson } from '../responses/send-json';

const PATH = `${ADMINISTRATION}/settings`;

/** Registers the route in `scope`, which only administrators reach. */
export function registerSettingRoutes(scope: FastifyInstance, { tenants }: Core): void {
  scope.get(PATH, async (request, reply) =>
    sendJson(request, reply, { status: 200, answer: { settings: tenants.settings().map(toAnswer) } }),
  );
  refuseOtherMethods(scope, PATH, ['GET']);
}

function toAnswer({ isFixed, ...setting }: TenantSetting): object {
  return { ...setting, fixed: isFixed };
}
