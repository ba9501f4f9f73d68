import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ERROR_CATALOGUE, isLoopback, type ErrorKey, type Log } from '../../core';
import { KEEP_ALIVE_MS } from '../connections/connection-limits';
import { parseHost } from '../connections/host';
import { LimitsReached } from './limits-reached';

/**
 * The code of an error in the metrics: its key in the catalogue (docs/reference/errors.md), or `graphqlRequest` for a document or
 * variables that GraphQL itself refuses.
 */
export type ErrorCode = ErrorKey | 'graphqlRequest';

/** Metrics of this process for Prometheus. Other modules may add their own to `registry`; a tenant is never a label. */
export interface Metrics {
  readonly registry: Registry;
  /** Called when a request arrives. */
  requestStarted(): void;
  /** Called when the response was sent, or the client has disconnected. */
  requestFinished(interaction: string, status: number, seconds: number): void;
  /**
   * Called for each error of an answer, of an entry of a batch and of a GraphQL response; `tenant`: that of the request, if it
   * exists and is known.
   */
  readonly countError: (code: ErrorCode, tenant?: string) => void;
  /** Limits that requests have reached. */
  readonly limits: LimitsReached;
  /** Requests in progress. */
  underWay(): number;
}

const BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

/**
 * Creates a registry with the process's own metrics (memory, event-loop delay, garbage collection) and those of
 * requests.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  // A timer at the default of 10 ms takes 0.4 % of a core in an idle process.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  const inFlight = new Gauge({
    name: 'andiron_requests_in_flight',
    help: 'Requests in progress',
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'andiron_request_duration_seconds',
    help: 'Time to answer a request, by interaction and class of status',
    labelNames: ['interaction', 'status'] as const,
    buckets: BUCKETS,
    registers: [registry],
  });
  const countMetric = createErrorCounter(registry);
  const limits = new LimitsReached();
  let underWay = 0;
  const observers = new Map<string, { observe(seconds: number): void }>();
  return {
    registry,
    limits,
    countError(code, tenant) {
      countMetric(code);
      limits.note(code, tenant);
    },
    underWay: () => underWay,
    requestStarted() {
      underWay++;
      inFlight.inc();
    },
    requestFinished(interaction, status, seconds) {
      underWay--;
      inFlight.dec();
      const statusClass = `${Math.floor(status / 100)}xx`;
      const key = `${interaction} ${statusClass}`;
      let observer = observers.get(key);
      if (observer === undefined) {
        observer = durations.labels(interaction, statusClass);
        observers.set(key, observer);
      }
      observer.observe(seconds);
    },
  };
}

/** Errors that an operator acts on. Their series exist from the start, so that `rate` sees the first error too. */
function isForOperator(status: number): boolean {
  return status >= 500 || status === 401 || status === 403 || status === 429;
}

type ErrorCount = Pick<Counter.Internal, 'inc'>;

/** Cost of a count: a lookup and an addition. */
function createErrorCounter(registry: Registry): (code: ErrorCode) => void {
  const errors = new Counter({
    name: 'andiron_errors_total',
    help: 'Errors sent to clients, by key of the error catalogue and status: of answers, of entries of batches, and of GraphQL requests and fields',
    labelNames: ['code', 'status'] as const,
    registers: [registry],
  });
  const statuses: Readonly<Record<ErrorCode, { readonly status: number }>> = {
    ...ERROR_CATALOGUE,
    graphqlRequest: { status: 400 },
  };
  const counters = new Map<ErrorCode, ErrorCount>();
  const open = (code: ErrorCode): ErrorCount => {
    const counter = errors.labels(code, String(statuses[code].status));
    counters.set(code, counter);
    return counter;
  };
  for (const [code, { status }] of Object.entries(statuses))
    if (isForOperator(status)) open(code as ErrorCode).inc(0);
  return (code) => (counters.get(code) ?? open(code)).inc();
}

export interface MetricsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** A registry, or what sums several. */
export interface MetricsText {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 means a free port. */
  readonly port: number;
}

/**
 * Serves `/metrics` on an address of its own; on loopback only under loopback names. When the port is taken it logs a
 * warning and returns undefined, so that several processes can run on one machine.
 */
export async function listenForMetrics(
  metrics: MetricsText,
  address: ListenAddress,
  log: Log,
): Promise<MetricsListener | undefined> {
  const isLimited = isLoopback(address.host);
  const server = createServer((request, response) => {
    // Prevents reads by a web page whose host name was made to point here.
    if (isLimited && !isLoopback(parseHost(request.headers.host ?? '')?.name ?? '')) {
      response.writeHead(421).end();
      return;
    }
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  try {
    await listen(server, address);
  } catch {
    log.warn(
      { host: address.host, port: address.port },
      'metrics are not served: their address is in use or not available',
    );
    return undefined;
  }
  server.unref();
  const bound = server.address();
  return { port: isInternet(bound) ? bound.port : 0, close: () => close(server) };
}

function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function isInternet(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
