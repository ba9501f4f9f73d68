/**
 * Samples the processor time of the services of a run: PostgreSQL by the worker whose databases its backends serve, the servers
 * that the files of a worker share, and Redis. A backend that ends between two samples loses its last part, which the sum of
 * all backends has.
 */
const { clearInterval, setInterval } = require('node:timers');
const { commandOf, processesBelow } = require('./processes');

const INTERVAL_MS = 250;

/** The owner of a process: `worker:N` by process id, `shared:N` by number of the worker, `redis`, or `other`. */
function ownerOf(command) {
  const [, ofProcess] = /andiron_test_(\d+)_(?!shared)/.exec(command) ?? [];
  if (ofProcess !== undefined) return `worker:${ofProcess}`;
  const [, ofWorker] = /andiron_test_\d+_shared_(\d+)|\bmain\.js worker-(\d+)/.exec(command) ?? [];
  const shared = ofWorker ?? /\bmain\.js worker-(\d+)/.exec(command)?.[1];
  if (shared !== undefined) return `shared:${shared}`;
  return /redis-server/.test(command) ? 'redis' : 'other';
}

const kindOf = (command) =>
  /redis-server/.test(command) ? 'redis' : /postgres/.test(command) ? 'postgres' : 'node';

class ServiceTime {
  /** For each kind and owner: the moments and the seconds until then. */
  #series = new Map();
  /** The seconds of each process at the last sample. */
  #last = new Map();
  #timer;

  start() {
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), INTERVAL_MS);
    this.#timer.unref();
  }

  stop() {
    clearInterval(this.#timer);
    this.#sample();
  }

  #sample() {
    const now = Date.now();
    const spent = new Map();
    const workers = new Set();
    for (const { processId, parent, own } of processesBelow(process.pid)) {
      const command = commandOf(processId);
      // A worker and its children have their own account (file-record.js).
      if (processId === process.pid || /jest-worker/.test(command) || workers.has(parent)) {
        if (processId !== process.pid) workers.add(processId);
        continue;
      }
      const key = `${kindOf(command)} ${ownerOf(command)}`;
      const delta = own - (this.#last.get(processId) ?? 0);
      this.#last.set(processId, own);
      spent.set(key, (spent.get(key) ?? 0) + Math.max(0, delta));
    }
    for (const [key, seconds] of spent) {
      const series = this.#series.get(key) ?? [{ at: 0, seconds: 0 }];
      this.#series.set(key, series);
      series.push({ at: now, seconds: series.at(-1).seconds + seconds });
    }
  }

  /** Seconds of a kind of service for an owner between two moments. */
  between(kind, owner, from, to) {
    const series = this.#series.get(`${kind} ${owner}`) ?? [];
    const until = (moment) => series.findLast(({ at }) => at <= moment + INTERVAL_MS)?.seconds ?? 0;
    return until(to) - until(from);
  }

  /** Seconds of a kind of service for all owners. */
  total(kind) {
    return [...this.#series]
      .filter(([key]) => key.startsWith(`${kind} `))
      .reduce((sum, [, series]) => sum + series.at(-1).seconds, 0);
  }
}

module.exports = { ServiceTime };
