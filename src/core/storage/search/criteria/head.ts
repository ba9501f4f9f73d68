/** SQL of the head of a resource, and of a test on the head of a row's resource. */
import { sql, type RawBuilder } from 'kysely';
import type { ValueReference } from '../predicate-parts';
import { bind } from '../../connection/statement';
import type { Scope } from './scope';
import type { TestedRow } from './tested-row';

export const SPACE = sql`${bind('space')}::int`;

/** Stored for "no clinical date" (version-write.ts). */
export const NO_DATE = '-9223372036854775808';

/** Columns of a head that tests may use. */
export const HEAD_COLUMNS = ['resource_key', 'sort_date', 'last_updated', 'presence', 'target_keys'] as const;

/** Subquery for the live head of this type and key, under its own alias. */
export function headOf(
  type: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  alias: string,
  columns: readonly string[] = HEAD_COLUMNS,
): RawBuilder<unknown> {
  const selected = sql.join(columns.map((column) => sql.ref(`r.${column}`)));
  return sql`(
    select ${selected} from andiron.resource r
    where r.space = ${SPACE} and r.resource_type = ${type} and r.resource_key = ${key} and not r.deleted
    offset 0) ${sql.id(alias)}`;
}

export function headRow(
  alias: string,
): TestedRow & { readonly head: string; readonly sortDate: RawBuilder<unknown> } {
  return { key: sql.ref(`${alias}.resource_key`), sortDate: sql.ref(`${alias}.sort_date`), head: alias };
}

/** Tests the head of the row's resource; fetches the head unless the row is one. */
export function onHead(
  row: TestedRow,
  {
    prefix,
    scope: { type },
    value,
    test,
  }: {
    readonly prefix: string;
    readonly scope: Scope;
    readonly value: ValueReference;
    readonly test: (head: ReturnType<typeof headRow>) => RawBuilder<boolean>;
  },
): RawBuilder<boolean> {
  if (row.head !== undefined) return test(headRow(row.head));
  const alias = `h_${prefix}`;
  return sql`exists (select 1 from ${headOf(type(value), row.key, alias)} where ${test(headRow(alias))})`;
}

/**
 * Converts a low bound to a sort date. Both columns of the clinical date store an open start and "no date" as one
 * value.
 */
export function lowToSortDate(low: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(${low}, ${sql.lit(NO_DATE)}::float8)::bigint`;
}

export function sortDateToLow(sortDate: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(case when ${sortDate} = ${sql.lit(NO_DATE)}::bigint then '-Infinity' else ${sortDate}::float8 end)`;
}
