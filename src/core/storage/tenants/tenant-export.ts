import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { sequenceWindows } from '../read/sequence-windows';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from '../read/version-row';

const ROWS = 500;

/** The targets that the version does not open, as `{type number} {key}`; null: there are none. */
const UNOPENED = sql`(
      select array_agg(n.target_type || ' ' || n.target_key order by n.target_type, n.target_key)
      from andiron.unopened_reference n
      where n.space = ${bind('space')}::int and n.resource_type = v.resource_type and n.resource_key = v.resource_key
        and n.version = v.version)`;

function readUpTo(condition: RawBuilder<unknown>, unopened: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select v.resource_key::text, v.resource_type, ${PAGE_COLUMNS}, ${unopened} as unopened
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence > ${bind('after')}::bigint and v.sequence <= ${bind('to')}::bigint
      ${condition}
    order by v.sequence
    limit ${bind('limit')}::int`;
}

const READ_ALL = defineStatement(template(readUpTo(sql``, UNOPENED)));
const READ_CURRENT = defineStatement(
  template(
    readUpTo(
      sql`
      and v.change <> 3 and not exists (
        select 1 from andiron.resource_version w
        where w.space = ${bind('space')}::int and w.resource_type = v.resource_type and w.resource_key = v.resource_key
          and w.version = v.version + 1 and w.sequence <= ${bind('last')}::bigint)`,
      sql`null`,
    ),
  ),
);

/** A version, and the targets of its references that open nothing, as `{type number} {key}`. */
export interface ExportedRow extends PageRow {
  readonly unopened: readonly string[];
}

/**
 * Yields the versions of a space up to a version-sequence, in order: all of them, or those that were current then.
 * Sequences become visible in order, so the result is a snapshot of the space, however long the reading takes.
 */
export async function* readVersionsUpTo(
  database: Database,
  space: number,
  last: number,
  which: 'all' | 'current',
): AsyncGenerator<ExportedRow> {
  const statement = which === 'all' ? READ_ALL : READ_CURRENT;
  const to = { lane: 'search', space } as const;
  const range = { after: 0, to: last };
  for await (const window of sequenceWindows((...sent) => database.run(to, ...sent), space, range))
    for (let { after } = window; after < window.to;) {
      const rows = await database.run(to, statement, {
        ...{ space, after, to: window.to, limit: ROWS, inline_bytes: inlineBytes(ROWS) },
        ...(which === 'all' ? {} : { last }),
      });
      for (const row of rows) {
        const [key, type] = row as [string, number];
        const unopened = (row[11] as readonly string[] | null) ?? [];
        yield Object.assign(decodePageRow(row, 2, type, key), { unopened });
      }
      const lastRead = rows.at(-1);
      after = rows.length < ROWS || lastRead === undefined ? window.to : (lastRead[5] as number);
    }
}
