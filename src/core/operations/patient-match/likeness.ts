/** Similarity of texts and dates. */

/** Limits from which different names may be the same name, misspelt. */
export const LIKE = 0.92;
export const SOMEWHAT_LIKE = 0.85;

/**
 * Jaro similarity with Winkler's weight for a common prefix: 1 for equal texts, 0 for texts that share nothing. It
 * tolerates letters that were exchanged, left out or doubled. Cost: the product of the lengths, which are cut at 64.
 */
export function likeness(one: string, other: string): number {
  const [a, b] = [one.slice(0, LONGEST), other.slice(0, LONGEST)];
  if (a === b) return 1;
  const jaro = jaroLikeness(a, b);
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix++;
  return jaro + prefix * 0.1 * (1 - jaro);
}

const LONGEST = 64;

function jaroLikeness(a: string, b: string): number {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const taken = new Set<number>();
  const ofA: string[] = [];
  for (let index = 0; index < a.length; index++) {
    const from = Math.max(0, index - reach);
    const to = Math.min(b.length, index + reach + 1);
    for (let at = from; at < to; at++) {
      if (taken.has(at) || a[index] !== b[at]) continue;
      taken.add(at);
      ofA.push(a[index] ?? '');
      break;
    }
  }
  const shared = ofA.length;
  if (shared === 0) return 0;
  const ofB = [...b].filter((_letter, index) => taken.has(index));
  const transposed = ofA.filter((letter, index) => letter !== ofB[index]).length / 2;
  return (shared / a.length + shared / b.length + (shared - transposed) / shared) / 3;
}

/**
 * Compares two birth dates. `same`: equal to the day; `compatible`: one is less precise without a contradiction;
 * `slip`: day and month are exchanged or one digit differs, as in a typing error; otherwise `other`.
 */
export function compareDates(one: string, other: string): 'same' | 'compatible' | 'slip' | 'other' {
  if (one === other) return one.length === FULL ? 'same' : 'compatible';
  if (one.startsWith(other) || other.startsWith(one)) return 'compatible';
  if (one.length !== FULL || other.length !== FULL) return 'other';
  const [year, month, day] = one.split('-');
  if (other === `${year}-${day}-${month}`) return 'slip';
  const differing = [...one].filter((character, index) => character !== other[index]).length;
  return differing === 1 ? 'slip' : 'other';
}

const FULL = 'YYYY-MM-DD'.length;
