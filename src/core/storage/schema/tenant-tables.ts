/**
 * The treatment of each table with tenant data in an export (docs/run/tenants.md). A test compares the list with
 * PostgreSQL's catalog, so that every new table needs an entry.
 */
import { sql, type RawBuilder } from 'kysely';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';

/**
 * versions: exported as versions, with the AuditEvents; rows: exported unchanged; made: derived from the versions by an
 * import; moved: exported only for a tenant that moves with its Subscriptions (storage/tenants/moved-subscriptions.ts); concepts:
 * exported without hashes, which the importing database makes anew (storage/terminology/moved-concepts.ts); left: not exported, because it is transient or valid for this tenant only.
 */
type ExportTreatment = 'versions' | 'rows' | 'made' | 'moved' | 'concepts' | 'left';

/** The treatment of each table; referenced tables precede referring ones. */
export const TENANT_TABLES: Readonly<Record<string, ExportTreatment>> = {
  resource_version: 'versions',
  unopened_reference: 'versions',
  // Exported beside the versions that have it; what belongs to nothing or to a job is not.
  content: 'versions',
  content_chunk: 'versions',
  change_counter: 'made',
  space_state: 'made',
  resource: 'made',
  search_parameter: 'made',
  token_index: 'made',
  reference_index: 'made',
  range_index: 'made',
  string_index: 'made',
  uri_index: 'made',
  client_application: 'rows',
  client_secret: 'rows',
  token_issuer: 'rows',
  user_account: 'rows',
  // Tokens and signatures name the tenant and are valid there only.
  signing_key: 'left',
  used_assertion: 'left',
  user_session: 'left',
  user_grant: 'left',
  launch_context: 'left',
  sign_in_network: 'left',
  // Secrets of people. An account with a second factor moves without a password: user_account has a placeholder.
  user_invitation: 'left',
  second_factor: 'left',
  // Converted to AuditEvents before an export.
  access_record: 'left',
  concept_set: 'concepts',
  concept: 'concepts',
  // Its pairs were found by code systems of this database; a client that finds its table gone begins it again.
  closure: 'left',
  closure_concept: 'left',
  job: 'left',
  job_content: 'left',
  export_member: 'left',
  import_file: 'left',
  import_chunk: 'left',
  import_error: 'left',
  subscription_feed: 'moved',
  subscription: 'moved',
  subscription_event: 'moved',
};

/** Reads the names of tables whose rows are exported, as far as this database has them. */
export async function readRowTables(session: OwnerSession): Promise<readonly string[]> {
  const present: string[] = [];
  for (const [table, treatment] of Object.entries(TENANT_TABLES))
    if (treatment === 'rows' && (await columnsOf(session, table)).length > 0) present.push(table);
  return present;
}

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

const COLUMNS = unnamed(sql`
  select a.attname::text from pg_catalog.pg_attribute a
  where a.attrelid = to_regclass('andiron.' || quote_ident(${bind('table')})) and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
  order by a.attnum limit 1000`);
const UTC = unnamed(sql`set timezone = 'UTC'`);
const ROWS_AT_ONCE = 500;

async function columnsOf(session: OwnerSession, table: string): Promise<readonly string[]> {
  return (await session.run(COLUMNS, { table })).map(([name]) => String(name));
}

/** Reads the rows of a tenant as JSON without its number, ordered by their text. */
export async function* readTableRows(
  session: OwnerSession,
  table: string,
  tenant: number,
): AsyncGenerator<string> {
  await session.run(UTC);
  const page = unnamed(sql`
    select r.text from (
      select (to_jsonb(t) - 'tenant')::text collate "C" as text
      from ${sql.table(`andiron.${table}`)} t where t.tenant = ${bind('tenant')}::int
    ) r where r.text > ${bind('after')} order by r.text limit ${sql.lit(ROWS_AT_ONCE)}`);
  for (let after = ''; ;) {
    const rows = await session.run(page, { tenant, after });
    for (const [text] of rows) yield (after = String(text));
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** Removes the exported rows of a tenant, before an import that may have run in part before. */
export async function removeTableRows(session: OwnerSession, tenant: number): Promise<void> {
  const tables = await readRowTables(session);
  for (const table of [...tables].reverse())
    await session.run(
      unnamed(sql`delete from ${sql.table(`andiron.${table}`)} t where t.tenant = ${bind('tenant')}::int`),
      { tenant },
    );
}

/**
 * Inserts a row in the JSON format of `readTableRows`. False: the table is not exported or lacks a column. **Throws**
 * as the database does.
 */
export async function addTableRow(
  session: OwnerSession,
  tenant: number,
  { table, names, row }: { readonly table: string; readonly names: readonly string[]; readonly row: string },
): Promise<boolean> {
  if (TENANT_TABLES[table] !== 'rows') return false;
  const columns = await columnsOf(session, table);
  if (names.length === 0 || !names.every((name) => name !== 'tenant' && columns.includes(name))) return false;
  const listed = sql.join(names.map((name) => sql.id(name)));
  const given = sql.join(names.map((name) => sql`r.${sql.id(name)}`));
  const into = sql.table(`andiron.${table}`);
  const add = unnamed(sql`
    insert into ${into} (tenant, ${listed})
    select ${bind('tenant')}::int, ${given} from jsonb_populate_record(null::${into}, ${bind('row')}::jsonb) r`);
  await session.run(add, { tenant, row });
  return true;
}
