import { sql, type Kysely } from 'kysely';

/**
 * `write_versions` takes the values of heads and index rows from its arrays by their place. `unnest` of several arrays makes
 * a row of one column for every value of each, keeps them aside and reads them again: 4 to 8 % of what PostgreSQL did for an
 * import. A place is found at once, of texts too: PL/pgSQL takes its arguments apart once (arrayfuncs.c,
 * array_get_element_expanded; 100,000 texts in 57 ms, by unnest in 74).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await replaceInWriteVersions(
    db,
    `          select p_space, m.resource_type, false, m.resource_key, v_now, m.sort_date, 1, m.id, m.presence,
                 p_target_key[coalesce(p_target_end[m.ordinal - 1], 0) + 1 : m.target_end]
          from unnest(p_type, p_key, p_expected, p_sort_date, p_id, p_presence, p_target_end) with ordinality
            as m (resource_type, resource_key, expected, sort_date, id, presence, target_end, ordinal)
          where m.expected = 0
          on conflict`,
    `          select p_space, p_type[m.ordinal], false, p_key[m.ordinal], v_now, p_sort_date[m.ordinal], 1,
                 p_id[m.ordinal], p_presence[m.ordinal],
                 p_target_key[coalesce(p_target_end[m.ordinal - 1], 0) + 1 : p_target_end[m.ordinal]]
          from generate_series(1, v_count) as m (ordinal)
          where p_expected[m.ordinal] = 0
          on conflict`,
  );
  await replaceInWriteVersions(
    db,
    `        select v_more_resources + count(*) filter (where m.expected = 0), coalesce(sum(octet_length(m.body)), 0)
          into v_more_resources, v_more_bytes
          from unnest(p_expected, p_body, v_version) as m (expected, body, version)
         where m.version > 0;`,
    `        select v_more_resources + count(*) filter (where p_expected[m.ordinal] = 0),
               coalesce(sum(octet_length(p_body[m.ordinal])), 0)
          into v_more_resources, v_more_bytes
          from generate_series(1, v_count) as m (ordinal)
         where v_version[m.ordinal] > 0;`,
  );
  await replaceInWriteVersions(
    db,
    `        select p_space, x.parameter, x.value_hash, p_sort_date[x.member], p_key[x.member], x.system_hash
        from unnest(p_token_member, p_token_parameter, p_token_value, p_token_system)
          as x (member, parameter, value_hash, system_hash)
        where x.member > 0 and v_version[x.member] > 0;`,
    `        select p_space, p_token_parameter[x.place], p_token_value[x.place],
               p_sort_date[p_token_member[x.place]], p_key[p_token_member[x.place]], p_token_system[x.place]
        from generate_series(1, cardinality(p_token_member)) as x (place)
        where p_token_member[x.place] > 0 and v_version[p_token_member[x.place]] > 0;`,
  );
  await replaceInWriteVersions(
    db,
    `          select p_space, x.parameter, x.target_key, p_sort_date[x.member], p_key[x.member], x.target_type
          from unnest(p_reference_member, p_reference_parameter, p_reference_key, p_reference_type)
            as x (member, parameter, target_key, target_type)
          where x.member > 0 and v_version[x.member] > 0;`,
    `          select p_space, p_reference_parameter[x.place], p_reference_key[x.place],
                 p_sort_date[p_reference_member[x.place]], p_key[p_reference_member[x.place]],
                 p_reference_type[x.place]
          from generate_series(1, cardinality(p_reference_member)) as x (place)
          where p_reference_member[x.place] > 0 and v_version[p_reference_member[x.place]] > 0;`,
  );
  await replaceInWriteVersions(
    db,
    `          select p_space, x.parameter, x.qualifier, x.low, x.high, p_key[x.member], x.unit_system, x.unit_code,
                 x.unit_name, x.extremes
          from unnest(p_range_member, p_range_parameter, p_range_qualifier, p_range_low, p_range_high,
                      p_range_unit_system, p_range_unit_code, p_range_unit_name, p_range_extremes)
            as x (member, parameter, qualifier, low, high, unit_system, unit_code, unit_name, extremes)
          where x.member > 0 and v_version[x.member] > 0;`,
    `          select p_space, p_range_parameter[x.place], p_range_qualifier[x.place], p_range_low[x.place],
                 p_range_high[x.place], p_key[p_range_member[x.place]], p_range_unit_system[x.place],
                 p_range_unit_code[x.place], p_range_unit_name[x.place], p_range_extremes[x.place]
          from generate_series(1, cardinality(p_range_member)) as x (place)
          where p_range_member[x.place] > 0 and v_version[p_range_member[x.place]] > 0;`,
  );
  await replaceInWriteVersions(
    db,
    `          select p_space, x.parameter, p_key[x.member], x.exact_hash, x.extremes, x.value
          from unnest(p_string_member, p_string_parameter, p_string_value, p_string_exact, p_string_extremes)
            as x (member, parameter, value, exact_hash, extremes)
          where x.member > 0 and v_version[x.member] > 0;`,
    `          select p_space, p_string_parameter[x.place], p_key[p_string_member[x.place]],
                 p_string_exact[x.place], p_string_extremes[x.place], p_string_value[x.place]
          from generate_series(1, cardinality(p_string_member)) as x (place)
          where p_string_member[x.place] > 0 and v_version[p_string_member[x.place]] > 0;`,
  );
  await replaceInWriteVersions(
    db,
    `          select p_space, x.parameter, p_key[x.member], x.value, x.version
          from unnest(p_uri_member, p_uri_parameter, p_uri_value, p_uri_version)
            as x (member, parameter, value, version)
          where x.member > 0 and v_version[x.member] > 0;`,
    `          select p_space, p_uri_parameter[x.place], p_key[p_uri_member[x.place]], p_uri_value[x.place],
                 p_uri_version[x.place]
          from generate_series(1, cardinality(p_uri_member)) as x (place)
          where p_uri_member[x.place] > 0 and v_version[p_uri_member[x.place]] > 0;`,
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
