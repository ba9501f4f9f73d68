import { setFlagsFromString } from 'node:v8';

/**
 * V8 flags for the heaps of this process and its threads; docs/understand/benchmark.md has the effect of each (Imports; What V8 takes for
 * long-lived).
 */
export const HEAP_FLAGS: readonly { readonly name: string; readonly flag: string }[] = [
  // The growth of the heap in percent before the next full marking. By default V8 marks a heap of 100 MB again when it has grown by
  // some 10 MB, mostly in helper threads, whose processor time the database could use.
  { name: '--heap-growing-percent', flag: '--heap-growing-percent=100' },
  // Disables allocation in the old generation by allocation site. While much is loaded, or a request waits long, V8 decides this for
  // requests and their answers, and never reverts it.
  { name: '--allocation-site-pretenuring', flag: '--no-allocation-site-pretenuring' },
];

/** Sets the flags that the command line of Node.js does not set. Call it before anything else is loaded. */
export function setHeapFlags(): void {
  for (const { name, flag } of HEAP_FLAGS) if (!isStated(name)) setFlagsFromString(flag);
}

function isStated(name: string): boolean {
  return process.execArgv.some((argument) => {
    const stated = argument.replaceAll('_', '-').replace(/^--no-?/, '--');
    return stated === name || stated.startsWith(`${name}=`);
  });
}
