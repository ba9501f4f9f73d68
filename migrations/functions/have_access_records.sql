-- Returns true when access records wait to become AuditEvents. The application role may not read the table.
create or replace function andiron.have_access_records() returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform 1 from andiron.access_record limit 1;
  return found;
end
$function$;
