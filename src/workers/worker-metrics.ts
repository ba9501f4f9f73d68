/** The metrics of all workers of a server, as those of one process. */
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Metrics } from './messages';

/** A worker that does not answer for so long counts with its last answer. */
const ANSWER_MS = 2_000;
/** What this process tells of itself: it has a processor and files of its own, and its memory is small. */
const OF_FIRST = /^process_(?:cpu_\w+|open_fds|max_fds)$/;

export interface MeasuredWorker {
  readonly id: number;
  /** Asks for its metrics; the answer comes by `answered`. */
  ask(request: number): void;
}

export type WorkerCounts = Readonly<Record<'starting' | 'serving' | 'ending', number>>;

/**
 * Sums the metrics of the workers (for some, such as andiron_ready, it is the smallest value or the first). Counters of workers that
 * have ended stay in the sums: these would fall otherwise, and Prometheus would take that for a restart. The processor time and files of
 * this process have the label `process="first"`.
 */
export class WorkerMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #own = new Registry();
  readonly #first = new Registry();
  readonly #waiting = new Map<number, (metrics: Metrics) => void>();
  /** The last answer of each worker. */
  readonly #last = new Map<number, Metrics>();
  /** Workers that have been replaced. They close what they have, one thing after the other. */
  readonly #replaced = new Set<number>();
  /** The counters of those that have ended. */
  #ended: Promise<Metrics> = Promise.resolve([]);
  #requests = 0;

  constructor(
    private readonly workers: () => readonly MeasuredWorker[],
    counts: () => WorkerCounts,
  ) {
    collectDefaultMetrics({
      ...{ register: this.#first, labels: { process: 'first' } },
      // The delays of its event loop are in no metric, so that they are measured as rarely as possible.
      eventLoopMonitoringPrecision: 1_000,
    });
    this.#own.registerMetric(
      new Gauge({
        name: 'andiron_workers',
        help: 'Worker processes by state: starting, serving, and ending',
        labelNames: ['state'] as const,
        registers: [],
        collect() {
          for (const [state, count] of Object.entries(counts())) this.set({ state }, count);
        },
      }),
    );
  }

  /** Returns the text for Prometheus. Cost: one message to each worker; 2 seconds if one does not answer. */
  async metrics(): Promise<string> {
    await Promise.all(this.workers().map((worker) => this.#ask(worker)));
    const first = (await this.#first.getMetricsAsJSON()).filter(({ name }) => OF_FIRST.test(name));
    const running = [...this.#last].map(([id, metrics]) =>
      // The smallest value is the state of the server, such as andiron_ready.
      this.#replaced.has(id) ? metrics.filter(({ aggregator }) => aggregator !== 'min') : metrics,
    );
    const parts = [...running, await this.#ended, await this.#own.getMetricsAsJSON(), first];
    return AggregatorRegistry.aggregate(parts.map((part) => [...part])).metrics();
  }

  /** `request`: undefined for what a worker tells by itself before it ends. */
  answered(id: number, request: number | undefined, metrics: Metrics): void {
    this.#last.set(id, metrics);
    if (request !== undefined) this.#waiting.get(request)?.(metrics);
  }

  /** Counts the states of a worker no more: another one has taken its place. */
  replaced(id: number): void {
    this.#replaced.add(id);
  }

  /** Keeps the counters of a worker that has ended, as of its last answer. */
  ended(id: number): void {
    const counters = (this.#last.get(id) ?? []).filter(({ type }) => String(type) !== 'gauge');
    this.#last.delete(id);
    this.#replaced.delete(id);
    this.#ended = this.#ended.then((before) =>
      AggregatorRegistry.aggregate([[...before], counters]).getMetricsAsJSON(),
    );
  }

  #ask(worker: MeasuredWorker): Promise<void> {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(request);
        resolve();
      };
      const timer = setTimeout(done, ANSWER_MS);
      this.#waiting.set(request, done);
      worker.ask(request);
    });
  }
}
