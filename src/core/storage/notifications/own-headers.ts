import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

const READ = defineStatement(
  template(sql`
    select s.headers from andiron.subscription s
    where s.space = ${bind('space')}::int and s.resource_key = ${bind('key')}::bigint and s.status <> 'off'
      and s.author ->> 'actor' = ${bind('actor')}
      and s.author -> 'access' ->> 'user' is not distinct from ${bind('user')} limit 1`),
);

/** Returns the headers of a running Subscription of this author; undefined: there is none. */
export async function readOwnHeaders(
  database: Database,
  author: {
    readonly space: number;
    readonly key: string;
    readonly actor: string;
    readonly user: string | undefined;
  },
): Promise<readonly string[] | undefined> {
  const { space, key, actor, user } = author;
  const [row] = await database.run({ lane: 'read', space }, READ, { space, key, actor, user: user ?? null });
  return row?.[0] as readonly string[] | undefined;
}
