import { sql, type Kysely } from 'kysely';

/**
 * Search parameters that tenants make (docs/storage.md, "Search parameters of tenants"): a row for each pair of a
 * resource type and a parameter of a space.
 *
 * - `number` is given once in a space and never again, so that index rows of what was taken away are never those of
 *   something else. `slot` says which bit behind those of the built-in parameters is its own in the heads of the type;
 *   it is free again when the row is gone.
 * - `tenant.search_parameters` counts every change of them, `change_counter.search_parameters` repeats it: whoever
 *   writes versions says by which of these numbers their rows were made (the setting `andiron.search_parameters`), and
 *   the trigger refuses the whole statement where it is no longer the one. It compares with the row that the statement
 *   has just locked, and a change of the parameters locks the same row: no write that knows less can commit after it.
 *   Where a tenant has none, the number is 0 and the trigger is not called.
 * - `register_search_parameters` runs in the transaction that writes the SearchParameter.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.tenant add column search_parameters int not null default 0`.execute(db);
  await sql`alter table andiron.change_counter add column search_parameters int not null default 0`.execute(
    db,
  );
  await sql`alter table andiron.space add column last_parameter int not null default 99999`.execute(db);
  await sql`
    create table andiron.search_parameter (
      space int not null,
      number int not null check (number between 100000 and 999999),
      resource_type smallint not null,
      slot smallint not null,
      code text collate "C" not null,
      url text collate "C" not null,
      owner text collate "C" not null,
      state text not null check (state in ('indexing', 'active', 'removing')),
      pending boolean not null,
      changed timestamptz not null default now(),
      after_key bigint,
      resources int not null default 0,
      indexed int not null default 0,
      failure text,
      definition jsonb not null,
      primary key (space, number)
    )`.execute(db);
  await sql`
    create unique index search_parameter_by_code on andiron.search_parameter (space, resource_type, code)
    where state <> 'removing'`.execute(db);
  await sql`
    create unique index search_parameter_by_slot on andiron.search_parameter (space, resource_type, slot)`.execute(
    db,
  );
  await sql`
    create index search_parameter_pending on andiron.search_parameter (space, resource_type) where pending`.execute(
    db,
  );
  await sql`alter table andiron.search_parameter enable row level security`.execute(db);
  await sql`
    create policy own_space on andiron.search_parameter for select
      using (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);

  await sql`
    create function andiron.compare_search_parameters() returns trigger
    language plpgsql
    set search_path = pg_catalog, pg_temp
    as $function$
    begin
      if coalesce(nullif(current_setting('andiron.search_parameters', true), ''), '0')::int
         <> new.search_parameters then
        raise exception 'the search parameters of tenant % have changed', new.tenant using errcode = 'AN002';
      end if;
      return null;
    end
    $function$`.execute(db);
  await sql`
    create trigger compare_search_parameters after update of last_sequence on andiron.change_counter
    for each row when (new.search_parameters <> 0) execute function andiron.compare_search_parameters()`.execute(
    db,
  );

  await sql`
    create function andiron.count_search_parameters(p_space int) returns int
    language plpgsql
    set search_path = pg_catalog, pg_temp
    as $function$
    declare
      v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
      v_change int;
    begin
      update andiron.change_counter c set search_parameters = c.search_parameters + 1
      where c.tenant = v_tenant returning c.search_parameters into v_change;
      update andiron.tenant t set search_parameters = v_change where t.number = v_tenant;
      return v_change;
    end
    $function$`.execute(db);
  await sql`
    create function andiron.register_search_parameters(p_space int, p_owner text, p_pairs jsonb) returns int
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    declare
      v_pair record;
      v_number int;
      v_changes int;
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'search parameters must stay in the space of their connection'
          using errcode = 'insufficient_privilege';
      end if;
      update andiron.search_parameter p
         set state = 'removing', pending = true, changed = now(), after_key = null, indexed = 0, failure = null
       where p.space = p_space and p.owner = p_owner and p.state <> 'removing'
         and not exists (
           select 1
           from jsonb_to_recordset(p_pairs) as x (resource_type smallint, code text, url text, definition jsonb)
           where x.resource_type = p.resource_type and x.code = p.code and x.url = p.url
             and x.definition = p.definition);
      get diagnostics v_changes = row_count;
      for v_pair in
        select x.*
        from jsonb_to_recordset(p_pairs) as x (resource_type smallint, code text, url text, definition jsonb)
        where not exists (
          select 1 from andiron.search_parameter p
          where p.space = p_space and p.owner = p_owner and p.state <> 'removing'
            and p.resource_type = x.resource_type and p.code = x.code)
      loop
        v_changes := v_changes + 1;
        update andiron.space s set last_parameter = s.last_parameter + 1 where s.number = p_space
        returning s.last_parameter into v_number;
        insert into andiron.search_parameter
          (space, number, resource_type, slot, code, url, owner, state, pending, definition)
          select p_space, v_number, v_pair.resource_type, min(f.slot), v_pair.code, v_pair.url, p_owner, 'indexing',
                 true, v_pair.definition
          from generate_series(0, 1000) as f (slot)
          where not exists (
            select 1 from andiron.search_parameter p
            where p.space = p_space and p.resource_type = v_pair.resource_type and p.slot = f.slot);
      end loop;
      if v_changes = 0 then
        return null;
      end if;
      return andiron.count_search_parameters(p_space);
    end
    $function$`.execute(db);
  await sql`
    create function andiron.restart_search_parameters(p_space int, p_owner text) returns int
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    declare
      v_restarted int;
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'search parameters must stay in the space of their connection'
          using errcode = 'insufficient_privilege';
      end if;
      update andiron.search_parameter p
         set pending = true, changed = now(), after_key = null, indexed = 0, failure = null
       where p.space = p_space and p.state <> 'removing' and (p_owner is null or p.owner = p_owner);
      get diagnostics v_restarted = row_count;
      return v_restarted;
    end
    $function$`.execute(db);
  for (const name of [
    'compare_search_parameters',
    'count_search_parameters',
    'register_search_parameters',
    'restart_search_parameters',
  ]) {
    await sql`revoke execute on function ${sql.raw(`andiron.${name}`)} from public`.execute(db);
  }
}
