/**
 * Numbers of a tenant and its spaces. All of them have one slot, so that a database that is distributed over machines by the hash
 * of these numbers keeps a tenant's rows together.
 */
import { randomInt } from 'node:crypto';

/** Numbers 1 to 99 are reserved. */
export const LEAST_NUMBER = 100;
/** One above the largest positive `int` of PostgreSQL. */
const END = 2 ** 31;
const SLOT_BITS = 16;

/** Returns the upper 16 bits of `hashint4(number)`: a whole number from 0 to 65,535. */
export function slotOf(number: number): number {
  return hashOf(number) >>> (32 - SLOT_BITS);
}

/**
 * Returns `count` different random numbers of one slot. Cost: some 65,000 hashes for each number after the first, a few
 * milliseconds for those of a tenant.
 */
export function chooseNumbers(count: number): number[] {
  const first = randomInt(LEAST_NUMBER, END);
  const slot = slotOf(first);
  const numbers = [first];
  for (let next = first; numbers.length < count;) {
    next = next + 1 < END ? next + 1 : LEAST_NUMBER;
    if (slotOf(next) === slot) numbers.push(next);
  }
  return numbers;
}

/** Returns PostgreSQL's `hashint4` of a number from 0, as an unsigned number: the hash of Bob Jenkins (lookup3) over four bytes. */
export function hashOf(number: number): number {
  const seed = (0x9e3779b9 + 4 + 3_923_095) | 0;
  let [a, b, c] = [(seed + number) | 0, seed, seed];
  c = (c ^ b) - rotate(b, 14);
  a = (a ^ c) - rotate(c, 11);
  b = (b ^ a) - rotate(a, 25);
  c = (c ^ b) - rotate(b, 16);
  a = (a ^ c) - rotate(c, 4);
  b = (b ^ a) - rotate(a, 14);
  c = (c ^ b) - rotate(b, 24);
  return c >>> 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
