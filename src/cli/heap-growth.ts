import { setFlagsFromString } from 'node:v8';

/** Of V8: by how much of itself what is in use has to grow before all of it is marked again. */
export const HEAP_GROWTH_FLAG = '--heap-growing-percent';

/** In hundredths: it has doubled. */
const GROWTH_PERCENT = 100;

/**
 * Has the heaps of this process marked less often, those of its threads too. V8 reckons with its own thread only, and so marks a
 * heap of 100 MB again as soon as it has grown by some 10, mostly by helpers that the database could do with: a tenth of an
 * import's processor time (docs/benchmark.md, Imports). Whoever starts Node.js with the flag decides otherwise.
 */
export function letHeapGrow(): void {
  if (process.execArgv.some((argument) => argument.replaceAll('_', '-').startsWith(HEAP_GROWTH_FLAG))) return;
  setFlagsFromString(`${HEAP_GROWTH_FLAG}=${GROWTH_PERCENT}`);
}
