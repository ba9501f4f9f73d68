-- Trigger of change_counter: rejects a statement whose index rows were made with outdated search parameters (AN002).
--
-- A process sends the number of the last change that it has read as the setting andiron.search_parameters. The trigger
-- compares it with the row that the statement has just locked. A change of the parameters locks the same row, so no write
-- with older parameters commits after it. The trigger is not called while the number is 0.
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
