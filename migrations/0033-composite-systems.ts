import { sql, type Kysely } from 'kysely';

/**
 * A range row under a code has the system of the code beside it, so that one row serves searches with the system and without
 * it; there were two. An Observation of a quantity had seven rows in `range_index` and has five.
 *
 * Rows that were made before have -1 until they are made anew (`andiron reindex`): searches that name no system find them, and
 * a write that removes what they stand for takes them away.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.range_index add column qualifier_system int not null default -1`.execute(db);
  await sql`alter table andiron.range_index alter column qualifier_system drop default`.execute(db);
  await sql`alter index andiron.range_index_by_low rename to range_index_by_low_before`.execute(db);
  await sql`
    create index range_index_by_low on andiron.range_index
      (space, parameter, qualifier, low, resource_key) include (high, qualifier_system, extremes)`.execute(
    db,
  );
  await sql`drop index andiron.range_index_by_low_before`.execute(db);
  await replaceWriteVersions(db, [
    ['p_range_qualifier bigint[], ', 'p_range_qualifier bigint[], p_range_qualifier_system integer[], '],
    [
      `unnest(p_range_member, p_range_parameter, p_range_qualifier, p_range_low, p_range_high,
                       p_range_unit_system, p_range_unit_code, p_range_unit_name)
            as x (member, parameter, qualifier, low, high, unit_system, unit_code, unit_name)`,
      `unnest(p_range_member, p_range_parameter, p_range_qualifier, p_range_qualifier_system, p_range_low,
                       p_range_high, p_range_unit_system, p_range_unit_code, p_range_unit_name)
            as x (member, parameter, qualifier, qualifier_system, low, high, unit_system, unit_code, unit_name)`,
    ],
    [
      'i.parameter = x.parameter and i.qualifier = x.qualifier and i.low = x.low',
      `i.parameter = x.parameter and i.qualifier = x.qualifier and i.low = x.low
              and i.qualifier_system in (x.qualifier_system, -1)`,
    ],
    [
      '(space, parameter, qualifier, low, high, resource_key, unit_system, unit_code, unit_name, extremes)',
      `(space, parameter, qualifier, qualifier_system, low, high, resource_key, unit_system, unit_code, unit_name,
           extremes)`,
    ],
    [
      'p_range_qualifier[x.place], p_range_low[x.place],',
      'p_range_qualifier[x.place], p_range_qualifier_system[x.place], p_range_low[x.place],',
    ],
  ]);
}

/** The function as it is, but for these places, one of which is among its arguments: what other steps have made of it stays. */
async function replaceWriteVersions(
  db: Kysely<unknown>,
  places: readonly (readonly [found: string, put: string])[],
): Promise<void> {
  const [found, put] = [0, 1].map(
    (side) => sql`array[${sql.join(places.map((place) => sql.lit(place[side])))}]`,
  );
  await sql`
    do $do$
    declare
      v_former constant regprocedure := 'andiron.write_versions'::regproc;
      v_function text := pg_get_functiondef(v_former);
      v_found constant text[] := ${found};
      v_put constant text[] := ${put};
    begin
      for v_place in 1 .. cardinality(v_found) loop
        if cardinality(string_to_array(v_function, v_found[v_place])) <> 2 then
          raise exception 'write_versions is not as this step knows it';
        end if;
        v_function := replace(v_function, v_found[v_place], v_put[v_place]);
      end loop;
      execute 'drop function ' || v_former;
      execute v_function;
      revoke execute on function andiron.write_versions from public;
    end
    $do$`.execute(db);
}
