-- Stores a request that is answered later. Returns false, and stores nothing, when the tenant has p_most of them already.
-- The lock makes the calls of one tenant count one after the other, over both releases.
create or replace function andiron.add_async_job(
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
$function$;
