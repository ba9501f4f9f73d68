import { sql, type Kysely } from 'kysely';

/** Tables of accounts, and what the application role may do there. */
const ACCOUNT_TABLES = {
  read: [
    ...['client_application', 'client_secret', 'signing_key', 'token_issuer', 'user_account'],
    ...['user_invitation', 'second_factor'],
  ],
  write: ['user_session', 'user_grant', 'launch_context', 'sign_in_network'],
};

/**
 * Policies of the tables of accounts compare the tenant with the setting `andiron.tenant`, which a process sends together with
 * `andiron.space`. The version before sends the space alone: until no process of it is left, a connection without the setting
 * sees the accounts of its space's tenant.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const own = sql`tenant = coalesce(nullif(current_setting('andiron.tenant', true), '')::int, (select andiron.own_tenant()))`;
  for (const table of ACCOUNT_TABLES.read)
    await sql`alter policy own_tenant on ${sql.table(`andiron.${table}`)} using (${own})`.execute(db);
  for (const table of ACCOUNT_TABLES.write)
    await sql`
      alter policy own_tenant on ${sql.table(`andiron.${table}`)} using (${own}) with check (${own})`.execute(
      db,
    );
}
