/** Sends traces to a collector by OTLP, where the standard variables of OpenTelemetry ask for it. */
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './core';
import { PACKAGE_FOLDER } from './package-folder';

export interface Tracing {
  /** Sends what was recorded, for at most some seconds. */
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
  const exporter = await createExporter(environment);
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');
  const { NodeTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-node');
  const resources = await import('@opentelemetry/resources');
  let warnedAt = -Infinity;
  const warn = (message: string): void => {
    if (performance.now() - warnedAt < WARNING_MS) return;
    warnedAt = performance.now();
    log.warn({ reason: message }, 'traces could not be sent');
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new NodeTracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'andiron', 'service.version': readVersion() })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return {
    async stop() {
      await Promise.race([
        provider.shutdown().catch((error: unknown) => warn(String(error))),
        delay(STOP_MS, undefined, { ref: false }),
      ]);
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

function readVersion(): string {
  const text = readFileSync(path.join(PACKAGE_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
