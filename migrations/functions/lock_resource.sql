-- Locks the head of a resource until the end of the transaction and returns its version; null when it has no head.
create or replace function andiron.lock_resource(p_space int, p_type smallint, p_key bigint) returns int
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_version int;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int then
    raise exception 'a lock must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  select r.version into v_version from andiron.resource r
  where r.space = p_space and r.resource_type = p_type and r.resource_key = p_key
  for update;
  return v_version;
end
$function$;
