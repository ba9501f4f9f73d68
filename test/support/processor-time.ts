import { existsSync, readFileSync } from 'node:fs';
import { slowness } from './machine-speed';

/**
 * Processor time of this process's own main thread, for tests that compare a time with a limit. It excludes other
 * load of the machine, and the other threads of the process: with a full memory, garbage collectors and compilers
 * need as much again. A shared or slow processor still makes three of one: a time over its limit is divided by the
 * factor by which a fixed piece of work is slower than on the reference at the same moment (machine-speed.ts). A
 * limit is ten times the time of an idle machine where possible, and far less than the fault that it guards against.
 */

const TRIES = 3;

/** Linux measures it by thread, to some 5 ms; elsewhere it is that of all threads. */
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
 * The longest turn of the event loop while something is done, in processor time of the main thread: others wait for so long. A
 * total over all turns would grow with the time that passes on a slow machine, by what the process does beside it.
 */
export async function longestTurnMilliseconds(work: () => unknown): Promise<number> {
  let longest = 0;
  let began = mainThreadMilliseconds();
  let next: NodeJS.Immediate;
  const turn = (): void => {
    const now = mainThreadMilliseconds();
    longest = Math.max(longest, now - began);
    began = now;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  await work();
  clearImmediate(next);
  return longest;
}

/** `spent` in time of the reference machine, where that matters: a time below its limit stays below it. */
const comparable = (spent: number, limit: number): number => (spent < limit ? spent : spent / slowness());

/**
 * The least of some tries (at most three), of which the first below `limit` is enough: garbage of tests before is
 * collected within the time of one. Milliseconds of the reference machine where it is not below.
 */
export function leastProcessorMilliseconds(limit: number, work: () => void): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= limit; tries++) {
    const before = mainThreadMilliseconds();
    work();
    least = Math.min(least, comparable(mainThreadMilliseconds() - before, limit));
  }
  return least;
}

/** The same of work that gives others their turn, as long as there are none in this process. */
export async function leastAwaitedMilliseconds(
  limit: number,
  work: () => unknown,
  tries = TRIES,
): Promise<number> {
  let least = Infinity;
  for (let tried = 0; tried < tries && least >= limit; tried++) {
    const before = mainThreadMilliseconds();
    await work();
    least = Math.min(least, comparable(mainThreadMilliseconds() - before, limit));
  }
  return least;
}

/** The least of three tries, of this machine: to be compared with another of the same moment, not with a limit. */
export async function millisecondsHere(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let tried = 0; tried < TRIES; tried++) {
    const before = mainThreadMilliseconds();
    await work();
    least = Math.min(least, mainThreadMilliseconds() - before);
  }
  return least;
}
