import { decimalText, type JsonValue } from '../json';
import { shorten } from '../json/fault';

/** Describes a value in a sentence: `an object`, `an array of 2`, `the text 'abc'`, `the number 1.0`. */
export function describeFound(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  const literal = decimalText(value);
  if (literal !== undefined) return `the number ${shorten(literal)}`;
  return typeof value === 'string' ? `the text '${shorten(value)}'` : String(value);
}

/** Lists names in a sentence, cut off at about LONGEST_LIST characters. */
export function listNames(names: Iterable<string>): string {
  let list = '';
  for (const name of names) {
    if (list.length + name.length > LONGEST_LIST) return `${list} …`;
    list += list === '' ? name : `, ${name}`;
  }
  return list;
}

const LONGEST_LIST = 160;

/** `a Patient`, `an Observation`. */
export function withArticle(typeName: string): string {
  return `${/^(?:[aeio]|unsigned|xhtml)/i.test(typeName) ? 'an' : 'a'} ${typeName}`;
}
