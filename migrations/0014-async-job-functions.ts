import { sql, type Kysely } from 'kysely';

/**
 * Requests that are answered later are taken and given up through functions, as all else is written: the application role
 * may read them, and nothing more. `add_async_job` counts those of both releases of the tenant, one after another, and
 * makes none beyond the bound.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop function andiron.count_async_jobs(int)`.execute(db);
  await sql`drop policy own_space on andiron.async_job`.execute(db);
  await sql`
    create policy own_space on andiron.async_job for select
      using (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  await sql`
    do $block$
    begin
      if exists (select 1 from pg_roles where rolname = 'andiron_application') then
        revoke insert, delete on andiron.async_job from andiron_application;
      end if;
    end
    $block$`.execute(db);
  await sql`
    create function andiron.add_async_job(
      p_space int, p_id text, p_repeatable boolean, p_kept int, p_most int, p_request jsonb, p_body text)
    returns boolean
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    declare
      v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'a request must stay in the space of its connection'
          using errcode = 'insufficient_privilege';
      end if;
      perform pg_advisory_xact_lock(hashtextextended('andiron async jobs ' || v_tenant, 0));
      if (select count(*) from andiron.async_job j where j.tenant = v_tenant) >= p_most then
        return false;
      end if;
      insert into andiron.async_job (space, id, tenant, repeatable, expires, request, body)
      values (p_space, p_id, v_tenant, p_repeatable, now() + p_kept * interval '1 millisecond', p_request, p_body);
      return true;
    end
    $function$`.execute(db);
  await sql`
    create function andiron.remove_async_job(p_space int, p_id text) returns boolean
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'a request must stay in the space of its connection'
          using errcode = 'insufficient_privilege';
      end if;
      delete from andiron.async_job j where j.space = p_space and j.id = p_id;
      return found;
    end
    $function$`.execute(db);
  for (const name of ['add_async_job', 'remove_async_job']) {
    await sql`revoke execute on function ${sql.raw(`andiron.${name}`)} from public`.execute(db);
  }
}
