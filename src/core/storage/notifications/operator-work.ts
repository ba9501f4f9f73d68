/** Operators' view of the deliveries of Subscriptions, in all tenants, and their changes to them. */
import { sql } from 'kysely';
import type { Release } from '../../fhir/release';
import type { Database } from '../connection/database';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import type { RunningStatus } from './subscription-change';

/** Undefined: of all. */
export interface DeliveryScope {
  readonly tenant?: string | undefined;
  readonly release?: Release | undefined;
  readonly id?: string | undefined;
  readonly status?: RunningStatus | undefined;
}

/** The delivery of a Subscription that is not off. Times are milliseconds since 1970. */
export interface DeliveryRow {
  readonly space: number;
  readonly tenant: string;
  readonly release: Release;
  readonly id: string;
  /** The version of the resource that a client wrote last. */
  readonly version: number;
  readonly status: RunningStatus;
  readonly endpoint: string | undefined;
  readonly numbered: number;
  readonly delivered: number;
  readonly attempts: number;
  readonly failingSince: number | undefined;
  readonly nextAttempt: number | undefined;
  readonly failure: string | undefined;
}

const ROWS_AT_ONCE = 500;
const READ = defineStatement(
  template(sql`
    select s.space, s.resource_key::text, t.name, p.release, s.id, s.version, s.status, s.endpoint, s.numbered, s.delivered,
           s.attempts, floor(extract(epoch from s.failing_since) * 1000)::float8,
           floor(extract(epoch from s.next_attempt) * 1000)::float8, s.failure
    from andiron.subscription s
    join andiron.space p on p.number = s.space join andiron.tenant t on t.number = p.tenant
    where s.status <> 'off' and (s.space, s.resource_key) > (${bind('space')}::int, ${bind('key')}::bigint)
      and (${bind('tenant')}::text is null or t.name = ${bind('tenant')}::text)
      and (${bind('release')}::text is null or p.release = ${bind('release')}::text)
      and (${bind('id')}::text is null or s.id = ${bind('id')}::text)
      and (${bind('status')}::text is null or s.status = ${bind('status')}::text)
    order by s.space, s.resource_key limit ${sql.lit(ROWS_AT_ONCE)}`),
  { named: false },
);

/** Yields the deliveries of a scope. Cost: a scan of all Subscriptions that are not off. */
export async function* readDeliveries(
  session: OwnerSession,
  { tenant = null, release = null, id = null, status = null }: Nullable<DeliveryScope>,
): AsyncGenerator<DeliveryRow> {
  let after: { space: number; key: string } = { space: 0, key: '-9223372036854775808' };
  for (;;) {
    const rows = await session.run(READ, { ...after, tenant, release, id, status });
    for (const row of rows) {
      const [space, key, name, ofRelease, ofId, version, ofStatus] = row as [
        ...[space: number, key: string, name: string, release: Release, id: string, version: number],
        status: RunningStatus,
      ];
      const [endpoint, numbered, delivered, attempts, failingSince, nextAttempt, failure] = row.slice(7) as [
        ...[endpoint: string | null, numbered: number, delivered: number, attempts: number],
        ...[failingSince: number | null, nextAttempt: number | null, failure: string | null],
      ];
      after = { space, key };
      yield {
        ...{ space, tenant: name, release: ofRelease, id: ofId, version, status: ofStatus },
        endpoint: endpoint ?? undefined,
        ...{ numbered, delivered, attempts },
        failingSince: failingSince ?? undefined,
        nextAttempt: nextAttempt ?? undefined,
        failure: failure ?? undefined,
      };
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null };

const HASTEN = defineStatement(
  template(sql`
    with feed as (
      update andiron.subscription_feed f set changes = f.changes + 1 where f.space = ${bind('space')}::int returning 1
    )
    update andiron.subscription s set next_attempt = clock_timestamp()
      from feed
     where s.space = ${bind('space')}::int and s.id = ${bind('id')} and s.status = 'active' and s.attempts > 0
    returning 1`),
);

/** Makes the next attempt of a failing delivery due now. False: it does not fail any more. */
export async function hastenDelivery(
  database: Database,
  { space, id }: Pick<DeliveryRow, 'space' | 'id'>,
): Promise<boolean> {
  return (await database.run({ lane: 'read', space }, HASTEN, { space, id })).length > 0;
}
