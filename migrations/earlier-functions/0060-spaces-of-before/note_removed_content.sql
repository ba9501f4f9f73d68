-- Trigger of content: notes the objects that must be deleted in a folder or bucket, and subtracts the bytes of versions from the
-- counts of the tenant, for processes of schema 55 (see uncount_versions). An object whose writing had not ended is deleted twice, because its process may still be writing.
create or replace function andiron.note_removed_content() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if current_setting('andiron.removals', true) = 'counted' then
    return null;
  end if;
  insert into andiron.content_removal (store, object, again)
  select g.store, g.space || '/' || g.id, g.size is null from gone g where g.store <> 'database'
  on conflict do nothing;
  update andiron.change_counter c
     set bytes = c.bytes - k.bytes
    from (
      select s.counter, sum(g.size) as bytes
      from gone g join andiron.space s on s.number = g.space
      where g.version is not null group by s.counter
    ) k
   where k.counter = c.tenant;
  return null;
end
$function$;
