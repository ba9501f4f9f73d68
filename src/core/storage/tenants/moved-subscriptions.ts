/**
 * The Subscriptions of a tenant that moves, with the values of their headers: the states, the events, and the version-sequence
 * up to which changes have become events. Read and written as the owner.
 */
import { sql, type RawBuilder } from 'kysely';
import type { DatabaseOptions } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';

/** The tables of Subscriptions, in the order of an export. */
export const SUBSCRIPTION_TABLES = ['subscription_feed', 'subscription', 'subscription_event'] as const;

/** The state of a Subscription. */
export interface MovedState {
  readonly id: string;
  readonly numbered: number;
  /** The members of the exported row, as JSON. */
  readonly row: string;
}

/** The states of a space in one snapshot. */
export interface MovedSpace {
  readonly space: number;
  /** The last version-sequence of the snapshot, as `readLastSequence` returns it. */
  readonly last: number;
  /** Undefined: the space never had a Subscription. */
  readonly position: number | undefined;
  /** By the key of the resource in decimal form. */
  readonly states: ReadonlyMap<string, MovedState>;
}

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

const UTC = unnamed(sql`set timezone = 'UTC'`);
const READ_FEED = unnamed(sql`
  select l.last::bigint, (case when f.idle then l.last else f.position end)::bigint
  from (select greatest(p.purged_to, coalesce((
          select v.sequence from andiron.resource_version v where v.space = ${bind('space')}::int
          order by v.sequence desc limit 1), 0)) as last
        from andiron.space_state p where p.space = ${bind('space')}::int) l
  left join andiron.subscription_feed f on f.space = ${bind('space')}::int`);
const ROWS_AT_ONCE = 500;
const READ_STATES = unnamed(sql`
  select s.resource_key::text, s.id, s.numbered,
         jsonb_build_object('id', s.id, 'version', s.version, 'status', s.status, 'since', s.since, 'author', s.author,
           'endpoint', s.endpoint, 'headers', s.headers, 'numbered', s.numbered, 'delivered', s.delivered)::text
  from andiron.subscription s
  where s.space = ${bind('space')}::int and s.resource_key > ${bind('after')}::bigint
  order by s.resource_key limit ${sql.lit(ROWS_AT_ONCE)}`);
const FIRST_KEY = '-9223372036854775808';

/**
 * Reads the states of spaces of a tenant in one snapshot with their last version-sequences, so that the versions up to these agree with
 * the states. Memory: some hundred bytes a Subscription, and its headers.
 */
export async function readMovedSpaces(
  owner: DatabaseOptions,
  spaces: readonly number[],
): Promise<ReadonlyMap<number, MovedSpace>> {
  const found = new Map<number, MovedSpace>();
  const [first] = spaces;
  if (first === undefined) return found;
  const session = await OwnerSession.openFor(first, owner);
  const read = async (): Promise<void> => {
    for (const space of spaces) {
      const [row] = await session.run(READ_FEED, { space });
      const [last, position] = row as [string, string | null];
      const states = new Map<string, MovedState>();
      for (let after = FIRST_KEY; ;) {
        const rows = await session.run(READ_STATES, { space, after });
        for (const [key, id, numbered, text] of rows as [string, string, number, string][]) {
          states.set(key, { id, numbered, row: text });
          after = key;
        }
        if (rows.length < ROWS_AT_ONCE) break;
      }
      found.set(space, {
        ...{ space, states, last: Number(last) },
        position: position === null ? undefined : Number(position),
      });
    }
  };
  await session.transaction(read, 'snapshot').finally(() => session.close());
  return found;
}

const READ_EVENTS = unnamed(sql`
  select e.resource_key::text, e.number, e.sequence::bigint, to_jsonb(e.made) #>> '{}'
  from andiron.subscription_event e
  where e.space = ${bind('space')}::int
    and (e.resource_key, e.number) > (${bind('key')}::bigint, ${bind('number')}::int)
  order by e.resource_key, e.number limit ${sql.lit(ROWS_AT_ONCE)}`);

/** An event of a Subscription; `made` is in ISO form. */
export interface MovedEvent {
  readonly id: string;
  readonly number: number;
  readonly sequence: number;
  readonly made: string;
}

/** Yields the events that the states count. */
export async function* readMovedEvents(
  session: OwnerSession,
  { space, states }: MovedSpace,
): AsyncGenerator<MovedEvent> {
  await session.run(UTC);
  let after = { key: FIRST_KEY, number: 0 };
  for (;;) {
    const rows = await session.run(READ_EVENTS, { space, ...after });
    for (const [key, number, sequence, made] of rows as [string, number, string, string][]) {
      after = { key, number };
      const state = states.get(key);
      if (state !== undefined && number <= state.numbered)
        yield { id: state.id, number, sequence: Number(sequence), made };
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** Removes what an interrupted import has added to the spaces. */
export async function removeMoved(session: OwnerSession, spaces: readonly number[]): Promise<void> {
  for (const table of SUBSCRIPTION_TABLES)
    for (const space of spaces)
      await session.run(
        unnamed(sql`delete from ${sql.table(`andiron.${table}`)} x where x.space = ${bind('space')}::int`),
        { space },
      );
}

const ADD_STATE = unnamed(sql`
  insert into andiron.subscription
    (space, resource_key, id, version, status, since, author, endpoint, headers, numbered, delivered)
  select ${bind('space')}::int, ${bind('key')}::bigint, r.id, r.version, r.status, r.since, nullif(r.author, 'null'::jsonb),
         r.endpoint, r.headers, r.numbered, r.delivered
  from jsonb_populate_record(null::andiron.subscription, ${bind('row')}::jsonb) r`);

/** Adds a state. `row`: as in `MovedState`. Throws as the database does. */
export async function addMovedState(
  session: OwnerSession,
  space: number,
  { key, row }: { readonly key: string; readonly row: string },
): Promise<void> {
  await session.run(ADD_STATE, { space, key, row });
}

const ADD_EVENTS = unnamed(sql`
  insert into andiron.subscription_event (space, resource_key, number, sequence, made)
  select ${bind('space')}::int, x.* from unnest(${bind('keys')}::bigint[], ${bind('numbers')}::int[],
    ${bind('sequences')}::bigint[], ${bind('made')}::timestamptz[]) as x`);

/** Adds events, each with the key of its Subscription. Throws as the database does. */
export async function addMovedEvents(
  session: OwnerSession,
  space: number,
  events: readonly (Omit<MovedEvent, 'id'> & { readonly key: string })[],
): Promise<void> {
  if (events.length === 0) return;
  await session.run(ADD_EVENTS, {
    space,
    keys: events.map(({ key }) => key),
    numbers: events.map(({ number }) => number),
    sequences: events.map(({ sequence }) => sequence),
    made: events.map(({ made }) => made),
  });
}

const ADD_FEED = unnamed(sql`
  insert into andiron.subscription_feed (space, position) values (${bind('space')}::int, ${bind('position')}::bigint)`);

/** Adds the feed of a space, with which its deliveries can begin. */
export async function addMovedFeed(session: OwnerSession, space: number, position: number): Promise<void> {
  await session.run(ADD_FEED, { space, position });
}
