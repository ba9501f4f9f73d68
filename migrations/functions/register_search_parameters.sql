-- Makes the search parameters of one SearchParameter equal to p_pairs, within the transaction that writes the resource.
-- Returns the number of the change, or null when nothing changed.
--
-- A changed definition gets a new number, so that its index rows are never taken for those of the old one. The old row
-- stays as `removing` until its index rows are gone. The slot is the first that no parameter of the type has.
create or replace function andiron.register_search_parameters(p_space int, p_owner text, p_pairs jsonb) returns int
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
    update andiron.space_state t set last_parameter = t.last_parameter + 1 where t.space = p_space
    returning t.last_parameter into v_number;
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
$function$;
