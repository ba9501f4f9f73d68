/** Stores records of accesses, grouped in rows, until they become AuditEvents. */
import { sql, type RawBuilder } from 'kysely';
import { writeOpenLine, type AccessRecord } from './access-line';
import { AsciiText } from '../connection/ascii-text';
import { BinaryArray } from '../connection/binary-array';
import type { Run } from '../connection/database';
import { BatchedLines, type BatchedRow } from './access-lines';
import { bind, defineStatement, template, type Bound } from '../connection/statement';

/** A record of a write, with the member of the statement that it belongs to, from 1. */
export interface MemberRecord {
  readonly member: number;
  readonly record: AccessRecord;
}

/** The number of a row, by which the rows of a space are in order. */
const NEXT_BATCH = sql`nextval('andiron.access_record_batch')`;

/** Inserts nothing for a tenant that is being imported or removed. */
const INSERT = defineStatement(
  template(sql`
    insert into andiron.access_record (space, batch, records, accesses)
    select ${bind('space')}::int, ${NEXT_BATCH}, x.*
    from unnest(${bind('records')}::int[], ${bind('accesses')}::text[]) as x (records, accesses)
    where exists (
      select 1 from andiron.space s join andiron.tenant t on t.number = s.tenant
      where s.number = ${bind('space')}::int and t.status in ('active', 'disabled'))`),
);

/**
 * A statement that runs `writing` (which returns member, version, last_updated and sequence) and inserts one row with
 * the records of the members that were written.
 */
export function recordWritten(writing: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    with written as materialized (${writing}),
    recorded as (
      insert into andiron.access_record (space, batch, records, accesses)
      select ${bind('space')}::int, ${NEXT_BATCH}, count(*),
             string_agg(x.line || ',' || w.version || ']', E'\\n')
      from unnest(${bind('record_member')}::int[], ${bind('record_line')}::text[]) as x (member, line)
      join written w on w.member = x.member
      having count(*) > 0
    )
    select w.member, w.version, w.last_updated, w.sequence from written w`;
}

/** The bound values of `recordWritten`. */
export function encodeMemberRecords(records: readonly MemberRecord[]): Record<string, Bound> {
  const members = new BinaryArray('int4', 64);
  const lines = new BinaryArray('text');
  const text = new AsciiText();
  for (const { member, record } of records) {
    members.pushInt4(member);
    lines.pushBytes(writeOpenLine(text, record).take());
  }
  return { record_member: members.finish(), record_line: lines.finish() };
}

/** Inserts rows of records of one space in a statement of their own. */
export async function insertRows(run: Run, space: number, rows: readonly BatchedRow[]): Promise<void> {
  const counts = new BinaryArray('int4');
  const accesses = new BinaryArray(
    'text',
    rows.reduce((sum, { bytes }) => sum + bytes.length + 8, 64),
  );
  for (const { records, bytes } of rows) {
    counts.pushInt4(records);
    accesses.pushBytes(bytes);
  }
  await run(INSERT, { space, records: counts.finish(), accesses: accesses.finish() });
}

/** Inserts records of one space, grouped in rows. */
export function insertRecords(run: Run, space: number, records: readonly AccessRecord[]): Promise<void> {
  const lines = new BatchedLines();
  for (const record of records) lines.add(record);
  return insertRows(run, space, lines.rows());
}
