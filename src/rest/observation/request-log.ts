import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ByteBudget, Log } from '../../core';
import { INTERACTIONS } from '../interaction-names';
import type { Metrics } from './metrics';
import { RequestLogEntry } from './request-log-entry';

/**
 * Writes one log line and one measurement for every request, when its response was sent or its client has disconnected.
 * Log lines have the route pattern and names that exist; never addresses, ids, query values or bodies. Health checks
 * have the level debug.
 */
export function watchRequests(server: FastifyInstance, budget: ByteBudget, log: Log, metrics: Metrics): void {
  server.decorateRequest('logEntry');
  server.addHook('onRequest', (request, reply, done) => {
    request.logEntry = new RequestLogEntry(budget.open(), metrics.countError);
    metrics.requestStarted();
    reply.raw.once('close', () => {
      request.logEntry.end();
      recordRequest(request, reply, log, metrics);
    });
    done();
  });
}

function recordRequest(request: FastifyRequest, reply: FastifyReply, log: Log, metrics: Metrics): void {
  const { startedAt, interaction, tenant, release, type, traceId } = request.logEntry;
  const milliseconds = performance.now() - startedAt;
  const status = reply.raw.statusCode;
  metrics.requestFinished(interaction.name, status, milliseconds / 1000);
  const line = {
    method: request.method,
    // A request that was refused before its handler has only Fastify's pattern, or none.
    route: interaction === INTERACTIONS.none ? request.routeOptions.url : interaction.pattern,
    interaction: interaction.name,
    tenant,
    release,
    type,
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    requestId: request.id,
    ...(traceId === undefined ? {} : { traceId }),
    ...(reply.raw.writableFinished ? {} : { abandoned: true }),
  };
  if (interaction === INTERACTIONS.health) log.debug(line, 'request');
  else log.info(line, 'request');
}
