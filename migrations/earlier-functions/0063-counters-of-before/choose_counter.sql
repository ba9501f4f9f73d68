-- Trigger of space: chooses the counter of spaces that processes of schema 58 create.
create or replace function andiron.choose_counter() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  new.counter := case when new.kind = 'audit' then -new.number else new.tenant end;
  return new;
end
$function$;
