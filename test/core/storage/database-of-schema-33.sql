-- A database of schema 33, as commit 3067753 made it: `pg_dump --inserts --no-owner` of PostgreSQL 15, without comments and without
-- the base conformance resources. test/core/storage/upgrade.test.ts upgrades it.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA andiron;
CREATE SCHEMA andiron_migration;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;
COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';
CREATE FUNCTION andiron.add_async_job(p_space integer, p_id text, p_repeatable boolean, p_kept integer, p_most integer, p_request jsonb, p_body text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'a request must stay in the space of its connection'
          using errcode = 'insufficient_privilege';
      end if;
      perform pg_advisory_xact_lock(hashtextextended('andiron async jobs ' || v_tenant, 0));
      if (select count(*) from andiron.async_job j where j.tenant = v_tenant) >= p_most then
        return false;
      end if;
      insert into andiron.async_job (space, id, tenant, repeatable, expires, request, body)
      values (p_space, p_id, v_tenant, p_repeatable, now() + p_kept * interval '1 millisecond', p_request, p_body);
      return true;
    end
    $$;
CREATE FUNCTION andiron.attend(p_process text, p_forgotten bigint) RETURNS TABLE(number bigint, spaces integer[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    begin
      insert into andiron.server_process as s (id, beat, forgotten) values (p_process, now(), p_forgotten)
      on conflict (id) do update set beat = excluded.beat, forgotten = excluded.forgotten
        where s.forgotten <> excluded.forgotten or s.beat < excluded.beat - interval '5 seconds';
      return query
        select e.number, e.spaces from andiron.erasure e where e.number > p_forgotten order by e.number limit 1000;
    end
    $$;
CREATE FUNCTION andiron.claim_resources(p_space integer, p_type smallint[], p_key bigint[], p_is_made boolean[]) RETURNS TABLE(member integer, version integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
    $$;
CREATE FUNCTION andiron.compare_search_parameters() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    begin
      if coalesce(nullif(current_setting('andiron.search_parameters', true), ''), '0')::int
         <> new.search_parameters then
        raise exception 'the search parameters of tenant % have changed', new.tenant using errcode = 'AN002';
      end if;
      return null;
    end
    $$;
CREATE FUNCTION andiron.count_search_parameters(p_space integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
      v_change int;
    begin
      update andiron.change_counter c set search_parameters = c.search_parameters + 1
      where c.tenant = v_tenant returning c.search_parameters into v_change;
      update andiron.tenant t set search_parameters = v_change where t.number = v_tenant;
      return v_change;
    end
    $$;
CREATE FUNCTION andiron.forget_full_buckets(p_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_count int;
    begin
      delete from andiron.token_bucket b
      where b.key in (
        select f.key from andiron.token_bucket f where f.full_at < clock_timestamp() - interval '1 minute'
        limit p_most for update skip locked);
      get diagnostics v_count = row_count;
      return v_count;
    end
    $$;
CREATE FUNCTION andiron.have_access_records() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
      select exists (select 1 from andiron.access_record)
    $$;
CREATE FUNCTION andiron.have_async_jobs() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
      select exists (select 1 from andiron.async_job j where j.state <> 'done')
          or exists (select 1 from andiron.async_job j where j.expires < now())
    $$;
CREATE FUNCTION andiron.last_erasure() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
      select coalesce((select e.number from andiron.erasure e order by e.number desc limit 1), 0)
    $$;
CREATE FUNCTION andiron.leave(p_process text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
      delete from andiron.server_process s where s.id = p_process
    $$;
CREATE FUNCTION andiron.lock_resource(p_space integer, p_type smallint, p_key bigint) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_version int;
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int then
        raise exception 'a lock must stay in the space of its connection' using errcode = 'insufficient_privilege';
      end if;
      select r.version into v_version from andiron.resource r
      where r.space = p_space and r.resource_type = p_type and r.resource_key = p_key
      for update;
      return v_version;
    end
    $$;
CREATE FUNCTION andiron.note_rows_made_with(p_space integer, p_release text[], p_rule text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'a note must stay in the space of its connection' using errcode = 'insufficient_privilege';
      end if;
      update andiron.space s set rows_made_with = s.rows_made_with || x.rule
      from unnest(p_release, p_rule) as x (release, rule)
      where s.number = p_space and s.release = x.release and not x.rule = any (s.rows_made_with);
    end
    $$;
CREATE FUNCTION andiron.own_tenant() RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
      select s.tenant from andiron.space s
      where s.number = nullif(current_setting('andiron.space', true), '')::int
    $$;
CREATE FUNCTION andiron.register_search_parameters(p_space integer, p_owner text, p_pairs jsonb) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_pair record;
      v_number int;
      v_changes int;
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'search parameters must stay in the space of their connection'
          using errcode = 'insufficient_privilege';
      end if;
      update andiron.search_parameter p
         set state = 'removing', pending = true, changed = now(), after_key = null, indexed = 0, failure = null
       where p.space = p_space and p.owner = p_owner and p.state <> 'removing'
         and not exists (
           select 1
           from jsonb_to_recordset(p_pairs) as x (resource_type smallint, code text, url text, definition jsonb)
           where x.resource_type = p.resource_type and x.code = p.code and x.url = p.url
             and x.definition = p.definition);
      get diagnostics v_changes = row_count;
      for v_pair in
        select x.*
        from jsonb_to_recordset(p_pairs) as x (resource_type smallint, code text, url text, definition jsonb)
        where not exists (
          select 1 from andiron.search_parameter p
          where p.space = p_space and p.owner = p_owner and p.state <> 'removing'
            and p.resource_type = x.resource_type and p.code = x.code)
      loop
        v_changes := v_changes + 1;
        update andiron.space s set last_parameter = s.last_parameter + 1 where s.number = p_space
        returning s.last_parameter into v_number;
        insert into andiron.search_parameter
          (space, number, resource_type, slot, code, url, owner, state, pending, definition)
          select p_space, v_number, v_pair.resource_type, min(f.slot), v_pair.code, v_pair.url, p_owner, 'indexing',
                 true, v_pair.definition
          from generate_series(0, 1000) as f (slot)
          where not exists (
            select 1 from andiron.search_parameter p
            where p.space = p_space and p.resource_type = v_pair.resource_type and p.slot = f.slot);
      end loop;
      if v_changes = 0 then
        return null;
      end if;
      return andiron.count_search_parameters(p_space);
    end
    $$;
CREATE FUNCTION andiron.remove_async_job(p_space integer, p_id text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'a request must stay in the space of its connection'
          using errcode = 'insufficient_privilege';
      end if;
      delete from andiron.async_job j where j.space = p_space and j.id = p_id;
      return found;
    end
    $$;
CREATE FUNCTION andiron.require(p_holds boolean) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
    begin
      if p_holds is not true then
        raise exception 'what a transaction relies on does not hold' using errcode = 'AN006';
      end if;
      return true;
    end
    $$;
CREATE FUNCTION andiron.require_quota(p_space integer, p_more_resources bigint, p_more_bytes bigint, p_resources bigint, p_bytes bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    declare
      v_max_resources text;
      v_max_bytes text;
    begin
      select coalesce(t.settings ->> 'quota-resources', current_setting('andiron.quota_resources', true)),
             coalesce(t.settings ->> 'quota-bytes', current_setting('andiron.quota_bytes', true))
        into v_max_resources, v_max_bytes
        from andiron.space s join andiron.tenant t on t.number = s.tenant
       where s.number = p_space and s.kind = 'data';
      if p_more_resources > 0 and v_max_resources ~ '^[0-9]{1,15}$' and p_resources > v_max_resources::bigint then
        raise exception 'the tenant has as many resources as it may have' using errcode = 'AN004';
      end if;
      if p_more_bytes > 0 and v_max_bytes ~ '^[0-9]{1,15}$' and p_bytes > v_max_bytes::bigint then
        raise exception 'the tenant keeps as many bytes as it may keep' using errcode = 'AN005';
      end if;
    end
    $_$;
CREATE FUNCTION andiron.require_targets(p_space integer, p_type smallint[], p_key bigint[], p_version integer[], p_is_lenient boolean) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_base constant int := (
        select b.number from andiron.space s join andiron.space b on b.tenant is null and b.release = s.release
        where s.number = p_space);
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
        if not found and not p_is_lenient and not exists (
          select 1 from andiron.resource r
          where r.space = v_base and r.resource_type = v_target.resource_type
            and r.resource_key = v_target.resource_key and not r.deleted)
        then
          raise exception 'a reference points to nothing' using errcode = 'AN003';
        end if;
      end loop;
      return p_space;
    end
    $$;
CREATE FUNCTION andiron.restart_search_parameters(p_space integer, p_owner text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_restarted int;
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'search parameters must stay in the space of their connection'
          using errcode = 'insufficient_privilege';
      end if;
      update andiron.search_parameter p
         set pending = true, changed = now(), after_key = null, indexed = 0, failure = null
       where p.space = p_space and p.state <> 'removing' and (p_owner is null or p.owner = p_owner);
      get diagnostics v_restarted = row_count;
      return v_restarted;
    end
    $$;
CREATE FUNCTION andiron.strings_containing(p_space integer, p_parameter integer, p_pattern text) RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int then
        raise exception 'a search must stay in the space of its connection' using errcode = 'insufficient_privilege';
      end if;
      return query
        select t.resource_key from andiron.string_index t
        where t.space = p_space and t.parameter = p_parameter and t.value like p_pattern;
    end
    $$;
CREATE FUNCTION andiron.take_tokens(p_key text, p_quota double precision, p_window_ms double precision, p_asked integer, p_wanted integer, p_returned integer, p_known double precision, p_share integer) RETURNS TABLE(granted integer, tokens double precision)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_now timestamptz;
      v_bucket record;
      v_tokens float8;
      v_granted int;
    begin
      insert into andiron.token_bucket as b (key, tokens, told, full_at)
      values (p_key, p_quota, clock_timestamp(), clock_timestamp())
      on conflict (key) do nothing;
      select b.tokens, b.told into v_bucket from andiron.token_bucket b where b.key = p_key for update;
      v_now := clock_timestamp();
      v_tokens := v_bucket.tokens
        + greatest(0, extract(epoch from v_now - v_bucket.told) * 1000) * p_quota / p_window_ms;
      v_tokens := least(p_quota, least(v_tokens, p_quota, p_known) + p_returned);
      v_granted := greatest(0, least(floor(v_tokens), greatest(p_asked, least(p_wanted, floor(v_tokens / p_share)))));
      v_tokens := greatest(-p_quota * greatest(1, 600000 / p_window_ms), v_tokens - v_granted);
      update andiron.token_bucket b
         set tokens = v_tokens, told = v_now,
             full_at = v_now + ((p_quota - v_tokens) * p_window_ms / p_quota) * interval '1 millisecond'
       where b.key = p_key;
      return query select v_granted, v_tokens;
    end
    $$;
CREATE FUNCTION andiron.tenant_usage(p_tenant integer) RETURNS TABLE(resources bigint, bytes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
      select c.resources, c.bytes from andiron.change_counter c where c.tenant = p_tenant
    $$;
CREATE FUNCTION andiron.uncount_versions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    begin
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
    $$;
CREATE FUNCTION andiron.use_assertion(p_space integer, p_hash bytea, p_expires timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    declare
      v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or v_tenant is null then
        raise exception 'an assertion must stay in the space of its connection'
          using errcode = 'insufficient_privilege';
      end if;
      delete from andiron.used_assertion u where (u.tenant, u.hash) in (
        select o.tenant, o.hash from andiron.used_assertion o
        where o.tenant = v_tenant and o.expires < now()
        order by o.expires limit 100 for update skip locked);
      insert into andiron.used_assertion (tenant, hash, expires) values (v_tenant, p_hash, p_expires)
      on conflict do nothing;
      return found;
    end
    $$;
CREATE FUNCTION andiron.write_versions(p_space integer, p_type smallint[], p_key bigint[], p_expected integer[], p_change smallint[], p_id text[], p_old_sort_date bigint[], p_sort_date bigint[], p_presence bytea[], p_meta_offset integer[], p_author text[], p_body text[], p_target_key bigint[], p_target_end integer[], p_token_member integer[], p_token_parameter integer[], p_token_value bigint[], p_token_system integer[], p_reference_member integer[], p_reference_parameter integer[], p_reference_key bigint[], p_reference_type smallint[], p_range_member integer[], p_range_parameter integer[], p_range_qualifier bigint[], p_range_qualifier_system integer[], p_range_low double precision[], p_range_high double precision[], p_range_unit_system integer[], p_range_unit_code integer[], p_range_unit_name integer[], p_range_extremes smallint[], p_string_member integer[], p_string_parameter integer[], p_string_value text[], p_string_exact integer[], p_string_extremes smallint[], p_uri_member integer[], p_uri_parameter integer[], p_uri_value text[], p_uri_version text[], p_has_removals boolean) RETURNS TABLE(member integer, version integer, last_updated bigint, sequence integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
      v_more_resources bigint := 0;
      v_more_bytes bigint;
      v_has_quota boolean;
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
             where m.expected > 0 and h.ctid = found.place and h.version = m.expected
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
          select p_space, p_range_parameter[x.place], p_range_qualifier[x.place], p_range_qualifier_system[x.place], p_range_low[x.place],
                 p_range_high[x.place], p_key[p_range_member[x.place]], p_range_unit_system[x.place],
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

      -- Base conformance resources appear in no history or feed; all have the sequence 0.
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
         where s.number = p_space and c.tenant = s.counter and c.last_sequence <= 2147483647 - v_written
        returning c.last_sequence - v_written, c.resources, c.bytes,
                  s.kind = 'data' and coalesce(
                    t.settings ->> 'quota-resources', t.settings ->> 'quota-bytes',
                    current_setting('andiron.quota_resources', true), current_setting('andiron.quota_bytes', true)
                  ) is not null
          into v_sequence, v_resources, v_bytes, v_has_quota;
        if not found then
          raise exception 'the version sequence of space % is used up', p_space using errcode = 'AN001';
        end if;
        if v_has_quota then
          perform andiron.require_quota(p_space, v_more_resources, v_more_bytes, v_resources, v_bytes);
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
    $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE andiron.access_record (
    space integer NOT NULL,
    batch bigint NOT NULL,
    records integer NOT NULL,
    accesses text NOT NULL
);
ALTER TABLE ONLY andiron.access_record ALTER COLUMN accesses SET STORAGE EXTERNAL;
CREATE TABLE andiron.async_job (
    space integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    tenant integer NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    repeatable boolean NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    expires timestamp with time zone NOT NULL,
    worker text,
    beat timestamp with time zone,
    runs integer DEFAULT 0 NOT NULL,
    request jsonb NOT NULL,
    body text,
    status integer,
    answer text,
    CONSTRAINT async_job_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text])))
);
CREATE TABLE andiron.change_counter (
    tenant integer NOT NULL,
    last_sequence integer DEFAULT 0 NOT NULL,
    search_parameters integer DEFAULT 0 NOT NULL,
    resources bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='10');
CREATE TABLE andiron.client_application (
    tenant integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    policies text[] DEFAULT '{}'::text[] NOT NULL,
    administrator boolean DEFAULT false NOT NULL,
    auditor boolean DEFAULT false NOT NULL,
    jwks jsonb,
    jwks_url text,
    redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
    public boolean DEFAULT false NOT NULL,
    id_token_algorithm text DEFAULT 'RS256'::text NOT NULL,
    CONSTRAINT known_id_token_algorithm CHECK ((id_token_algorithm = ANY (ARRAY['RS256'::text, 'ES256'::text])))
);
CREATE TABLE andiron.client_secret (
    tenant integer NOT NULL,
    client text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    expires timestamp with time zone
);
CREATE TABLE andiron.erasure (
    number bigint NOT NULL,
    spaces integer[] NOT NULL,
    made timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE andiron.erasure ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME andiron.erasure_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE andiron.access_record ALTER COLUMN batch ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME andiron.gathered_record_batch_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE andiron.installation (
    only_row boolean DEFAULT true NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    hash_key bytea NOT NULL,
    cursor_key bytea NOT NULL,
    definitions_digest text,
    created timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT installation_only_row_check CHECK (only_row)
);
CREATE TABLE andiron.launch_context (
    tenant integer NOT NULL,
    hash bytea NOT NULL,
    client text NOT NULL COLLATE pg_catalog."C",
    release text NOT NULL,
    patient text,
    encounter text,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE andiron.range_index (
    space integer NOT NULL,
    parameter integer NOT NULL,
    qualifier bigint NOT NULL,
    low double precision NOT NULL,
    high double precision NOT NULL,
    resource_key bigint NOT NULL,
    unit_system integer NOT NULL,
    unit_code integer NOT NULL,
    unit_name integer NOT NULL,
    extremes smallint NOT NULL,
    qualifier_system integer NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE andiron.reference_index (
    space integer NOT NULL,
    parameter integer NOT NULL,
    target_key bigint NOT NULL,
    sort_date bigint NOT NULL,
    resource_key bigint NOT NULL,
    target_type smallint NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE andiron.resource (
    space integer NOT NULL,
    resource_type smallint NOT NULL,
    deleted boolean NOT NULL,
    resource_key bigint NOT NULL,
    last_updated bigint NOT NULL,
    sort_date bigint NOT NULL,
    version integer NOT NULL,
    id text COLLATE pg_catalog."C",
    presence bytea NOT NULL,
    target_keys bigint[] DEFAULT '{}'::bigint[] NOT NULL
)
WITH (fillfactor='85', autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE andiron.resource_version (
    space integer NOT NULL,
    version integer NOT NULL,
    resource_key bigint NOT NULL,
    last_updated bigint NOT NULL,
    sequence integer NOT NULL,
    meta_offset integer NOT NULL,
    resource_type smallint NOT NULL,
    change smallint NOT NULL,
    id text COLLATE pg_catalog."C",
    author text,
    body text
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE andiron.search_parameter (
    space integer NOT NULL,
    number integer NOT NULL,
    resource_type smallint NOT NULL,
    slot smallint NOT NULL,
    code text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    pending boolean NOT NULL,
    changed timestamp with time zone DEFAULT now() NOT NULL,
    after_key bigint,
    resources integer DEFAULT 0 NOT NULL,
    indexed integer DEFAULT 0 NOT NULL,
    failure text,
    definition jsonb NOT NULL,
    CONSTRAINT search_parameter_number_check CHECK (((number >= 100000) AND (number <= 999999))),
    CONSTRAINT search_parameter_state_check CHECK ((state = ANY (ARRAY['indexing'::text, 'active'::text, 'removing'::text])))
);
CREATE TABLE andiron.server_process (
    id text NOT NULL COLLATE pg_catalog."C",
    beat timestamp with time zone NOT NULL,
    forgotten bigint NOT NULL
);
CREATE TABLE andiron.signing_key (
    tenant integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    algorithm text NOT NULL,
    public_key jsonb NOT NULL,
    private_key jsonb NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    retired timestamp with time zone
);
CREATE TABLE andiron.space (
    number integer NOT NULL,
    tenant integer,
    release text NOT NULL,
    rows_made_with text[] DEFAULT '{}'::text[] NOT NULL,
    last_parameter integer DEFAULT 99999 NOT NULL,
    kind text DEFAULT 'data'::text NOT NULL,
    counter integer GENERATED ALWAYS AS (
CASE
    WHEN (kind = 'audit'::text) THEN (- number)
    ELSE tenant
END) STORED,
    unversioned_changes integer DEFAULT 0 NOT NULL,
    purged_to integer DEFAULT 0 NOT NULL,
    CONSTRAINT space_kind_check CHECK ((kind = ANY (ARRAY['data'::text, 'audit'::text])))
);
ALTER TABLE andiron.space ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME andiron.space_number_seq
    START WITH 3
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE andiron.string_index (
    space integer NOT NULL,
    parameter integer NOT NULL,
    resource_key bigint NOT NULL,
    exact_hash integer NOT NULL,
    extremes smallint NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C"
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE andiron.tenant (
    number integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'active'::text NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    search_parameters integer DEFAULT 0 NOT NULL,
    display text,
    policies jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT tenant_display_check CHECK (((length(display) >= 1) AND (length(display) <= 200))),
    CONSTRAINT tenant_name_check CHECK ((name ~ '^[a-z0-9-]{1,63}$'::text)),
    CONSTRAINT tenant_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text)),
    CONSTRAINT tenant_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'importing'::text, 'deleting'::text])))
);
ALTER TABLE andiron.tenant ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME andiron.tenant_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE andiron.token_bucket (
    key text NOT NULL COLLATE pg_catalog."C",
    tokens double precision NOT NULL,
    told timestamp with time zone NOT NULL,
    full_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE andiron.token_index (
    space integer NOT NULL,
    parameter integer NOT NULL,
    value_hash bigint NOT NULL,
    sort_date bigint NOT NULL,
    resource_key bigint NOT NULL,
    system_hash integer NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE andiron.token_issuer (
    tenant integer NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    client text NOT NULL COLLATE pg_catalog."C",
    audience text NOT NULL,
    jwks_url text NOT NULL,
    scope_claim text DEFAULT 'scope'::text NOT NULL,
    scope_map jsonb,
    user_claim text DEFAULT 'fhirUser'::text NOT NULL,
    patient_claim text DEFAULT 'patient'::text NOT NULL
);
CREATE TABLE andiron.uri_index (
    space integer NOT NULL,
    parameter integer NOT NULL,
    resource_key bigint NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C"
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');
CREATE TABLE andiron.used_assertion (
    tenant integer NOT NULL,
    hash bytea NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE andiron.user_account (
    tenant integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    display text NOT NULL,
    hash text NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    release text NOT NULL,
    fhir_user text,
    patient text,
    created timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE andiron.user_grant (
    tenant integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    client text NOT NULL COLLATE pg_catalog."C",
    account text NOT NULL COLLATE pg_catalog."C",
    release text NOT NULL,
    scopes text[] NOT NULL,
    fhir_user text,
    patient text,
    encounter text,
    nonce text,
    redirect_uri text NOT NULL,
    signed_in timestamp with time zone NOT NULL,
    session bytea,
    code bytea NOT NULL,
    code_challenge text NOT NULL,
    code_expires timestamp with time zone NOT NULL,
    code_used boolean DEFAULT false NOT NULL,
    refresh_family bytea,
    refresh_current bytea,
    expires timestamp with time zone NOT NULL,
    revoked boolean DEFAULT false NOT NULL
);
CREATE TABLE andiron.user_session (
    tenant integer NOT NULL,
    hash bytea NOT NULL,
    account text NOT NULL COLLATE pg_catalog."C",
    began timestamp with time zone DEFAULT now() NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE andiron_migration.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE andiron_migration.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
INSERT INTO andiron.change_counter VALUES (-5, 0, 0, 0, 0);
INSERT INTO andiron.change_counter VALUES (-6, 0, 0, 0, 0);
INSERT INTO andiron.change_counter VALUES (1, 4, 2, 3, 800);
INSERT INTO andiron.installation VALUES (true, '599ff6fe-bfdf-4ee6-802e-6d916edd7f1b', '\x4013c3632e764b36a498802df93526b2', '\x4a67b513cb8747e7adf63bbf2951609ef83e6a61a6f548a2a1893daa2ba6e26a', NULL, '2026-11-25 18:32:21.705387+00');
INSERT INTO andiron.range_index VALUES (3, 2236, 0, -273542400000, -273456000000, -1432271303300801781, 0, 0, 0, 3, 0);
INSERT INTO andiron.range_index VALUES (3, 2072, 6396484434328814807, 72.5, 72.5, -4032425202230020675, 1022450025, 199158878, 0, 0, 1312237101);
INSERT INTO andiron.range_index VALUES (3, 2002072, -3830304282997221100, 72500, 72500, -4032425202230020675, 0, -953197185, 0, 0, 1312237101);
INSERT INTO andiron.range_index VALUES (3, 2087, 0, 1459123200000, 1459209600000, -4032425202230020675, 0, 0, 0, 3, 0);
INSERT INTO andiron.range_index VALUES (3, 2107, 0, 72.5, 72.5, -4032425202230020675, 1022450025, 199158878, 0, 3, 0);
INSERT INTO andiron.range_index VALUES (3, 2002107, 1142854983530540300, 72500, 72500, -4032425202230020675, 0, -953197185, 0, 0, 0);
INSERT INTO andiron.reference_index VALUES (3, 2104, -1432271303300801781, 1459123200000, -4032425202230020675, 130);
INSERT INTO andiron.resource VALUES (3, 122, false, -4032425202230020675, 1795631579295, 1459123200000, 1, 'weight', '\x0c209580009009', '{-1432271303300801781}');
INSERT INTO andiron.resource VALUES (3, 161, false, -8126869170864014464, 1795631579408, -9223372036854775808, 1, 'mark', '\x0c0c500d', '{}');
INSERT INTO andiron.resource VALUES (3, 130, false, -1432271303300801781, 1795631578932, -273542400000, 2, 'ward-1', '\x0c00a88414', '{}');
INSERT INTO andiron.resource_version VALUES (3, 1, -1432271303300801781, 1795631578826, 1, 48, 130, 2, 'ward-1', NULL, '{"resourceType":"Patient","id":"ward-1","meta":{},"name":[{"family":"Müller","given":["Ada"]}],"birthDate":"1961-05-02"}');
INSERT INTO andiron.resource_version VALUES (3, 2, -1432271303300801781, 1795631578932, 2, 48, 130, 2, 'ward-1', NULL, '{"resourceType":"Patient","id":"ward-1","meta":{},"name":[{"family":"Müller-Lüdenscheidt","given":["Ada"]}],"birthDate":"1961-05-02"}');
INSERT INTO andiron.resource_version VALUES (3, 1, -4032425202230020675, 1795631579295, 3, 52, 122, 2, 'weight', NULL, '{"resourceType":"Observation","id":"weight","meta":{},"status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]},"subject":{"reference":"Patient/ward-1"},"effectiveDateTime":"2016-03-28","valueQuantity":{"value":72.5,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}}');
INSERT INTO andiron.resource_version VALUES (3, 1, -8126869170864014464, 1795631579408, 4, 54, 161, 2, 'mark', NULL, '{"resourceType":"SearchParameter","id":"mark","meta":{},"url":"https://fhir.example/SearchParameter/mark","name":"mark","status":"active","description":"d","code":"mark","base":["Patient"],"type":"string","expression":"Patient.name.family"}');
INSERT INTO andiron.search_parameter VALUES (3, 100000, 130, 0, 'mark', 'https://fhir.example/SearchParameter/mark', 'mark', 'active', false, '2026-11-25 18:32:59.396006+00', -1432271303300801781, 1, 1, NULL, '{"kind": "string", "targets": [], "modifiers": [], "components": [], "expression": "Patient.name.family", "multipleOr": true, "comparators": [], "multipleAnd": true}');
INSERT INTO andiron.space OVERRIDING SYSTEM VALUE VALUES (1, NULL, 'r4', '{}', 99999, 'data', DEFAULT, 0, 0);
INSERT INTO andiron.space OVERRIDING SYSTEM VALUE VALUES (2, NULL, 'r4b', '{}', 99999, 'data', DEFAULT, 0, 0);
INSERT INTO andiron.space OVERRIDING SYSTEM VALUE VALUES (4, 1, 'r4b', '{}', 99999, 'data', DEFAULT, 0, 0);
INSERT INTO andiron.space OVERRIDING SYSTEM VALUE VALUES (5, 1, 'r4', '{}', 99999, 'audit', DEFAULT, 0, 0);
INSERT INTO andiron.space OVERRIDING SYSTEM VALUE VALUES (6, 1, 'r4b', '{}', 99999, 'audit', DEFAULT, 0, 0);
INSERT INTO andiron.space OVERRIDING SYSTEM VALUE VALUES (3, 1, 'r4', '{"rows 10, fold table 1, definitions bb77f8297b261800, PUBLIC_URL unset"}', 100000, 'data', DEFAULT, 1, 0);
INSERT INTO andiron.string_index VALUES (3, 2243, -1432271303300801781, -439598201, 7, 'ada');
INSERT INTO andiron.string_index VALUES (3, 2248, -1432271303300801781, -439598201, 5, 'ada');
INSERT INTO andiron.string_index VALUES (3, 2240, -1432271303300801781, -606541447, 7, 'muller ludenscheidt');
INSERT INTO andiron.string_index VALUES (3, 2240, -1432271303300801781, -606541447, 0, 'ludenscheidt');
INSERT INTO andiron.string_index VALUES (3, 2248, -1432271303300801781, -606541447, 6, 'muller ludenscheidt');
INSERT INTO andiron.string_index VALUES (3, 2248, -1432271303300801781, -606541447, 0, 'ludenscheidt');
INSERT INTO andiron.string_index VALUES (3, 2735, -8126869170864014464, -1469024559, 7, 'd');
INSERT INTO andiron.string_index VALUES (3, 2737, -8126869170864014464, 204332635, 7, 'mark');
INSERT INTO andiron.string_index VALUES (3, 100000, -1432271303300801781, -606541447, 7, 'muller ludenscheidt');
INSERT INTO andiron.string_index VALUES (3, 100000, -1432271303300801781, -606541447, 0, 'ludenscheidt');
INSERT INTO andiron.tenant OVERRIDING SYSTEM VALUE VALUES (1, 'system', 'active', '2026-11-25 18:32:21.705387+00', '{}', 2, NULL, '{}');
INSERT INTO andiron.token_index VALUES (3, 2238, -8311906835364739698, -273542400000, -1432271303300801781, 0);
INSERT INTO andiron.token_index VALUES (3, 2069, -2482088003064259114, 1459123200000, -4032425202230020675, 1312237101);
INSERT INTO andiron.token_index VALUES (3, 2103, 8713264992679698007, 1459123200000, -4032425202230020675, 2132753297);
INSERT INTO andiron.token_index VALUES (3, 2725, 7008161645785223772, -9223372036854775808, -8126869170864014464, -1905515280);
INSERT INTO andiron.token_index VALUES (3, 2726, 7290587440601923837, -9223372036854775808, -8126869170864014464, 0);
INSERT INTO andiron.token_index VALUES (3, 2739, -7047892595620154781, -9223372036854775808, -8126869170864014464, 2122405087);
INSERT INTO andiron.token_index VALUES (3, 2741, 454483708804113874, -9223372036854775808, -8126869170864014464, -226848555);
INSERT INTO andiron.uri_index VALUES (3, 2742, -8126869170864014464, 'https://fhir.example/SearchParameter/mark', '');
INSERT INTO andiron_migration.kysely_migration VALUES ('0001-foundation', '2026-11-25T18:32:21.867Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0002-write-versions', '2026-11-25T18:32:21.901Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0003-rows-made-with', '2026-11-25T18:32:21.908Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0004-tenant-settings', '2026-11-25T18:32:21.914Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0005-search-across-resources', '2026-11-25T18:32:21.996Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0006-search-parameters', '2026-11-25T18:32:22.029Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0008-history-of-all', '2026-11-25T18:32:22.034Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0011-async-jobs', '2026-11-25T18:32:22.046Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0012-claim-resources', '2026-11-25T18:32:22.049Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0013-referential-integrity', '2026-11-25T18:32:22.053Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0014-async-job-functions', '2026-11-25T18:32:22.059Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0015-client-applications', '2026-11-25T18:32:22.096Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0017-audit', '2026-11-25T18:32:22.123Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0018-tenant-life', '2026-11-25T18:32:22.140Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0019-token-buckets', '2026-11-25T18:32:22.147Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0020-unversioned-changes', '2026-11-25T18:32:22.149Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0021-purged-sequences', '2026-11-25T18:32:22.150Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0022-quotas', '2026-11-25T18:32:22.170Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0023-policies', '2026-11-25T18:32:22.172Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0025-owed-tokens', '2026-11-25T18:32:22.173Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0026-sign-in', '2026-11-25T18:32:22.199Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0027-quota-of-few', '2026-11-25T18:32:22.207Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0028-gathered-records', '2026-11-25T18:32:22.214Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0029-id-token-algorithm', '2026-11-25T18:32:22.215Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0030-requirement', '2026-11-25T18:32:22.217Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0031-short-trigram-list', '2026-11-25T18:32:22.217Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0032-rows-by-place', '2026-11-25T18:32:22.230Z');
INSERT INTO andiron_migration.kysely_migration VALUES ('0033-composite-systems', '2026-11-25T18:32:22.237Z');
INSERT INTO andiron_migration.kysely_migration_lock VALUES ('migration_lock', 0);
SELECT pg_catalog.setval('andiron.erasure_number_seq', 1, false);
SELECT pg_catalog.setval('andiron.gathered_record_batch_seq', 1, false);
SELECT pg_catalog.setval('andiron.space_number_seq', 6, true);
SELECT pg_catalog.setval('andiron.tenant_number_seq', 1, true);
ALTER TABLE ONLY andiron.access_record
    ADD CONSTRAINT access_record_pkey PRIMARY KEY (space, batch);
ALTER TABLE ONLY andiron.async_job
    ADD CONSTRAINT async_job_pkey PRIMARY KEY (space, id);
ALTER TABLE ONLY andiron.change_counter
    ADD CONSTRAINT change_counter_pkey PRIMARY KEY (tenant);
ALTER TABLE ONLY andiron.client_application
    ADD CONSTRAINT client_application_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY andiron.client_secret
    ADD CONSTRAINT client_secret_pkey PRIMARY KEY (tenant, client, id);
ALTER TABLE ONLY andiron.erasure
    ADD CONSTRAINT erasure_pkey PRIMARY KEY (number);
ALTER TABLE ONLY andiron.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY andiron.launch_context
    ADD CONSTRAINT launch_context_pkey PRIMARY KEY (tenant, hash);
ALTER TABLE ONLY andiron.resource
    ADD CONSTRAINT resource_pkey PRIMARY KEY (space, resource_type, resource_key);
ALTER TABLE ONLY andiron.resource_version
    ADD CONSTRAINT resource_version_pkey PRIMARY KEY (space, resource_type, resource_key, version);
ALTER TABLE ONLY andiron.search_parameter
    ADD CONSTRAINT search_parameter_pkey PRIMARY KEY (space, number);
ALTER TABLE ONLY andiron.server_process
    ADD CONSTRAINT server_process_pkey PRIMARY KEY (id);
ALTER TABLE ONLY andiron.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY andiron.space
    ADD CONSTRAINT space_pkey PRIMARY KEY (number);
ALTER TABLE ONLY andiron.space
    ADD CONSTRAINT space_tenant_release_kind_key UNIQUE NULLS NOT DISTINCT (tenant, release, kind);
ALTER TABLE ONLY andiron.tenant
    ADD CONSTRAINT tenant_name_key UNIQUE (name);
ALTER TABLE ONLY andiron.tenant
    ADD CONSTRAINT tenant_pkey PRIMARY KEY (number);
ALTER TABLE ONLY andiron.token_bucket
    ADD CONSTRAINT token_bucket_pkey PRIMARY KEY (key);
ALTER TABLE ONLY andiron.token_issuer
    ADD CONSTRAINT token_issuer_pkey PRIMARY KEY (tenant, issuer);
ALTER TABLE ONLY andiron.used_assertion
    ADD CONSTRAINT used_assertion_pkey PRIMARY KEY (tenant, hash);
ALTER TABLE ONLY andiron.user_account
    ADD CONSTRAINT user_account_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY andiron.user_account
    ADD CONSTRAINT user_account_tenant_name_key UNIQUE (tenant, name);
ALTER TABLE ONLY andiron.user_grant
    ADD CONSTRAINT user_grant_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY andiron.user_grant
    ADD CONSTRAINT user_grant_tenant_code_key UNIQUE (tenant, code);
ALTER TABLE ONLY andiron.user_grant
    ADD CONSTRAINT user_grant_tenant_refresh_family_key UNIQUE (tenant, refresh_family);
ALTER TABLE ONLY andiron.user_session
    ADD CONSTRAINT user_session_pkey PRIMARY KEY (tenant, hash);
ALTER TABLE ONLY andiron_migration.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY andiron_migration.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
CREATE INDEX async_job_by_expiry ON andiron.async_job USING btree (expires);
CREATE INDEX async_job_by_tenant ON andiron.async_job USING btree (tenant);
CREATE INDEX async_job_open ON andiron.async_job USING btree (created) WHERE (state <> 'done'::text);
CREATE INDEX launch_context_by_client ON andiron.launch_context USING btree (tenant, client);
CREATE INDEX launch_context_by_expiry ON andiron.launch_context USING btree (tenant, expires);
CREATE INDEX range_index_by_low ON andiron.range_index USING btree (space, parameter, qualifier, low, resource_key) INCLUDE (high, qualifier_system, extremes);
CREATE INDEX reference_index_by_target ON andiron.reference_index USING btree (space, parameter, target_key, sort_date, resource_key, target_type);
CREATE INDEX resource_by_last_updated ON andiron.resource USING btree (space, resource_type, last_updated, resource_key) WHERE (NOT deleted);
CREATE INDEX resource_version_by_sequence ON andiron.resource_version USING btree (space, resource_type, sequence);
CREATE INDEX resource_version_by_space_sequence ON andiron.resource_version USING btree (space, sequence);
CREATE UNIQUE INDEX search_parameter_by_code ON andiron.search_parameter USING btree (space, resource_type, code) WHERE (state <> 'removing'::text);
CREATE UNIQUE INDEX search_parameter_by_slot ON andiron.search_parameter USING btree (space, resource_type, slot);
CREATE INDEX search_parameter_pending ON andiron.search_parameter USING btree (space, resource_type) WHERE pending;
CREATE INDEX string_index_by_trigram ON andiron.string_index USING gin (space, parameter, value public.gin_trgm_ops) WITH (gin_pending_list_limit='256');
CREATE INDEX string_index_by_value ON andiron.string_index USING btree (space, parameter, value, resource_key);
CREATE INDEX token_index_by_value ON andiron.token_index USING btree (space, parameter, value_hash, sort_date, resource_key, system_hash);
CREATE INDEX uri_index_by_value ON andiron.uri_index USING btree (space, parameter, value, resource_key);
CREATE INDEX used_assertion_by_expiry ON andiron.used_assertion USING btree (tenant, expires);
CREATE INDEX user_grant_by_account ON andiron.user_grant USING btree (tenant, account);
CREATE INDEX user_grant_by_client ON andiron.user_grant USING btree (tenant, client);
CREATE INDEX user_grant_by_expiry ON andiron.user_grant USING btree (tenant, expires);
CREATE INDEX user_session_by_account ON andiron.user_session USING btree (tenant, account);
CREATE INDEX user_session_by_expiry ON andiron.user_session USING btree (tenant, expires);
CREATE TRIGGER compare_search_parameters AFTER UPDATE OF last_sequence ON andiron.change_counter FOR EACH ROW WHEN ((new.search_parameters <> 0)) EXECUTE FUNCTION andiron.compare_search_parameters();
CREATE TRIGGER uncount_versions AFTER DELETE ON andiron.resource_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION andiron.uncount_versions();
ALTER TABLE ONLY andiron.client_application
    ADD CONSTRAINT client_application_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.client_secret
    ADD CONSTRAINT client_secret_tenant_client_fkey FOREIGN KEY (tenant, client) REFERENCES andiron.client_application(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.launch_context
    ADD CONSTRAINT launch_context_tenant_client_fkey FOREIGN KEY (tenant, client) REFERENCES andiron.client_application(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.launch_context
    ADD CONSTRAINT launch_context_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.signing_key
    ADD CONSTRAINT signing_key_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.space
    ADD CONSTRAINT space_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number);
ALTER TABLE ONLY andiron.token_issuer
    ADD CONSTRAINT token_issuer_tenant_client_fkey FOREIGN KEY (tenant, client) REFERENCES andiron.client_application(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.token_issuer
    ADD CONSTRAINT token_issuer_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.used_assertion
    ADD CONSTRAINT used_assertion_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.user_account
    ADD CONSTRAINT user_account_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.user_grant
    ADD CONSTRAINT user_grant_tenant_account_fkey FOREIGN KEY (tenant, account) REFERENCES andiron.user_account(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.user_grant
    ADD CONSTRAINT user_grant_tenant_client_fkey FOREIGN KEY (tenant, client) REFERENCES andiron.client_application(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.user_grant
    ADD CONSTRAINT user_grant_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.user_session
    ADD CONSTRAINT user_session_tenant_account_fkey FOREIGN KEY (tenant, account) REFERENCES andiron.user_account(tenant, id) ON DELETE CASCADE;
ALTER TABLE ONLY andiron.user_session
    ADD CONSTRAINT user_session_tenant_fkey FOREIGN KEY (tenant) REFERENCES andiron.tenant(number) ON DELETE CASCADE;
ALTER TABLE andiron.access_record ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.async_job ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.change_counter ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.client_application ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.client_secret ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.launch_context ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_space ON andiron.access_record FOR INSERT WITH CHECK ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.async_job FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.range_index FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.reference_index FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.resource FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.resource_version FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.search_parameter FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.string_index FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.token_index FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_space ON andiron.uri_index FOR SELECT USING ((space = (NULLIF(current_setting('andiron.space'::text, true), ''::text))::integer));
CREATE POLICY own_tenant ON andiron.client_application FOR SELECT USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
CREATE POLICY own_tenant ON andiron.client_secret FOR SELECT USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
CREATE POLICY own_tenant ON andiron.launch_context USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant))) WITH CHECK ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
CREATE POLICY own_tenant ON andiron.signing_key FOR SELECT USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
CREATE POLICY own_tenant ON andiron.token_issuer FOR SELECT USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
CREATE POLICY own_tenant ON andiron.user_account FOR SELECT USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
CREATE POLICY own_tenant ON andiron.user_grant USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant))) WITH CHECK ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
CREATE POLICY own_tenant ON andiron.user_session USING ((tenant = ( SELECT andiron.own_tenant() AS own_tenant))) WITH CHECK ((tenant = ( SELECT andiron.own_tenant() AS own_tenant)));
ALTER TABLE andiron.range_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.reference_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.resource ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.resource_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.search_parameter ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.signing_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.string_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.token_bucket ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.token_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.token_issuer ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.uri_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.used_assertion ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.user_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.user_grant ENABLE ROW LEVEL SECURITY;
ALTER TABLE andiron.user_session ENABLE ROW LEVEL SECURITY;
GRANT USAGE ON SCHEMA andiron TO andiron_application;
REVOKE ALL ON FUNCTION andiron.add_async_job(p_space integer, p_id text, p_repeatable boolean, p_kept integer, p_most integer, p_request jsonb, p_body text) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.add_async_job(p_space integer, p_id text, p_repeatable boolean, p_kept integer, p_most integer, p_request jsonb, p_body text) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.attend(p_process text, p_forgotten bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.attend(p_process text, p_forgotten bigint) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.claim_resources(p_space integer, p_type smallint[], p_key bigint[], p_is_made boolean[]) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.claim_resources(p_space integer, p_type smallint[], p_key bigint[], p_is_made boolean[]) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.compare_search_parameters() FROM PUBLIC;
REVOKE ALL ON FUNCTION andiron.count_search_parameters(p_space integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION andiron.forget_full_buckets(p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.forget_full_buckets(p_most integer) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.have_access_records() FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.have_access_records() TO andiron_application;
REVOKE ALL ON FUNCTION andiron.have_async_jobs() FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.have_async_jobs() TO andiron_application;
REVOKE ALL ON FUNCTION andiron.last_erasure() FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.last_erasure() TO andiron_application;
REVOKE ALL ON FUNCTION andiron.leave(p_process text) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.leave(p_process text) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.lock_resource(p_space integer, p_type smallint, p_key bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.lock_resource(p_space integer, p_type smallint, p_key bigint) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.note_rows_made_with(p_space integer, p_release text[], p_rule text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.note_rows_made_with(p_space integer, p_release text[], p_rule text[]) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.own_tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.own_tenant() TO andiron_application;
REVOKE ALL ON FUNCTION andiron.register_search_parameters(p_space integer, p_owner text, p_pairs jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.register_search_parameters(p_space integer, p_owner text, p_pairs jsonb) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.remove_async_job(p_space integer, p_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.remove_async_job(p_space integer, p_id text) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.require(p_holds boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.require(p_holds boolean) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.require_quota(p_space integer, p_more_resources bigint, p_more_bytes bigint, p_resources bigint, p_bytes bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION andiron.require_targets(p_space integer, p_type smallint[], p_key bigint[], p_version integer[], p_is_lenient boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.require_targets(p_space integer, p_type smallint[], p_key bigint[], p_version integer[], p_is_lenient boolean) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.restart_search_parameters(p_space integer, p_owner text) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.restart_search_parameters(p_space integer, p_owner text) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.strings_containing(p_space integer, p_parameter integer, p_pattern text) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.strings_containing(p_space integer, p_parameter integer, p_pattern text) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.take_tokens(p_key text, p_quota double precision, p_window_ms double precision, p_asked integer, p_wanted integer, p_returned integer, p_known double precision, p_share integer) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.take_tokens(p_key text, p_quota double precision, p_window_ms double precision, p_asked integer, p_wanted integer, p_returned integer, p_known double precision, p_share integer) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.tenant_usage(p_tenant integer) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.tenant_usage(p_tenant integer) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.uncount_versions() FROM PUBLIC;
REVOKE ALL ON FUNCTION andiron.use_assertion(p_space integer, p_hash bytea, p_expires timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.use_assertion(p_space integer, p_hash bytea, p_expires timestamp with time zone) TO andiron_application;
REVOKE ALL ON FUNCTION andiron.write_versions(p_space integer, p_type smallint[], p_key bigint[], p_expected integer[], p_change smallint[], p_id text[], p_old_sort_date bigint[], p_sort_date bigint[], p_presence bytea[], p_meta_offset integer[], p_author text[], p_body text[], p_target_key bigint[], p_target_end integer[], p_token_member integer[], p_token_parameter integer[], p_token_value bigint[], p_token_system integer[], p_reference_member integer[], p_reference_parameter integer[], p_reference_key bigint[], p_reference_type smallint[], p_range_member integer[], p_range_parameter integer[], p_range_qualifier bigint[], p_range_qualifier_system integer[], p_range_low double precision[], p_range_high double precision[], p_range_unit_system integer[], p_range_unit_code integer[], p_range_unit_name integer[], p_range_extremes smallint[], p_string_member integer[], p_string_parameter integer[], p_string_value text[], p_string_exact integer[], p_string_extremes smallint[], p_uri_member integer[], p_uri_parameter integer[], p_uri_value text[], p_uri_version text[], p_has_removals boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION andiron.write_versions(p_space integer, p_type smallint[], p_key bigint[], p_expected integer[], p_change smallint[], p_id text[], p_old_sort_date bigint[], p_sort_date bigint[], p_presence bytea[], p_meta_offset integer[], p_author text[], p_body text[], p_target_key bigint[], p_target_end integer[], p_token_member integer[], p_token_parameter integer[], p_token_value bigint[], p_token_system integer[], p_reference_member integer[], p_reference_parameter integer[], p_reference_key bigint[], p_reference_type smallint[], p_range_member integer[], p_range_parameter integer[], p_range_qualifier bigint[], p_range_qualifier_system integer[], p_range_low double precision[], p_range_high double precision[], p_range_unit_system integer[], p_range_unit_code integer[], p_range_unit_name integer[], p_range_extremes smallint[], p_string_member integer[], p_string_parameter integer[], p_string_value text[], p_string_exact integer[], p_string_extremes smallint[], p_uri_member integer[], p_uri_parameter integer[], p_uri_value text[], p_uri_version text[], p_has_removals boolean) TO andiron_application;
GRANT INSERT ON TABLE andiron.access_record TO andiron_application;
GRANT SELECT ON TABLE andiron.async_job TO andiron_application;
GRANT SELECT ON TABLE andiron.client_application TO andiron_application;
GRANT SELECT ON TABLE andiron.client_secret TO andiron_application;
GRANT SELECT(definitions_digest) ON TABLE andiron.installation TO andiron_application;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE andiron.launch_context TO andiron_application;
GRANT SELECT ON TABLE andiron.range_index TO andiron_application;
GRANT SELECT ON TABLE andiron.reference_index TO andiron_application;
GRANT SELECT ON TABLE andiron.resource TO andiron_application;
GRANT SELECT ON TABLE andiron.resource_version TO andiron_application;
GRANT SELECT ON TABLE andiron.search_parameter TO andiron_application;
GRANT SELECT(tenant) ON TABLE andiron.signing_key TO andiron_application;
GRANT SELECT(id) ON TABLE andiron.signing_key TO andiron_application;
GRANT SELECT(algorithm) ON TABLE andiron.signing_key TO andiron_application;
GRANT SELECT(public_key) ON TABLE andiron.signing_key TO andiron_application;
GRANT SELECT(created) ON TABLE andiron.signing_key TO andiron_application;
GRANT SELECT(retired) ON TABLE andiron.signing_key TO andiron_application;
GRANT SELECT ON TABLE andiron.space TO andiron_application;
GRANT SELECT ON TABLE andiron.string_index TO andiron_application;
GRANT SELECT ON TABLE andiron.tenant TO andiron_application;
GRANT SELECT ON TABLE andiron.token_index TO andiron_application;
GRANT SELECT ON TABLE andiron.token_issuer TO andiron_application;
GRANT SELECT ON TABLE andiron.uri_index TO andiron_application;
GRANT SELECT ON TABLE andiron.user_account TO andiron_application;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE andiron.user_grant TO andiron_application;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE andiron.user_session TO andiron_application;
