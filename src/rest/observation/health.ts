/** GET /health/live: the process responds. GET /health/ready: it can execute requests; 503 while it cannot. */
import type { FastifyInstance } from 'fastify';
import type { Core } from '../../core';
import { INTERACTIONS } from '../interaction-names';
import { isLeaving } from '../connections/stopping';
import { refuseOtherMethods } from '../requests/method';

/** Patterns of the health routes. */
export const HEALTH_ADDRESSES: readonly string[] = ['/health/live', '/health/ready'];
const JSON_TYPE = 'application/json; charset=utf-8';
const STOPPING: Awaited<ReturnType<Core['health']['readiness']>> = {
  ready: false,
  notices: ['The server is being stopped: send requests to another one'],
};

export function registerHealthRoutes(server: FastifyInstance, core: Core, stopping: AbortSignal): void {
  server.get('/health/live', (request, reply) => {
    request.logEntry.interaction = INTERACTIONS.health;
    return reply
      .header('content-type', JSON_TYPE)
      .header('cache-control', 'no-store')
      .send('{"status":"up"}');
  });
  server.get('/health/ready', async (request, reply) => {
    request.logEntry.interaction = INTERACTIONS.health;
    const { ready, notices } = isLeaving(stopping) ? STOPPING : await core.health.readiness();
    if (!ready) reply.header('retry-after', '1');
    return reply
      .code(ready ? 200 : 503)
      .header('content-type', JSON_TYPE)
      .header('cache-control', 'no-store')
      .send(JSON.stringify({ status: ready ? 'ready' : 'not ready', notices }));
  });
  for (const url of HEALTH_ADDRESSES) refuseOtherMethods(server, url, ['GET']);
}
