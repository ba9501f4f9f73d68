import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { IS_ROW_SECURE } from '../connection/row-security';
import { defineStatement, template } from '../connection/statement';

/** What a process looks up now and then, because another one, or an operator, may have changed it. */
export interface Installed {
  /** Of the base conformance resources in the database. */
  readonly digest: string | undefined;
  /** Least schema number of a program that may write. */
  readonly leastSchema: number;
  /** Whether row-level security is in force on the connection that was asked. */
  readonly isRowSecure: boolean;
}

const READ = defineStatement(
  template(
    sql`select i.definitions_digest, i.least_schema, ${IS_ROW_SECURE} from andiron.installation i limit 1`,
  ),
);

/** **Throws** what `Database.run` throws. **Cost**: one statement. */
export async function readInstalled(database: Database): Promise<Installed> {
  const [row] = await database.run('search', undefined, READ, {});
  const [digest, leastSchema, isRowSecure] = (row ?? [null, 0, false]) as [string | null, number, boolean];
  return { digest: digest ?? undefined, leastSchema, isRowSecure };
}
