/** The state of Subscriptions for the operations `$status` and `$events`. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { Author } from './subscription-change';

/** The stored state of a Subscription that a client has requested at least once. */
export interface QueriedSubscription {
  /** Number of all events until now. */
  readonly numbered: number;
  /** The first number that is kept; undefined: no event is kept. */
  readonly firstKept: number | undefined;
  /** The caller who wrote it last; undefined: the Subscription is off. */
  readonly author: Author | undefined;
}

const QUERY = defineStatement(
  template(sql`
    select s.resource_key::text, s.numbered, s.author,
           (select min(e.number) from andiron.subscription_event e
            where e.space = ${bind('space')}::int and e.resource_key = s.resource_key)
    from andiron.subscription s
    where s.space = ${bind('space')}::int and s.resource_key = any(${bind('keys')}::bigint[])
    limit ${bind('most')}::int`),
);

/** Returns the state by key, in decimal form; none for a Subscription that was never requested. Cost: one statement. */
export async function querySubscriptions(
  database: Database,
  space: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, QueriedSubscription>> {
  if (keys.length === 0) return new Map();
  const bound = { space, keys: [...keys], most: keys.length };
  const rows = (await database.run({ lane: 'read', space }, QUERY, bound)) as [
    ...[key: string, numbered: number, author: Author | null, firstKept: number | null],
  ][];
  return new Map(
    rows.map(([key, numbered, author, firstKept]) => [
      key,
      {
        numbered,
        firstKept: firstKept ?? undefined,
        author: author ?? undefined,
      },
    ]),
  );
}
