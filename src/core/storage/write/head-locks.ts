/** Statements that lock the heads of resources until the end of the transaction. */
import { sql } from 'kysely';
import { bind, defineStatement, template } from '../connection/statement';

/** Locks the head of a resource until the end of the transaction. */
export const LOCK_STATEMENT = defineStatement(
  template(
    sql`select andiron.lock_resource(${bind('space')}::int, ${bind('type')}::smallint, ${bind('key')}::bigint)`,
  ),
);

/** Locks the heads of several resources of one type in the order of `keys`, which must be ascending. */
export const LOCK_HEADS = defineStatement(
  template(sql`
    select andiron.lock_resource(${bind('space')}::int, ${bind('type')}::smallint, x.resource_key)
    from unnest(${bind('keys')}::bigint[]) as x (resource_key)
    limit ${bind('limit')}::int`),
);
