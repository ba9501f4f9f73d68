import type { ProcessReport, ServerProcess, ServerState } from '../api/server';
import type { RedisCache } from '../cache/redis-cache';
import { putReport, readRedisState, readReports } from '../cache/server-reports';
import { PollingLoop } from '../concurrency/polling-loop';
import type { Log } from '../context';
import type { DatabaseOptions } from '../storage/connection/database';
import { readServerFacts, type ServerFacts } from '../storage/schema/server-facts';

export interface ServerViewOptions {
  readonly cache: RedisCache;
  readonly database: DatabaseOptions;
  readonly log: Log;
  /** The id of this process in `server_process`. */
  readonly process: string;
}

const REPORT_MS = 5_000;
/** Milliseconds for which a state is shown again, however many ask. */
const KEPT_MS = 2_000;

/**
 * The state of the whole server. Each process reports itself to Redis every five seconds, so that any of them knows all;
 * that a process runs is in the database. Cost of a state: one connection and eight statements, at most every two seconds
 * in a process; concurrent calls share it.
 */
export class ServerView {
  #describe: (() => ProcessReport) | undefined;
  #asked: Promise<ServerState> | undefined;
  #last: ServerState | undefined;
  readonly #loop: PollingLoop;

  constructor(private readonly options: ServerViewOptions) {
    this.#loop = new PollingLoop({
      round: () => this.#report(),
      retryMs: REPORT_MS,
      log: options.log,
      trouble: 'the report of this process cannot be made',
      isReported: () => true,
    });
  }

  /** From now on this process reports itself. */
  report(describe: () => ProcessReport): void {
    this.#describe = describe;
    this.#loop.start();
  }

  state(): Promise<ServerState> {
    const last = this.#last;
    if (last !== undefined && Date.now() - last.read < KEPT_MS) return Promise.resolve(last);
    this.#asked ??= this.#read().finally(() => (this.#asked = undefined));
    return this.#asked;
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #report(): Promise<number> {
    const { cache, process } = this.options;
    if (this.#describe !== undefined) await putReport(cache, process, this.#describe());
    return REPORT_MS;
  }

  async #read(): Promise<ServerState> {
    const { cache, database, log, process } = this.options;
    const [facts, redis] = await Promise.all([
      readServerFacts(database).catch((error: unknown): Partial<ServerFacts> => {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, 'the state of the database cannot be read');
        return {};
      }),
      readRedisState(cache),
    ]);
    const others = (facts.processes ?? []).filter(({ id }) => id !== process);
    const reports = await readReports(
      cache,
      others.map(({ id }) => id),
    );
    const own: ServerProcess = { isThis: true, beat: Date.now(), report: this.#describe?.() };
    const processes = [
      own,
      ...others.map(({ id, beat }) => ({ isThis: false, beat, report: reports.get(id) })),
    ];
    const { queues, late = [] } = facts;
    this.#last = { read: Date.now(), processes, database: facts.database, redis, queues, late };
    return this.#last;
  }
}
