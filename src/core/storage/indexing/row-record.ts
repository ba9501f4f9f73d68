import { sql } from 'kysely';
import { registerCache } from '../../memory/cache-registry';
import type { Database } from '../connection/database';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

const NOTE = defineStatement(
  template(
    sql`select andiron.note_rows_made_with(
          ${bind('space')}::int, ${bind('releases')}::text[], ${bind('rules')}::text[])`,
  ),
);

const OUTDATED = defineStatement(
  template(sql`
    select spaces, made_with
    from andiron.outdated_spaces(${bind('releases')}::text[], ${bind('rules')}::text[], ${bind('limit')}::int)`),
);

const READ = defineStatement(
  template(
    sql`select t.rows_made_with from andiron.space_state t where t.space = ${bind('space')}::int limit 1`,
  ),
);

const ADD = defineStatement(
  template(sql`
    update andiron.space_state t set rows_made_with = t.rows_made_with || ${bind('rule')}::text
    where t.space = ${bind('space')}::int and not ${bind('rule')}::text = any (t.rows_made_with)`),
);

const REPLACE = defineStatement(
  template(sql`
    update andiron.space_state t
       set rows_made_with = ${bind('rule')}::text || array(
             select made_with from unnest(t.rows_made_with) as made_with
             where made_with <> all (${bind('replaced')}::text[]) and made_with <> ${bind('rule')}::text)
     where t.space = ${bind('space')}::int`),
);

/** Any number. With a space's number it is the advisory lock of a reindex: one at a time works on a space. */
const REINDEX_LOCK = 7_230_912;
const LOCK = defineStatement(
  template(sql`select pg_try_advisory_lock(${bind('lock')}::int, ${bind('space')}::int)`),
);
const UNLOCK = defineStatement(
  template(sql`select pg_advisory_unlock(${bind('lock')}::int, ${bind('space')}::int)`),
);

/** Spaces that may have index rows made by other indexing rules than those of this process. */
export interface OutdatedSpaces {
  readonly count: number;
  /** Fingerprints of their indexing rules, a few of the distinct ones. */
  readonly madeWith: readonly string[];
}

const MAX_FINGERPRINTS = 5;
/** Limit of the cache, which is cleared beyond it; noting a space again costs one statement. */
const MAX_NOTED = 100_000;

/** The database's record of the indexing rules that made the index rows of each space. */
export class RowRecord {
  private readonly recorded = registerCache(new Set<number>());
  private readonly noting = new Map<number, Promise<void>>();
  private readonly bound: { readonly releases: readonly string[]; readonly rules: readonly string[] };

  constructor(
    private readonly database: Database,
    /** Fingerprint of this process's indexing rules, by release. */
    rules: Readonly<Record<string, string>>,
  ) {
    this.bound = { releases: Object.keys(rules), rules: Object.values(rules) };
  }

  /**
   * Adds this process's indexing rules to the record of a space. The caller awaits it before it writes rows of the
   * space. Returns undefined if this process has done so before.
   */
  note(space: number): Promise<void> | undefined {
    if (this.recorded.has(space)) return undefined;
    let noting = this.noting.get(space);
    if (noting === undefined) {
      noting = this.writeNote(space).finally(() => this.noting.delete(space));
      this.noting.set(space, noting);
    }
    return noting;
  }

  private async writeNote(space: number): Promise<void> {
    await this.database.run({ lane: 'write', space }, NOTE, { space, ...this.bound });
    if (this.recorded.size >= MAX_NOTED) this.recorded.clear();
    this.recorded.add(space);
  }

  /** Finds the spaces with rows of other indexing rules. **Cost**: one pass over the spaces, which are few. */
  async outdated(database: Database = this.database): Promise<OutdatedSpaces> {
    const [row] = await database.run({ lane: 'search', space: undefined }, OUTDATED, {
      ...this.bound,
      limit: MAX_FINGERPRINTS,
    });
    const [count, madeWith] = (row ?? [0, null]) as [number, string[] | null];
    return { count, madeWith: madeWith ?? [] };
  }
}

/** The fingerprints of the indexing rules that may have made rows of a space. */
export async function readRecord(session: OwnerSession, space: number): Promise<readonly string[]> {
  const [row] = await session.run(READ, { space });
  const [madeWith] = (row ?? [[]]) as [string[]];
  return madeWith;
}

/** Adds `rule` to the record; the caller does so before it makes rows of the space with it. */
export async function addToRecord(session: OwnerSession, space: number, rule: string): Promise<void> {
  await session.run(ADD, { space, rule });
}

/**
 * Removes `replaced` from the record after all rows of a space were made with `rule`; entries that others have added
 * meanwhile stay.
 */
export async function replaceRecord(
  session: OwnerSession,
  space: number,
  replaced: readonly string[],
  rule: string,
): Promise<void> {
  await session.run(REPLACE, { space, replaced, rule });
}

/** Locks a space for a reindex until the unlock or the end of the session. False: another reindex has the lock. */
export async function lockReindex(session: OwnerSession, space: number): Promise<boolean> {
  const [row] = await session.run(LOCK, { lock: REINDEX_LOCK, space });
  return row?.[0] === true;
}

export async function unlockReindex(session: OwnerSession, space: number): Promise<void> {
  await session.run(UNLOCK, { lock: REINDEX_LOCK, space });
}
