/** SQL in pieces, so that statements can be put into another one without a search in their text. */

/** Texts, and between them the indexes of values, from 0. */
export type SqlPieces = readonly (string | number)[];

/** Returns the text, with $1 for the value of index 0. */
export function toText(pieces: SqlPieces): string {
  return pieces.map((piece) => (typeof piece === 'number' ? `$${piece + 1}` : piece)).join('');
}

/** The same SQL for values that stand `by` places further on. */
export function moveValues(pieces: SqlPieces, by: number): SqlPieces {
  return pieces.map((piece) => (typeof piece === 'number' ? piece + by : piece));
}

const CAST = /^::(\w+(?:\[\])?)/;

/** The types that values are cast to, by index; undefined for one without a cast. */
export function castsOf(pieces: SqlPieces): readonly (string | undefined)[] {
  const casts: (string | undefined)[] = [];
  for (const [place, index] of pieces.entries()) {
    if (typeof index !== 'number') continue;
    const next = pieces[place + 1];
    casts[index] ??= typeof next === 'string' ? CAST.exec(next)?.[1] : undefined;
  }
  return casts;
}
