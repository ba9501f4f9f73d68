import { LRUCache } from 'lru-cache';
import { canDrive } from '../search/plan';
import type { Criterion, Predicate, TypeCriteria } from '../search/predicate';
import type { Database } from './database';
import { rowCountStatement } from './search-statement';

const COUNT_AGE_MS = 30_000;
const MAX_REMEMBERED = 20_000;
/** Longer criteria are counted each time: their text is not kept. */
const MAX_KEY_LENGTH = 2_000;

/** Says about how many resources meet a criterion; what it has said is remembered for half a minute. */
export class Estimator {
  private readonly counts = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: COUNT_AGE_MS });

  /**
   * @param selective up to so many matches of a criterion are gathered rather than walked to; chains and `_has` begin
   *   with what their inner criteria find up to twice as many, of more each candidate is tested
   */
  constructor(
    private readonly database: Database,
    readonly selective: number,
  ) {}

  /**
   * About how many resources meet each criterion, whose chains are planned: up to `most` + 1; Infinity for one that
   * cannot drive. Cost: a statement for each criterion that was not counted lately, of at most `most` index rows.
   */
  async countEach(space: number, of: TypeCriteria, most = this.selective): Promise<readonly number[]> {
    return Promise.all(
      of.criteria.map((criterion) =>
        canDrive(criterion) ? this.count(space, { ...of, criteria: [criterion] }, most) : Infinity,
      ),
    );
  }

  /** The criteria with a driver in each chain whose inner criteria few resources meet, planned from the inside. */
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
    const most = this.selective * 2;
    const counts = await this.countEach(space, planned, most);
    const fewest = Math.min(...counts);
    return fewest <= most ? { ...planned, driver: counts.indexOf(fewest) } : planned;
  }

  private async count(space: number, of: TypeCriteria, most: number): Promise<number> {
    const text = JSON.stringify(of.criteria[0]?.anyOf);
    const key = text.length <= MAX_KEY_LENGTH ? `${space} ${of.type} ${most} ${text}` : undefined;
    const known = key === undefined ? undefined : this.counts.get(key);
    if (known !== undefined) return known;
    const { statement, bound } = rowCountStatement(space, of, most + 1);
    const [row] = await this.database.run('search', space, statement, bound);
    const count = Number(row?.[0] ?? 0);
    if (key !== undefined) this.counts.set(key, count);
    return count;
  }
}

function isNested({ index }: Predicate): boolean {
  return index === 'target' || index === 'source' || index === 'all';
}
