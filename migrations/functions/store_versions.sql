-- Writes any number of versions (creates, updates, deletes) of one space, each with the index rows that it adds and removes.
-- Returns a row for each member that was written.
--
-- - A member expects version 0 (the resource must not exist) or n (its head must have version n). Where that does not hold,
--   the member is missing from the result and changes nothing. Its neighbours are written.
-- - An index row names its member by its ordinal, from 1. A negative ordinal removes the row.
-- - p_target_key holds the referenced keys of all members one after the other; p_target_end holds the end of each member's.
-- - The row of the counter is locked last and until the commit, so that sequence numbers become visible in their order.
-- - A process sends the number of the last change of the search parameters that it has read as the setting
--   andiron.search_parameters. It is compared with the counter's row once that is locked: index rows that were made with outdated
--   parameters are refused (AN002). A change of the parameters locks the same row, so no older write commits after it.
-- - In a space of AuditEvents resources are created, and neither changed nor deleted.
-- - A range row with qualifier_system -1 was made before that column existed. Removing the row that replaces it removes it.
--
-- The application role can write resources by this function only. It runs with the owner's rights and first compares the
-- space with the setting of the connection. So the isolation of tenants costs writes one comparison, and the planner gets no
-- condition on the space alone, by which it would enter an index.
--
-- Values are taken from the arrays by their place: unnest of several arrays costs 4 to 8 % more. Each ctid is compared with the
-- space too, because the same ctid exists in every partition of a partitioned table.
create or replace function andiron.store_versions(
  p_space int,
  p_type smallint[], p_key bigint[], p_expected int[], p_change smallint[], p_id text[],
  p_old_sort_date bigint[], p_sort_date bigint[], p_presence bytea[], p_meta_offset int[], p_author text[],
  p_body text[], p_target_key bigint[], p_target_end int[],
  p_token_member int[], p_token_parameter int[], p_token_value bigint[], p_token_system int[],
  p_reference_member int[], p_reference_parameter int[], p_reference_key bigint[], p_reference_type smallint[],
  p_range_member int[], p_range_parameter int[], p_range_qualifier bigint[], p_range_qualifier_system int[],
  p_range_low float8[], p_range_high float8[], p_range_unit_system int[], p_range_unit_code int[],
  p_range_unit_name int[], p_range_extremes smallint[],
  p_string_member int[], p_string_parameter int[], p_string_value text[], p_string_exact int[],
  p_string_extremes smallint[],
  p_uri_member int[], p_uri_parameter int[], p_uri_value text[], p_uri_version text[],
  p_has_removals boolean
) returns table (member int, version int, last_updated bigint, sequence bigint)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
-- Each row is found by its whole index key (LATERAL ... OFFSET 0), then by its ctid. With other plans the planner may use
-- statistics of an empty table and read a whole space (seen: 9 s for 16 deletes).
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  v_count constant int := cardinality(p_key);
  v_now constant bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  v_version int[];
  v_updated bigint[];
  v_creates constant int := cardinality(array_positions(p_expected, 0));
  v_made_type smallint[];
  v_made_key bigint[];
  v_written int;
  v_sequence bigint;
  v_more_resources bigint := 0;
  v_more_bytes bigint;
  v_has_quota boolean;
  v_search_parameters int;
  v_resources bigint;
  v_bytes bigint;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int
     or (p_space <= 2 and current_setting('role') <> 'none') then
    raise exception 'a write must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;

  if v_creates > 0 then
    with head as (
      insert into andiron.resource
        (space, resource_type, deleted, resource_key, last_updated, sort_date, version, id, presence, target_keys)
      select p_space, p_type[m.ordinal], false, p_key[m.ordinal], v_now, p_sort_date[m.ordinal], 1,
             p_id[m.ordinal], p_presence[m.ordinal],
             p_target_key[coalesce(p_target_end[m.ordinal - 1], 0) + 1 : p_target_end[m.ordinal]]
      from generate_series(1, v_count) as m (ordinal)
      where p_expected[m.ordinal] = 0
      on conflict (space, resource_type, resource_key) do nothing
      returning resource_type, resource_key
    )
    select array_agg(h.resource_type), array_agg(h.resource_key) into v_made_type, v_made_key from head h;
    if v_creates = v_count and cardinality(v_made_key) = v_count then
      v_version := array_fill(1, array[v_count]);
    else
      select array_agg(
               case when m.expected = 0 and exists (
                      select 1 from unnest(v_made_type, v_made_key) as h (resource_type, resource_key)
                      where h.resource_key = m.resource_key and h.resource_type = m.resource_type)
                    then 1 else 0 end
               order by m.ordinal)
        into v_version
        from unnest(p_type, p_key, p_expected) with ordinality
          as m (resource_type, resource_key, expected, ordinal);
    end if;
  else
    v_version := array_fill(0, array[v_count]);
  end if;
  v_updated := array_fill(v_now, array[v_count]);

  if v_creates < v_count then
    if exists (select 1 from andiron.space s where s.number = p_space and s.kind = 'audit') then
      raise exception 'what is recorded is not changed' using errcode = 'insufficient_privilege';
    end if;
    declare
      v_head record;
    begin
      for v_head in
        update andiron.resource h
           set version = h.version + 1,
               last_updated = greatest(v_now, h.last_updated + 1),
               deleted = m.change = 3,
               sort_date = m.sort_date,
               presence = m.presence,
               target_keys = p_target_key[coalesce(p_target_end[m.ordinal - 1], 0) + 1 : m.target_end]
          from unnest(p_type, p_key, p_expected, p_change, p_sort_date, p_presence, p_target_end)
            with ordinality
            as m (resource_type, resource_key, expected, change, sort_date, presence, target_end, ordinal)
          cross join lateral (
            select i.ctid as place, i.deleted as was_deleted from andiron.resource i
            where i.space = p_space and i.resource_type = m.resource_type and i.resource_key = m.resource_key
              and i.version = m.expected
            offset 0
          ) found
         where h.space = p_space and m.expected > 0 and h.ctid = found.place and h.version = m.expected
        returning m.ordinal, h.version, h.last_updated, found.was_deleted, h.deleted
      loop
        v_version[v_head.ordinal] := v_head.version;
        v_updated[v_head.ordinal] := v_head.last_updated;
        v_more_resources := v_more_resources + v_head.was_deleted::int - v_head.deleted::int;
      end loop;
    end;
  end if;

  v_written := v_count - cardinality(array_positions(v_version, 0));
  if v_written = 0 then
    return;
  end if;

  if p_has_removals then
    delete from andiron.token_index t
      using unnest(p_token_member, p_token_parameter, p_token_value, p_token_system)
        as x (member, parameter, value_hash, system_hash)
      cross join lateral (
        select i.ctid as place from andiron.token_index i
        where i.space = p_space and i.parameter = x.parameter and i.value_hash = x.value_hash
          and i.sort_date = p_old_sort_date[-x.member] and i.resource_key = p_key[-x.member]
          and i.system_hash = x.system_hash
        offset 0
      ) found
      where t.space = p_space and x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
    delete from andiron.reference_index t
      using unnest(p_reference_member, p_reference_parameter, p_reference_key, p_reference_type)
        as x (member, parameter, target_key, target_type)
      cross join lateral (
        select i.ctid as place from andiron.reference_index i
        where i.space = p_space and i.parameter = x.parameter and i.target_key = x.target_key
          and i.sort_date = p_old_sort_date[-x.member] and i.resource_key = p_key[-x.member]
          and i.target_type = x.target_type
        offset 0
      ) found
      where t.space = p_space and x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
    delete from andiron.range_index t
      using unnest(p_range_member, p_range_parameter, p_range_qualifier, p_range_qualifier_system, p_range_low,
                   p_range_high, p_range_unit_system, p_range_unit_code, p_range_unit_name)
        as x (member, parameter, qualifier, qualifier_system, low, high, unit_system, unit_code, unit_name)
      cross join lateral (
        select i.ctid as place from andiron.range_index i
        where i.space = p_space and i.parameter = x.parameter and i.qualifier = x.qualifier and i.low = x.low
          and i.qualifier_system in (x.qualifier_system, -1)
          and i.high = x.high and i.resource_key = p_key[-x.member] and i.unit_system = x.unit_system
          and i.unit_code = x.unit_code and i.unit_name = x.unit_name
        offset 0
      ) found
      where t.space = p_space and x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
    delete from andiron.string_index t
      using unnest(p_string_member, p_string_parameter, p_string_value, p_string_exact, p_string_extremes)
        as x (member, parameter, value, exact_hash, extremes)
      cross join lateral (
        select i.ctid as place from andiron.string_index i
        where i.space = p_space and i.parameter = x.parameter and i.value = x.value
          and i.resource_key = p_key[-x.member] and i.exact_hash = x.exact_hash and i.extremes = x.extremes
        offset 0
      ) found
      where t.space = p_space and x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
    delete from andiron.uri_index t
      using unnest(p_uri_member, p_uri_parameter, p_uri_value, p_uri_version)
        as x (member, parameter, value, version)
      cross join lateral (
        select i.ctid as place from andiron.uri_index i
        where i.space = p_space and i.parameter = x.parameter and i.value = x.value
          and i.resource_key = p_key[-x.member] and i.version = x.version
        offset 0
      ) found
      where t.space = p_space and x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
  end if;

  insert into andiron.token_index (space, parameter, value_hash, sort_date, resource_key, system_hash)
    select p_space, p_token_parameter[x.place], p_token_value[x.place],
           p_sort_date[p_token_member[x.place]], p_key[p_token_member[x.place]], p_token_system[x.place]
    from generate_series(1, cardinality(p_token_member)) as x (place)
    where p_token_member[x.place] > 0 and v_version[p_token_member[x.place]] > 0;
  if cardinality(p_reference_member) > 0 then
    insert into andiron.reference_index (space, parameter, target_key, sort_date, resource_key, target_type)
      select p_space, p_reference_parameter[x.place], p_reference_key[x.place],
             p_sort_date[p_reference_member[x.place]], p_key[p_reference_member[x.place]],
             p_reference_type[x.place]
      from generate_series(1, cardinality(p_reference_member)) as x (place)
      where p_reference_member[x.place] > 0 and v_version[p_reference_member[x.place]] > 0;
  end if;
  if cardinality(p_range_member) > 0 then
    insert into andiron.range_index
      (space, parameter, qualifier, qualifier_system, low, high, resource_key, unit_system, unit_code, unit_name,
       extremes)
      select p_space, p_range_parameter[x.place], p_range_qualifier[x.place], p_range_qualifier_system[x.place],
             p_range_low[x.place], p_range_high[x.place], p_key[p_range_member[x.place]], p_range_unit_system[x.place],
             p_range_unit_code[x.place], p_range_unit_name[x.place], p_range_extremes[x.place]
      from generate_series(1, cardinality(p_range_member)) as x (place)
      where p_range_member[x.place] > 0 and v_version[p_range_member[x.place]] > 0;
  end if;
  if cardinality(p_string_member) > 0 then
    insert into andiron.string_index (space, parameter, resource_key, exact_hash, extremes, value)
      select p_space, p_string_parameter[x.place], p_key[p_string_member[x.place]],
             p_string_exact[x.place], p_string_extremes[x.place], p_string_value[x.place]
      from generate_series(1, cardinality(p_string_member)) as x (place)
      where p_string_member[x.place] > 0 and v_version[p_string_member[x.place]] > 0;
  end if;
  if cardinality(p_uri_member) > 0 then
    insert into andiron.uri_index (space, parameter, resource_key, value, version)
      select p_space, p_uri_parameter[x.place], p_key[p_uri_member[x.place]], p_uri_value[x.place],
             p_uri_version[x.place]
      from generate_series(1, cardinality(p_uri_member)) as x (place)
      where p_uri_member[x.place] > 0 and v_version[p_uri_member[x.place]] > 0;
  end if;

  -- Base conformance resources appear in no history or feed; their sequence is 0.
  if p_space > 2 then
    select v_more_resources + count(*) filter (where p_expected[m.ordinal] = 0),
           coalesce(sum(octet_length(p_body[m.ordinal])), 0)
      into v_more_resources, v_more_bytes
      from generate_series(1, v_count) as m (ordinal)
     where v_version[m.ordinal] > 0;
    update andiron.change_counter c
       set last_sequence = c.last_sequence + v_written,
           resources = c.resources + v_more_resources,
           bytes = c.bytes + v_more_bytes
      from andiron.space s join andiron.tenant t on t.number = s.tenant
     where s.number = p_space and c.tenant = s.counter
       -- Programs count in safe integers; a database from before them has a column of 32 bits (long_sequences.ts).
       and c.last_sequence <= case pg_typeof(c.last_sequence) when 'bigint'::regtype then 9007199254740990 else 2147483647 end
                              - v_written
    returning c.last_sequence - v_written, c.resources, c.bytes, c.search_parameters,
              s.kind = 'data' and coalesce(
                t.settings ->> 'quota-resources', t.settings ->> 'quota-bytes',
                current_setting('andiron.quota_resources', true), current_setting('andiron.quota_bytes', true)
              ) is not null
      into v_sequence, v_resources, v_bytes, v_search_parameters, v_has_quota;
    if not found then
      raise exception 'the version sequence of space % is used up', p_space using errcode = 'AN001';
    end if;
    if v_search_parameters <> 0 and v_search_parameters <>
       coalesce(nullif(current_setting('andiron.search_parameters', true), ''), '0')::int then
      raise exception 'the search parameters of space % have changed', p_space using errcode = 'AN002';
    end if;
    if v_has_quota then
      perform andiron.require_quota(p_space, v_more_resources, v_more_bytes, v_resources, v_bytes);
    end if;
  end if;

  return query
    with numbered as (
      select m.ordinal::int as ordinal, m.version, m.last_updated,
             case when p_space <= 2 then 0
                  else v_sequence + row_number() over (order by m.ordinal) end as sequence
      from unnest(v_version, v_updated) with ordinality as m (version, last_updated, ordinal)
      where m.version > 0
    ), stored as (
      insert into andiron.resource_version
        (space, version, resource_key, last_updated, sequence, meta_offset, resource_type, change, id, author,
         body)
      select p_space, n.version, p_key[n.ordinal], n.last_updated, n.sequence, p_meta_offset[n.ordinal],
             p_type[n.ordinal], p_change[n.ordinal], p_id[n.ordinal], p_author[n.ordinal], p_body[n.ordinal]
      from numbered n
    )
    select n.ordinal, n.version, n.last_updated, n.sequence from numbered n;
end
$function$;
