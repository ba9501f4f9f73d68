-- Removes a server process that stops.
create or replace function andiron.leave(p_process text) returns void
language sql security definer
set search_path = pg_catalog, pg_temp
as $function$
  delete from andiron.server_process s where s.id = p_process
$function$;
