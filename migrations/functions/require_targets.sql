-- Locks the heads of referenced resources until the end of the transaction, and fails when one is missing (AN003): it does not
-- exist, is deleted or lacks the version. With p_is_lenient it locks those that exist.
--
-- The heads are locked in the order of their keys. FOR KEY SHARE lets others refer to them and change them, but a deletion
-- takes the head FOR UPDATE (lock_resource) and waits. Base conformance resources are no targets: nobody deletes them.
--
-- It returns the space, so that a call of it can be the space argument of store_versions: arguments are evaluated before the
-- function begins.
create or replace function andiron.require_targets(
  p_space int, p_type smallint[], p_key bigint[], p_version int[], p_is_lenient boolean
) returns int
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_target record;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int then
    raise exception 'a lock must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  for v_target in
    select x.resource_type, x.resource_key, x.version
    from unnest(p_type, p_key, p_version) as x (resource_type, resource_key, version)
    order by x.resource_type, x.resource_key
  loop
    perform 1 from andiron.resource r
    where r.space = p_space and r.resource_type = v_target.resource_type
      and r.resource_key = v_target.resource_key and not r.deleted and r.version >= v_target.version
    for key share;
    if not found and not p_is_lenient then
      raise exception 'a reference points to nothing' using errcode = 'AN003';
    end if;
  end loop;
  return p_space;
end
$function$;
