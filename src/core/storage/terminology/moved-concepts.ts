/** The concepts of a tenant that is exported and imported: without hashes, which each database and set has of its own. */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../connection/database';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import type { SetKey } from './concepts';

/** The tables of concepts, in the order of an export. */
export const CONCEPT_TABLES = ['concept_set', 'concept'] as const;

const CONCEPTS_AT_ONCE = 500;

const context = (space: number) => ({ lane: 'search', space }) as const;

/** A set that is whole. */
export interface MovedSet {
  readonly number: number;
  readonly url: string;
  readonly version: string | undefined;
}

const LIST_READY = defineStatement(
  template(sql`
    select s.number, s.url, s.version from andiron.concept_set s
    where s.space = ${bind('space')}::int and s.ready and s.number > ${bind('after')}::int
    order by s.number limit ${sql.lit(CONCEPTS_AT_ONCE)}`),
);

/** Returns the sets of a space that are whole, by their numbers. */
export async function listReadySets(
  database: Pick<Database, 'run'>,
  space: number,
): Promise<readonly MovedSet[]> {
  const sets: MovedSet[] = [];
  for (let after = 0; ;) {
    const rows = await database.run(context(space), LIST_READY, { space, after });
    for (const [number, url, version] of rows as [number, string, string | null][]) {
      after = number;
      sets.push({ number, url, version: version ?? undefined });
    }
    if (rows.length < CONCEPTS_AT_ONCE) return sets;
  }
}

/** A concept as an export has it. */
export interface MovedConcept {
  readonly folded: string;
  readonly isAbstract: boolean;
  readonly isInactive: boolean;
  /** Folded codes of its parents. */
  readonly parents: readonly string[];
  /** JSON text. */
  readonly element: string;
}

const READ = defineStatement(
  template(sql`
    select c.number, c.folded, c.abstract, c.inactive, c.parents, c.element from andiron.concept c
    where c.space = ${bind('space')}::int and c.concept_set = ${bind('set')}::int and c.number > ${bind('after')}::int
    order by c.number limit ${sql.lit(CONCEPTS_AT_ONCE)}`),
);
const HAS_SET = defineStatement(
  template(sql`
    select s.concepts from andiron.concept_set s
    where s.space = ${bind('space')}::int and s.number = ${bind('set')}::int and s.ready limit 1`),
);

/** Yields the concepts of a set in their order. Returns whether the set was there to its end. Cost: a statement for 500. */
export async function* readMovedConcepts(
  database: Pick<Database, 'run'>,
  { space, set }: SetKey,
): AsyncGenerator<MovedConcept, boolean> {
  let count = 0;
  for (let after = 0; ;) {
    const rows = await database.run(context(space), READ, { space, set, after });
    for (const row of rows as [number, string, boolean, boolean, string[], string][]) {
      const [number, folded, isAbstract, isInactive, parents, element] = row;
      after = number;
      count += 1;
      yield { folded, isAbstract, isInactive, parents, element };
    }
    if (rows.length < CONCEPTS_AT_ONCE) break;
  }
  const [found] = await database.run(context(space), HAS_SET, { space, set });
  return found?.[0] === count;
}

const ADD_SET = defineStatement(
  template(sql`
    insert into andiron.concept_set (space, number, url, version, digest)
    values (${bind('space')}::int, ${bind('number')}::int, ${bind('url')}, ${bind('version')}, ${bind('digest')}::bytea)
    returning 1`),
);

/** Begins a set with the number that it had. Throws as the database does where the space has it. */
export async function addMovedSet(
  database: Pick<Database, 'run'>,
  space: number,
  { number, url, version, digest }: MovedSet & { readonly digest: Buffer },
): Promise<void> {
  await database.run(context(space), ADD_SET, { space, number, url, version: version ?? null, digest });
}

const LIST_SETS = defineStatement(
  template(sql`
    select s.number, s.ready, s.url, s.version, s.digest from andiron.concept_set s
    where s.space = ${bind('space')}::int and s.number > ${bind('after')}::int
    order by s.number limit ${sql.lit(CONCEPTS_AT_ONCE)}`),
);

/** A set that an interrupted import has stored. */
export interface PresentSet extends MovedSet {
  readonly isReady: boolean;
  readonly digest: Buffer;
}

/** Returns all sets of a space. */
export async function listPresentSets(
  database: Pick<Database, 'run'>,
  space: number,
): Promise<readonly PresentSet[]> {
  const sets: PresentSet[] = [];
  for (let after = 0; ;) {
    const rows = await database.run(context(space), LIST_SETS, { space, after });
    for (const row of rows as [number, boolean, string, string | null, Buffer][]) {
      const [number, isReady, url, version, digest] = row;
      after = number;
      sets.push({ number, isReady, url, version: version ?? undefined, digest });
    }
    if (rows.length < CONCEPTS_AT_ONCE) return sets;
  }
}

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

const CREATE_SPOOL = unnamed(sql`
  create temporary table if not exists imported_concept (
    number int primary key, folded text not null, abstract boolean not null, inactive boolean not null, element text not null)`);
const EMPTY_SPOOL = unnamed(sql`truncate table pg_temp.imported_concept`);
const ADD_SPOOLED = unnamed(sql`
  insert into pg_temp.imported_concept (number, folded, abstract, inactive, element)
  select x.* from unnest(${bind('numbers')}::int[], ${bind('folded')}::text[], ${bind('abstract')}::boolean[],
    ${bind('inactive')}::boolean[], ${bind('elements')}::text[]) as x`);
const READ_SPOOLED = unnamed(sql`
  select i.number, i.folded, i.abstract, i.inactive, i.element from pg_temp.imported_concept i
  where i.number > ${bind('after')}::int order by i.number limit ${sql.lit(CONCEPTS_AT_ONCE)}`);

export type SpooledConcept = Omit<MovedConcept, 'parents'>;

/**
 * The concepts of one set until all have arrived: their index needs the whole hierarchy. They are in a temporary table, of which a
 * session that ends leaves nothing.
 */
export class ConceptSpool {
  private count = 0;
  private portion: SpooledConcept[] = [];

  constructor(private readonly session: OwnerSession) {}

  async empty(): Promise<void> {
    this.count = 0;
    this.portion = [];
    await this.session.run(CREATE_SPOOL);
    await this.session.run(EMPTY_SPOOL);
  }

  async add(concept: SpooledConcept): Promise<void> {
    this.portion.push(concept);
    if (this.portion.length >= CONCEPTS_AT_ONCE) await this.flush();
  }

  async *read(): AsyncGenerator<SpooledConcept> {
    await this.flush();
    for (let after = 0; ;) {
      const rows = await this.session.run(READ_SPOOLED, { after });
      for (const row of rows as [number, string, boolean, boolean, string][]) {
        const [number, folded, isAbstract, isInactive, element] = row;
        after = number;
        yield { folded, isAbstract, isInactive, element };
      }
      if (rows.length < CONCEPTS_AT_ONCE) return;
    }
  }

  private async flush(): Promise<void> {
    const { portion } = this;
    this.portion = [];
    if (portion.length === 0) return;
    await this.session.run(ADD_SPOOLED, {
      numbers: portion.map((_concept, index) => this.count + index + 1),
      folded: portion.map(({ folded }) => folded),
      abstract: portion.map(({ isAbstract }) => String(isAbstract)),
      inactive: portion.map(({ isInactive }) => String(isInactive)),
      elements: portion.map(({ element }) => element),
    });
    this.count += portion.length;
  }
}
