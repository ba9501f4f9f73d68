-- Returns what a tenant stores: resources that are not deleted, and bytes of all versions.
create or replace function andiron.tenant_usage(p_tenant int) returns table (resources bigint, bytes bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
begin
  return query
    select c.resources, c.bytes from andiron.change_counter c where c.tenant = p_tenant;
end
$function$;
