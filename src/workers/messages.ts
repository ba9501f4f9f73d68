/** The messages between the process that starts the workers of a server and each worker. */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

export type Metrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What a worker cannot know by itself. */
export interface WorkerStart {
  /** Number of workers of the server. */
  readonly count: number;
  /** Where the values of settings come from, by their names (config/setting-sources.ts). */
  readonly sources: Readonly<Record<string, string>>;
  readonly state: SharedState;
}

/** What the first process does for all workers. */
export interface SharedState {
  /** A notice of `/health/ready`. */
  readonly notice?: string | undefined;
  /** True while the pages for browsers are being built. */
  readonly isBuilding: boolean;
}

export type ToWorker =
  | { readonly kind: 'start'; readonly start: WorkerStart }
  | { readonly kind: 'state'; readonly state: SharedState }
  | { readonly kind: 'metrics'; readonly request: number }
  /** Asks whether its event loop runs. */
  | { readonly kind: 'alive' }
  /** Another worker has taken its place: it answers what it has begun, and ends. */
  | { readonly kind: 'replaced' };

export type FromWorker =
  | { readonly kind: 'listening'; readonly host: string; readonly port: number }
  | { readonly kind: 'alive' }
  /** Without `request`: the last ones before its end. */
  | { readonly kind: 'metrics'; readonly request?: number | undefined; readonly metrics: Metrics };

/** Libraries may use the same channel: other messages are not ours. */
export function isToWorker(message: unknown): message is ToWorker {
  return hasKind(message, ['start', 'state', 'metrics', 'alive', 'replaced']);
}

export function isFromWorker(message: unknown): message is FromWorker {
  return hasKind(message, ['listening', 'metrics', 'alive']);
}

function hasKind(message: unknown, kinds: readonly string[]): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    typeof message.kind === 'string' &&
    kinds.includes(message.kind)
  );
}
