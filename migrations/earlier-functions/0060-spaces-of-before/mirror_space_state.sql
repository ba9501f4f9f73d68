-- Trigger of space_state: repeats its changes in space, where processes of schema 55 read them.
create or replace function andiron.mirror_space_state() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  update andiron.space s
     set rows_made_with = new.rows_made_with, last_parameter = new.last_parameter,
         unversioned_changes = new.unversioned_changes, purged_to = new.purged_to
   where s.number = new.space
     and (s.rows_made_with, s.last_parameter, s.unversioned_changes, s.purged_to) is distinct from
         (new.rows_made_with, new.last_parameter, new.unversioned_changes, new.purged_to);
  return null;
end
$function$;
