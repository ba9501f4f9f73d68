/** The tables of stored concepts (docs/understand/storage.md, Concepts). */
import { sql, type RawBuilder } from 'kysely';
import type { ConceptRange, ConceptRow, ConceptSet } from '../../fhir/terminology/concept-set';
import type { Database, Row } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

type Reading = Pick<Database, 'run'>;

/** A set by its number, which other spaces have too. */
export interface SetKey {
  readonly space: number;
  readonly set: number;
}

const context = (space: number) => ({ lane: 'search', space }) as const;

/** What is searched for, with the keys as hashes. */
export interface HashedCriteria {
  readonly keys: readonly string[];
  readonly words: readonly string[];
  readonly isActive: boolean;
  readonly isSelectable: boolean;
  readonly isTop: boolean;
}

const FIND_SET = defineStatement(
  template(sql`
    select s.concepts, s.hierarchical, s.url, s.version from andiron.concept_set s
    where s.space = ${bind('space')}::int and s.number = ${bind('set')}::int and s.ready limit 1`),
);

/** Returns a set that is whole. */
export async function findConceptSet(
  database: Reading,
  space: number,
  number: number,
): Promise<ConceptSet | undefined> {
  const rows = await database.run(context(space), FIND_SET, { space, set: number });
  const [row] = rows as [number, boolean, string, string | null][];
  if (row === undefined) return undefined;
  const [concepts, isHierarchical, url, version] = row;
  return { ...{ number, concepts, isHierarchical, url }, version: version ?? undefined };
}

/** The columns of `toConcepts`. */
export const CONCEPT_COLUMNS = sql`c.number, c.folded, c.abstract, c.inactive, c.descendants, c.parents, c.keys::text[], c.element`;
const OF_SET = sql`c.space = ${bind('space')}::int and c.concept_set = ${bind('set')}::int`;

const READ = defineStatement(
  template(sql`
    select ${CONCEPT_COLUMNS} from andiron.concept c where ${OF_SET} and c.folded = any (${bind('folded')}::text[])
    limit cardinality(${bind('folded')}::text[])`),
);

/** Returns the concepts with these codes. */
export async function readConcepts(
  database: Reading,
  { space, set }: SetKey,
  folded: readonly string[],
): Promise<readonly ConceptRow[]> {
  return toConcepts(await database.run(context(space), READ, { space, set, folded }));
}

const LIST = defineStatement(
  template(sql`
    select ${CONCEPT_COLUMNS} from andiron.concept c where ${OF_SET} and c.number = any (${bind('numbers')}::int[])
    order by c.number limit cardinality(${bind('numbers')}::int[])`),
);

/** Returns the concepts with these numbers in ascending order. */
export async function listConcepts(
  database: Reading,
  { space, set }: SetKey,
  numbers: readonly number[],
): Promise<readonly ConceptRow[]> {
  return toConcepts(await database.run(context(space), LIST, { space, set, numbers }));
}

const SCAN = defineStatement(
  template(sql`
    select ${CONCEPT_COLUMNS} from andiron.concept c
    where ${OF_SET} and c.number > ${bind('after')}::int and c.keys @> ${bind('keys')}::bigint[]
      and not (${bind('active')}::boolean and c.inactive) and not (${bind('selectable')}::boolean and c.abstract)
      and not (${bind('top')}::boolean and cardinality(c.parents) > 0)
    order by c.number limit ${bind('limit')}::int offset ${bind('offset')}::int`),
);

/** Returns concepts with all keys that follow a number, ascending, without the first `offset`. It does not look at words. */
export async function scanConcepts(
  database: Reading,
  { space, set }: SetKey,
  { keys, isActive, isSelectable, isTop }: HashedCriteria,
  { after, limit, offset = 0 }: ConceptRange,
): Promise<readonly ConceptRow[]> {
  const bound = {
    ...{ space, set, keys, active: isActive, selectable: isSelectable, top: isTop },
    ...{ after, limit, offset },
  };
  return toConcepts(await database.run(context(space), SCAN, bound));
}

const FIND = defineStatement(
  template(sql`
    select f.number from andiron.find_concepts(${bind('space')}::int, ${bind('set')}::int, ${bind('keys')}::bigint[],
      ${bind('words')}, ${bind('active')}::boolean, ${bind('selectable')}::boolean, ${bind('limit')}::int) as f (number)
    limit ${bind('limit')}::int`),
);

/** Returns the numbers of concepts that meet all criteria, ascending. The words have letters and digits only. */
export async function findConcepts(
  database: Reading,
  { space, set }: SetKey,
  { keys, words, isActive, isSelectable }: HashedCriteria,
  limit: number,
): Promise<readonly number[]> {
  const query = words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
  const bound = { space, set, keys, words: query, active: isActive, selectable: isSelectable, limit };
  return (await database.run(context(space), FIND, bound)).map(([number]) => Number(number));
}

const PAIRS = sql`
      select d.folded, a.folded as above
      from member d cross join unnest(d.keys[2:]) as k (key) join member a on a.own = k.key`;
/**
 * The first key of a concept is that of itself, and the others have those of all above it. It is planned for the numbers of codes, and
 * for all pairs: for few of them PostgreSQL would compare each concept with each.
 */
const FIND_SUBSUMED = defineStatement(
  template(sql`
    with member as materialized (
      select c.folded, c.keys, c.keys[1] as own, x.added
      from unnest(${bind('codes')}::text[], ${bind('added')}::boolean[]) as x (code, added)
      join andiron.concept c on ${OF_SET} and c.folded = x.code),
    pair as materialized (
      ${PAIRS} where d.added and a.folded <> d.folded
      union all
      ${PAIRS} where a.added and not d.added and a.folded <> d.folded)
    select p.folded, p.above from pair p limit ${bind('limit')}::int`),
  { named: false },
);

/** Returns pairs of a concept and one above it, of which one is added. */
export async function findSubsumed(
  database: Reading,
  { space, set }: SetKey,
  { added, known }: { readonly added: readonly string[]; readonly known: readonly string[] },
  limit: number,
): Promise<readonly (readonly [folded: string, above: string])[]> {
  const flags = [...added.map(() => 'true'), ...known.map(() => 'false')];
  const bound = { space, set, codes: [...added, ...known], added: flags, limit };
  return (await database.run(context(space), FIND_SUBSUMED, bound)) as unknown as [string, string][];
}

/** Returns the concepts of rows that begin with `CONCEPT_COLUMNS`. */
export function toConcepts(rows: Row[]): readonly ConceptRow[] {
  type Columns = [number, string, boolean, boolean, number, string[], string[], string];
  return (rows as Columns[]).map(
    ([number, folded, isAbstract, isInactive, descendants, parents, keys, element]) => ({
      ...{ number, folded, isAbstract, isInactive, descendants, parents, keys, element },
    }),
  );
}

/** A concept to store; as `ConceptRow`, and what only the index needs. */
export interface NewConcept extends ConceptRow {
  /** The hash of its code in `token_index`. */
  readonly token: string;
  readonly words: Iterable<string>;
}

const BEGIN = defineStatement(
  template(sql`
    insert into andiron.concept_set (space, number, url, version, digest)
    select ${bind('space')}::int, coalesce(max(s.number), 0) + 1, ${bind('url')}, ${bind('version')}, ${bind('digest')}::bytea
    from andiron.concept_set s where s.space = ${bind('space')}::int
    returning number`),
);

/** Begins a set and returns its number. **Throws** where another begins at the same moment. */
export async function beginConceptSet(
  database: Reading,
  space: number,
  of: { readonly url: string; readonly version: string | undefined; readonly digest: Buffer },
): Promise<number> {
  const bound = { space, url: of.url, version: of.version ?? null, digest: of.digest };
  const [row] = await database.run(context(space), BEGIN, bound);
  return Number(row?.[0]);
}

const ADD: RawBuilder<unknown> = sql`
  with alive as (
    update andiron.concept_set s set beat = now()
    where s.space = ${bind('space')}::int and s.number = ${bind('set')}::int and not s.ready returning 1)
  insert into andiron.concept
    (space, concept_set, number, folded, token, abstract, inactive, descendants, parents, keys, words, element)
  select ${bind('space')}::int, ${bind('set')}::int, x.number, x.folded, x.token, x.abstract, x.inactive, x.descendants,
    array(select json_array_elements_text(x.parents::json)), string_to_array(x.keys, ' ')::bigint[],
    array_to_tsvector(string_to_array(x.words, ' ')), x.element
  from alive cross join unnest(${bind('numbers')}::int[], ${bind('folded')}::text[], ${bind('tokens')}::bigint[],
      ${bind('abstract')}::boolean[], ${bind('inactive')}::boolean[], ${bind('descendants')}::int[],
      ${bind('parents')}::text[], ${bind('keys')}::text[], ${bind('words')}::text[], ${bind('elements')}::text[])
    as x (number, folded, token, abstract, inactive, descendants, parents, keys, words, element)
  returning 1`;
const ADD_CONCEPTS = defineStatement(template(ADD));

/** Adds concepts to a set that is not whole yet. False: it was removed meanwhile. */
export async function addConcepts(
  database: Reading,
  { space, set }: SetKey,
  concepts: readonly NewConcept[],
): Promise<boolean> {
  const rows = await database.run({ ...context(space), isBulk: true }, ADD_CONCEPTS, {
    ...{ space, set },
    numbers: concepts.map(({ number }) => number),
    folded: concepts.map(({ folded }) => folded),
    tokens: concepts.map(({ token }) => token),
    abstract: concepts.map(({ isAbstract }) => String(isAbstract)),
    inactive: concepts.map(({ isInactive }) => String(isInactive)),
    descendants: concepts.map(({ descendants }) => descendants),
    parents: concepts.map(({ parents }) => JSON.stringify(parents)),
    keys: concepts.map(({ keys }) => keys.join(' ')),
    words: concepts.map(({ words }) => [...words].join(' ')),
    elements: concepts.map(({ element }) => element),
  });
  return rows.length === concepts.length;
}

const FINISH = defineStatement(
  template(sql`
    update andiron.concept_set s
    set ready = true, beat = now(), concepts = ${bind('concepts')}::int, hierarchical = ${bind('hierarchical')}::boolean
    where s.space = ${bind('space')}::int and s.number = ${bind('set')}::int returning 1`),
);

/** Makes a set whole. False: it was removed meanwhile. */
export async function finishConceptSet(
  database: Reading,
  space: number,
  { number, concepts, isHierarchical }: Pick<ConceptSet, 'number' | 'concepts' | 'isHierarchical'>,
): Promise<boolean> {
  const bound = { space, set: number, concepts, hierarchical: isHierarchical };
  return (await database.run(context(space), FINISH, bound)).length > 0;
}

/** A set as an import finds it. */
export interface StoredSet {
  readonly number: number;
  readonly isReady: boolean;
  readonly digest: Buffer;
  /** Seconds since its import last said something. */
  readonly silence: number;
}

const LIST_SETS = defineStatement(
  template(sql`
    select s.number, s.ready, s.digest, extract(epoch from now() - s.beat)::float8
    from andiron.concept_set s
    where s.space = ${bind('space')}::int and s.url = ${bind('url')}
    order by s.number limit 1000`),
);

/** Returns the sets of a code system, in the order of their imports. */
export async function listConceptSets(
  database: Reading,
  space: number,
  url: string,
): Promise<readonly StoredSet[]> {
  const rows = await database.run(context(space), LIST_SETS, { space, url });
  return (rows as [number, boolean, Buffer, number][]).map(([number, isReady, digest, silence]) => ({
    ...{ number, isReady, digest, silence },
  }));
}

/** Concepts that one statement removes. */
const REMOVED_AT_ONCE = 10_000;
const REMOVE = defineStatement(
  template(sql`
    delete from andiron.concept c
    where ${OF_SET} and c.number in (
      select o.number from andiron.concept o
      where o.space = ${bind('space')}::int and o.concept_set = ${bind('set')}::int
      order by o.number limit ${sql.lit(REMOVED_AT_ONCE)})
    returning 1`),
);
const REMOVE_SET = defineStatement(
  template(sql`
    delete from andiron.concept_set s where s.space = ${bind('space')}::int and s.number = ${bind('set')}::int
    returning 1`),
);

/** Removes a set, whose import can add nothing from then on. Returns the number of its concepts. */
export async function removeConceptSet(database: Reading, { space, set }: SetKey): Promise<number> {
  await database.run(context(space), REMOVE_SET, { space, set });
  for (let count = 0; ;) {
    const removed = await database.run({ ...context(space), isBulk: true }, REMOVE, { space, set });
    count += removed.length;
    if (removed.length < REMOVED_AT_ONCE) return count;
  }
}
