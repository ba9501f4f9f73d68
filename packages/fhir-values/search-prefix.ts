/** The prefixes of ordered values (search.html#prefix). */
export const PREFIXES = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sa', 'eb', 'ap'] as const;
export type Prefix = (typeof PREFIXES)[number];

/** True: the text is a prefix of ordered values. */
export function isPrefix(text: string): text is Prefix {
  return PREFIXES.some((prefix) => prefix === text);
}

export interface Prefixed {
  readonly prefix: Prefix;
  readonly rest: string;
}

/** Splits a prefix from a value; `eq` where it has none. */
export function splitPrefix(value: string): Prefixed {
  const two = value.slice(0, 2);
  return isPrefix(two) ? { prefix: two, rest: value.slice(2) } : { prefix: 'eq', rest: value };
}
