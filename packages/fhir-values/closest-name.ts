/** Longer names are not compared, so that a hostile text costs nothing. */
const LONGEST = 80;

/**
 * Returns the candidate that was probably meant by `written`; undefined: none is similar. Cost: only candidates of similar
 * length are compared, each in some thousand steps at most.
 */
export function closestName(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length === 0 || written.length > LONGEST) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of candidates) {
    if (name.length > LONGEST) continue;
    const most = Math.max(1, Math.floor(name.length / 4));
    const isClose = isBeginning(written, name);
    if (!isClose && Math.abs(name.length - written.length) > most) continue;
    // Of two names that begin alike, the shorter one.
    const distance = isClose ? 1 + name.length / 1_000 : distanceBetween(written, name);
    if ((isClose || distance <= most) && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name;
}

/** Returns `did you mean gender? Supported are …`, or without a suggestion `rest`. */
export function suggestName(written: string, candidates: Iterable<string>, rest: string): string {
  const meant = closestName(written, candidates);
  if (meant === undefined) return rest;
  const sentence = rest === '' ? '' : ` ${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
  return `did you mean ${meant}?${sentence}`;
}

/** Returns the same as the end of a sentence that refuses a name: after `; `, or an empty text. */
export function didYouMean(written: string, candidates: Iterable<string>, rest = ''): string {
  const hint = suggestName(written, candidates, rest);
  return hint === '' ? '' : `; ${hint}`;
}

/** An abbreviation is close, however long its name is. */
function isBeginning(written: string, name: string): boolean {
  return written.length * 2 >= name.length && name.toLowerCase().startsWith(written.toLowerCase());
}

/** The number of characters to insert, remove, replace or swap with their neighbour, in lower case. */
function distanceBetween(written: string, name: string): number {
  const [one, other] = [written.toLowerCase(), name.toLowerCase()];
  let before: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(before, column - 2) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
