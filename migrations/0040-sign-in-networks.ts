import { sql, type Kysely } from 'kysely';

/**
 * The networks from which accounts have signed in: failed attempts from other networks do not lock them out
 * (docs/run/access.md, Failed attempts). `hash` is a keyed hash of the account and the network. The application role
 * changes the table itself, within the tenant of its connection's space.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.sign_in_network (
      tenant int not null references andiron.tenant on delete cascade,
      hash bytea not null,
      account text collate "C" not null,
      expires timestamptz not null,
      primary key (tenant, hash),
      foreign key (tenant, account) references andiron.user_account on delete cascade
    )`.execute(db);
  await sql`create index sign_in_network_by_expiry on andiron.sign_in_network (tenant, expires)`.execute(db);
  await sql`create index sign_in_network_by_account on andiron.sign_in_network (tenant, account)`.execute(db);
  await sql`alter table andiron.sign_in_network enable row level security`.execute(db);
  await sql`
    create policy own_tenant on andiron.sign_in_network
      using (tenant = (select andiron.own_tenant()))
      with check (tenant = (select andiron.own_tenant()))`.execute(db);
}
