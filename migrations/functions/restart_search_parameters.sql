-- Starts the indexing of search parameters again: those of one SearchParameter, or all with a null p_owner. Returns how many
-- restarted. A failed one restarts only by its owner, under a new number, as if its definition had changed.
create or replace function andiron.restart_search_parameters(p_space int, p_owner text) returns int
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
  v_failed andiron.search_parameter;
  v_number int;
  v_restarted int;
  v_renewed boolean := false;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'search parameters must stay in the space of their connection'
      using errcode = 'insufficient_privilege';
  end if;
  perform 1 from andiron.change_counter c
    where c.tenant = v_tenant for update;
  for v_failed in
    update andiron.search_parameter p
       set state = 'removing', pending = true, changed = now(), after_key = null, indexed = 0, failure = null,
           attempts = 0
     where p.space = p_space and p.owner = p_owner and p.state = 'failed'
    returning p.*
  loop
    v_renewed := true;
    update andiron.space_state t set last_parameter = t.last_parameter + 1 where t.space = p_space
    returning t.last_parameter into v_number;
    insert into andiron.search_parameter
      (space, number, resource_type, slot, code, url, owner, state, pending, definition)
      select p_space, v_number, v_failed.resource_type, min(f.slot), v_failed.code, v_failed.url, p_owner,
             'indexing', true, v_failed.definition
      from generate_series(0, 1000) as f (slot)
      where not exists (
        select 1 from andiron.search_parameter p
        where p.space = p_space and p.resource_type = v_failed.resource_type and p.slot = f.slot);
  end loop;
  update andiron.search_parameter p
     set pending = true, changed = now(), after_key = null, indexed = 0, failure = null, attempts = 0,
         attempted_by = null
   where p.space = p_space and p.state in ('indexing', 'active') and (p_owner is null or p.owner = p_owner);
  get diagnostics v_restarted = row_count;
  if v_renewed then
    perform andiron.count_search_parameters(p_space);
  end if;
  return v_restarted;
end
$function$;
