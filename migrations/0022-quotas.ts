import { sql, type Kysely } from 'kysely';

/**
 * What a tenant keeps, and how much it may (docs/limits.md, Quotas).
 *
 * `change_counter.resources` and `bytes`: the resources that are not deleted, and the bytes of the texts of all versions, of
 * both releases. `write_versions` counts them where it takes the sequence, in the row that it holds until its end, so that
 * they are exact; what is purged is taken off by a trigger. `require_quota` raises AN004 (resources) or AN005 (bytes), and
 * nothing of the statement stays. A tenant's own quota is in its settings; the server's defaults are settings of the
 * connection. AuditEvents are counted in rows of their own, and held to nothing: what happened is told whatever else is full.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table andiron.change_counter
      add column resources bigint not null default 0,
      add column bytes bigint not null default 0`.execute(db);
  await sql`
    update andiron.change_counter c set resources = k.resources
    from (
      select s.counter, count(*) as resources
      from andiron.resource r join andiron.space s on s.number = r.space
      where s.tenant is not null and not r.deleted group by s.counter
    ) k where k.counter = c.tenant`.execute(db);
  await sql`
    update andiron.change_counter c set bytes = k.bytes
    from (
      select s.counter, coalesce(sum(octet_length(v.body)), 0) as bytes
      from andiron.resource_version v join andiron.space s on s.number = v.space
      where s.tenant is not null group by s.counter
    ) k where k.counter = c.tenant`.execute(db);

  await sql`
    create function andiron.require_quota(
      p_space int, p_more_resources bigint, p_more_bytes bigint, p_resources bigint, p_bytes bigint
    ) returns void
    language plpgsql
    set search_path = pg_catalog, pg_temp
    as $function$
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
    $function$`.execute(db);
  await sql`revoke execute on function andiron.require_quota from public`.execute(db);

  await replaceInWriteVersions(
    db,
    'v_sequence int;',
    `v_sequence int;
      v_more_resources bigint := 0;
      v_more_bytes bigint;
      v_resources bigint;
      v_bytes bigint;`,
  );
  // What was deleted comes back by any write.
  await replaceInWriteVersions(
    db,
    'select i.ctid as place from andiron.resource i',
    'select i.ctid as place, i.deleted as was_deleted from andiron.resource i',
  );
  await replaceInWriteVersions(
    db,
    'returning m.ordinal, h.version, h.last_updated',
    'returning m.ordinal, h.version, h.last_updated, found.was_deleted, h.deleted',
  );
  await replaceInWriteVersions(
    db,
    'v_updated[v_head.ordinal] := v_head.last_updated;',
    `v_updated[v_head.ordinal] := v_head.last_updated;
            v_more_resources := v_more_resources + v_head.was_deleted::int - v_head.deleted::int;`,
  );
  await replaceInWriteVersions(
    db,
    'update andiron.change_counter c',
    `select v_more_resources + count(*) filter (where m.expected = 0), coalesce(sum(octet_length(m.body)), 0)
          into v_more_resources, v_more_bytes
          from unnest(p_expected, p_body, v_version) as m (expected, body, version)
         where m.version > 0;
        update andiron.change_counter c`,
  );
  await replaceInWriteVersions(
    db,
    'set last_sequence = c.last_sequence + v_written',
    `set last_sequence = c.last_sequence + v_written,
               resources = c.resources + v_more_resources,
               bytes = c.bytes + v_more_bytes`,
  );
  await replaceInWriteVersions(
    db,
    'returning c.last_sequence - v_written into v_sequence;',
    'returning c.last_sequence - v_written, c.resources, c.bytes into v_sequence, v_resources, v_bytes;',
  );
  await replaceInWriteVersions(
    db,
    `errcode = 'AN001';
        end if;`,
    `errcode = 'AN001';
        end if;
        perform andiron.require_quota(p_space, v_more_resources, v_more_bytes, v_resources, v_bytes);`,
  );

  // Whole resources are purged, with all of their versions by one statement: the last one says whether it was deleted.
  await sql`
    create function andiron.uncount_versions() returns trigger
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
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
    $function$`.execute(db);
  await sql`revoke execute on function andiron.uncount_versions from public`.execute(db);
  await sql`
    create trigger uncount_versions after delete on andiron.resource_version
      referencing old table as gone for each statement execute function andiron.uncount_versions()`.execute(
    db,
  );

  await sql`
    create function andiron.tenant_usage(p_tenant int) returns table (resources bigint, bytes bigint)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $function$
      select c.resources, c.bytes from andiron.change_counter c where c.tenant = p_tenant
    $function$`.execute(db);
  await sql`revoke execute on function andiron.tenant_usage from public`.execute(db);
}

/** The function as it is, but for one place: what other steps have made of it stays. */
async function replaceInWriteVersions(db: Kysely<unknown>, found: string, put: string): Promise<void> {
  await sql`
    do $do$
    declare
      v_function constant text := pg_get_functiondef('andiron.write_versions'::regproc);
    begin
      if cardinality(string_to_array(v_function, ${sql.lit(found)})) <> 2 then
        raise exception 'write_versions is not as this step knows it';
      end if;
      execute replace(v_function, ${sql.lit(found)}, ${sql.lit(put)});
    end
    $do$`.execute(db);
}
