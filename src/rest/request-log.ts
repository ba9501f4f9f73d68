import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ByteBudget, Log } from '../core';
import { INTERACTIONS } from './interaction-names';
import type { Metrics } from './metrics';
import { RequestLogEntry } from './request-log-entry';

/**
 * One log line and one measurement for every request, when its answer is out or its client is gone. Lines name the
 * route pattern and what was found to exist; never addresses, ids, query values or bodies. Health checks are at debug.
 */
export function watchRequests(
  server: FastifyInstance,
  budget: ByteBudget,
  log: Log,
  metrics: Metrics | undefined,
): void {
  server.decorateRequest('visit');
  server.addHook('onRequest', (request, reply, done) => {
    request.visit = new RequestLogEntry(budget.open());
    metrics?.requestStarted();
    reply.raw.once('close', () => {
      request.visit.end();
      recordRequest(request, reply, log, metrics);
    });
    done();
  });
}

function recordRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
  metrics: Metrics | undefined,
): void {
  const { startedAt, interaction, tenant, release, type } = request.visit;
  const milliseconds = performance.now() - startedAt;
  const status = reply.raw.statusCode;
  metrics?.requestFinished(interaction.name, status, milliseconds / 1000);
  const line = {
    method: request.method,
    // What was refused before a handler saw it has only Fastify's pattern, or none.
    route: interaction === INTERACTIONS.none ? request.routeOptions.url : interaction.pattern,
    interaction: interaction.name,
    tenant,
    release,
    type,
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    requestId: request.id,
    ...(reply.raw.writableFinished ? {} : { abandoned: true }),
  };
  if (interaction === INTERACTIONS.health) log.debug(line, 'request');
  else log.info(line, 'request');
}
