-- Forgets the lines of an import that has ended: nobody needs them any more, and they are data of patients.
create or replace function andiron.forget_import() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  update andiron.import_chunk c set content = null
  where c.space = new.space and c.id = new.id and c.content is not null;
  return null;
end
$function$;
