import { sql } from 'kysely';
import type { StoredVersion } from '../../api/version';
import type { Row } from '../connection/database';
import { bind } from '../connection/statement';
import { CHANGES, type Change } from '../write/version-write';
import type { KeyHalves } from '../key-halves';

/** What tells one version of a resource from all others, of all times: also of those before a restore of the database. */
export type VersionMark = Pick<VersionRow, 'version' | 'lastUpdated' | 'sequence'>;

/** One stored version as it lies in the tables; its text still lacks the server's part of meta. */
export interface VersionRow {
  /** Null where the key stands for the id. */
  readonly id: string | null;
  readonly key: KeyHalves;
  readonly type: number;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
  readonly sequence: number;
  readonly metaOffset: number;
  readonly change: Change;
  readonly author: string | null;
  /** '' for a deletion. */
  readonly body: string;
  /** What is answered for it, once that was made (stored-version.ts). */
  answered?: StoredVersion | undefined;
}

/** A version as one of many: a long text was left out, so that the answer of one statement has a bound. */
export interface PageRow extends VersionRow {
  /** Bytes of the text that was left out; undefined: `body` is whole. */
  readonly omittedBytes?: number | undefined;
}

/** The texts that come with the rows of one statement are at most about so many bytes. */
export const STATEMENT_BYTES = 16 * 1024 * 1024;
export const LEAST_INLINE_BYTES = 16 * 1024;
const MOST_INLINE_BYTES = 1024 * 1024;

/** Texts up to here come with a statement of at most so many rows; bound as `inline_bytes`. */
export function inlineBytes(rows: number): number {
  return Math.max(LEAST_INLINE_BYTES, Math.min(MOST_INLINE_BYTES, Math.floor(STATEMENT_BYTES / rows)));
}

/** What `decodeVersion` reads, of a row `v`. */
export const VERSION_COLUMNS = sql.raw(
  'v.id, v.version, v.last_updated, v.sequence, v.meta_offset, v.change, v.author, v.body',
);

/**
 * What `decodePageRow` reads, of a row `v`. The length of a text stands beside it: a long one is not fetched for it.
 * Needs the value `inline_bytes`.
 */
export const PAGE_COLUMNS = sql`v.id, v.version, v.last_updated, v.sequence, v.meta_offset, v.change, v.author,
  case when octet_length(v.body) <= ${bind('inline_bytes')}::int then v.body end as inline_body,
  case when octet_length(v.body) > ${bind('inline_bytes')}::int then octet_length(v.body) end as omitted_bytes`;

/** Of a row that has VERSION_COLUMNS or PAGE_COLUMNS: whether it holds the mark of a version alone. */
export function isKnownRow(row: Row, start: number): boolean {
  return row[start + 5] === null;
}

/** The mark in such a row. */
export function decodeMark(row: Row, start: number): VersionMark {
  return {
    version: row[start + 1] as number,
    lastUpdated: row[start + 2] as number,
    sequence: row[start + 3] as number,
  };
}

/** The version in a row that has VERSION_COLUMNS from position `start` on. */
export function decodeVersion(row: Row, start: number, type: number, key: KeyHalves): VersionRow {
  return {
    id: row[start] as string | null,
    key,
    type,
    version: row[start + 1] as number,
    lastUpdated: row[start + 2] as number,
    sequence: row[start + 3] as number,
    metaOffset: row[start + 4] as number,
    change: CHANGES[row[start + 5] as number] ?? 'update',
    author: row[start + 6] as string | null,
    body: (row[start + 7] as string | null) ?? '',
  };
}

/** The version in a row that has PAGE_COLUMNS from position `start` on, of which the key is known. */
export function decodeKeyedRow(row: Row, start: number, type: number, key: KeyHalves): PageRow {
  return {
    id: row[start] as string | null,
    key,
    type,
    version: row[start + 1] as number,
    lastUpdated: row[start + 2] as number,
    sequence: row[start + 3] as number,
    metaOffset: row[start + 4] as number,
    change: CHANGES[row[start + 5] as number] ?? 'update',
    author: row[start + 6] as string | null,
    body: (row[start + 7] as string | null) ?? '',
    omittedBytes: (row[start + 8] as number | null) ?? undefined,
    answered: undefined,
  };
}

/** The version in a row that has PAGE_COLUMNS from position `start` on; `keyText` is the decimal form of its key. */
export function decodePageRow(row: Row, start: number, type: number, keyText: string): PageRow {
  return {
    id: row[start] as string | null,
    // Seldom asked for: the text says the id.
    get key() {
      return keyOfText(keyText);
    },
    type,
    version: row[start + 1] as number,
    lastUpdated: row[start + 2] as number,
    sequence: row[start + 3] as number,
    metaOffset: row[start + 4] as number,
    change: CHANGES[row[start + 5] as number] ?? 'update',
    author: row[start + 6] as string | null,
    body: (row[start + 7] as string | null) ?? '',
    omittedBytes: (row[start + 8] as number | null) ?? undefined,
    answered: undefined,
  };
}

/** The decimal form of a 64-bit key. */
export function keyText(key: KeyHalves): string {
  return ((BigInt(key.high) << 32n) | BigInt(key.low >>> 0)).toString();
}

/** The halves of a key in decimal form. */
export function keyOfText(text: string): KeyHalves {
  const key = BigInt(text);
  return { high: Number(key >> 32n), low: Number(BigInt.asIntN(32, key)) };
}
