import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { TenantReference } from './client-applications';

const NAMES = defineStatement(
  template(sql`
    select c.id, c.name from andiron.client_application c
    where c.tenant = ${bind('tenant')}::int and c.id = any(${bind('ids')}::text[]) limit ${bind('limit')}::int`),
);

/** Returns the names of the clients of a tenant among `ids`, by id. Cost: a statement. */
export async function readClientNames(
  database: Database,
  { number, tenantNumber }: TenantReference,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const bound = { tenant: tenantNumber, ids, limit: ids.length };
  const rows = await database.run({ lane: 'search', space: number }, NAMES, bound);
  return new Map(rows.map((row) => row as [id: string, name: string]));
}
