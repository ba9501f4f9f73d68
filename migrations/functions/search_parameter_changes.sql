-- Returns the number of changes of a tenant's search parameters; null: it is being deleted.
create or replace function andiron.search_parameter_changes(p_tenant int) returns int
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_changes int;
begin
  select c.search_parameters into v_changes from andiron.change_counter c where c.tenant = p_tenant;
  return v_changes;
end
$function$;
