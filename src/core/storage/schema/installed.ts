import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { IS_ROW_SECURE } from '../connection/row-security';
import { defineStatement, template } from '../connection/statement';

/** Values that a process polls, because another process or an operator may change them. */
export interface Installed {
  /** Digest of the base conformance resources in the database. */
  readonly digest: string | undefined;
  /** Least schema number of a program that may write. */
  readonly leastSchema: number;
  /** True if row-level security is in force on the connection that ran the statement. */
  readonly isRowSecure: boolean;
}

const READ = defineStatement(
  template(
    sql`select i.definitions_digest, i.least_schema, ${IS_ROW_SECURE} from andiron.installation i limit 1`,
  ),
);

/** Reads the values. **Throws** as `Database.run` does. **Cost**: one statement. */
export async function readInstalled(database: Database): Promise<Installed> {
  const [row] = await database.run({ lane: 'search', space: undefined }, READ, {});
  const [digest, leastSchema, isRowSecure] = (row ?? [null, 0, false]) as [string | null, number, boolean];
  return { digest: digest ?? undefined, leastSchema, isRowSecure };
}
