/** Quantities: value, value|system|code with conversion by UCUM, value||unit. */
import { compared, meetsNumber, type Bound, type Interval, UNBOUNDED, closedAt } from './interval';
import { digitsOf, isObject, textOf, type Json, type JsonObject } from './json';
import { rangeInterval } from './number';
import { splitAt, readPrefix, unescaped } from './query-text';
import { add, compare, divide, isNumberText, multiply, rational, type Rational } from './rational';
import { BadSearch } from './refusal';
import { areComparable, toBase, UCUM } from './units';
import type { Element } from './values';

export interface StoredQuantity {
  readonly interval: Interval;
  readonly system: string | undefined;
  readonly code: string | undefined;
  readonly unit: string | undefined;
}

export interface QuantitySearch {
  readonly prefix: string;
  readonly text: string;
  /** undefined: not requested */
  readonly system: string | undefined;
  readonly code: string | undefined;
}

/** @throws BadSearch */
export function readQuantity(search: string): QuantitySearch {
  const [first = '', system, code, ...more] = splitAt(search, '|');
  const { prefix, rest } = readPrefix(first);
  if (!isNumberText(rest)) throw new BadSearch(`${rest} is not a number`);
  if (more.length > 0 || (system !== undefined && code === undefined))
    throw new BadSearch(`${search}: value|system|code`);
  const given = (text: string | undefined): string | undefined =>
    text === undefined || text === '' ? undefined : unescaped(text);
  return { prefix, text: rest, system: given(system), code: given(code) };
}

const unitOf = (quantity: JsonObject): Omit<StoredQuantity, 'interval'> => ({
  system: textOf(quantity['system']),
  code: textOf(quantity['code']),
  unit: textOf(quantity['unit']),
});

function sampledInterval(sampled: JsonObject): Interval | undefined {
  const origin = isObject(sampled['origin']) ? digitsOf(sampled['origin']['value']) : undefined;
  const data = textOf(sampled['data']);
  if (origin === undefined || data === undefined) return undefined;
  const factor = rational(digitsOf(sampled['factor']) ?? '1');
  const points = data
    .split(' ')
    .filter(isNumberText)
    .map((point) => add(rational(origin), multiply(rational(point), factor)))
    .sort(compare);
  const limit = (letter: string, name: string, otherwise: Rational | undefined): Bound => {
    const text = data.split(' ').includes(letter) ? digitsOf(sampled[name]) : undefined;
    if (data.split(' ').includes(letter)) return text === undefined ? UNBOUNDED : closedAt(rational(text));
    return otherwise === undefined ? UNBOUNDED : closedAt(otherwise);
  };
  if (points.length === 0) return undefined;
  return { low: limit('L', 'lowerLimit', points[0]), high: limit('U', 'upperLimit', points.at(-1)) };
}

/** The quantities of one element: a Quantity, a Range by its ends, SampledData from its least to its greatest point. */
export function quantitiesOf({ type, value }: Element): StoredQuantity[] {
  if (!isObject(value)) return [];
  if (type === 'Range') {
    const interval = rangeInterval(value);
    const end: Json | undefined = value['low'] ?? value['high'];
    return interval === undefined || !isObject(end) ? [] : [{ interval, ...unitOf(end) }];
  }
  if (type === 'SampledData') {
    const interval = sampledInterval(value);
    return interval === undefined || !isObject(value['origin'])
      ? []
      : [{ interval, ...unitOf(value['origin']) }];
  }
  const digits = digitsOf(value['value']);
  if (digits === undefined) return [];
  return [{ interval: compared(rational(digits), textOf(value['comparator'])), ...unitOf(value) }];
}

/** An interval of one unit in another, exactly. */
function converted({ low, high }: Interval, from: string, to: string): Interval {
  const zero = toBase(rational('0'), to);
  const one = toBase(rational('1'), to);
  const width = { top: one.top * zero.bottom - zero.top * one.bottom, bottom: one.bottom * zero.bottom };
  const convert = (value: Rational): Rational => {
    const base = toBase(value, from);
    return divide(
      { top: base.top * zero.bottom - zero.top * base.bottom, bottom: base.bottom * zero.bottom },
      width,
    );
  };
  const bound = ({ at, isOpen }: Bound): Bound => ({
    at: at === undefined ? undefined : convert(at),
    isOpen,
  });
  return { low: bound(low), high: bound(high) };
}

/**
 * @param converts whether units are converted; without it the code must be the same
 */
export function meetsQuantity(stored: StoredQuantity, search: QuantitySearch, converts = true): boolean {
  const { prefix, text, system, code } = search;
  if (system === undefined) {
    if (code !== undefined && stored.code !== code && stored.unit !== code) return false;
    return meetsNumber(stored.interval, prefix, text);
  }
  if (stored.system !== system) return false;
  if (code === undefined || stored.code === code) return meetsNumber(stored.interval, prefix, text);
  if (!converts || system !== UCUM || stored.code === undefined || !areComparable(stored.code, code))
    return false;
  return meetsNumber(converted(stored.interval, stored.code, code), prefix, text);
}
