/** Runs one server in several processes that share its port: starts, replaces, reloads and stops them. */
import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../core';
import { PACKAGE_FOLDER } from '../package-folder';
import { holdConnections } from './held-connections';
import { isFromWorker, type SharedState, type ToWorker, type WorkerStart } from './messages';
import { ReportedFailure } from './reported-failure';
import { WORKER_ARGUMENT } from './worker-link';
import { WorkerMetrics, type WorkerCounts } from './worker-metrics';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface SupervisorOptions {
  readonly count: number;
  /** Greatest size of the heap of a worker in megabytes. */
  readonly heapMb: number;
  /** Variables for the workers beside those of this process; undefined removes one. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which a worker that has been replaced is killed: it should have ended by itself. */
  readonly endMs: number;
  readonly sources: WorkerStart['sources'];
  readonly log: Log;
}

/** The program of a worker. */
const PROGRAM = path.join(PACKAGE_FOLDER, 'dist', 'src', 'main.js');
/** A worker that does not start is started again after this, and after twice as long each further time. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/**
 * Each worker is asked whether it answers at this interval. Its unanswered questions count, not the time: that also passes while the
 * machine is suspended, and nobody could answer.
 */
const ASK_MS = 1_000;
const QUESTIONS_BEFORE_WARNING = 10;
/** The event loop of a worker is free again after some tenths of a second of processor time: that takes a machine under much load seconds. */
const QUESTIONS_BEFORE_KILL = 60;

type State = keyof WorkerCounts;

interface Exit {
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
}

interface Running {
  readonly worker: Worker;
  state: State;
  /** False: no request has come to it. */
  hasListened: boolean;
  /** Questions since its last answer. */
  unanswered: number;
  readonly ended: Promise<Exit>;
}

export class Supervisor {
  readonly metrics: WorkerMetrics;
  readonly #workers = new Map<number, Running>();
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  #state: SharedState = { isBuilding: false };
  #filling: Promise<void> | undefined;
  #reload: Promise<void> | undefined;
  #isReloadDue = false;
  #pauseMs = FIRST_PAUSE_MS;
  #asking: NodeJS.Timeout | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.metrics = new WorkerMetrics(
      () =>
        [...this.#workers.values()]
          .filter(({ worker, state }) => worker.isConnected() && state !== 'starting')
          .map(({ worker }) => ({
            id: worker.id,
            ask: (request) => send(worker, { kind: 'metrics', request }),
          })),
      () => this.#counts(),
    );
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const execArgv = [...process.execArgv, `--max-old-space-size=${options.heapMb}`];
    cluster.setupPrimary({ exec: PROGRAM, args: [WORKER_ARGUMENT], execArgv });
  }

  /**
   * Resolves when all workers listen. The first one starts alone: it migrates the database, and a fault of the settings is reported once.
   * The others start one for each core at a time, because a start uses a whole one.
   * @throws Error if a worker ends before it listens; it has reported why
   */
  async start(): Promise<Address> {
    this.#asking = setInterval(() => this.#ask(), ASK_MS).unref();
    const address = await this.#startOne();
    let left = this.#options.count - 1;
    const startSome = async (): Promise<void> => {
      while (left-- > 0 && !this.#isStopping()) await this.#startOne();
    };
    await Promise.all(Array.from({ length: availableParallelism() }, startSome));
    return address;
  }

  /** Tells all workers, also those that start later. */
  setState(state: SharedState): void {
    this.#state = state;
    for (const { worker } of this.#workers.values()) send(worker, { kind: 'state', state });
  }

  /**
   * Replaces each worker by a new one, one after the other: the old one ends when the new one listens and all of its own requests
   * are answered. A call while a reload runs makes another one follow. Never rejects.
   */
  reload(): Promise<void> {
    this.#isReloadDue = true;
    this.#reload ??= this.#reloadAll().finally(() => (this.#reload = undefined));
    return this.#reload;
  }

  /** Ends all workers as SIGTERM ends a server. @throws Error if one did not answer all of its requests */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#asking);
    // After a second signal, or where a worker takes too long.
    process.once('exit', () => {
      for (const { worker } of this.#workers.values()) worker.process.kill('SIGKILL');
    });
    const all = [...this.#workers.values()];
    const answering = all.filter(({ state }) => state !== 'starting');
    for (const running of all) {
      running.state = 'ending';
      running.worker.process.kill('SIGTERM');
    }
    const exits = await Promise.all(answering.map(({ ended }) => ended));
    // One that still loads the program, or hangs, does not hear of the signal, and has no request.
    for (const { worker, hasListened } of all) if (!hasListened) worker.process.kill('SIGKILL');
    await Promise.all(all.map(({ ended }) => ended));
    const failed = exits.filter(({ code }) => code !== 0).length;
    if (failed > 0)
      throw new Error(`${failed} of ${answering.length} workers ended before all requests were answered`);
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #serves({ worker, state }: Running): boolean {
    return state === 'serving' && this.#workers.has(worker.id);
  }

  #counts(): WorkerCounts {
    const counts = { starting: 0, serving: 0, ending: 0 };
    for (const { state } of this.#workers.values()) counts[state]++;
    return counts;
  }

  /**
   * Those that end have a time limit of their own, and those that start load the program in one piece. A worker that hangs gets no
   * further connection: node:cluster waits until one is taken.
   */
  #ask(): void {
    const { log } = this.#options;
    const serving = [...this.#workers.values()].filter(({ state }) => state === 'serving');
    for (const running of serving) {
      send(running.worker, { kind: 'alive' });
      running.unanswered++;
      if (running.unanswered === QUESTIONS_BEFORE_WARNING)
        log.warn({ worker: running.worker.process.pid }, 'a worker does not answer');
    }
    // One at a time: where all of them hang, a worker that starts shows whether that helps.
    if (this.#filling !== undefined || this.#counts().starting > 0) return;
    const hung = serving.find(
      ({ worker, unanswered }) => unanswered >= QUESTIONS_BEFORE_KILL && !worker.process.killed,
    );
    if (hung === undefined) return;
    log.error({ worker: hung.worker.process.pid }, 'a worker does not answer: it is killed');
    hung.worker.process.kill('SIGKILL');
  }

  #answered(running: Running): void {
    if (running.unanswered >= QUESTIONS_BEFORE_WARNING)
      this.#options.log.info({ worker: running.worker.process.pid }, 'a worker answers again');
    running.unanswered = 0;
  }

  /** Resolves when the new worker listens. */
  async #startOne(): Promise<Address> {
    const { count, environment, sources, log } = this.#options;
    const worker = cluster.fork(environment);
    const ended = new Promise<Exit>((resolve) =>
      worker.once('exit', (code: number | null, signal: string | null) =>
        resolve({ code: code ?? undefined, signal: signal ?? undefined }),
      ),
    );
    const endConnections = holdConnections(worker.process);
    const running: Running = { worker, state: 'starting', hasListened: false, unanswered: 0, ended };
    this.#workers.set(worker.id, running);
    send(worker, { kind: 'start', start: { count, sources, state: this.#state } });
    const listening = new Promise<Address>((resolve) =>
      worker.on('message', (message: unknown) => {
        if (!isFromWorker(message)) return;
        if (message.kind === 'metrics') this.metrics.answered(worker.id, message.request, message.metrics);
        else if (message.kind === 'alive') this.#answered(running);
        else {
          running.hasListened = true;
          resolve(message);
        }
      }),
    );
    const isGone = ended.then((exit) => {
      this.#workers.delete(worker.id);
      endConnections();
      this.metrics.ended(worker.id);
      if (running.state !== 'serving') return exit;
      log.error({ worker: worker.process.pid, ...exit }, 'a worker has ended; another one takes its place');
      this.#fill();
      return exit;
    });
    const outcome = await Promise.race([listening, isGone]);
    if (!('host' in outcome)) {
      // `stop` ends the process.
      if (this.#isStopping()) return new Promise(() => undefined);
      const { code, signal } = outcome;
      const how = signal === undefined ? `with code ${code ?? '?'}` : `by ${signal}`;
      const line = `A worker ended ${how} before it listened`;
      throw signal === undefined && code !== 0 ? new ReportedFailure(line) : new Error(line);
    }
    if (running.state === 'starting') running.state = 'serving';
    this.#pauseMs = FIRST_PAUSE_MS;
    return outcome;
  }

  /** Starts workers until there are as many as there should be. */
  #fill(): void {
    const isShort = (): boolean => {
      const { starting, serving } = this.#counts();
      return !this.#isStopping() && starting + serving < this.#options.count;
    };
    const start = async (): Promise<void> => {
      const { log } = this.#options;
      while (isShort()) {
        const isStarted = await this.#startOne().then(
          () => true,
          () => false,
        );
        if (isStarted && !this.#isStopping())
          log.info({ ...this.#counts() }, 'a worker has been started again');
        if (isStarted || this.#isStopping()) continue;
        log.error({ pauseMs: this.#pauseMs }, 'a worker did not start; it is tried again');
        await delay(this.#pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
        this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
      }
    };
    if (this.#filling === undefined) this.#filling = start().finally(() => (this.#filling = undefined));
  }

  async #reloadAll(): Promise<void> {
    const { log } = this.#options;
    while (this.#isReloadDue && !this.#isStopping()) {
      this.#isReloadDue = false;
      log.info({}, 'the workers are replaced, one after the other');
      // One that starts now may have read what has been changed since.
      await this.#filling;
      for (const old of [...this.#workers.values()].filter(({ state }) => state === 'serving')) {
        if (this.#isStopping()) return;
        // It may have ended by itself, and another one has taken its place.
        if (!this.#serves(old)) continue;
        try {
          await this.#startOne();
        } catch {
          log.error({}, 'a new worker did not start: the others serve on, and the reload ends');
          this.#fill();
          return;
        }
        if (!this.#serves(old)) continue;
        old.state = 'ending';
        this.metrics.replaced(old.worker.id);
        // Another old one may have ended while the new one started: there were enough.
        this.#fill();
        send(old.worker, { kind: 'replaced' });
        const kill = setTimeout(() => {
          log.error(
            { worker: old.worker.process.pid },
            'a worker that was replaced does not end: it is killed',
          );
          old.worker.process.kill('SIGKILL');
        }, this.#options.endMs);
        await old.ended;
        clearTimeout(kill);
      }
      log.info({}, 'all workers are replaced');
    }
  }
}

/** A worker that ends closes its channel; a message to it is lost then. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
