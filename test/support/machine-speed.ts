/**
 * The factor by which this machine is currently slower than the one that the time limits in tests are meant for. A
 * limit of the design (a hostile document is refused within 50 ms) is in milliseconds of some machine; tests run on
 * machines that are slower or shared, where work takes proportionally longer, as this fixed piece of work does.
 */
import { performance } from 'node:perf_hooks';
import { fixedWork, REFERENCE_MS } from './fixed-work';

/** Slower than this is no machine to hold times against: the limits are broken then, and rightly. */
const MOST = 4;
const TRIES = 5;

/** The least milliseconds of five tries. */
function leastOf(work: () => number): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES; tries++) {
    const before = performance.now();
    if (work() === 0) throw new Error('the fixed work found nothing');
    least = Math.min(least, performance.now() - before);
  }
  return least;
}

const within = (factor: number): number => Math.min(MOST, Math.max(1, factor));

/** At least 1 and at most 4; takes some 20 ms. */
export const slowness = (): number => within(leastOf(fixedWork) / REFERENCE_MS);
