/** What is recorded of accesses, as rows that will be AuditEvents (migrations/0017). */
import { sql, type RawBuilder } from 'kysely';
import { BinaryArray } from './binary-array';
import type { Run } from './database';
import { bind, defineStatement, template, type Bound } from './statement';
import type { KeyHalves } from './version-write';

/** One access. */
export interface AccessRecord {
  /** Of the AuditEvent that it becomes: an id of ours. */
  readonly key: KeyHalves;
  /** Milliseconds since 1970. */
  readonly recorded: number;
  /** A code of http://hl7.org/fhir/restful-interaction, or one of ours (access/interactions.ts). */
  readonly interaction: string;
  /** As HTTP tells it. */
  readonly status: number;
  /** Which error of the catalogue it was answered with. */
  readonly reason?: string;
  readonly requestId: string;
  /** Id of the ClientApplication; undefined: `anonymous`. */
  readonly client?: string;
  /** Who sits before the client, as a relative reference. */
  readonly person?: string;
  /** Network address of the client. */
  readonly address?: string;
  readonly type?: string;
  readonly id?: string;
  readonly version?: number;
  /** Id of the Patient that it was about, where the request says so. */
  readonly patient?: string;
  /** What was asked, as an address below `{fhir_root}`. */
  readonly query?: string;
  /** References to what was read, one a line, and how much there was besides. */
  readonly details?: string;
}

/** A record that goes with a write: its member of the statement, from 1. */
export interface MemberRecord {
  readonly member: number;
  readonly record: AccessRecord;
}

const COLUMNS: readonly (readonly [column: string, type: string])[] = [
  ['event_key', 'bigint'],
  ['recorded', 'bigint'],
  ['interaction', 'text'],
  ['status', 'smallint'],
  ['reason', 'text'],
  ['request_id', 'text'],
  ['client', 'text'],
  ['person', 'text'],
  ['address', 'text'],
  ['resource_type', 'text'],
  ['resource_id', 'text'],
  ['resource_version', 'int'],
  ['patient', 'text'],
  ['query', 'text'],
  ['details', 'text'],
];
const NAMES = COLUMNS.map(([column]) => sql.id(column));
const NAMED = sql.join(NAMES);
const ARRAYS = sql.join(
  COLUMNS.map(([column, type]) => sql`${bind(`record_${column}`)}::${sql.raw(type)}[]`),
);

/**
 * What was tried twice, because nobody knew whether it had been done, is there once. Of a tenant that is being removed
 * nothing is kept.
 */
const INSERT = defineStatement(
  template(sql`
    insert into andiron.access_record (space, ${NAMED})
    select ${bind('space')}::int, x.* from unnest(${ARRAYS}) as x (${NAMED})
    where exists (
      select 1 from andiron.space s join andiron.tenant t on t.number = s.tenant
      where s.number = ${bind('space')}::int and t.status in ('active', 'disabled'))
    on conflict do nothing`),
);

/** A statement that writes (giving member, version, last_updated and sequence), and the records of what it has written. */
export function recordWritten(writing: RawBuilder<unknown>): RawBuilder<unknown> {
  const values = COLUMNS.map(([column]) =>
    column === 'resource_version' ? sql`w.version` : sql`x.${sql.id(column)}`,
  );
  return sql`
    with written as materialized (${writing}),
    recorded as (
      insert into andiron.access_record (space, ${NAMED})
      select ${bind('space')}::int, ${sql.join(values)}
      from unnest(${bind('record_member')}::int[], ${ARRAYS}) as x (member, ${NAMED})
      join written w on w.member = x.member
    )
    select w.member, w.version, w.last_updated, w.sequence from written w`;
}

/** The bound values of `recordWritten`. */
export function encodeMemberRecords(records: readonly MemberRecord[]): Record<string, Bound> {
  const members = new BinaryArray('int4', 64);
  for (const { member } of records) members.pushInt4(member);
  return { ...encodeRecords(records.map(({ record }) => record)), record_member: members.finish() };
}

/** Adds records of one space, in a statement of their own. */
export async function insertRecords(
  run: Run,
  space: number,
  records: readonly AccessRecord[],
): Promise<void> {
  await run(INSERT, { space, ...encodeRecords(records) });
}

function encodeRecords(records: readonly AccessRecord[]): Record<string, Bound> {
  const key = new BinaryArray('int8', records.length * 12 + 32);
  const recorded = new BinaryArray('int8', records.length * 12 + 32);
  const status = new BinaryArray('int2');
  const version = new BinaryArray('int4');
  const texts = {
    interaction: new BinaryArray('text'),
    reason: new BinaryArray('text'),
    request_id: new BinaryArray('text'),
    client: new BinaryArray('text'),
    person: new BinaryArray('text'),
    address: new BinaryArray('text'),
    resource_type: new BinaryArray('text'),
    resource_id: new BinaryArray('text'),
    patient: new BinaryArray('text'),
    query: new BinaryArray('text'),
    details: new BinaryArray('text'),
  };
  for (const record of records) {
    key.pushInt8(record.key.high, record.key.low);
    recorded.pushWhole(record.recorded);
    status.pushInt2(record.status);
    if (record.version === undefined) version.pushNull();
    else version.pushInt4(record.version);
    texts.interaction.pushText(record.interaction);
    texts.reason.pushText(record.reason ?? null);
    texts.request_id.pushText(record.requestId);
    texts.client.pushText(record.client ?? null);
    texts.person.pushText(record.person ?? null);
    texts.address.pushText(record.address ?? null);
    texts.resource_type.pushText(record.type ?? null);
    texts.resource_id.pushText(record.id ?? null);
    texts.patient.pushText(record.patient ?? null);
    texts.query.pushText(record.query ?? null);
    texts.details.pushText(record.details ?? null);
  }
  const bound: Record<string, Bound> = {
    record_event_key: key.finish(),
    record_recorded: recorded.finish(),
    record_status: status.finish(),
    record_resource_version: version.finish(),
  };
  for (const [column, array] of Object.entries(texts)) bound[`record_${column}`] = array.finish();
  return bound;
}
