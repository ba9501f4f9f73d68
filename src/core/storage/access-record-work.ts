/** Making AuditEvents of records, over all spaces: statements of the owner, who alone may take records away. */
import { sql } from 'kysely';
import type { Space } from '../context';
import { isRelease } from '../fhir/release';
import type { AccessRecord } from './access-records';
import { SET_SPACE, type Database, type DatabaseOptions, type Run } from './database';
import { OwnerSession } from './owner-session';
import { bind, defineStatement, template } from './statement';
import { keyOfText } from './version-row';

const ANY = defineStatement(template(sql`select andiron.have_access_records()`));

export async function haveRecords(database: Pick<Database, 'run'>): Promise<boolean> {
  const [row] = await database.run('search', undefined, ANY, {});
  return row?.[0] === true;
}

/** A space in which accesses were recorded, and the one that their AuditEvents go to. */
export interface RecordedSpace {
  readonly space: Space;
  readonly auditSpace: number;
}

/** From one space that has records to the next by the index, however many each has. */
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

export async function readRecordedSpaces(session: OwnerSession): Promise<RecordedSpace[]> {
  const rows = await session.run(SPACES, { limit: MAX_SPACES });
  return (rows as [number, string, number, string, string, number][]).flatMap(
    ([number, release, tenantNumber, tenant, timeZone, auditSpace]) =>
      isRelease(release) ? [{ space: { number, release, tenantNumber, tenant, timeZone }, auditSpace }] : [],
  );
}

const TAKE = defineStatement(
  template(sql`
    with taken as (
      delete from andiron.access_record r where r.ctid = any (array(
        select o.ctid from andiron.access_record o where o.space = ${bind('space')}::int
        order by o.event_key limit ${bind('limit')}::int for update skip locked))
      returning r.*
    )
    select t.event_key::text, t.recorded::float8, t.interaction, t.status, t.request_id, t.reason, t.client, t.person,
           t.address, t.resource_type, t.resource_id, t.resource_version, t.patient, t.query, t.details
    from taken t order by t.event_key`),
);

/** The oldest are found by the key, whatever is known of a table that is empty at one moment and full at the next. */
const BY_INDEX = defineStatement(template(sql`set enable_seqscan = off`), { named: false });

/** A session for `takeRecords`. */
export async function openRecordSession(options: DatabaseOptions): Promise<OwnerSession> {
  const session = await OwnerSession.open(options);
  await session.run(BY_INDEX);
  return session;
}

const HAS = defineStatement(
  template(sql`select 1 from andiron.access_record r where r.space = ${bind('space')}::int limit 1`),
);

/** Whether there are records of a space, those that somebody is at included. */
export async function hasRecords(session: OwnerSession, space: number): Promise<boolean> {
  return (await session.run(HAS, { space })).length > 0;
}

type Taken = [
  key: string,
  recorded: number,
  interaction: string,
  status: number,
  requestId: string,
  ...texts: (string | null)[],
];

/** The oldest records of a space, taken away; in the order of their keys. Those that another process is at are left to it. */
export async function takeRecords(
  session: OwnerSession,
  space: number,
  limit: number,
): Promise<AccessRecord[]> {
  return (await session.run(TAKE, { space, limit })).map((row) => {
    const [key, recorded, interaction, status, requestId] = row as Taken;
    const version = row[11];
    const text = (place: number): string | undefined => {
      const value = row[place];
      return typeof value === 'string' ? value : undefined;
    };
    return {
      key: keyOfText(key),
      recorded,
      interaction,
      status,
      requestId,
      reason: text(5),
      client: text(6),
      person: text(7),
      address: text(8),
      type: text(9),
      id: text(10),
      version: typeof version === 'number' ? version : undefined,
      patient: text(12),
      query: text(13),
      details: text(14),
    };
  });
}

/** What statements of the owner's transaction are run by in the space that they write. */
export async function runIn(session: OwnerSession, space: number): Promise<Run> {
  await session.run(SET_SPACE, { space: String(space) });
  return (statement, bound) => session.run(statement, bound);
}
