/**
 * Tests whether two kinds of requests take the same class of time, so that a client who measures many learns nothing.
 */
import { performance } from 'node:perf_hooks';

/** Sends the request of the pair with this number; resolves when it is answered. */
export type PairSender = (index: number) => Promise<unknown>;

export interface Comparison {
  /** Share of the pairs in which the first took longer, from 0 to 1: 0.5 where there is no difference. */
  readonly share: number;
  /** The distance of `share` from 0.5 that may be random. */
  readonly most: number;
  /** Milliseconds. */
  readonly medians: readonly [first: number, second: number];
}

/** Not counted: the first requests fill caches and compile; of few pairs a quarter of them. */
const WARM_UP = 15;
/** The share of heads of so many coins has a standard deviation of this, divided by the root of their number. */
const DEVIATION = 0.5;
const DEVIATIONS = 3;
/** The least distance, for any number of pairs: a difference that only thousands of requests show is the same class. */
const LEAST = 0.1;
const ROUNDS = 4;
/** Milliseconds: smaller differences come from writing the two requests themselves, and not from a read. */
const LEAST_APART_MS = 0.01;

async function timeOf(sender: PairSender, index: number): Promise<number> {
  const before = performance.now();
  await sender(index);
  return performance.now() - before;
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/**
 * Pairs of requests right after each other, in alternating order, so that other load of the machine affects both. It
 * compares which of a pair took longer and not by how much: a pause of the machine counts once.
 */
async function measure(
  first: PairSender,
  second: PairSender,
  pairs: number,
  from: number,
): Promise<Comparison> {
  const times: [number[], number[]] = [[], []];
  let longer = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const index = from + pair;
    let one: number;
    let other: number;
    if (Math.random() < 0.5) {
      one = await timeOf(first, index);
      other = await timeOf(second, index);
    } else {
      other = await timeOf(second, index);
      one = await timeOf(first, index);
    }
    times[0].push(one);
    times[1].push(other);
    if (one > other) longer++;
  }
  const most = Math.max(LEAST, (DEVIATIONS * DEVIATION) / Math.sqrt(pairs));
  return { share: longer / pairs, most, medians: [medianOf(times[0]), medianOf(times[1])] };
}

function isApart({ share, most, medians: [first, second] }: Comparison): boolean {
  return Math.abs(share - 0.5) > most && Math.abs(first - second) > LEAST_APART_MS;
}

/**
 * Undefined: there is no difference. Else the last of the rounds in all of which the same side took longer: a random
 * round does not count, a real difference is in each.
 */
export async function findDifference(
  first: PairSender,
  second: PairSender,
  pairs: number,
): Promise<Comparison | undefined> {
  const warmUp = Math.min(WARM_UP, Math.ceil(pairs / 4));
  for (let index = 0; index < warmUp; index++) {
    await first(index);
    await second(index);
  }
  let last: Comparison | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const found = await measure(first, second, pairs, warmUp + round * pairs);
    const isOtherSide = last !== undefined && found.share > 0.5 !== last.share > 0.5;
    if (!isApart(found) || isOtherSide) return undefined;
    last = found;
  }
  return last;
}
