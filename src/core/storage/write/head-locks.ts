/** The statements that take the heads of resources until a transaction ends. */
import { sql } from 'kysely';
import { bind, defineStatement, template } from '../connection/statement';

/** The statement that takes a resource's head until the end of the transaction. */
export const LOCK_STATEMENT = defineStatement(
  template(
    sql`select andiron.lock_resource(${bind('space')}::int, ${bind('type')}::smallint, ${bind('key')}::bigint)`,
  ),
);

/** The same for several of one type, in the order of `keys`, which is to be ascending. */
export const LOCK_HEADS = defineStatement(
  template(sql`
    select andiron.lock_resource(${bind('space')}::int, ${bind('type')}::smallint, x.resource_key)
    from unnest(${bind('keys')}::bigint[]) as x (resource_key)
    limit ${bind('limit')}::int`),
);
