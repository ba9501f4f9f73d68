/**
 * Resource keys: a 64-bit number that stands for an id in every table. It is computed without a lookup, so that a
 * reference is stored as a key before its target exists. Together with the type it identifies a resource of a space.
 *
 * An id that this server made is 16 characters of lower-case Crockford base32: 13 hold a positive 63-bit key (41 bits
 * of milliseconds since 2020-01-01, 10 bits drawn at the start of the process, 12 bits of a counter that starts at
 * random each millisecond), 3 hold a checksum of 15 bits. Such keys grow with time, so new rows go to the right edge of
 * each index. Any other id has a negative key, a keyed hash; the id itself is stored and compared on every read.
 */
import { randomInt } from 'node:crypto';
import type { Hasher } from './hash';

/** A key as two signed 32-bit halves. */
export interface ResourceKey {
  readonly high: number;
  readonly low: number;
}

export interface NewId extends ResourceKey {
  readonly id: string;
}

export interface IdSource {
  /** Returns the next id; its key is greater than that of every id that this source returned before. */
  next(): NewId;
  /** The same without the id. */
  nextKey(): ResourceKey;
}

const EPOCH = Date.UTC(2020, 0, 1);
const LAST_MILLISECOND = 2 ** 41 - 1;
const ID_LENGTH = 16;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const NO_DIGIT = 255;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < ALPHABET.length; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

/**
 * Creates a source of new ids, one per process. `now` (milliseconds since 1970) and `draw` (a random integer below its
 * argument) are for tests. If the clock goes back, or after 4,096 ids in one millisecond, the source uses the
 * milliseconds to come.
 */
export function createIdSource(
  now: () => number = Date.now,
  draw: (below: number) => number = randomInt,
): IdSource {
  const processBits = draw(1024);
  let last = -1;
  let counter = 0;
  const nextKey = (): ResourceKey => {
    const present = Math.min(Math.max(now() - EPOCH, 0), LAST_MILLISECOND);
    if (present > last) {
      last = present;
      // The start is in the lower half of the counter, so that the upper half is free for the ids of this millisecond.
      counter = draw(2048);
    } else if (++counter > 4095) {
      last++;
      counter = draw(2048);
    }
    const high = Math.floor(last / 1024);
    const low = ((last % 1024) << 22) | (processBits << 12) | counter;
    return { high, low };
  };
  return {
    nextKey,
    next() {
      const { high, low } = nextKey();
      return { id: format(high, low), high, low };
    },
  };
}

/** Returns the key of `type`/`id`: positive exactly when `createIdSource` can make the id. Cost: below 0.5 µs. */
export function keyOf(hasher: Hasher, type: string, id: string): ResourceKey {
  const own = parse(id);
  if (own !== undefined) return own;
  const high = hasher.parts(type, id) | 0x80000000;
  return { high, low: hasher.low };
}

/**
 * Returns the id of a positive key, which is the same for every type; undefined for a negative key, which is a hash.
 */
export function idOfKey(high: number, low: number): string | undefined {
  return high < 0 ? undefined : format(high, low);
}

function parse(id: string): ResourceKey | undefined {
  if (id.length !== ID_LENGTH) return undefined;
  let upper = 0;
  let lower = 0;
  // 7 digits are 35 bits, 6 more are 30: both fit in a double.
  for (let at = 0; at < 13; at++) {
    const digit = digitAt(id, at);
    if (digit === NO_DIGIT) return undefined;
    if (at < 7) upper = upper * 32 + digit;
    else lower = (lower << 5) | digit;
  }
  // The first two of the 65 bits stay empty.
  if (upper >= 2 ** 33) return undefined;
  const high = Math.floor(upper / 4);
  const low = ((upper % 4) << 30) | lower;
  const sum = checksum(high, low);
  const isOwn =
    digitAt(id, 13) === sum >>> 10 &&
    digitAt(id, 14) === ((sum >>> 5) & 31) &&
    digitAt(id, 15) === (sum & 31);
  return isOwn ? { high, low } : undefined;
}

function digitAt(id: string, at: number): number {
  const unit = id.charCodeAt(at);
  return unit < 128 ? (DIGITS[unit] ?? NO_DIGIT) : NO_DIGIT;
}

function format(high: number, low: number): string {
  const upper = high * 4 + (low >>> 30);
  const sum = checksum(high, low);
  let id = '';
  for (let at = 6; at >= 0; at--) id += ALPHABET.charAt(Math.floor(upper / 32 ** at) % 32);
  for (let shift = 25; shift >= 0; shift -= 5) id += ALPHABET.charAt((low >>> shift) & 31);
  for (let shift = 10; shift >= 0; shift -= 5) id += ALPHABET.charAt((sum >>> shift) & 31);
  return id;
}

/** Returns 15 bits that depend on each bit of the key. The constants are part of the format of ids and never change. */
function checksum(high: number, low: number): number {
  let mixed = Math.imul(high ^ 0x5f356495, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ low, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x27d4eb2f);
  return (mixed ^ (mixed >>> 16)) & 0x7fff;
}
