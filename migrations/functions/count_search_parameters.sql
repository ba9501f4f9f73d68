-- Counts a change of a tenant's search parameters and returns the new number. It locks the row of the counter.
create or replace function andiron.count_search_parameters(p_space int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
  v_change int;
begin
  update andiron.change_counter c set search_parameters = c.search_parameters + 1
  where c.tenant = v_tenant returning c.search_parameters into v_change;
  -- Programs of schema 61 read it there.
  update andiron.tenant t set search_parameters = v_change where t.number = v_tenant;
  return v_change;
end
$function$;
