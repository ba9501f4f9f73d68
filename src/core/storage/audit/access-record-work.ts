/** Makes AuditEvents of records of all spaces: statements of the owner, because only the owner can remove records. */
import { sql } from 'kysely';
import type { Space } from '../../context';
import { isRelease } from '../../fhir/release';
import { decodeLine, type AccessRecord } from './access-line';
import {
  SET_SPACE,
  spaceSettings,
  type Database,
  type DatabaseOptions,
  type Run,
} from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

const ANY = defineStatement(template(sql`select andiron.have_access_records()`));

export async function haveRecords(database: Pick<Database, 'run'>): Promise<boolean> {
  const [row] = await database.run({ lane: 'search', space: undefined }, ANY, {});
  return row?.[0] === true;
}

/** A space with recorded accesses, and the space of its AuditEvents. */
export interface RecordedSpace {
  readonly space: Space;
  readonly auditSpace: number;
}

/** Skips through the index from one space with records to the next, however many records each has. */
const SPACES = defineStatement(
  template(sql`
    with recursive found (space) as (
      (select r.space from andiron.access_record r order by r.space limit 1)
      union all
      select (select r.space from andiron.access_record r where r.space > f.space order by r.space limit 1)
      from found f where f.space is not null
    )
    select s.number, s.release, t.number, t.name, coalesce(t.settings->>'time-zone', 'UTC'), a.number
    from found f join andiron.space s on s.number = f.space join andiron.tenant t on t.number = s.tenant
    join andiron.space a on a.tenant = s.tenant and a.release = s.release and a.kind = 'audit'
    where t.status in ('active', 'disabled')
    order by s.number limit ${bind('limit')}::int`),
);
const MAX_SPACES = 100_000;

async function readRecordedSpaces(session: OwnerSession): Promise<RecordedSpace[]> {
  const rows = await session.run(SPACES, { limit: MAX_SPACES });
  return (rows as [number, string, number, string, string, number][]).flatMap(
    ([number, release, tenantNumber, tenant, timeZone, auditSpace]) =>
      isRelease(release) ? [{ space: { number, release, tenantNumber, tenant, timeZone }, auditSpace }] : [],
  );
}

/** Takes the oldest rows with at most `limit` records together, but at least one row. */
const TAKE = defineStatement(
  template(sql`
    with oldest as materialized (
      select o.ctid as place, o.batch, o.records from andiron.access_record o where o.space = ${bind('space')}::int
      order by o.batch limit ${bind('limit')}::int for update skip locked
    ),
    chosen as (
      select x.place from (
        select o.place, o.records, sum(o.records) over (order by o.batch) as through from oldest o) x
      where x.through <= ${bind('limit')}::int or x.through = x.records
    ),
    taken as (
      delete from andiron.access_record r
      where r.space = ${bind('space')}::int and r.ctid = any (array(select c.place from chosen c))
      returning r.batch, r.accesses
    )
    select t.accesses from taken t order by t.batch`),
);

/** Makes the planner use the key, because the statistics of a table that is often empty mislead it. */
const BY_INDEX = defineStatement(template(sql`set enable_seqscan = off`), { named: false });

/** Opens a session for `takeRecords` in a space. */
export async function openRecordSession(space: number, options: DatabaseOptions): Promise<OwnerSession> {
  const session = await OwnerSession.openFor(space, options);
  await session.run(BY_INDEX);
  return session;
}

/** Runs `work` with sessions for `takeRecords`, each with all spaces that have records there. */
export async function inRecordSessions(
  options: DatabaseOptions,
  work: (session: OwnerSession, spaces: readonly RecordedSpace[]) => Promise<void>,
): Promise<void> {
  const all = await OwnerSession.open(options);
  try {
    await all.forEachGroup(async (session) => {
      await session.run(BY_INDEX);
      await work(session, await readRecordedSpaces(session));
    });
  } finally {
    await all.close();
  }
}

const HAS = defineStatement(
  template(sql`select 1 from andiron.access_record r where r.space = ${bind('space')}::int limit 1`),
);

/** True if a space has records, including those that another process is taking. */
export async function hasRecords(session: OwnerSession, space: number): Promise<boolean> {
  return (await session.run(HAS, { space })).length > 0;
}

/**
 * Removes about `limit` of the oldest records of a space and returns them in order. Records locked by another process
 * are skipped.
 */
export async function takeRecords(
  session: OwnerSession,
  space: number,
  limit: number,
): Promise<AccessRecord[]> {
  const rows = await session.run(TAKE, { space, limit });
  return rows.flatMap(([accesses]) => String(accesses).split('\n').map(decodeLine));
}

/** Sets the space of the owner's session, and returns a function that runs statements in it. */
export async function runIn(session: OwnerSession, space: number): Promise<Run> {
  await session.run(SET_SPACE, spaceSettings(space));
  return (statement, bound) => session.run(statement, bound);
}
