import { existsSync, readFileSync } from 'node:fs';

/**
 * Time that this process's own main thread works, for tests that hold a time against a limit. Whatever else the machine is
 * busy with is not counted, nor are the other threads of the process: with a full memory, collectors of garbage and
 * compilers take as much again. A processor that is shared, or a slow one, still makes three of one: a limit is ten times
 * what an idle machine takes, and far less than the fault takes that it is there for.
 */

const TRIES = 3;

/** Linux knows it by thread, to some 5 ms; elsewhere it is that of all threads. */
const ACCOUNT = `/proc/${process.pid}/task/${process.pid}/schedstat`;
const isByThread = existsSync(ACCOUNT);

/** Milliseconds that the main thread of this process has worked since it began. */
export function mainThreadMilliseconds(): number {
  if (!isByThread) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const [nanoseconds] = readFileSync(ACCOUNT, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/**
 * The least of at most three tries, of which the first below `limit` is enough: garbage of tests before is collected
 * within the time of one.
 */
export function leastProcessorMilliseconds(limit: number, work: () => void): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= limit; tries++) {
    const before = mainThreadMilliseconds();
    work();
    least = Math.min(least, mainThreadMilliseconds() - before);
  }
  return least;
}

/** The same of work that gives others their turn, as long as there are none in this process. */
export async function leastAwaitedMilliseconds(limit: number, work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= limit; tries++) {
    const before = mainThreadMilliseconds();
    await work();
    least = Math.min(least, mainThreadMilliseconds() - before);
  }
  return least;
}
