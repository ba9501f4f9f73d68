/** Long texts as bytes. pg decodes each row in one step, so that a long text in one row would block the event loop. */
import { sql, type RawBuilder } from 'kysely';
import { joinInTurns } from '../../concurrency/join-in-turns';
import type { Row } from './database';

const PIECE_BYTES = 1024 * 1024;
/** A value of PostgreSQL has less than a gigabyte. */
const MOST_PIECES = 1024;

/**
 * Selects the UTF-8 of a text of one row as rows for `joinPieces`.
 *
 * @param text a select of one column, with at most one row
 */
export function selectInPieces(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select at, substring(long_text.bytes from at * ${sql.lit(PIECE_BYTES)} + 1 for ${sql.lit(PIECE_BYTES)})
    from (select convert_to(one.text, 'UTF8') from (${text}) as one (text) offset 0) as long_text (bytes),
         generate_series(0, octet_length(long_text.bytes) / ${sql.lit(PIECE_BYTES)}) as at
    limit ${sql.lit(MOST_PIECES)}`;
}

/** The bytes of the text; undefined: there was no row, or null. **Cost**: one copy. */
export async function joinPieces(rows: readonly Row[]): Promise<Buffer | undefined> {
  if (rows.length === 0) return undefined;
  const pieces = (rows as [number, Buffer][]).sort(([one], [other]) => one - other);
  return joinInTurns(pieces.map(([, bytes]) => bytes));
}
