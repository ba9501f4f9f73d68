/** Administrators' view of the deliveries of Subscriptions, and their changes to them. */
import { sql } from 'kysely';
import type { Release } from '../../fhir/release';
import type { Database, Row } from '../connection/database';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import type { RunningStatus } from './subscription-change';

export type SubscriptionStatus = RunningStatus | 'off';

/** The delivery of a Subscription. Times are milliseconds since 1970. */
export interface DeliveryRow {
  /** The key of the resource in decimal form. */
  readonly key: string;
  readonly id: string;
  /** The version of the resource that a client wrote last. */
  readonly version: number;
  readonly status: SubscriptionStatus;
  readonly endpoint: string | undefined;
  readonly numbered: number;
  readonly delivered: number;
  readonly attempts: number;
  readonly failingSince: number | undefined;
  readonly nextAttempt: number | undefined;
  readonly failure: string | undefined;
  /** When a notification arrived last. */
  readonly lastArrival: number | undefined;
  /** False: it was switched off by its client, or its author has lost all rights. */
  readonly hasAuthor: boolean;
}

/** A delivery with its space; `tenant` is undefined while the space is being removed. */
export interface PlacedDelivery extends DeliveryRow {
  readonly space: number;
  readonly tenant: string | undefined;
  readonly release: Release;
}

/** Rows that one statement reads. */
export const DELIVERIES_AT_ONCE = 500;
export const FIRST_KEY = '-9223372036854775808';

const COLUMNS = sql`
  s.resource_key::text, s.id, s.version, s.status, s.endpoint, s.numbered, s.delivered, s.attempts,
  floor(extract(epoch from s.failing_since) * 1000)::float8, floor(extract(epoch from s.next_attempt) * 1000)::float8,
  s.failure, floor(extract(epoch from s.sent) * 1000)::float8, s.author is not null`;

const READ_SPACE = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.subscription s
    where s.space = ${bind('space')}::int and s.resource_key > ${bind('after')}::bigint
    order by s.resource_key limit ${sql.lit(DELIVERIES_AT_ONCE)}`),
);

/** Returns the first deliveries of a space after a key, whatever their status. */
export async function readDeliveries(
  database: Database,
  space: number,
  after: string,
): Promise<readonly DeliveryRow[]> {
  return (await database.run({ lane: 'search', space }, READ_SPACE, { space, after })).map(toDelivery);
}

const READ_ONE = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.subscription s
    where s.space = ${bind('space')}::int and s.resource_key = ${bind('key')}::bigint limit 1`),
);

/** Undefined: no client has requested notifications for the Subscription, or it does not exist. */
export async function readDelivery(
  database: Database,
  space: number,
  key: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await database.run({ lane: 'search', space }, READ_ONE, { space, key });
  return row && toDelivery(row);
}

const READ_ALL = defineStatement(
  template(sql`
    select s.space, t.name, p.release, ${COLUMNS}
    from (select * from andiron.subscription s
          where (s.space, s.resource_key) > (${bind('space')}::int, ${bind('after')}::bigint)
          order by s.space, s.resource_key limit ${sql.lit(DELIVERIES_AT_ONCE)}) s
    left join andiron.space p on p.number = s.space left join andiron.tenant t on t.number = p.tenant
    order by s.space, s.resource_key`),
  { named: false },
);

/** The same for all spaces, after a key of one of them. */
export async function readAllDeliveries(
  session: OwnerSession,
  space: number,
  after: string,
): Promise<readonly PlacedDelivery[]> {
  return (await session.run(READ_ALL, { space, after })).map((row) => {
    const [number, name, release] = row as [number, string | null, Release | null];
    const tenant = name ?? undefined;
    return { ...toDelivery(row.slice(3)), space: number, tenant, release: release ?? 'r4' };
  });
}

function toDelivery(row: Row): DeliveryRow {
  const [key, id, version, status, endpoint, numbered, delivered, attempts] = row as [
    ...[key: string, id: string, version: number, status: SubscriptionStatus, endpoint: string | null],
    ...[numbered: number, delivered: number, attempts: number],
  ];
  const [failingSince, nextAttempt, failure, lastArrival, hasAuthor] = row.slice(8) as [
    ...[failingSince: number | null, nextAttempt: number | null, failure: string | null],
    ...[lastArrival: number | null, hasAuthor: boolean],
  ];
  return {
    ...{ key, id, version, status, endpoint: endpoint ?? undefined, numbered, delivered, attempts },
    failingSince: failingSince ?? undefined,
    nextAttempt: nextAttempt ?? undefined,
    failure: failure ?? undefined,
    lastArrival: lastArrival ?? undefined,
    hasAuthor,
  };
}

const NEWEST_EVENTS = defineStatement(
  template(sql`
    select e.number, floor(extract(epoch from e.made) * 1000)::float8 from andiron.subscription_event e
    where e.space = ${bind('space')}::int and e.resource_key = ${bind('key')}::bigint
    order by e.number desc limit ${bind('limit')}::int`),
);

/** Returns the last events that are kept, the newest first: their numbers and times. */
export async function newestEvents(
  database: Database,
  { space, key, limit }: { readonly space: number; readonly key: string; readonly limit: number },
): Promise<readonly { readonly number: number; readonly made: number }[]> {
  const rows = await database.run({ lane: 'search', space }, NEWEST_EVENTS, { space, key, limit });
  return rows.map(([number, made]) => ({ number: Number(number), made: Number(made) }));
}

const HASTEN = defineStatement(
  template(sql`
    with feed as (
      update andiron.subscription_feed f set changes = f.changes + 1 where f.space = ${bind('space')}::int returning 1
    )
    update andiron.subscription s set next_attempt = clock_timestamp()
      from feed
     where s.space = ${bind('space')}::int and s.resource_key = ${bind('key')}::bigint
       and s.status = 'active' and s.attempts > 0
    returning 1`),
);

/** Makes the next attempt of a failing delivery due now. False: it does not fail any more. */
export async function hastenDelivery(database: Database, space: number, key: string): Promise<boolean> {
  return (await database.run({ lane: 'read', space }, HASTEN, { space, key })).length > 0;
}
