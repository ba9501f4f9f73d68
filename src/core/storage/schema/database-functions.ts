/** The database functions, which are files of migrations/functions: created before the steps, replaced after them. */
import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { ClientBase } from 'pg';
import type { DatabaseFunction } from '../../../../migrations';
import type { Log } from '../../context';
import { builder } from '../connection/statement';

/**
 * Creates the functions that the database lacks, so that policies and triggers of steps can use them. Their bodies are
 * not checked yet, because a step may create the tables that they use.
 */
export async function createMissingFunctions(
  client: ClientBase,
  functions: readonly DatabaseFunction[],
): Promise<void> {
  const rows = await run<{ name: string }>(
    client,
    sql`
      select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'andiron'`,
  );
  const present = new Set(rows.map(({ name }) => name));
  const missing = functions.filter(({ name }) => !present.has(name));
  if (missing.length === 0) return;
  await inTransaction(client, async () => {
    // Only if no function is present: `if not exists` needs the right to create schemas even if the schema exists.
    if (present.size === 0) await run(client, sql`create schema if not exists andiron`);
    await run(client, sql`set local check_function_bodies = off`);
    for (const each of missing) await replace(client, each);
  });
}

/**
 * Replaces the functions whose files differ from the recorded hashes, in one transaction. **Cost**: one statement if
 * none does.
 */
export async function replaceChangedFunctions(
  client: ClientBase,
  functions: readonly DatabaseFunction[],
  log: Log,
): Promise<void> {
  const rows = await run<{ name: string; hash: string }>(
    client,
    sql`select f.name, f.hash from andiron_migration.database_function f`,
  );
  const recorded = new Map(rows.map(({ name, hash }) => [name, hash]));
  const changed = functions.filter((each) => recorded.get(each.name) !== hashOf(each));
  if (changed.length === 0) return;
  await inTransaction(client, async () => {
    for (const each of changed) {
      await replace(client, each);
      await run(
        client,
        sql`
          insert into andiron_migration.database_function (name, hash)
          values (${each.name}, ${hashOf(each)})
          on conflict (name) do update set hash = excluded.hash`,
      );
    }
  });
  log.info({ functions: changed.map(({ name }) => name) }, 'database functions replaced');
}

/**
 * Replaces a function. application-role.ts grants its rights to the application role; a replaced function keeps them.
 */
async function replace(client: ClientBase, { name, text }: DatabaseFunction): Promise<void> {
  try {
    await run(client, sql.raw(text));
    await run(client, sql`revoke execute on function ${sql.id('andiron', name)} from public`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The database function ${name} could not be replaced: ${reason}`, { cause: error });
  }
}

function hashOf({ text }: DatabaseFunction): string {
  return createHash('sha256').update(text).digest('hex');
}

async function inTransaction(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await run(client, sql`begin`);
  try {
    await work();
    await run(client, sql`commit`);
  } catch (error) {
    await run(client, sql`rollback`);
    throw error;
  }
}

async function run<Row>(client: ClientBase, statement: RawBuilder<unknown>): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(builder);
  const { rows } = await client.query(text, [...parameters]);
  return rows as Row[];
}
