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

/** What needs a person first: given up, failing, not begun, delivered, switched off. */
const RANK = sql`case when s.status = 'error' then 0 when s.status = 'active' and s.attempts > 0 then 1
  when s.status = 'requested' then 2 when s.status = 'active' then 3 else 4 end`;
/** What a client has switched off or deleted is not listed. */
const IS_LISTED = sql`(s.status <> 'off' or s.author is not null or s.failure is not null)
  and (${bind('status')}::text is null or s.status = ${bind('status')}::text)`;

/** A place in a list of deliveries. */
export interface DeliveryPosition {
  readonly rank: number;
  readonly tenant: string;
  readonly release: Release;
  readonly id: string;
}

/** A row of a list, with its place. */
export type ListedDelivery = PlacedDelivery & { readonly tenant: string; readonly rank: number };

export interface DeliveryListing {
  readonly status: SubscriptionStatus | undefined;
  /** Undefined: from the first. */
  readonly after: DeliveryPosition | undefined;
  readonly limit: number;
}

const LIST_SPACE = defineStatement(
  template(sql`
    select ${RANK}, ${COLUMNS} from andiron.subscription s
    where s.space = ${bind('space')}::int and ${IS_LISTED}
      and (${RANK}, s.id collate "C") > (${bind('rank')}::int, ${bind('id')}::text collate "C")
    order by 1, s.id collate "C" limit ${bind('limit')}::int`),
);
/** Follows the last id of any rank. */
const LAST = '~';

/** Returns the listed deliveries of a space after a place, in their order. Cost: reads all Subscriptions of the space. */
export async function listDeliveries(
  database: Database,
  { space, tenant, release }: Pick<ListedDelivery, 'space' | 'tenant' | 'release'>,
  { status, after, limit }: DeliveryListing,
): Promise<readonly ListedDelivery[]> {
  const from = after === undefined ? { rank: -1, id: '' } : { rank: after.rank, id: idAfter(after, release) };
  const bound = { space, status: status ?? null, limit, ...from };
  const rows = await database.run({ lane: 'search', space }, LIST_SPACE, bound);
  return rows.map((row) => ({
    ...{ ...toDelivery(row.slice(1)), space, tenant, release },
    rank: Number(row[0]),
  }));
}

/** Releases follow each other inside of a rank. */
function idAfter({ release: last, id }: DeliveryPosition, release: Release): string {
  if (release === last) return id;
  return release < last ? LAST : '';
}

const LIST_ALL = defineStatement(
  template(sql`
    select ${RANK}, s.space, t.name, p.release, ${COLUMNS}
    from andiron.subscription s
    join andiron.space p on p.number = s.space join andiron.tenant t on t.number = p.tenant
    where ${IS_LISTED}
      and (${RANK}, t.name collate "C", p.release collate "C", s.id collate "C") > (${bind('rank')}::int,
           ${bind('tenant')}::text collate "C", ${bind('release')}::text collate "C", ${bind('id')}::text collate "C")
    order by 1, t.name collate "C", p.release collate "C", s.id collate "C" limit ${bind('limit')}::int`),
  { named: false },
);

/** The same of all tenants. Cost: reads all Subscriptions. */
export async function listAllDeliveries(
  session: OwnerSession,
  { status, after, limit }: DeliveryListing,
): Promise<readonly ListedDelivery[]> {
  const { rank, tenant, release, id } = after ?? { rank: -1, tenant: '', release: '', id: '' };
  const rows = await session.run(LIST_ALL, { status: status ?? null, rank, tenant, release, id, limit });
  return rows.map((row) => {
    const [own, space, name, of] = row as [number, number, string, Release];
    return { ...toDelivery(row.slice(4)), rank: own, space, tenant: name, release: of };
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
