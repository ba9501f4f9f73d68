-- Trigger of change_counter, which does what write_versions does itself. It goes with the last process that has an older
-- write_versions.
create or replace function andiron.compare_search_parameters() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  if coalesce(nullif(current_setting('andiron.search_parameters', true), ''), '0')::int
     <> new.search_parameters then
    raise exception 'the search parameters of tenant % have changed', new.tenant using errcode = 'AN002';
  end if;
  return null;
end
$function$;
