import { sql, type Kysely } from 'kysely';

/**
 * The life of a tenant, and the erasure of what it keeps (docs/tenants.md).
 *
 * - `tenant.display`: what people call it; its name, which is in all addresses, never changes. Beside active and disabled it
 *   may be importing or deleting: neither is answered.
 * - `erasure`: what processes are to forget, in the order of `number`: the spaces, or a tenant, of which something was erased. It
 *   says nothing of what that was. Rows are made one at a time (the table is locked), so that none becomes visible behind a
 *   larger number.
 * - `server_process`: who remembers. Each process looks once a second (`attend`) and says up to which erasure it has
 *   forgotten. `beat` is renewed every 5 seconds.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.tenant add column display text check (length(display) between 1 and 200)`.execute(
    db,
  );
  await sql`alter table andiron.tenant drop constraint tenant_status_check`.execute(db);
  await sql`
    alter table andiron.tenant add constraint tenant_status_check
      check (status in ('active', 'disabled', 'importing', 'deleting'))`.execute(db);

  await sql`
    create table andiron.erasure (
      number bigint generated always as identity primary key,
      spaces int[] not null,
      made timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table andiron.server_process (
      id text collate "C" primary key,
      beat timestamptz not null,
      forgotten bigint not null
    )`.execute(db);
  await sql`
    create function andiron.attend(p_process text, p_forgotten bigint) returns table (number bigint, spaces int[])
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    begin
      insert into andiron.server_process as s (id, beat, forgotten) values (p_process, now(), p_forgotten)
      on conflict (id) do update set beat = excluded.beat, forgotten = excluded.forgotten
        where s.forgotten <> excluded.forgotten or s.beat < excluded.beat - interval '5 seconds';
      return query
        select e.number, e.spaces from andiron.erasure e where e.number > p_forgotten order by e.number limit 1000;
    end
    $function$`.execute(db);
  await sql`
    create function andiron.last_erasure() returns bigint
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $function$
      select coalesce((select e.number from andiron.erasure e order by e.number desc limit 1), 0)
    $function$`.execute(db);
  await sql`
    create function andiron.leave(p_process text) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
    as $function$
      delete from andiron.server_process s where s.id = p_process
    $function$`.execute(db);
  for (const name of ['attend', 'last_erasure', 'leave'])
    await sql`revoke execute on function ${sql.raw(`andiron.${name}`)} from public`.execute(db);
}
