/** The feeds of spaces with Subscriptions: who works on them, and which changes have become events. */
import { sql } from 'kysely';
import type { Release } from '../../fhir/release';
import type { Database, StatementContext } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { Author, RunningStatus } from './subscription-change';

/** The statements find few rows by key, and must not wait for the searches of clients. */
const of = (space: number): StatementContext => ({ lane: 'read', space });
const OF_ALL: StatementContext = { lane: 'read', space: undefined };

const ATTEND = defineStatement(
  template(sql`
    select f.space, f.changes, f.last, f.tenant, f.release
    from andiron.attend_subscription_feeds(${bind('worker')}, ${bind('silence')}::int, ${bind('most')}::int) f`),
);

/** A feed on which this process works. */
export interface OwnFeed {
  readonly space: number;
  readonly changes: number;
  /** Changes with every write to the space, and perhaps with others. */
  readonly last: number;
  readonly tenant: string;
  readonly release: Release;
}

/** Renews the lease on the feeds of this process, takes those without a living process, and returns all. */
export async function attendFeeds(
  database: Database,
  { worker, silenceMs, most }: { readonly worker: string; readonly silenceMs: number; readonly most: number },
): Promise<readonly OwnFeed[]> {
  const rows = await database.run(OF_ALL, ATTEND, { worker, silence: silenceMs, most });
  return (rows as [number, number, number, string, Release][]).map(
    ([space, changes, last, tenant, release]) => ({
      ...{ space, changes, last, tenant, release },
    }),
  );
}

const LEAVE = defineStatement(template(sql`select andiron.leave_subscription_feeds(${bind('worker')})`));

/** Gives up all feeds of this process. */
export async function leaveFeeds(database: Database, worker: string): Promise<void> {
  await database.run(OF_ALL, LEAVE, { worker });
}

const REST = defineStatement(
  template(sql`
    update andiron.subscription_feed f set idle = true, worker = null, beat = null
     where f.space = ${bind('space')}::int and f.worker = ${bind('worker')} and f.changes = ${bind('changes')}::int
    returning 1`),
);

/** Marks a feed as idle, unless a Subscription was written since `changes`. */
export async function restFeed(
  database: Database,
  { worker, space, changes }: { readonly worker: string; readonly space: number; readonly changes: number },
): Promise<boolean> {
  return (await database.run(of(space), REST, { worker, space, changes })).length > 0;
}

/** A running Subscription as it is stored. */
export interface StoredSubscription {
  readonly space: number;
  /** The key of the resource in decimal form. */
  readonly key: string;
  readonly id: string;
  /** The version of the resource that a client wrote last. */
  readonly version: number;
  readonly status: RunningStatus;
  readonly since: number;
  readonly author: Author;
  readonly headers: readonly string[];
  readonly numbered: number;
  readonly delivered: number;
  readonly attempts: number;
  /** Milliseconds for which deliveries have failed, and until the next attempt; undefined: they do not fail. */
  readonly failingMs: number | undefined;
  readonly waitMs: number;
  readonly failure: string | undefined;
  /** Milliseconds since the last notification. */
  readonly silentMs: number | undefined;
}

export interface StoredFeed {
  readonly position: number;
  readonly changes: number;
  readonly subscriptions: readonly StoredSubscription[];
}

const READ_FEED = defineStatement(
  template(sql`
    select f.position::bigint, f.changes from andiron.subscription_feed f
    where f.space = ${bind('space')}::int and f.worker = ${bind('worker')} limit 1`),
);
const READ_STATES = defineStatement(
  template(sql`
    select s.resource_key::text, s.id, s.version, s.status, s.since::bigint, s.author, s.headers, s.numbered, s.delivered, s.attempts,
           floor(extract(epoch from clock_timestamp() - s.failing_since) * 1000)::float8,
           greatest(0, floor(extract(epoch from s.next_attempt - clock_timestamp()) * 1000))::float8, s.failure,
           floor(extract(epoch from clock_timestamp() - s.sent) * 1000)::float8
    from andiron.subscription s
    where s.space = ${bind('space')}::int and s.status <> 'off'
      and (${bind('keys')}::bigint[] is null or s.resource_key = any(${bind('keys')}::bigint[]))
    order by s.resource_key limit ${bind('most')}::int`),
);

/** Above the limit on the Subscriptions of a space. */
const MOST_STATES = 100_000;

/** Reads the feed of a space with all its running Subscriptions; undefined: another process has it. Cost: two statements. */
export async function readFeedState(
  database: Database,
  space: number,
  worker: string,
): Promise<StoredFeed | undefined> {
  // The count of changes comes first: a Subscription written after it changes the count again.
  const [feed] = (await database.run(of(space), READ_FEED, { space, worker })) as [number, number][];
  if (feed === undefined) return undefined;
  const [position, changes] = feed;
  return { position, changes, subscriptions: await readStates(database, space) };
}

/** Reads the states of all running Subscriptions of a space, or of those with the given keys. */
export async function readStates(
  database: Database,
  space: number,
  keys?: readonly string[],
): Promise<readonly StoredSubscription[]> {
  const bound = { space, keys: keys === undefined ? null : [...keys], most: MOST_STATES };
  const rows = await database.run(of(space), READ_STATES, bound);
  return rows.map((row) => {
    const [key, id, version, status, since, author, headers] = row as [
      ...[key: string, id: string, version: number, status: RunningStatus, since: number, author: Author],
      headers: string[],
    ];
    const [numbered, delivered, attempts, failingMs, waitMs, failure, silentMs] = row.slice(7) as [
      ...[numbered: number, delivered: number, attempts: number, failingMs: number | null],
      ...[waitMs: number | null, failure: string | null, silentMs: number | null],
    ];
    return {
      ...{ space, key, id, version, status, since, author, headers, numbered, delivered, attempts },
      failingMs: failingMs ?? undefined,
      waitMs: waitMs ?? 0,
      failure: failure ?? undefined,
      silentMs: silentMs ?? undefined,
    };
  });
}

/** A change that is an event of a Subscription. */
export interface NewEvent {
  readonly key: string;
  readonly sequence: number;
}

const ADVANCE = defineStatement(
  template(sql`
    with feed as (
      update andiron.subscription_feed f set position = ${bind('to')}::bigint
       where f.space = ${bind('space')}::int and f.worker = ${bind('worker')} and f.position = ${bind('from')}::bigint
      returning f.position
    ), counted as (
      select s.resource_key, x.sequence,
             s.numbered + (row_number() over (partition by s.resource_key order by x.sequence))::int as number
      from unnest(${bind('keys')}::bigint[], ${bind('sequences')}::bigint[]) as x (resource_key, sequence)
      join andiron.subscription s
        on s.space = ${bind('space')}::int and s.resource_key = x.resource_key and s.status <> 'off'
       and s.since < x.sequence
      where exists (select 1 from feed)
    ), added as (
      insert into andiron.subscription_event (space, resource_key, number, sequence)
      select ${bind('space')}::int, c.resource_key, c.number, c.sequence from counted c
    ), totals as (
      select c.resource_key, max(c.number) as number from counted c group by c.resource_key
    ), changed as (
      update andiron.subscription s set numbered = t.number from totals t
       where s.space = ${bind('space')}::int and s.resource_key = t.resource_key
      returning s.resource_key, s.numbered
    )
    select c.resource_key::text, c.numbered from changed c right join feed on true
    limit ${bind('most')}::int`),
);

/**
 * Makes events of changes, and moves the feed on, in one statement. Returns the number of the last event of each
 * Subscription that has new ones; undefined: another process has the feed, and nothing was done.
 */
export async function advanceFeed(
  database: Database,
  space: number,
  step: {
    readonly worker: string;
    readonly from: number;
    readonly to: number;
    readonly events: readonly NewEvent[];
  },
): Promise<ReadonlyMap<string, number> | undefined> {
  const { worker, from, to, events } = step;
  const rows = (await database.run(of(space), ADVANCE, {
    ...{ space, worker, from, to, most: MOST_STATES },
    keys: events.map(({ key }) => key),
    sequences: events.map(({ sequence }) => sequence),
  })) as [string | null, number | null][];
  if (rows.length === 0) return undefined;
  return new Map(rows.flatMap(([key, number]) => (key === null || number === null ? [] : [[key, number]])));
}
