import { sql, type Kysely } from 'kysely';

/**
 * `write_versions` looks for a quota only where one is set, of the tenant or of the server: the row of the counter tells it with
 * what was counted. Most tenants have none, and `require_quota` took two statements of its own in each write.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await replaceInWriteVersions(
    db,
    'v_more_bytes bigint;',
    `v_more_bytes bigint;
      v_has_quota boolean;`,
  );
  await replaceInWriteVersions(
    db,
    'from andiron.space s\n         where s.number = p_space and c.tenant = s.counter',
    'from andiron.space s join andiron.tenant t on t.number = s.tenant\n         where s.number = p_space and c.tenant = s.counter',
  );
  await replaceInWriteVersions(
    db,
    'returning c.last_sequence - v_written, c.resources, c.bytes into v_sequence, v_resources, v_bytes;',
    `returning c.last_sequence - v_written, c.resources, c.bytes,
                  s.kind = 'data' and coalesce(
                    t.settings ->> 'quota-resources', t.settings ->> 'quota-bytes',
                    current_setting('andiron.quota_resources', true), current_setting('andiron.quota_bytes', true)
                  ) is not null
          into v_sequence, v_resources, v_bytes, v_has_quota;`,
  );
  await replaceInWriteVersions(
    db,
    'perform andiron.require_quota(p_space, v_more_resources, v_more_bytes, v_resources, v_bytes);',
    `if v_has_quota then
          perform andiron.require_quota(p_space, v_more_resources, v_more_bytes, v_resources, v_bytes);
        end if;`,
  );
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
