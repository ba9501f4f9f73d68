-- Trigger of resource_version: subtracts purged versions from the counts of the tenant, for processes of schema 55. Later ones do so
-- in the statement that removes them, and say so by andiron.removals.
--
-- A purge deletes all versions of a resource by one statement. The last version says whether the resource was deleted.
create or replace function andiron.uncount_versions() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if current_setting('andiron.removals', true) = 'counted' then
    return null;
  end if;
  update andiron.change_counter c
     set resources = c.resources - k.resources, bytes = c.bytes - k.bytes
    from (
      select s.counter, count(*) filter (where g.is_last and g.change <> 3) as resources,
             coalesce(sum(octet_length(g.body)), 0) as bytes
      from (
        select o.space, o.change, o.body,
               o.version = max(o.version) over (partition by o.space, o.resource_type, o.resource_key) as is_last
        from gone o
      ) g join andiron.space s on s.number = g.space
      where s.tenant is not null group by s.counter
    ) k
   where k.counter = c.tenant;
  return null;
end
$function$;
