-- Counts a change of a tenant's search parameters and returns the new number. It locks the row of the counter.
create or replace function andiron.count_search_parameters(p_space int) returns int
language sql
set search_path = pg_catalog, pg_temp
as $function$
  update andiron.change_counter c set search_parameters = c.search_parameters + 1
  from andiron.space s where s.number = p_space and c.tenant = s.tenant
  returning c.search_parameters
$function$;
