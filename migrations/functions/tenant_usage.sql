-- Returns what a tenant stores: resources that are not deleted, and bytes of all versions.
create or replace function andiron.tenant_usage(p_tenant int) returns table (resources bigint, bytes bigint)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
  select c.resources, c.bytes from andiron.change_counter c where c.tenant = p_tenant
$function$;
