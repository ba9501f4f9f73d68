import { sql, type Kysely } from 'kysely';

/**
 * Who may ask, and how it is proven (docs/access.md): the ClientApplications of a tenant with their secrets, the keys that
 * its tokens are signed with, and the issuers elsewhere whose tokens it takes.
 *
 * - Changes are made as the owner. The application role reads what belongs to the tenant of its connection's space, and
 *   of signing keys the public half only.
 * - `client_secret.hash` is scrypt of a random secret (src/core/access/secret-hash.ts); nothing gives the secret back.
 * - `used_assertion` holds hashes of what clients have signed, until it expires: each is good once, in all processes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.client_application (
      tenant int not null references andiron.tenant on delete cascade,
      id text collate "C" not null,
      name text not null,
      created timestamptz not null default now(),
      disabled boolean not null default false,
      scopes text[] not null default '{}',
      policies text[] not null default '{}',
      administrator boolean not null default false,
      auditor boolean not null default false,
      jwks jsonb,
      jwks_url text,
      redirect_uris text[] not null default '{}',
      primary key (tenant, id)
    )`.execute(db);
  await sql`
    create table andiron.client_secret (
      tenant int not null,
      client text collate "C" not null,
      id text collate "C" not null,
      hash text not null,
      created timestamptz not null default now(),
      expires timestamptz,
      primary key (tenant, client, id),
      foreign key (tenant, client) references andiron.client_application on delete cascade
    )`.execute(db);
  await sql`
    create table andiron.signing_key (
      tenant int not null references andiron.tenant on delete cascade,
      id text collate "C" not null,
      algorithm text not null,
      public_key jsonb not null,
      private_key jsonb not null,
      created timestamptz not null default now(),
      retired timestamptz,
      primary key (tenant, id)
    )`.execute(db);
  await sql`
    create table andiron.token_issuer (
      tenant int not null references andiron.tenant on delete cascade,
      issuer text collate "C" not null,
      client text collate "C" not null,
      audience text not null,
      jwks_url text not null,
      scope_claim text not null default 'scope',
      scope_map jsonb,
      user_claim text not null default 'fhirUser',
      patient_claim text not null default 'patient',
      primary key (tenant, issuer),
      foreign key (tenant, client) references andiron.client_application on delete cascade
    )`.execute(db);
  await sql`
    create table andiron.used_assertion (
      tenant int not null references andiron.tenant on delete cascade,
      hash bytea not null,
      expires timestamptz not null,
      primary key (tenant, hash)
    )`.execute(db);
  await sql`create index used_assertion_by_expiry on andiron.used_assertion (tenant, expires)`.execute(db);

  await sql`
    create function andiron.own_tenant() returns int
    language sql stable
    set search_path = pg_catalog, pg_temp
    as $function$
      select s.tenant from andiron.space s
      where s.number = nullif(current_setting('andiron.space', true), '')::int
    $function$`.execute(db);
  for (const table of [
    'client_application',
    'client_secret',
    'signing_key',
    'token_issuer',
    'used_assertion',
  ]) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    if (table === 'used_assertion') continue;
    await sql`
      create policy own_tenant on ${name} for select using (tenant = (select andiron.own_tenant()))`.execute(
      db,
    );
  }

  // True once for each hash until it expires. What has expired goes, a little of it at a time.
  await sql`
    create function andiron.use_assertion(p_space int, p_hash bytea, p_expires timestamptz) returns boolean
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    declare
      v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or v_tenant is null then
        raise exception 'an assertion must stay in the space of its connection'
          using errcode = 'insufficient_privilege';
      end if;
      delete from andiron.used_assertion u where (u.tenant, u.hash) in (
        select o.tenant, o.hash from andiron.used_assertion o
        where o.tenant = v_tenant and o.expires < now()
        order by o.expires limit 100 for update skip locked);
      insert into andiron.used_assertion (tenant, hash, expires) values (v_tenant, p_hash, p_expires)
      on conflict do nothing;
      return found;
    end
    $function$`.execute(db);
  await sql`revoke execute on function andiron.use_assertion from public`.execute(db);
  await sql`revoke execute on function andiron.own_tenant from public`.execute(db);
}
