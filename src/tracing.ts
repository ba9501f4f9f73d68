/** Sends traces to a collector by OTLP, where the standard variables of OpenTelemetry ask for it. */
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { setTimeout as delay } from 'node:timers/promises';
import { VERSION, type Log } from './core';

export interface Tracing {
  /** Sends what was recorded, for at most some seconds, and traces nothing more. */
  stop(): Promise<void>;
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export type Environment = Readonly<Record<string, string | undefined>>;

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
/** A collector that is away must not keep the process. */
const STOP_MS = 3_000;
const WARNING_MS = 60_000;

/** True when an exporter or its address is named, and nothing switches tracing off. */
function isWanted(environment: Environment): boolean {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter = '' } = environment;
  if (disabled?.toLowerCase() === 'true' || exporter === 'none') return false;
  return exporter !== '' || ENDPOINTS.some((name) => (environment[name] ?? '') !== '');
}

/**
 * Begins to trace; undefined: tracing is off, and none of its packages is loaded. The packages read the other variables
 * themselves: the collector and its headers, the sampler, the limits of batches. Throws an Error that names a variable
 * with a value that is not supported.
 */
export async function startTracing(environment: Environment, log: Log): Promise<Tracing | undefined> {
  if (!isWanted(environment)) return undefined;
  const { context, diag, DiagLogLevel, propagation, trace } = await import('@opentelemetry/api');
  const { NodeTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-node');
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
  const resources = await import('@opentelemetry/resources');
  let warnedAt = -Infinity;
  const warn = (message: string): void => {
    if (performance.now() - warnedAt < WARNING_MS) return;
    warnedAt = performance.now();
    log.warn({ reason: message }, 'OpenTelemetry has a problem: traces may be missing');
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new NodeTracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'andiron', 'service.version': VERSION })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new BatchSpanProcessor(await createExporter(environment))],
  });
  // Without baggage: what clients put there is not for other servers.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return {
    async stop() {
      await Promise.race([
        provider.shutdown().catch((error: unknown) => warn(String(error))),
        delay(STOP_MS, undefined, { ref: false }),
      ]);
      for (const registered of [trace, context, propagation, diag]) registered.disable();
    },
  };
}

async function createExporter(environment: Environment): Promise<SpanExporter> {
  const exporter = environment['OTEL_TRACES_EXPORTER'] ?? 'otlp';
  if (exporter === 'console')
    return new (await import('@opentelemetry/sdk-trace-node')).ConsoleSpanExporter();
  if (exporter !== 'otlp')
    throw new Error(`OTEL_TRACES_EXPORTER may be otlp, console or none, not '${exporter}'`);
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ??
    environment['OTEL_EXPORTER_OTLP_PROTOCOL'] ??
    'http/protobuf';
  switch (protocol) {
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
    default:
      throw new Error(
        `OTEL_EXPORTER_OTLP_PROTOCOL may be http/protobuf or http/json, not '${protocol}': use the collector's port 4318`,
      );
  }
}
