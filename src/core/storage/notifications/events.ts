/** The events of Subscriptions, and the progress of their deliveries. */
import { sql } from 'kysely';
import type { Database, Row } from '../connection/database';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import { CHANGES, type Change } from '../write/version-write';

/** An event; without `version` where the changed resource was erased. */
export interface StoredEvent {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly made: number;
  readonly version?: {
    readonly type: number;
    /** The key of the resource in decimal form. */
    readonly key: string;
    /** Null where the key stands for the id. */
    readonly id: string | null;
    readonly version: number;
    readonly change: Change;
    /** Milliseconds since 1970. */
    readonly lastUpdated: number;
  };
}

const COLUMNS = sql`e.number, floor(extract(epoch from e.made) * 1000)::float8, v.resource_type, v.resource_key::text, v.id,
  v.version, v.change, v.last_updated`;
const VERSION = sql`left join andiron.resource_version v on v.space = ${bind('space')}::int and v.sequence = e.sequence`;
const OF_THIS = sql`s.space = ${bind('space')}::int and s.resource_key = ${bind('key')}::bigint`;

const NEXT = defineStatement(
  template(sql`
    select ${COLUMNS}
    from andiron.subscription s
    join andiron.subscription_event e
      on e.space = ${bind('space')}::int and e.resource_key = s.resource_key and e.number > s.delivered
    ${VERSION}
    where ${OF_THIS} and s.version = ${bind('version')}::int and s.status = 'active'
    order by e.number limit ${bind('limit')}::int`),
);

/** Identifies a Subscription as a client wrote it; after a later write nothing more is delivered for it. */
export interface SubscriptionKey {
  readonly space: number;
  readonly key: string;
  readonly version: number;
}

/** Returns the first events that are not delivered, in their order; none if the Subscription is not active any more. */
export async function nextEvents(
  database: Database,
  { space, key, version }: SubscriptionKey,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const rows = await database.run({ lane: 'read', space }, NEXT, { space, key, version, limit });
  return rows.map(toEvent);
}

const BETWEEN = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.subscription_event e ${VERSION}
    where e.space = ${bind('space')}::int and e.resource_key = ${bind('key')}::bigint
      and e.number >= ${bind('since')}::int and e.number <= ${bind('until')}::int
    order by e.number limit ${bind('limit')}::int`),
);

/** Returns the stored events with these numbers, both included, at most `limit`. */
export async function eventsBetween(
  database: Database,
  { space, key }: Pick<SubscriptionKey, 'space' | 'key'>,
  range: { readonly since: number; readonly until: number; readonly limit: number },
): Promise<readonly StoredEvent[]> {
  return (await database.run({ lane: 'read', space }, BETWEEN, { space, key, ...range })).map(toEvent);
}

function toEvent(row: readonly unknown[]): StoredEvent {
  const [number, made, type, key, id, version, change, lastUpdated] = row as [
    ...[number: number, made: number, type: number | null, key: string, id: string | null, version: number],
    ...[change: number, lastUpdated: number],
  ];
  const kind = CHANGES[change];
  if (type === null || kind === undefined) return { number, made };
  return { number, made, version: { type, key, id, version, change: kind, lastUpdated } };
}

const IS_CURRENT = sql`${OF_THIS} and s.version = ${bind('version')}::int and s.status <> 'off'`;

const IS_ACTIVE = defineStatement(
  template(sql`select 1 from andiron.subscription s where ${IS_CURRENT} limit 1`),
);

/** True: the Subscription is still as a client wrote it in this version, and not off. */
export async function isCurrent(
  database: Database,
  { space, key, version }: SubscriptionKey,
): Promise<boolean> {
  return (await database.run({ lane: 'read', space }, IS_ACTIVE, { space, key, version })).length > 0;
}

const DELIVERED = defineStatement(
  template(sql`
    update andiron.subscription s
       set delivered = greatest(s.delivered, ${bind('number')}::int), sent = clock_timestamp(), attempts = 0,
           failing_since = null, next_attempt = null, failure = null
     where ${IS_CURRENT} returning 1`),
);

/** Notes that a notification arrived, with all events up to `number`. */
export async function noteDelivered(
  database: Database,
  { space, key, version }: SubscriptionKey,
  number: number,
): Promise<void> {
  await database.run({ lane: 'read', space }, DELIVERED, { space, key, version, number });
}

const FAILED = defineStatement(
  template(sql`
    update andiron.subscription s
       set attempts = s.attempts + 1, failing_since = coalesce(s.failing_since, clock_timestamp()),
           next_attempt = clock_timestamp() + ${bind('wait')}::int * interval '1 millisecond', failure = ${bind('failure')}
     where ${IS_CURRENT}
    returning floor(extract(epoch from clock_timestamp() - s.failing_since) * 1000)::float8`),
);

/** Notes a failed attempt; returns the milliseconds since the first failure, undefined if it is not current. */
export async function noteFailed(
  database: Database,
  { space, key, version }: SubscriptionKey,
  { waitMs, failure }: { readonly waitMs: number; readonly failure: string },
): Promise<number | undefined> {
  const bound = { space, key, version, wait: waitMs, failure };
  const [row] = await database.run({ lane: 'read', space }, FAILED, bound);
  return row === undefined ? undefined : Number(row[0]);
}

const CLEAN = defineStatement(
  template(sql`
    delete from andiron.subscription_event e
    using (select o.resource_key, o.number from andiron.subscription_event o
           where o.space = ${bind('space')}::int and o.made < now() - ${bind('kept')}::float8 * interval '1 millisecond'
           order by o.made limit ${bind('limit')}::int) as old
    where e.space = ${bind('space')}::int and e.resource_key = old.resource_key and e.number = old.number
    returning 1`),
);
const CLEANED_AT_ONCE = 5_000;

/** Removes events that are older than `keptMs`. True: there may be more. */
export async function removeOldEvents(database: Database, space: number, keptMs: number): Promise<boolean> {
  const bound = { space, kept: keptMs, limit: CLEANED_AT_ONCE };
  return (await database.run({ lane: 'read', space }, CLEAN, bound)).length === CLEANED_AT_ONCE;
}

const FORGET = defineStatement(
  template(sql`
    with states as (
      delete from andiron.subscription s
      where s.space = ${bind('space')}::int and s.resource_key = any(${bind('keys')}::bigint[]) returning 1
    ), events as (
      delete from andiron.subscription_event e
      where e.space = ${bind('space')}::int and e.resource_key = any(${bind('keys')}::bigint[]) returning 1
    )
    select (select count(*)::int from states), (select count(*)::int from events)`),
);

/** Removes the state and the events of Subscriptions that do not exist any more; returns the numbers of both. */
export async function forgetSubscriptions(
  run: (statement: Statement, bound: { space: number; keys: string[] }) => Promise<Row[]>,
  space: number,
  keys: readonly string[],
): Promise<{ readonly subscription: number; readonly subscription_event: number }> {
  const [row] = await run(FORGET, { space, keys: [...keys] });
  return { subscription: Number(row?.[0] ?? 0), subscription_event: Number(row?.[1] ?? 0) };
}
