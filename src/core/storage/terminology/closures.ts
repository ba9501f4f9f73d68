/** The closure tables of clients (docs/understand/storage.md, Closure tables). */
import { sql, type RawBuilder } from 'kysely';
import type { ClosureChange, ClosureTable } from '../../fhir/terminology/closure';
import type { PrimaryConnections } from '../connection/connections';
import { bind, defineStatement, template } from '../connection/statement';

const context = (space: number) => ({ lane: 'search', space }) as const;

/** A closure table that nobody has used for so many days gives its room to a new one. */
const IDLE_DAYS = 30;

const NAMED = sql`k.space = ${bind('space')}::int and k.name = ${bind('name')}`;

/** The space is that of a tenant that is there: a removed one gets no rows. */
const START = defineStatement(
  template(sql`
    insert into andiron.closure as n (space, name)
    select s.number, ${bind('name')} from andiron.space s where s.number = ${bind('space')}::int
      and (exists (select from andiron.closure k where ${NAMED})
        or ${bind('most')}::int > (
          select count(*) from (
            select from andiron.closure o where o.space = ${bind('space')}::int limit ${bind('most')}::int) x))
    on conflict (space, name) do update
      set version = n.version + 1, started = n.version + 1, systems = '{}', used = now()
    returning n.version::text, n.started::text`),
);
const FIND_STARTED = defineStatement(
  template(sql`
    select k.version::text, k.started::text from andiron.closure k
    where ${NAMED} and k.version = k.started limit 1`),
  { named: false },
);

/** Concepts from before the start, among them those that another process added while it was under way. */
const EMPTY = defineStatement(
  template(sql`
    delete from andiron.closure_concept c
    where c.space = ${bind('space')}::int and c.closure = ${bind('name')} and c.version <= ${bind('started')}::bigint`),
);

const idle = (alias: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${alias}.used < now() - make_interval(days => ${sql.lit(IDLE_DAYS)})`;

/** The time is compared once more when the row is locked: it may be in use by then. */
const REMOVE_IDLE = defineStatement(
  template(sql`
    with idle as (
      delete from andiron.closure k
      where k.space = ${bind('space')}::int and ${idle(sql`k`)} and k.name = (
          select o.name from andiron.closure o
          where o.space = ${bind('space')}::int and ${idle(sql`o`)} order by o.used limit 1)
      returning k.name)
    delete from andiron.closure_concept c using idle
    where c.space = ${bind('space')}::int and c.closure = idle.name`),
);

/**
 * Makes an empty closure table, or empties that of this name, and returns its version. Undefined: the space has `most` others, all of
 * which are in use. **Throws** notStored, maybeStored.
 */
export async function startClosure(
  database: PrimaryConnections,
  space: number,
  { name, most }: { readonly name: string; readonly most: number },
): Promise<string | undefined> {
  const start = async (): Promise<string[] | undefined> => {
    const bound = { space, name, most };
    const [row] = await database.write('search', space, { statement: START, bound, find: FIND_STARTED });
    return row as string[] | undefined;
  };
  let row = await start();
  if (row === undefined) {
    await database.run(context(space), REMOVE_IDLE, { space });
    row = await start();
  }
  if (row === undefined) return undefined;
  const [version = '', started = ''] = row;
  await database.run(context(space), EMPTY, { space, name, started });
  return version;
}

/** One statement, so that the version and the concepts are of one moment. The time of use is that of the day. */
const READ = defineStatement(
  template(sql`
    with used as (
      update andiron.closure u set used = now()
      where u.space = ${bind('space')}::int and u.name = ${bind('name')} and u.used < now() - interval '1 day'
      returning 1)
    select k.version::text, k.started::text, k.systems::text, c.system, c.code, c.version::text
    from andiron.closure k
    left join andiron.closure_concept c
      on c.space = ${bind('space')}::int and c.closure = ${bind('name')} and c.version > k.started
    where ${NAMED} limit ${bind('most')}::int`),
);

/** Returns the closure table of this name with its concepts, of which there are at most `most`. Cost: one statement. */
export async function readClosure(
  database: PrimaryConnections,
  space: number,
  { name, most }: { readonly name: string; readonly most: number },
): Promise<ClosureTable | undefined> {
  type Columns = [string, string, string, string | null, string | null, string | null];
  const rows = (await database.run(context(space), READ, { space, name, most })) as Columns[];
  const [first] = rows;
  if (first === undefined) return undefined;
  const [version, started, systems] = first;
  return {
    ...{ version, started },
    systems: JSON.parse(systems) as ClosureTable['systems'],
    concepts: rows.flatMap(([, , , system, code, since]) =>
      system === null || code === null || since === null ? [] : [{ system, code, version: since }],
    ),
  };
}

const CONCEPTS = sql`unnest(${bind('of')}::text[], ${bind('codes')}::text[]) as x (system, code)`;

const ADD = defineStatement(
  template(sql`
    with grown as (
      update andiron.closure k set version = k.version + 1, systems = ${bind('systems')}::jsonb, used = now()
      where ${NAMED} and k.version = ${bind('version')}::bigint
      returning k.version)
    insert into andiron.closure_concept (space, closure, system, code, version)
    select ${bind('space')}::int, ${bind('name')}, x.system, x.code, g.version from grown g cross join ${CONCEPTS}
    on conflict (space, closure, system, code) do update set version = excluded.version
    returning version::text`),
);
const FIND_ADDED = defineStatement(
  template(sql`
    select (${bind('version')}::bigint + 1)::text
    where cardinality(${bind('codes')}::text[]) = (
      select count(*) from ${CONCEPTS}
      join andiron.closure_concept c
        on c.space = ${bind('space')}::int and c.closure = ${bind('name')} and c.system = x.system and c.code = x.code
      where c.version = ${bind('version')}::bigint + 1)
    limit 1`),
  { named: false },
);

/**
 * Adds concepts, of which there must be one, and returns the new version. Undefined: the closure table does not have the version of the
 * change any more, so that others have added concepts or emptied it. **Throws** notStored, maybeStored.
 */
export async function addToClosure(
  database: PrimaryConnections,
  space: number,
  { name, version, systems, concepts }: ClosureChange,
): Promise<string | undefined> {
  const bound = {
    ...{ space, name, version, systems: JSON.stringify(systems) },
    of: concepts.map(({ system }) => system),
    codes: concepts.map(({ code }) => code),
  };
  const [row] = await database.write('search', space, { statement: ADD, bound, find: FIND_ADDED });
  return row?.[0] as string | undefined;
}
