-- Trigger of space: repeats what processes of schema 55 change there in space_state.
create or replace function andiron.mirror_space() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if tg_op = 'INSERT' then
    insert into andiron.space_state (space) values (new.number) on conflict do nothing;
  else
    update andiron.space_state t
       set rows_made_with = new.rows_made_with, last_parameter = new.last_parameter,
           unversioned_changes = new.unversioned_changes, purged_to = new.purged_to
     where t.space = new.number
       and (t.rows_made_with, t.last_parameter, t.unversioned_changes, t.purged_to) is distinct from
           (new.rows_made_with, new.last_parameter, new.unversioned_changes, new.purged_to);
  end if;
  return null;
end
$function$;
