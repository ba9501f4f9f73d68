import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { Author } from './subscription-change';

const READ = defineStatement(
  template(sql`
    select s.headers, s.author from andiron.subscription s
    where s.space = ${bind('space')}::int and s.resource_key = ${bind('key')}::bigint and s.status <> 'off'
      and s.author ->> 'actor' = ${bind('actor')} limit 1`),
);

/** Returns the headers of a running Subscription of this client, with the author; undefined: there is none. */
export async function readOwnHeaders(
  database: Database,
  { space, key, actor }: { readonly space: number; readonly key: string; readonly actor: string },
): Promise<{ readonly headers: readonly string[]; readonly author: Author } | undefined> {
  const [row] = await database.run({ lane: 'read', space }, READ, { space, key, actor });
  if (row === undefined) return undefined;
  const [headers, author] = row as [readonly string[], Author];
  return { headers, author };
}
