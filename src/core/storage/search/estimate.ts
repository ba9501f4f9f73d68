import { sql } from 'kysely';
import { hasAccessPath, isNested, mergedTargets } from '../../search/access-paths/indexed-access';
import type { Criterion, Predicate, TypeCriteria } from '../../search/predicate';
import type { Database } from '../connection/database';
import { referringCountStatement, rowCountStatement } from './search-statement';
import { asPlanningQuery, bind, defineStatement, template } from '../connection/statement';
import { createCache } from '../../memory/create-cache';

const COUNT_AGE_MS = 30_000;
const MAX_CACHED = 20_000;
/** Counts of longer criteria are not cached. */
const MAX_KEY_LENGTH = 2_000;

/** Limit on the count of a type's heads; beyond it only the fact that there are many matters. */
const MAX_TOTAL = 300_000;
const TOTAL_AGE_MS = 300_000;

/** Number of targets in the sample from which a rough count of a chain is extrapolated. */
const SAMPLED_TARGETS = 16;

/** Estimates the number of resources that match a criterion, and caches the estimates for some time. */
export class Estimator {
  /** @param most limit on the index rows of one criterion that are counted */
  constructor(
    private readonly database: Database,
    private readonly most: number,
    private readonly counts = createCache<string, number>({
      name: 'row-counts',
      scope: 'data',
      max: MAX_CACHED,
      ttl: COUNT_AGE_MS,
    }),
    private readonly totals = createCache<string, number>({
      name: 'totals',
      scope: 'data',
      max: MAX_CACHED,
      ttl: TOTAL_AGE_MS,
    }),
  ) {}

  /** Returns an estimator with the same caches by statements of this database. */
  over(database: Database): Estimator {
    return new Estimator(database, this.most, this.counts, this.totals);
  }

  /**
   * Counts the index rows of the matches of each criterion; the chains of the criteria must be planned. Infinity for
   * more than `most`, and for a criterion without an access path. Cost: a statement for each criterion that is not
   * cached.
   *
   * @param isRough counts the references to only some of the targets of a chain. That is enough to compare access
   *   paths, and counting all takes longer than merging them for a page.
   */
  async countEach(space: number, of: TypeCriteria, isRough = false): Promise<readonly number[]> {
    return Promise.all(
      of.criteria.map(async (criterion) =>
        hasAccessPath(criterion) ? this.count(space, { ...of, criteria: [criterion] }, isRough) : Infinity,
      ),
    );
  }

  /** Counts the resources of a type, up to MAX_TOTAL. Cost: a statement if the count is not cached. */
  async total(space: number, type: number): Promise<number> {
    const key = `${space} ${type}`;
    let total = this.totals.get(key);
    if (total === undefined) {
      const rows = await this.database.run({ lane: 'search', space }, COUNT_HEADS, {
        space,
        type,
        limit: MAX_TOTAL,
      });
      total = Number(rows[0]?.[0] ?? 0);
      // The count of a small type expires early, because the type may grow fast.
      this.totals.set(key, total, { ttl: total < 10_000 ? COUNT_AGE_MS : TOTAL_AGE_MS });
    }
    return total;
  }

  /**
   * Returns the criteria with a `driver` in each chain that has an inner criterion that can be counted, planned from
   * the inside out.
   */
  async plan(space: number, of: TypeCriteria): Promise<readonly Criterion[]> {
    if (!of.criteria.some(({ anyOf }) => anyOf.some(isNested))) return of.criteria;
    return Promise.all(
      of.criteria.map(async (criterion) => {
        const anyOf = await Promise.all(
          criterion.anyOf.map((predicate) => this.planPredicate(space, of, predicate)),
        );
        return { ...criterion, anyOf };
      }),
    );
  }

  private async planPredicate(space: number, of: TypeCriteria, predicate: Predicate): Promise<Predicate> {
    switch (predicate.index) {
      case 'target':
        return { ...predicate, target: await this.planType(space, predicate.target) };
      case 'source':
        return { ...predicate, source: await this.planType(space, predicate.source) };
      case 'all': {
        const { criteria, driver } = await this.planType(space, { ...of, criteria: predicate.criteria });
        return { index: 'all', criteria, ...(driver === undefined ? {} : { driver }) };
      }
      default:
        return predicate;
    }
  }

  private async planType(space: number, of: TypeCriteria): Promise<TypeCriteria> {
    const { type, sortDateParameter } = of;
    const planned = { type, sortDateParameter, criteria: await this.plan(space, of) };
    const counts = await this.countEach(space, planned);
    const fewest = Math.min(...counts);
    return Number.isFinite(fewest)
      ? { ...planned, driver: counts.indexOf(fewest), driverCount: fewest }
      : planned;
  }

  private async count(space: number, of: TypeCriteria, isRough = false): Promise<number> {
    const { most } = this;
    const [criterion] = of.criteria;
    const anyOf = criterion?.anyOf ?? [];
    // References to the sources' targets are not counted: that costs more than counting the sources.
    const sources = anyOf.map((predicate) =>
      predicate.index === 'source' && predicate.urls === undefined ? predicate.source.driverCount : undefined,
    );
    if (sources.every((count) => count !== undefined)) {
      const sum = sources.reduce((total, count) => total + count, 0);
      return sum > most ? Infinity : sum;
    }
    const targets = isRough && criterion !== undefined ? mergedTargets(criterion) : undefined;
    const isSampled = targets !== undefined && targets > SAMPLED_TARGETS;
    const text = JSON.stringify(anyOf);
    const key =
      text.length <= MAX_KEY_LENGTH ? `${space} ${of.type} ${isSampled ? '~' : ''}${text}` : undefined;
    const cached = key === undefined ? undefined : this.counts.get(key);
    if (cached !== undefined) return cached;
    const { statement, bound } = isSampled
      ? referringCountStatement(space, of, most + 1, SAMPLED_TARGETS)
      : rowCountStatement(space, of, most + 1);
    const [row] = await this.database.run({ lane: 'search', space }, statement, bound);
    const rows = Number(row?.[0] ?? 0);
    // An extrapolated count costs no more if it exceeds the limit, so it stays as it is.
    const count = rows > most && !isSampled ? Infinity : rows;
    if (key !== undefined) this.counts.set(key, count);
    return count;
  }
}

const COUNT_HEADS = asPlanningQuery(
  defineStatement(
    template(sql`
      select count(*)::int from (
        select 1 from andiron.resource r
        where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint and not r.deleted
        limit ${bind('limit')}::int
      ) h`),
  ),
);
