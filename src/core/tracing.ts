/**
 * Reports the time of a request's parts as spans of OpenTelemetry. src/tracing.ts sends them; without it these functions do
 * nothing. Names and attributes are those of this program: never ids, values or addresses of clients.
 */
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type SpanOptions,
} from '@opentelemetry/api';

const tracer = trace.getTracer('andiron');

/** True: the current work belongs to a request that is traced. */
export const isTraced = (): boolean => trace.getActiveSpan()?.isRecording() === true;

/** Records work that ends now, and began at `began` (`performance.now()`), as a part of the current span. */
export function recordSpan(
  name: string,
  began: number,
  attributes: Attributes,
  ended = performance.now(),
): void {
  tracer.startSpan(name, { attributes, startTime: began }).end(ended);
}

/** The same for a call of another program: PostgreSQL, Redis. */
export function recordCall(name: string, began: number, attributes: Attributes): void {
  const ended = performance.now();
  tracer.startSpan(name, { attributes, startTime: began, kind: SpanKind.CLIENT }).end(ended);
}

/** Executes `work` as a part of the current span; what it records is a part of it. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!isTraced()) return work();
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Records how long `answer` is waited for. */
export async function waitedFor<T>(name: string, answer: Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await answer;
  } finally {
    recordSpan(name, began, {});
  }
}

/** The headers that continue the current trace in another program (https://www.w3.org/TR/trace-context/). */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
