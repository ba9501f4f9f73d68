import { readFileSync } from 'node:fs';

/** Milliseconds of this process's own work, whatever else the machine is busy with. */
export function processorMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return since(before);
}

/** The same of work that gives others their turn, as long as there are none in this process. */
export async function awaitedProcessorMilliseconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return since(before);
}

/**
 * The least of at most three tries, of which the first below `limit` is enough: garbage of tests before is collected
 * within the time of one, and a limit of a few milliseconds is less than that takes.
 */
export function leastProcessorMilliseconds(limit: number, work: () => void): number {
  let least = Infinity;
  for (let tries = 0; tries < 3 && least >= limit; tries++)
    least = Math.min(least, processorMilliseconds(work));
  return least;
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds that the main thread of this process has worked since it began; its other threads are not counted. */
export function mainThreadMilliseconds(): number {
  const [nanoseconds] = readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
