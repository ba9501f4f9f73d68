import { setFlagsFromString } from 'node:v8';

/**
 * What V8 is told of the heaps of this process, those of its threads too; docs/benchmark.md (Imports; What V8 takes for
 * long-lived) has what each is worth.
 */
export const HEAP_FLAGS: readonly { readonly name: string; readonly flag: string }[] = [
  // By how much of itself, in hundredths, what is in use has to grow before all of it is marked again. V8 reckons with its own
  // thread only, and so marks a heap of 100 MB as soon as it has grown by some 10, mostly by helpers that the database could do with.
  { name: '--heap-growing-percent', flag: '--heap-growing-percent=100' },
  // No objects are made among the old ones from the beginning because others of the same line of code have lived long. While
  // much is loaded, or a request waits for long, that is said of requests and their answers, and never taken back.
  { name: '--allocation-site-pretenuring', flag: '--no-allocation-site-pretenuring' },
];

/** Whoever starts Node.js with one of the flags decides otherwise. To be called before anything is loaded or kept. */
export function setHeapFlags(): void {
  for (const { name, flag } of HEAP_FLAGS) if (!isStated(name)) setFlagsFromString(flag);
}

function isStated(name: string): boolean {
  return process.execArgv.some((argument) => {
    const stated = argument.replaceAll('_', '-').replace(/^--no-?/, '--');
    return stated === name || stated.startsWith(`${name}=`);
  });
}
