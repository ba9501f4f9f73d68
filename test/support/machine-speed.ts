/**
 * How much slower this machine is, here and now, than the one that the limits of time in tests are meant for. A limit that
 * the design names (a hostile document is refused within 50 ms) is one of milliseconds of some machine; a gate runs on
 * machines that are slower or shared, where the same work takes as many times longer as this fixed piece of work does.
 */
import { performance } from 'node:perf_hooks';

/**
 * Milliseconds of the fixed work on the reference: the least that two shared cores of an AMD EPYC took with Node 20.20.
 * The same machine, idle, has taken twice that at another hour.
 */
const REFERENCE_MS = 2.5;
/** Slower than this is no machine to hold times against: the limits are broken then, and rightly. */
const MOST = 4;
const TRIES = 5;

interface Leaf {
  readonly name: string;
  readonly values: readonly number[];
}

const LEAVES: readonly Leaf[] = Array.from({ length: 400 }, (_, index) => ({
  name: `leaf ${index} of the fixed work`,
  values: Array.from({ length: 40 }, (_value, place) => (index * 7919 + place * 104_729) % 65_521),
}));
const TEXT = JSON.stringify(LEAVES);

/** What parsers and planners do: read text, make objects, look into maps, sort, put text together. */
function fixedWork(): number {
  const counts = new Map<string, number>();
  const leaves = JSON.parse(TEXT) as readonly Leaf[];
  for (const { name, values } of leaves) {
    const sorted = [...values].sort((one, other) => one - other);
    for (const value of sorted) {
      const key = `${name.slice(0, 6)}${value % 997}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts.size;
}

/** At least 1 and at most 4; the least of five tries of some milliseconds each. */
export function slowness(): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES; tries++) {
    const before = performance.now();
    if (fixedWork() === 0) throw new Error('the fixed work found nothing');
    least = Math.min(least, performance.now() - before);
  }
  return Math.min(MOST, Math.max(1, least / REFERENCE_MS));
}
