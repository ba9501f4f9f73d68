-- Removes a request that is answered later. Returns false when it does not exist.
create or replace function andiron.remove_async_job(p_space int, p_id text) returns boolean
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
$function$;
