import { sql } from 'kysely';
import { registerCache } from '../../erasure/cache-registry';
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
    select count(*)::int, (array_agg(distinct o.made_with))[:${bind('limit')}::int]
    from (
      select s.number, array_to_string(s.rows_made_with, '; ') as made_with
      from andiron.space s join unnest(${bind('releases')}::text[], ${bind('rules')}::text[]) as x (release, rule)
        on x.release = s.release
      where s.tenant is not null and not s.rows_made_with <@ array[x.rule]
    ) o`),
);

const READ = defineStatement(
  template(sql`select s.rows_made_with from andiron.space s where s.number = ${bind('space')}::int limit 1`),
);

const ADD = defineStatement(
  template(sql`
    update andiron.space s set rows_made_with = s.rows_made_with || ${bind('rule')}::text
    where s.number = ${bind('space')}::int and not ${bind('rule')}::text = any (s.rows_made_with)`),
);

const REPLACE = defineStatement(
  template(sql`
    update andiron.space s
       set rows_made_with = ${bind('rule')}::text || array(
             select made_with from unnest(s.rows_made_with) as made_with
             where made_with <> all (${bind('replaced')}::text[]) and made_with <> ${bind('rule')}::text)
     where s.number = ${bind('space')}::int`),
);

/** With the number of a space, the advisory lock by which one reindex at a time works on it. Any number. */
const REINDEX_LOCK = 7_230_912;
const LOCK = defineStatement(
  template(sql`select pg_try_advisory_lock(${bind('lock')}::int, ${bind('space')}::int)`),
);
const UNLOCK = defineStatement(
  template(sql`select pg_advisory_unlock(${bind('lock')}::int, ${bind('space')}::int)`),
);

/** Spaces of which rows may have been made with something else than this process makes them with. */
export interface OutdatedSpaces {
  readonly count: number;
  /** What they were made with, a few of the distinct ones. */
  readonly madeWith: readonly string[];
}

const MAX_TOLD = 5;
/** Forgotten as a whole beyond this; noting again is one statement. */
const MAX_NOTED = 100_000;

/** What the index rows of each space were made with, as the database remembers it. */
export class RowRecord {
  private readonly noted = registerCache(new Set<number>());
  private readonly noting = new Map<number, Promise<void>>();
  private readonly bound: { readonly releases: readonly string[]; readonly rules: readonly string[] };

  constructor(
    private readonly database: Database,
    /** What this process makes rows with, by release. */
    rules: Readonly<Record<string, string>>,
  ) {
    this.bound = { releases: Object.keys(rules), rules: Object.values(rules) };
  }

  /**
   * To be awaited before rows of a space are written. Undefined when this process has noted itself there before: all
   * but the first time.
   */
  note(space: number): Promise<void> | undefined {
    if (this.noted.has(space)) return undefined;
    let noting = this.noting.get(space);
    if (noting === undefined) {
      noting = this.writeNote(space).finally(() => this.noting.delete(space));
      this.noting.set(space, noting);
    }
    return noting;
  }

  private async writeNote(space: number): Promise<void> {
    await this.database.run('write', space, NOTE, { space, ...this.bound });
    if (this.noted.size >= MAX_NOTED) this.noted.clear();
    this.noted.add(space);
  }

  /** Cost: one pass over the spaces, of which there are few. */
  async outdated(database: Database = this.database): Promise<OutdatedSpaces> {
    const [row] = await database.run('search', undefined, OUTDATED, { ...this.bound, limit: MAX_TOLD });
    const [count, madeWith] = (row ?? [0, null]) as [number, string[] | null];
    return { count, madeWith: madeWith ?? [] };
  }
}

/** What the rows of a space may have been made with. */
export async function readRecord(session: OwnerSession, space: number): Promise<readonly string[]> {
  const [row] = await session.run(READ, { space });
  const [madeWith] = (row ?? [[]]) as [string[]];
  return madeWith;
}

/** Before rows of a space are made with `rule`. */
export async function addToRecord(session: OwnerSession, space: number, rule: string): Promise<void> {
  await session.run(ADD, { space, rule });
}

/** After all rows of a space were made with `rule`: `replaced` is gone; what others have noted meanwhile stays. */
export async function replaceRecord(
  session: OwnerSession,
  space: number,
  replaced: readonly string[],
  rule: string,
): Promise<void> {
  await session.run(REPLACE, { space, replaced, rule });
}

/** False: another reindex works on the space. Held until it is let go of, or until the end of the session. */
export async function lockReindex(session: OwnerSession, space: number): Promise<boolean> {
  const [row] = await session.run(LOCK, { lock: REINDEX_LOCK, space });
  return row?.[0] === true;
}

export async function unlockReindex(session: OwnerSession, space: number): Promise<void> {
  await session.run(UNLOCK, { lock: REINDEX_LOCK, space });
}
