import { sql } from 'kysely';
import type { Database, Row } from '../connection/database';
import { RequestBatcher } from '../connection/request-batcher';
import { bind, defineStatement, template } from '../connection/statement';

/** Changes that one statement reads; after more, all types count as changed. */
const MAX_CHANGES = 1_000;
/** Limit on the cached spaces; beyond it all are evicted. */
const MAX_SPACES = 10_000;

/** The count of the space, with null in place of a change. */
const UNVERSIONED = sql`
  (select t.unversioned_changes, null::smallint, null::bigint, null::bigint from andiron.space_state t
   where t.space = ${bind('space')}::int)`;
const CHANGE = sql`
  select null::int, v.resource_type, v.sequence::bigint, v.last_updated from andiron.resource_version v
  where v.space = ${bind('space')}::int`;

const READ_LAST = defineStatement(
  template(sql`${UNVERSIONED} union all (${CHANGE} order by v.sequence desc limit 1) limit 2`),
);

const READ_SINCE = defineStatement(
  template(sql`
    ${UNVERSIONED} union all
    (${CHANGE} and v.sequence >= ${bind('since')}::bigint order by v.sequence limit ${bind('limit')}::int)
    limit ${bind('limit')}::int + 1`),
);

/**
 * Counts a change of stored data that creates no version. Runs in the transaction of the change, with `space` bound.
 */
export const COUNT_UNVERSIONED_CHANGE = defineStatement(
  template(sql`
    update andiron.space_state t set unversioned_changes = t.unversioned_changes + 1
    where t.space = ${bind('space')}::int`),
);

/** A point in the commit order of a space. It separates earlier commits from later ones. */
export interface SpaceMoment {
  readonly changes: CachedChanges;
  /** Sequence of the last change. */
  readonly sequence: number;
  readonly unversionedChanges: number;
}

interface Change {
  readonly type: number;
  readonly sequence: number;
  readonly lastUpdated: number;
}

/**
 * Caches when the types of a space last changed, as far as this process has read. It reads on demand, in one statement
 * for all concurrent calls. Sequences become visible in commit order (docs/decisions/0001), so no smaller one appears
 * after a larger one was read.
 */
export class SpaceChanges {
  private readonly spaces = new Map<number, CachedChanges>();
  /** Spaces whose first read is under way. Concurrent calls share that read. */
  private readonly reading = new Set<number>();
  private readonly batcher: RequestBatcher<number, number, SpaceMoment>;

  constructor(private readonly database: Database) {
    this.batcher = new RequestBatcher<number, number, SpaceMoment>({
      name: 'read of the last changes',
      run: async (space, requests) => {
        const moment = await this.readMoment(this.database, space);
        return requests.map(() => moment);
      },
      concurrent: 2,
      most: 256,
      spaceOf: (space) => space,
      observe: () => undefined,
    });
  }

  /**
   * Returns a past moment of the space; a search that begins now sees everything committed until then. Undefined: the
   * space has not been read yet; this call starts the read, so that a later call finds its result.
   */
  cachedMoment(space: number): SpaceMoment | undefined {
    const cached = this.spaces.get(space);
    if (cached === undefined && !this.reading.has(space)) {
      this.reading.add(space);
      // An error of PostgreSQL is ignored here: callers that wait for the result get it.
      void this.current(space)
        .catch(() => undefined)
        .finally(() => this.reading.delete(space));
    }
    return cached?.moment;
  }

  /** Returns a moment after this call. Cost: a share in one statement. */
  current(space: number): Promise<SpaceMoment> {
    return this.batcher.load(String(space), space, space);
  }

  /** Returns the moment that this database shows, such as that of a snapshot. Cost: one statement, rarely two. */
  async readMoment(database: Database, space: number): Promise<SpaceMoment> {
    const cached = this.spaces.get(space);
    if (cached !== undefined) {
      const { sequence: since } = cached.moment;
      const rows = await database.run({ lane: 'read', space }, READ_SINCE, {
        space,
        since,
        limit: MAX_CHANGES,
      });
      const { changes, unversionedChanges } = toChanges(rows);
      // An older snapshot may not show changes that are cached already; it cannot extend the cached changes.
      const isSeen = since === 0 || changes.length > 0;
      if (isSeen && changes.length < MAX_CHANGES && cached.add(changes, since, unversionedChanges))
        return { changes: cached, sequence: changes.at(-1)?.sequence ?? since, unversionedChanges };
    }
    const { changes, unversionedChanges } = toChanges(
      await database.run({ lane: 'read', space }, READ_LAST, { space }),
    );
    const last = changes.at(-1);
    const fresh = new CachedChanges(last?.sequence ?? 0, last?.lastUpdated ?? 0, unversionedChanges);
    // Another first read may have ended before this one; the changes cached since then stay.
    const other = cached === undefined ? this.spaces.get(space) : undefined;
    if (other?.isSame(fresh) === true) return other.moment;
    if (cached === undefined || database === this.database) {
      if (this.spaces.size >= MAX_SPACES) this.spaces.clear();
      this.spaces.set(space, fresh);
    }
    return fresh.moment;
  }
}

function toChanges(rows: readonly Row[]): {
  readonly changes: readonly Change[];
  readonly unversionedChanges: number;
} {
  let unversionedChanges = 0;
  const changes: Change[] = [];
  for (const [unversioned, type, sequence, lastUpdated] of rows) {
    if (typeof unversioned === 'number') unversionedChanges = unversioned;
    if (typeof type === 'number' && typeof sequence === 'number' && typeof lastUpdated === 'number')
      changes.push({ type, sequence, lastUpdated });
  }
  return { changes, unversionedChanges };
}

/** The changes of a space since one moment. */
export class CachedChanges {
  private readonly ofTypes = new Map<number, number>();

  /** `sequence` and `lastUpdated` are those of the last change; 0: there is none. */
  constructor(
    private sequence: number,
    private lastUpdated: number,
    private unversionedChanges: number,
  ) {}

  get moment(): SpaceMoment {
    return { changes: this, sequence: this.sequence, unversionedChanges: this.unversionedChanges };
  }

  /** True if both have the same last change. */
  isSame({ sequence, lastUpdated, unversionedChanges }: CachedChanges): boolean {
    return (
      sequence === this.sequence &&
      lastUpdated === this.lastUpdated &&
      unversionedChanges === this.unversionedChanges
    );
  }

  /**
   * Adds the changes with a sequence of `since` or above. Several reads may add the same changes, in any order. Returns
   * false if the change `since` is not the one cached, as after a restore of the database; the cached changes are then
   * invalid.
   */
  add(changes: readonly Change[], since: number, unversionedChanges: number): boolean {
    const [first] = changes;
    if (since === this.sequence && since > 0) {
      if (first?.sequence !== since || first.lastUpdated !== this.lastUpdated) return false;
    }
    for (const { type, sequence, lastUpdated } of changes) {
      if (sequence > since) this.ofTypes.set(type, Math.max(this.ofTypes.get(type) ?? 0, sequence));
      if (sequence <= this.sequence) continue;
      this.sequence = sequence;
      this.lastUpdated = lastUpdated;
    }
    this.unversionedChanges = Math.max(this.unversionedChanges, unversionedChanges);
    return true;
  }

  /**
   * True if resources of these types (undefined: of any type) have not changed since the moment. False for a moment of
   * another `CachedChanges`.
   */
  isUnchanged(
    { changes: cached, sequence, unversionedChanges }: SpaceMoment,
    types: readonly number[] | undefined,
  ): boolean {
    if (cached !== this || unversionedChanges !== this.unversionedChanges) return false;
    if (types === undefined) return sequence === this.sequence;
    return types.every((type) => (this.ofTypes.get(type) ?? 0) <= sequence);
  }
}
