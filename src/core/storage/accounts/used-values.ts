import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

const USE = defineStatement(
  template(sql`
    select andiron.use_assertion(${bind('space')}::int, ${bind('hash')}::bytea,
      to_timestamp(${bind('expires')}::float8 / 1000))`),
);

/** Returns true once for each hash of a tenant until `expires` (milliseconds since 1970), across all processes. */
export async function useOnce(
  database: Database,
  space: number,
  { hash, expires }: { readonly hash: Buffer; readonly expires: number },
): Promise<boolean> {
  const [row] = await database.run({ lane: 'transaction', space }, USE, { space, hash, expires });
  return row?.[0] === true;
}
