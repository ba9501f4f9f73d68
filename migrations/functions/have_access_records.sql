-- Returns true when access records wait to become AuditEvents. The application role may not read the table.
create or replace function andiron.have_access_records() returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
  select exists (select 1 from andiron.access_record)
$function$;
