import { sql, type Kysely } from 'kysely';

/**
 * What chains, `_has` and `:contains` are answered from.
 *
 * - `resource.target_keys`: the keys of all resources of the space that a resource refers to, whatever the parameter.
 *   From a resource to its targets there is no index: an array in the head costs no row, and each of its keys is
 *   confirmed by one probe of reference_index, which knows the parameter and the type. Too many keys never give a
 *   wrong answer.
 * - a trigram index on folded strings, led by space and parameter, where the server has the two extensions; without
 *   them `strings_containing` reads the strings of the parameter from end to end. It runs with the owner's rights
 *   because LIKE under row-level security may not use such an index, and compares the space itself.
 *
 * `write_versions` is made anew with the targets of each member: `p_target_key` holds those of all members one after
 * the other, `p_target_end` where each one's end.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.resource add column target_keys bigint[] not null default '{}'`.execute(db);
  await sql`
    with targets as (
      select t.space, t.resource_key, array_agg(distinct t.target_key) as keys
      from andiron.reference_index t group by t.space, t.resource_key
    )
    update andiron.resource r set target_keys = t.keys
    from targets t
    where r.space = t.space and r.resource_key = t.resource_key and not r.deleted`.execute(db);

  await sql`
    drop function andiron.write_versions(
      int, smallint[], bigint[], int[], smallint[], text[], bigint[], bigint[], bytea[], int[],
      text[], text[], int[], int[], bigint[], int[], int[], int[], bigint[], smallint[], int[],
      int[], bigint[], float8[], float8[], int[], int[], int[], smallint[], int[], int[], text[],
      int[], smallint[], int[], int[], text[], text[], boolean
    )`.execute(db);
  await sql`
    create function andiron.write_versions(
      p_space int,
      p_type smallint[], p_key bigint[], p_expected int[], p_change smallint[], p_id text[],
      p_old_sort_date bigint[], p_sort_date bigint[], p_presence bytea[], p_meta_offset int[], p_author text[],
      p_body text[], p_target_key bigint[], p_target_end int[],
      p_token_member int[], p_token_parameter int[], p_token_value bigint[], p_token_system int[],
      p_reference_member int[], p_reference_parameter int[], p_reference_key bigint[], p_reference_type smallint[],
      p_range_member int[], p_range_parameter int[], p_range_qualifier bigint[], p_range_low float8[],
      p_range_high float8[], p_range_unit_system int[], p_range_unit_code int[], p_range_unit_name int[],
      p_range_extremes smallint[],
      p_string_member int[], p_string_parameter int[], p_string_value text[], p_string_exact int[],
      p_string_extremes smallint[],
      p_uri_member int[], p_uri_parameter int[], p_uri_value text[], p_uri_version text[],
      p_has_removals boolean
    ) returns table (member int, version int, last_updated bigint, sequence int)
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    -- Members are few, and the row of each is found by its whole index key (LATERAL ... OFFSET 0), then by its place.
    -- Left to choose, the planner goes by what it knew when a table was empty and reads a space from end to end
    -- (seen: 9 s for 16 deletes).
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
      v_sequence int;
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int
         or (p_space <= 2 and current_setting('role') <> 'none') then
        raise exception 'a write must stay in the space of its connection' using errcode = 'insufficient_privilege';
      end if;

      if v_creates > 0 then
        with head as (
          insert into andiron.resource
            (space, resource_type, deleted, resource_key, last_updated, sort_date, version, id, presence, target_keys)
          select p_space, m.resource_type, false, m.resource_key, v_now, m.sort_date, 1, m.id, m.presence,
                 p_target_key[coalesce(p_target_end[m.ordinal - 1], 0) + 1 : m.target_end]
          from unnest(p_type, p_key, p_expected, p_sort_date, p_id, p_presence, p_target_end) with ordinality
            as m (resource_type, resource_key, expected, sort_date, id, presence, target_end, ordinal)
          where m.expected = 0
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
                select i.ctid as place from andiron.resource i
                where i.space = p_space and i.resource_type = m.resource_type and i.resource_key = m.resource_key
                  and i.version = m.expected
                offset 0
              ) found
             where m.expected > 0 and h.ctid = found.place and h.version = m.expected
            returning m.ordinal, h.version, h.last_updated
          loop
            v_version[v_head.ordinal] := v_head.version;
            v_updated[v_head.ordinal] := v_head.last_updated;
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
          where x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
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
          where x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
        delete from andiron.range_index t
          using unnest(p_range_member, p_range_parameter, p_range_qualifier, p_range_low, p_range_high,
                       p_range_unit_system, p_range_unit_code, p_range_unit_name)
            as x (member, parameter, qualifier, low, high, unit_system, unit_code, unit_name)
          cross join lateral (
            select i.ctid as place from andiron.range_index i
            where i.space = p_space and i.parameter = x.parameter and i.qualifier = x.qualifier and i.low = x.low
              and i.high = x.high and i.resource_key = p_key[-x.member] and i.unit_system = x.unit_system
              and i.unit_code = x.unit_code and i.unit_name = x.unit_name
            offset 0
          ) found
          where x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
        delete from andiron.string_index t
          using unnest(p_string_member, p_string_parameter, p_string_value, p_string_exact, p_string_extremes)
            as x (member, parameter, value, exact_hash, extremes)
          cross join lateral (
            select i.ctid as place from andiron.string_index i
            where i.space = p_space and i.parameter = x.parameter and i.value = x.value
              and i.resource_key = p_key[-x.member] and i.exact_hash = x.exact_hash and i.extremes = x.extremes
            offset 0
          ) found
          where x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
        delete from andiron.uri_index t
          using unnest(p_uri_member, p_uri_parameter, p_uri_value, p_uri_version)
            as x (member, parameter, value, version)
          cross join lateral (
            select i.ctid as place from andiron.uri_index i
            where i.space = p_space and i.parameter = x.parameter and i.value = x.value
              and i.resource_key = p_key[-x.member] and i.version = x.version
            offset 0
          ) found
          where x.member < 0 and v_version[-x.member] > 0 and t.ctid = found.place;
      end if;

      insert into andiron.token_index (space, parameter, value_hash, sort_date, resource_key, system_hash)
        select p_space, x.parameter, x.value_hash, p_sort_date[x.member], p_key[x.member], x.system_hash
        from unnest(p_token_member, p_token_parameter, p_token_value, p_token_system)
          as x (member, parameter, value_hash, system_hash)
        where x.member > 0 and v_version[x.member] > 0;
      if cardinality(p_reference_member) > 0 then
        insert into andiron.reference_index (space, parameter, target_key, sort_date, resource_key, target_type)
          select p_space, x.parameter, x.target_key, p_sort_date[x.member], p_key[x.member], x.target_type
          from unnest(p_reference_member, p_reference_parameter, p_reference_key, p_reference_type)
            as x (member, parameter, target_key, target_type)
          where x.member > 0 and v_version[x.member] > 0;
      end if;
      if cardinality(p_range_member) > 0 then
        insert into andiron.range_index
          (space, parameter, qualifier, low, high, resource_key, unit_system, unit_code, unit_name, extremes)
          select p_space, x.parameter, x.qualifier, x.low, x.high, p_key[x.member], x.unit_system, x.unit_code,
                 x.unit_name, x.extremes
          from unnest(p_range_member, p_range_parameter, p_range_qualifier, p_range_low, p_range_high,
                      p_range_unit_system, p_range_unit_code, p_range_unit_name, p_range_extremes)
            as x (member, parameter, qualifier, low, high, unit_system, unit_code, unit_name, extremes)
          where x.member > 0 and v_version[x.member] > 0;
      end if;
      if cardinality(p_string_member) > 0 then
        insert into andiron.string_index (space, parameter, resource_key, exact_hash, extremes, value)
          select p_space, x.parameter, p_key[x.member], x.exact_hash, x.extremes, x.value
          from unnest(p_string_member, p_string_parameter, p_string_value, p_string_exact, p_string_extremes)
            as x (member, parameter, value, exact_hash, extremes)
          where x.member > 0 and v_version[x.member] > 0;
      end if;
      if cardinality(p_uri_member) > 0 then
        insert into andiron.uri_index (space, parameter, resource_key, value, version)
          select p_space, x.parameter, p_key[x.member], x.value, x.version
          from unnest(p_uri_member, p_uri_parameter, p_uri_value, p_uri_version)
            as x (member, parameter, value, version)
          where x.member > 0 and v_version[x.member] > 0;
      end if;

      -- Base conformance resources appear in no history or feed; all have the sequence 0.
      if p_space > 2 then
        update andiron.change_counter c
           set last_sequence = c.last_sequence + v_written
          from andiron.space s
         where s.number = p_space and c.tenant = s.tenant and c.last_sequence <= 2147483647 - v_written
        returning c.last_sequence - v_written into v_sequence;
        if not found then
          raise exception 'the version sequence of space % is used up', p_space using errcode = 'AN001';
        end if;
      end if;

      return query
        with numbered as (
          select m.ordinal::int as ordinal, m.version, m.last_updated,
                 case when p_space <= 2 then 0
                      else v_sequence + (row_number() over (order by m.ordinal))::int end as sequence
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
    $function$`.execute(db);
  await sql`revoke execute on function andiron.write_versions from public`.execute(db);

  await sql`
    do $block$
    declare
      v_operators text;
    begin
      create extension if not exists btree_gin;
      create extension if not exists pg_trgm;
      select quote_ident(n.nspname) || '.gin_trgm_ops' into v_operators
      from pg_catalog.pg_opclass o join pg_catalog.pg_namespace n on n.oid = o.opcnamespace
      where o.opcname = 'gin_trgm_ops' limit 1;
      execute 'create index string_index_by_trigram on andiron.string_index using gin (space, parameter, value '
        || v_operators || ')';
    exception when undefined_file or insufficient_privilege or feature_not_supported or undefined_object then
      raise notice 'no trigram index: searches with :contains read all strings of a parameter (%)', sqlerrm;
    end
    $block$`.execute(db);
  await sql`
    create function andiron.strings_containing(p_space int, p_parameter int, p_pattern text)
    returns setof bigint
    language plpgsql
    stable
    security definer
    rows 100
    set search_path = pg_catalog, pg_temp
    as $function$
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int then
        raise exception 'a search must stay in the space of its connection' using errcode = 'insufficient_privilege';
      end if;
      return query
        select t.resource_key from andiron.string_index t
        where t.space = p_space and t.parameter = p_parameter and t.value like p_pattern;
    end
    $function$`.execute(db);
  await sql`revoke execute on function andiron.strings_containing from public`.execute(db);
}
