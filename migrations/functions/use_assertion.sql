-- Returns true the first time that a client assertion is used, and false until it expires. Each call deletes up to 100 expired
-- ones of the tenant.
create or replace function andiron.use_assertion(p_space int, p_hash bytea, p_expires timestamptz) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or v_tenant is null then
    raise exception 'an assertion must stay in the space of its connection'
      using errcode = 'insufficient_privilege';
  end if;
  delete from andiron.used_assertion u where u.tenant = v_tenant and u.hash in (
    select o.hash from andiron.used_assertion o
    where o.tenant = v_tenant and o.expires < now()
    order by o.expires limit 100 for update skip locked);
  insert into andiron.used_assertion (tenant, hash, expires) values (v_tenant, p_hash, p_expires)
  on conflict do nothing;
  return found;
end
$function$;
