import { sql, type Kysely } from 'kysely';

/**
 * People who sign in (docs/access.md): the accounts of a tenant, who is signed in in which browser, what they have allowed
 * to which client, and what an EHR has put before an app that it launches.
 *
 * - Accounts are changed as the owner. All else is the work of requests: the application role changes it itself, within the
 *   tenant of its connection's space.
 * - Nothing that opens something stands in the tables: passwords as scrypt, all else (cookies, codes, refresh and launch
 *   tokens), which is 256 random bits, as SHA-256.
 * - `user_grant` is one consent, with its code and its newest refresh token; that all of a family begin alike tells a
 *   refresh token that was used before from one that never was.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.client_application add column public boolean not null default false`.execute(
    db,
  );
  await sql`
    create table andiron.user_account (
      tenant int not null references andiron.tenant on delete cascade,
      id text collate "C" not null,
      name text collate "C" not null,
      display text not null,
      hash text not null,
      disabled boolean not null default false,
      release text not null,
      fhir_user text,
      patient text,
      created timestamptz not null default now(),
      primary key (tenant, id),
      unique (tenant, name)
    )`.execute(db);
  await sql`
    create table andiron.user_session (
      tenant int not null references andiron.tenant on delete cascade,
      hash bytea not null,
      account text collate "C" not null,
      began timestamptz not null default now(),
      expires timestamptz not null,
      primary key (tenant, hash),
      foreign key (tenant, account) references andiron.user_account on delete cascade
    )`.execute(db);
  await sql`create index user_session_by_expiry on andiron.user_session (tenant, expires)`.execute(db);
  await sql`create index user_session_by_account on andiron.user_session (tenant, account)`.execute(db);
  await sql`
    create table andiron.user_grant (
      tenant int not null references andiron.tenant on delete cascade,
      id text collate "C" not null,
      client text collate "C" not null,
      account text collate "C" not null,
      release text not null,
      scopes text[] not null,
      fhir_user text,
      patient text,
      encounter text,
      nonce text,
      redirect_uri text not null,
      signed_in timestamptz not null,
      session bytea,
      code bytea not null,
      code_challenge text not null,
      code_expires timestamptz not null,
      code_used boolean not null default false,
      refresh_family bytea,
      refresh_current bytea,
      expires timestamptz not null,
      revoked boolean not null default false,
      primary key (tenant, id),
      unique (tenant, code),
      unique (tenant, refresh_family),
      foreign key (tenant, client) references andiron.client_application on delete cascade,
      foreign key (tenant, account) references andiron.user_account on delete cascade
    )`.execute(db);
  await sql`create index user_grant_by_expiry on andiron.user_grant (tenant, expires)`.execute(db);
  await sql`create index user_grant_by_client on andiron.user_grant (tenant, client)`.execute(db);
  await sql`create index user_grant_by_account on andiron.user_grant (tenant, account)`.execute(db);
  await sql`
    create table andiron.launch_context (
      tenant int not null references andiron.tenant on delete cascade,
      hash bytea not null,
      client text collate "C" not null,
      release text not null,
      patient text,
      encounter text,
      expires timestamptz not null,
      primary key (tenant, hash),
      foreign key (tenant, client) references andiron.client_application on delete cascade
    )`.execute(db);
  await sql`create index launch_context_by_expiry on andiron.launch_context (tenant, expires)`.execute(db);
  await sql`create index launch_context_by_client on andiron.launch_context (tenant, client)`.execute(db);

  await sql`alter table andiron.user_account enable row level security`.execute(db);
  await sql`
    create policy own_tenant on andiron.user_account for select
      using (tenant = (select andiron.own_tenant()))`.execute(db);
  for (const table of ['user_session', 'user_grant', 'launch_context']) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`
      create policy own_tenant on ${name}
        using (tenant = (select andiron.own_tenant()))
        with check (tenant = (select andiron.own_tenant()))`.execute(db);
  }
}
