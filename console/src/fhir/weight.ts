/** How much there is of a value, to draw or to work on. */
import { isArray, isObject, type JsonValue } from '../api/json';

/** Longer texts are drawn in parts, so that no text is more than these. */
const CHARACTERS_OF_VALUE = 500;
const MOST_OF_TEXT = 4;

/** The number of values in a value, where a long text counts as up to four; no more than `most`. Cost: `most`. */
export function sizeOf(value: JsonValue | undefined, most: number): number {
  if (typeof value === 'string')
    return Math.min(most, 1 + Math.min(MOST_OF_TEXT, Math.floor(value.length / CHARACTERS_OF_VALUE)));
  let size = 1;
  const inside = isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  for (const each of inside) {
    if (size >= most) return most;
    size += sizeOf(each, most - size);
  }
  return Math.min(size, most);
}

/** Some megabytes, or tens of thousands of values. */
const LARGE = 1_000_000;
const CHARACTERS_AROUND_VALUE = 20;

/** Whether all that is done with a record takes its time. Cost: up to the size of a large one. */
export function isLarge(record: JsonValue): boolean {
  return lengthOf(record, LARGE) >= LARGE;
}

/** About the characters of the JSON; no more than `most`. */
function lengthOf(value: JsonValue | undefined, most: number): number {
  if (typeof value === 'string') return Math.min(most, value.length);
  let length = CHARACTERS_AROUND_VALUE;
  const inside = isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  for (const each of inside) {
    if (length >= most) return most;
    length += lengthOf(each, most - length);
  }
  return Math.min(length, most);
}

/**
 * Divides a budget among values of these sizes: each small one gets its size, and the large ones share the rest. The shares
 * come to no more than the budget, or to `least` for each.
 */
export function sharesOf(sizes: readonly number[], budget: number, least: number): readonly number[] {
  const shares = sizes.map(() => 0);
  const order = sizes.map((size, index) => ({ size, index })).toSorted((one, other) => one.size - other.size);
  let rest = budget;
  order.forEach(({ size, index }, done) => {
    const share = Math.min(size, Math.max(least, Math.floor(rest / (order.length - done))));
    shares[index] = share;
    rest = Math.max(0, rest - share);
  });
  return shares;
}

/** How many items are drawn with a budget, from `start` on: at least one. */
export function fitting(items: readonly (JsonValue | undefined)[], start: number, budget: number): number {
  let [count, rest] = [0, budget];
  while (start + count < items.length && count < MOST_ITEMS) {
    const size = sizeOf(items[start + count], rest + 1);
    if (size > rest && count > 0) break;
    rest -= size;
    count++;
    if (rest <= 0) break;
  }
  return count;
}

/** A longer list is no list that a person reads at once. */
const MOST_ITEMS = 100;
