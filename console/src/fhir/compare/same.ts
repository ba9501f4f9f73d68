/** Whether values of JSON say the same: members in any order, numbers with all their digits. */
import { isArray, isObject, textOf, type JsonArray, type JsonValue } from '../../api/json';

/** Cost: a look at each value until the first difference. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one === null || other === null) return false;
  if (isArray(one))
    return isArray(other) && one.length === other.length && one.every((each, at) => isSame(each, other[at]));
  if (isObject(one)) {
    if (!isObject(other)) return false;
    const names = namesIn(one);
    return names.length === namesIn(other).length && names.every((name) => isSame(one[name], other[name]));
  }
  if (isArray(other) || isObject(other) || (typeof one === 'string') !== (typeof other === 'string'))
    return false;
  return textOf(one) === textOf(other);
}

const namesIn = (object: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(object).filter((name) => object[name] !== undefined);

/** Numbers for the items of lists, the same for items that are the same. */
export class ItemNumbers {
  readonly #known = new Map<number, { readonly item: JsonValue; readonly number: number }[]>();
  #next = 0;

  /** The numbers of a list. Cost: one pass over the items, however many lists there are. */
  of(items: JsonArray): readonly number[] {
    return items.map((item) => {
      const hash = hashOf(item);
      const alike = this.#known.get(hash) ?? [];
      const found = alike.find((each) => isSame(each.item, item));
      if (found !== undefined) return found.number;
      const number = this.#next++;
      this.#known.set(hash, [...alike, { item, number }]);
      return number;
    });
  }
}

function hashOf(value: JsonValue | undefined): number {
  if (isArray(value)) return value.reduce<number>((hash, each) => mix(hash, hashOf(each)), 7);
  if (isObject(value)) {
    let sum = 11;
    for (const name of namesIn(value)) sum = (sum + mix(hashOfText(name), hashOf(value[name]))) | 0;
    return sum;
  }
  return hashOfText(textOf(value) ?? 'null');
}

const mix = (one: number, other: number): number => (Math.imul(one, 31) + other) | 0;

function hashOfText(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = mix(hash, text.charCodeAt(at));
  return hash;
}
