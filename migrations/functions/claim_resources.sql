-- Locks the heads of many resources of one space until the end of the transaction and returns their versions.
--
-- store_versions locks heads in the order of its members and the row of the counter last. A transaction Bundle calls it
-- several times, so it would hold the counter while it still needs heads. Another writer may hold such a head and wait for
-- the counter. The Bundle therefore locks all its heads here first: new keys, then existing ones, both by type and key.
--
-- A key without a head is locked by a row that is inserted and deleted. Another transaction that inserts the same key waits,
-- because a unique index waits for an insertion that is not committed, deleted or not.
--
-- The planner settings are those of store_versions.
create or replace function andiron.claim_resources(
  p_space int, p_type smallint[], p_key bigint[], p_is_made boolean[]
) returns table (member int, version int)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  v_member record;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a claim must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  for v_member in
    select m.resource_type, m.resource_key
    from unnest(p_type, p_key, p_is_made) as m (resource_type, resource_key, is_made)
    where m.is_made and not exists (
      select 1 from andiron.resource r
      where r.space = p_space and r.resource_type = m.resource_type and r.resource_key = m.resource_key)
    order by m.resource_type, m.resource_key
  loop
    insert into andiron.resource
      (space, resource_type, deleted, resource_key, last_updated, sort_date, version, id, presence)
    values (p_space, v_member.resource_type, true, v_member.resource_key, 0, 0, 0, null, ''::bytea)
    on conflict (space, resource_type, resource_key) do nothing;
    delete from andiron.resource r
    where r.space = p_space and r.resource_type = v_member.resource_type
      and r.resource_key = v_member.resource_key and r.version = 0;
  end loop;
  return query
    select m.ordinal::int, h.version
    from unnest(p_type, p_key) with ordinality as m (resource_type, resource_key, ordinal)
    join andiron.resource h
      on h.space = p_space and h.resource_type = m.resource_type and h.resource_key = m.resource_key
    order by m.resource_type, m.resource_key
    for update of h;
end
$function$;
