-- Marks a search parameter as failed. Returns false when it is neither indexing nor active.
create or replace function andiron.fail_search_parameter(p_space int, p_number int, p_failure text) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'search parameters must stay in the space of their connection'
      using errcode = 'insufficient_privilege';
  end if;
  -- The row of the counter is locked first, so that writes and this change have an order.
  perform 1 from andiron.change_counter c
    where c.tenant = v_tenant for update;
  update andiron.search_parameter p
     set state = 'failed', pending = false, changed = now(), failure = p_failure, attempted_by = null
   where p.space = p_space and p.number = p_number and p.state in ('indexing', 'active');
  if not found then
    return false;
  end if;
  perform andiron.count_search_parameters(p_space);
  return true;
end
$function$;
