/** A span for each request: https://opentelemetry.io/docs/specs/semconv/http/http-spans/. */
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HEALTH_ADDRESSES } from './health';
import { INTERACTIONS } from '../interaction-names';

const tracer = trace.getTracer('andiron');

/**
 * Continues the trace of the header `traceparent`, or begins one. Health checks have none, because balancers send them
 * all the time. Call it after `watchRequests`.
 */
export function traceRequests(server: FastifyInstance): void {
  server.decorateRequest('traceContext');
  server.addHook('onRequest', (request, reply, done) => {
    if (HEALTH_ADDRESSES.includes(request.routeOptions.url ?? '')) {
      done();
      return;
    }
    const before = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, before);
    // Not sampled: nothing below is recorded, so that it need not know.
    if (!span.isRecording()) {
      done();
      return;
    }
    request.traceContext = trace.setSpan(before, span);
    request.logEntry.traceId = span.spanContext().traceId;
    reply.raw.once('close', () => end(span, request, reply));
    context.with(request.traceContext, done);
  });
  // Reading the body goes on in the context of its connection.
  server.addHook('preHandler', (request, _reply, done) => {
    if (request.traceContext === undefined) done();
    else context.with(request.traceContext, done);
  });
}

function end(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { interaction, tenant, release, type } = request.logEntry;
  const { statusCode } = reply.raw;
  // A request that was refused before its handler has only Fastify's pattern, or none.
  const route = interaction === INTERACTIONS.none ? request.routeOptions.url : interaction.pattern;
  const attributes: Attributes = {
    'http.request.method': request.method,
    'http.response.status_code': statusCode,
    'url.scheme': request.protocol,
    'andiron.interaction': interaction.name,
    'andiron.request_id': request.id,
  };
  if (route !== undefined) {
    span.updateName(`${request.method} ${route}`);
    attributes['http.route'] = route;
  }
  if (tenant !== undefined) attributes['andiron.tenant'] = tenant;
  if (release !== undefined) attributes['andiron.release'] = release;
  if (type !== undefined) attributes['andiron.resource_type'] = type;
  span.setAttributes(attributes);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined: not traced. */
    traceContext: Context | undefined;
  }
}
