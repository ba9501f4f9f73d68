-- For programs before schema 65, which do not name the space of an object that must be deleted.
create or replace function andiron.fill_space_of_object() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  new.of_space := split_part(new.object, '/', 1)::int;
  return new;
end
$function$;
