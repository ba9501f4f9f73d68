/** The prefixes of ordered values (search.html#prefix). */
export const RANGE_TESTS = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'] as const;
export type RangeTest = (typeof RANGE_TESTS)[number];

/** Splits a prefix from a value; without a prefix the test is `eq`. */
export function splitPrefix(text: string): { test: RangeTest; rest: string } {
  const two = text.slice(0, 2);
  const test = RANGE_TESTS.find((candidate) => candidate === two);
  return test === undefined ? { test: 'eq', rest: text } : { test, rest: text.slice(2) };
}
