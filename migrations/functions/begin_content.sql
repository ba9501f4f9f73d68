-- Begins a content of a space that exists. Returns false when the tenant is being removed, or when what it stores and p_least bytes
-- more exceed its quota.
create or replace function andiron.begin_content(p_space int, p_id uuid, p_store text, p_least bigint) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_resources bigint;
  v_bytes bigint;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a content must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  select c.resources, c.bytes into v_resources, v_bytes
    from andiron.change_counter c join andiron.space s on s.counter = c.tenant where s.number = p_space;
  if not found then
    return false;
  end if;
  perform andiron.require_quota(p_space, 0, p_least, v_resources, v_bytes + p_least);
  insert into andiron.content (space, id, store) values (p_space, p_id, p_store);
  return true;
end
$function$;
