/** Numbers: stored decimals are points, a Range is closed at both ends and open where one is missing. */
import { isNumberText, rational } from './rational';
import { closedAt, meetsNumber, pointAt, UNBOUNDED, type Bound, type Interval } from './interval';
import { digitsOf, isObject, type Json } from './json';
import { readPrefix } from './query-text';
import { BadSearch } from './refusal';
import type { Element } from './values';

export interface NumberSearch {
  readonly prefix: string;
  readonly text: string;
}

/** @throws BadSearch */
export function readNumber(search: string): NumberSearch {
  const { prefix, rest } = readPrefix(search);
  if (!isNumberText(rest)) throw new BadSearch(`${rest} is not a number`);
  return { prefix, text: rest };
}

function boundOf(value: Json | undefined): Bound {
  const digits = isObject(value) ? digitsOf(value['value']) : digitsOf(value);
  return digits === undefined ? UNBOUNDED : closedAt(rational(digits));
}

/** The interval of a Range, undefined without any end. */
export function rangeInterval(value: Json): Interval | undefined {
  if (!isObject(value)) return undefined;
  const low = boundOf(value['low']);
  const high = boundOf(value['high']);
  return low.at === undefined && high.at === undefined ? undefined : { low, high };
}

/** The intervals of one element of a number parameter. */
export function intervalsOf({ type, value }: Element): Interval[] {
  if (type === 'Range') return [rangeInterval(value) ?? []].flat();
  const digits = digitsOf(value);
  return digits === undefined ? [] : [pointAt(rational(digits))];
}

export const meetsNumberSearch = (stored: Interval, { prefix, text }: NumberSearch): boolean =>
  meetsNumber(stored, prefix, text);
