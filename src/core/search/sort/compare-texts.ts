/** First code unit of surrogate pairs, which encode the characters beyond U+FFFF. */
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * Compares two texts by code points, as PostgreSQL's collation "C" does. JavaScript compares by code units, which puts
 * characters beyond U+FFFF before some below. Cost: that of finding the first difference.
 */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const left = one.charCodeAt(at);
    const right = other.charCodeAt(at);
    if (left !== right) return placeOf(left) - placeOf(right);
  }
  return one.length - other.length;
}

function placeOf(unit: number): number {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE ? unit + 0x10000 : unit;
}
