/** Equality of objects: member by member, in any order; decimals by value. */
import { decimalText, type JsonValue } from '../json';
import { UNMETERED, type Meter } from './allowance';
import { compareExact, parseExact } from './number';
import { isObject } from './value';

type AreSameText = (first: string, second: string, meter: Meter) => boolean;

function areIdentical(first: string, second: string, meter: Meter): boolean {
  meter.spend(first.length >> 8);
  return first === second;
}

/** True if two values are equal. `meter` counts the nodes that are visited. */
export function areEqualJson(
  first: JsonValue,
  second: JsonValue,
  meter = UNMETERED,
  areSameText: AreSameText = areIdentical,
): boolean {
  if (first === second) return true;
  meter.spend(1);
  const number = decimalText(first);
  if (number !== undefined) return areSameNumbers(number, decimalText(second));
  if (typeof first === 'string') return typeof second === 'string' && areSameText(first, second, meter);
  if (Array.isArray(first)) {
    if (!Array.isArray(second) || first.length !== second.length) return false;
    return first.every((value, index) => areEqualJson(value, second[index] ?? null, meter, areSameText));
  }
  if (!isObject(first) || !isObject(second)) return false;
  const names = Object.keys(first);
  if (names.length !== Object.keys(second).length) return false;
  return names.every((name) => {
    const other = second[name];
    return other !== undefined && areEqualJson(first[name] ?? null, other, meter, areSameText);
  });
}

function areSameNumbers(first: string, second: string | undefined): boolean {
  if (second === undefined) return false;
  const one = parseExact(first);
  const other = parseExact(second);
  return one !== undefined && other !== undefined && compareExact(one, other) === 0;
}

/** True if two texts are equal apart from case and the kind and amount of white space. */
export function areEquivalentText(first: string, second: string, meter: Meter): boolean {
  meter.spend((first.length + second.length) >> 4);
  return areSameWords(first.toLowerCase().trim(), second.toLowerCase().trim());
}

/** Compares in place, because normalizing the white space of 1 MiB takes 50 ms. */
function areSameWords(first: string, second: string): boolean {
  let at = 0;
  let otherAt = 0;
  while (at < first.length && otherAt < second.length) {
    const code = first.charCodeAt(at);
    const other = second.charCodeAt(otherAt);
    if (isSpace(code) && isSpace(other)) {
      while (isSpace(first.charCodeAt(at))) at++;
      while (isSpace(second.charCodeAt(otherAt))) otherAt++;
    } else {
      if (code !== other) return false;
      at++;
      otherAt++;
    }
  }
  return at === first.length && otherAt === second.length;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code >= 160 && FOREIGN_SPACES.has(code));
}

/** Characters beyond ASCII that `\s` matches. */
const FOREIGN_SPACES: ReadonlySet<number> = new Set([
  0xa0,
  0x1680,
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
  0xfeff,
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
]);
