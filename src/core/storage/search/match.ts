import type { Row } from '../connection/database';
import type { StoredSortValue } from './search-order';
import { decodePageRow, type PageRow } from '../read/version-row';

/** One match: its version and its position in the order. */
export interface Match {
  readonly sortValue: StoredSortValue;
  /** Decimal form of the 64-bit key. */
  readonly keyText: string;
  readonly row: PageRow;
}

/** Stored for "no clinical date"; as a low bound it is -Infinity. */
const NO_DATE = -(2 ** 63);

export function toSortValue(value: StoredSortValue): StoredSortValue {
  return value === NO_DATE || value === -Infinity ? null : value;
}

/** Decodes a match from a row whose columns of a page statement begin at `start`. */
export function toMatch(row: Row, start: number, type: number): Match {
  const keyText = row[start + 1] as string;
  return {
    sortValue: toSortValue(row[start] as StoredSortValue),
    keyText,
    row: decodePageRow(row, start + 2, type, keyText),
  };
}
