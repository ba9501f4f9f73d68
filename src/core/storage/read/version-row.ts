import { sql } from 'kysely';
import type { StoredVersion } from './stored-version';
import type { Row } from '../connection/database';
import { bind } from '../connection/statement';
import { CHANGES, type Change } from '../write/version-write';
import type { KeyHalves } from '../key-halves';

/** Identifies a version of a resource, even among versions from before a restore of the database. */
export type VersionMark = Pick<VersionRow, 'version' | 'lastUpdated' | 'sequence'>;

/** A stored version; its text still lacks the server's part of meta. */
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
  /** The answer made from this version, once there is one (stored-version.ts). */
  answered?: StoredVersion | undefined;
}

/** A version whose long text may be omitted, so that the result of one statement has a limit. */
export interface PageRow extends VersionRow {
  /** Bytes of the omitted text; undefined: `body` is complete. */
  readonly omittedBytes?: number | undefined;
}

/** Approximate limit on the texts in the rows of one statement, in bytes. */
export const STATEMENT_BYTES = 16 * 1024 * 1024;
export const MIN_INLINE_BYTES = 16 * 1024;
const MAX_INLINE_BYTES = 1024 * 1024;

/** Returns the size in bytes up to which a statement of at most `rows` rows includes texts; bound as `inline_bytes`. */
export function inlineBytes(rows: number): number {
  return Math.max(MIN_INLINE_BYTES, Math.min(MAX_INLINE_BYTES, Math.floor(STATEMENT_BYTES / rows)));
}

/** The columns of a row `v` that `decodeVersion` reads. */
export const VERSION_COLUMNS = sql.raw(
  'v.id, v.version, v.last_updated, v.sequence::bigint, v.meta_offset, v.change, v.author, v.body',
);

/**
 * The columns of a row `v` that `decodePageRow` reads. PostgreSQL knows the length of a text without fetching it, so a
 * long text is not fetched. Needs the bound value `inline_bytes`.
 */
export const PAGE_COLUMNS = sql`v.id, v.version, v.last_updated, v.sequence::bigint, v.meta_offset, v.change, v.author,
  case when octet_length(v.body) <= ${bind('inline_bytes')}::int then v.body end as inline_body,
  case when octet_length(v.body) > ${bind('inline_bytes')}::int then octet_length(v.body) end as omitted_bytes`;

/** True if a row of VERSION_COLUMNS or PAGE_COLUMNS has only the mark of a version. */
export function isMarkOnly(row: Row, start: number): boolean {
  return row[start + 5] === null;
}

/** Decodes the mark of a version from such a row. */
export function decodeMark(row: Row, start: number): VersionMark {
  return {
    version: row[start + 1] as number,
    lastUpdated: row[start + 2] as number,
    sequence: row[start + 3] as number,
  };
}

/** Decodes the version in a row that has VERSION_COLUMNS from position `start` on. */
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

/** Decodes the version with this key in a row that has PAGE_COLUMNS from position `start` on. */
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

/**
 * Decodes the version in a row that has PAGE_COLUMNS from position `start` on; `keyText` is the decimal form of its
 * key.
 */
export function decodePageRow(row: Row, start: number, type: number, keyText: string): PageRow {
  return {
    id: row[start] as string | null,
    // Computed on use, because few callers need it: the text has the id.
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
