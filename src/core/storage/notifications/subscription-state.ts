/** The state of Subscriptions, written in the transaction of the version that changes it. */
import { sql } from 'kysely';
import { fhirError } from '../../errors';
import type { Row, Run } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { keyText } from '../read/version-row';
import type { Author, RequestedSubscription, SubscriptionChange } from './subscription-change';

/** A client has written the Subscription since the server looked at it: the server's own change has no place. */
export class SubscriptionRewritten extends Error {}

const OF_THIS = sql`s.space = ${bind('space')}::int and s.resource_key = ${bind('key')}::bigint`;

const READ_SECRETS = defineStatement(
  template(sql`select s.headers, s.author, s.endpoint from andiron.subscription s where ${OF_THIS} limit 1`),
);

/** The number of the space comes back so that a Subscription beyond the limit can be refused. */
const REQUEST = defineStatement(
  template(sql`
    with written as (
      select v.version, v.sequence from andiron.resource_version v
      where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint
        and v.resource_key = ${bind('key')}::bigint
      order by v.version desc limit 1
    ), feed as (
      insert into andiron.subscription_feed as f (space, position, changes)
      select ${bind('space')}::int, w.sequence, 1 from written w
      on conflict (space) do update
        set changes = f.changes + 1, idle = false,
            position = case when f.idle then excluded.position else f.position end
      returning 1
    ), stored as (
      insert into andiron.subscription as s
        (space, resource_key, id, version, status, since, author, endpoint, headers)
      select ${bind('space')}::int, ${bind('key')}::bigint, ${bind('id')}, w.version, 'requested', w.sequence,
             ${bind('author')}::jsonb, ${bind('endpoint')}, ${bind('headers')}::text[]
      from written w cross join feed
      on conflict (space, resource_key) do update
        set version = excluded.version, status = 'requested', author = excluded.author,
            endpoint = excluded.endpoint, headers = excluded.headers,
            since = case when s.status = 'off' then excluded.since else s.since end,
            delivered = case when s.status = 'off' then s.numbered else s.delivered end,
            attempts = 0, failing_since = null, next_attempt = null, failure = null, sent = null
      returning 1
    )
    select (select count(*)::int from (
              select 1 from andiron.subscription s
              where s.space = ${bind('space')}::int and s.status <> 'off' and s.resource_key <> ${bind('key')}::bigint
              limit ${bind('most')}::int) as others)
    from stored`),
);

const SWITCH_OFF = defineStatement(
  template(sql`
    with feed as (
      update andiron.subscription_feed f set changes = f.changes + 1 where f.space = ${bind('space')}::int returning 1
    )
    update andiron.subscription s
       set status = 'off', author = null, endpoint = null, headers = '{}', attempts = 0, failing_since = null,
           next_attempt = null, failure = null
      from feed
     where ${OF_THIS} returning 1`),
);

/**
 * A Subscription that is requested again wakes its feed; what an idle feed has passed over is lost, and so is what happened
 * while it was off. `keeps`: an administrator switched it off, so that its author and headers stay for the day when an
 * administrator switches it on. The number of the other running ones comes back as in `REQUEST`.
 */
const SET_STATUS = defineStatement(
  template(sql`
    with written as (
      select v.sequence from andiron.resource_version v
      where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint
        and v.resource_key = ${bind('key')}::bigint
      order by v.version desc limit 1
    ), feed as (
      update andiron.subscription_feed f
         set changes = f.changes + 1, idle = f.idle and ${bind('status')} <> 'requested',
             position = case when f.idle and ${bind('status')} = 'requested' then w.sequence else f.position end
        from written w
       where f.space = ${bind('space')}::int returning 1
    ), stored as (
      update andiron.subscription s
         set status = ${bind('status')}, attempts = 0, failing_since = null, next_attempt = null,
             failure = ${bind('failure')},
             headers = case when ${bind('status')} = 'off' and not ${bind('keeps')}::boolean then '{}' else s.headers end,
             author = case when ${bind('status')} = 'off' and not ${bind('keeps')}::boolean then null else s.author end,
             since = case when s.status = 'off' then w.sequence else s.since end,
             delivered = case when s.status = 'off' then s.numbered else s.delivered end
        from feed cross join written w
       where ${OF_THIS} and s.version = ${bind('of')}::int
         and (s.status <> 'off' or (${bind('status')} = 'requested' and s.author is not null))
      returning 1
    )
    select (select count(*)::int from (
              select 1 from andiron.subscription s
              where s.space = ${bind('space')}::int and s.status <> 'off' and s.resource_key <> ${bind('key')}::bigint
                and ${bind('status')} = 'requested'
              limit ${bind('most')}::int) as others)
    from stored`),
);

/**
 * Changes the state of a Subscription after its version was written, in the same transaction. Locks the row of the feed
 * before that of the Subscription, as all statements do. Throws ruleViolated, SubscriptionRewritten.
 */
export async function changeSubscription(run: Run, space: number, change: SubscriptionChange): Promise<void> {
  const { to } = change;
  const place = { space, key: keyText(change.key) };
  if (to === 'off') {
    await run(SWITCH_OFF, place);
    return;
  }
  if ('status' in to) {
    const { status, of, failure = null, keeps = false, most } = to;
    const bound = { ...place, type: change.type, status, of, failure, keeps, most: most ?? 0 };
    const [row] = await run(SET_STATUS, bound);
    if (row === undefined) throw new SubscriptionRewritten();
    if (most !== undefined) requireBelow(most, row);
    return;
  }
  const { author, endpoint, most } = to.requested;
  const headers = await completeHeaders(run, place, to.requested);
  const [row] = await run(REQUEST, {
    ...place,
    ...{ type: change.type, id: change.id, endpoint: endpoint ?? null, headers, most },
    author: JSON.stringify(author),
  });
  requireBelow(most, row);
}

/** Throws ruleViolated where the space has `most` running Subscriptions beside the one that was written. */
function requireBelow(most: number, row: Row | undefined): void {
  if (Number(row?.[0] ?? 0) < most) return;
  const reason = `This tenant has ${most} running Subscriptions in this release, the most that it may have`;
  throw fhirError('ruleViolated', { reason });
}

/**
 * Fills in the values that a client sent back masked. Only their author may do so, with all scopes with which they were
 * written, and only for the same endpoint, so that nobody can read them or send them elsewhere.
 */
async function completeHeaders(
  run: Run,
  place: { readonly space: number; readonly key: string },
  { author, endpoint, headers, mayKeep }: RequestedSubscription,
): Promise<string[]> {
  if (headers.every(([, value]) => value !== undefined))
    return headers.map(([name, value]) => `${name}: ${value}`);
  const [row] = (await run(READ_SECRETS, place)) as [string[], Author | null, string | null][];
  const [stored, earlier, before] = row ?? [[], null, null];
  const isAuthor = earlier !== null && earlier.actor === author.actor && mayKeep(earlier);
  const isSame = isAuthor && before !== null && before === endpoint;
  return headers.map(([name, value]) => {
    const kept = stored.find((header) => header.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    if (value !== undefined) return `${name}: ${value}`;
    if (isSame && kept !== undefined) return kept;
    const reason = `The value of the header '${name}' is masked, and nothing that is stored may replace it: write it again`;
    throw fhirError('ruleViolated', { reason }, 'Subscription.channel.header');
  });
}
