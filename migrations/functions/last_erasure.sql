-- Returns the number of the last erasure, or 0.
create or replace function andiron.last_erasure() returns bigint
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
  select coalesce((select e.number from andiron.erasure e order by e.number desc limit 1), 0)
$function$;
