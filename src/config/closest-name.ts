/** The candidate that was probably meant by `written`; undefined: none is similar. */
export function closestName(written: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((name) => ({ name, distance: isBeginning(written, name) ? 1 : distanceBetween(written, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 4)))
    .toSorted((one, other) => one.distance - other.distance);
  return best?.name;
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
