import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { fhirError } from '../../errors';
import { encodeMemberRecords, recordWritten, type MemberRecord } from '../audit/access-records';
import { IS_WITHIN_WHOLE, type BoundStatement } from '../connection/connection';
import type { Row, Run } from '../connection/database';
import { requireThat } from '../connection/requirement';
import { REGISTER, type Registration } from '../indexing/search-parameters';
import { claimContent } from '../content/contents';
import { noteUnopened } from './unopened-references';
import { changeSubscription } from '../notifications/subscription-state';
import { bind, defineStatement, template, type Bound, type Statement } from '../connection/statement';
import { encodeTargets, REQUIRE_TARGETS, type Target } from './required-references';
import { encodeWrites, type VersionWrite, type WriteStamp } from './version-write';

const PARAMETERS = [
  ...[
    'space',
    'type',
    'key',
    'expected',
    'change',
    'id',
    'old_sort_date',
    'sort_date',
    'presence',
    'meta_offset',
  ],
  ...['author', 'target_key', 'target_end'],
  ...['token_member', 'token_parameter', 'token_value', 'token_system'],
  ...['reference_member', 'reference_parameter', 'reference_key', 'reference_type'],
  ...[
    'range_member',
    'range_parameter',
    'range_qualifier',
    'range_qualifier_system',
    'range_low',
    'range_high',
  ],
  ...['range_unit_system', 'range_unit_code', 'range_unit_name', 'range_extremes'],
  ...['string_member', 'string_parameter', 'string_value', 'string_exact', 'string_extremes'],
  ...['uri_member', 'uri_parameter', 'uri_value', 'uri_version', 'has_removals'],
  // Last: a value after a long one makes pg copy the long one again into a larger packet.
  'body',
];

/** Options of the statement that writes versions. */
interface WriteForm {
  /** For tenants with search parameters of their own. */
  readonly knowsParameters: boolean;
  /** Locks the targets of references, which must exist. */
  readonly holdsTargets: boolean;
  /** Writes records of the accesses. */
  readonly isRecorded: boolean;
}

const WRITES: readonly Statement[] = Array.from({ length: 8 }, (_empty, place) =>
  defineWrite({
    knowsParameters: (place & 1) !== 0,
    holdsTargets: (place & 2) !== 0,
    isRecorded: (place & 4) !== 0,
  }),
);

function statementOf({ knowsParameters, holdsTargets, isRecorded }: WriteForm): Statement {
  const statement = WRITES[Number(knowsParameters) | (Number(holdsTargets) << 1) | (Number(isRecorded) << 2)];
  if (statement === undefined) throw new Error('there are eight forms of a write');
  return statement;
}

function defineWrite({ knowsParameters, holdsTargets, isRecorded }: WriteForm): Statement {
  const own = holdsTargets ? REQUIRE_TARGETS : sql`${bind('space')}::int`;
  const writing = writingSql(knowsParameters, own);
  return defineStatement(template(isRecorded ? recordWritten(writing) : writing));
}

function writingSql(knowsParameters: boolean, own: RawBuilder<unknown>): RawBuilder<unknown> {
  const others = PARAMETERS.slice(1).map((name) => sql`${sql.raw(`p_${name}`)} => ${bind(name)}`);
  // An argument is evaluated before the function begins.
  const space = knowsParameters
    ? sql`case when set_config('andiron.search_parameters', ${bind('parameter_change')}::text, true) <> ''
        then ${own} end`
    : own;
  return sql`select member, version, last_updated, sequence
          from andiron.store_versions(${sql.join([sql`p_space => ${space}`, ...others])})`;
}

/**
 * Finds the rows that a statement of writes returned, from its bound values. A version that the statement wrote is
 * identified by its number, change, author and text. It returns none if the statement was not committed.
 */
export const FIND_WRITTEN = defineStatement(
  template(sql`
    select x.member::int, v.version, v.last_updated, v.sequence::bigint
    from unnest(${bind('type')}::smallint[], ${bind('key')}::bigint[], ${bind('expected')}::int[],
        ${bind('change')}::smallint[], ${bind('author')}::text[], ${bind('body')}::text[]) with ordinality
      as x (type, key, expected, change, author, body, member)
    join andiron.resource_version v
      on v.space = ${bind('space')}::int and v.resource_type = x.type and v.resource_key = x.key
      and v.version = x.expected + 1 and v.change = x.change
      and v.author is not distinct from x.author and v.body is not distinct from x.body
    limit cardinality(${bind('type')}::smallint[])`),
  { named: false },
);

/** For `Connections.runWhole`: writes all members, or fails the transaction. */
const WHOLE_WRITES: readonly Statement[] = [false, true].map((knowsParameters) => {
  const own = sql`case when ${requireThat(IS_WITHIN_WHOLE)} then ${bind('space')}::int end`;
  return defineStatement(
    template(sql`
      with written as materialized (${writingSql(knowsParameters, own)}),
        counted as (select ${requireThat(sql`count(*) = ${bind('count')}::int`)} as is_whole from written)
      select w.member, w.version, w.last_updated, w.sequence from counted c left join written w on c.is_whole`),
  );
});

/** Limit on the members of a statement; more only lengthen the wait of all. Measured best between 30 and 64. */
export const MAX_MEMBERS = 64;

/** Length of a long body, in characters. */
const LONG_BODY = 1024 * 1024;

const NO_TARGETS: readonly Target[] = [];
const NO_RECORDS: readonly MemberRecord[] = [];
const PLAIN = { holdsTargets: false, isRecorded: false };

/**
 * Writes some versions of one space by one statement. Returns the outcomes in the order of `writes`; undefined if the
 * expected version did not hold. All writes must be made by the same change of the tenant's search parameters.
 *
 * Writes nothing and throws an error of `isOutdatedWrite` if that change is no longer the last, or one of
 * `isBrokenWrite` if a target does not exist (`VersionWrite.targets`).
 */
export async function writeVersions(
  run: Run,
  space: number,
  writes: readonly VersionWrite[],
): Promise<(WriteStamp | undefined)[]> {
  const targets = writes.flatMap((write) => write.targets ?? NO_TARGETS);
  const change = writes[0]?.parameterChange;
  const records = writes.flatMap(({ record }, index) =>
    record === undefined ? NO_RECORDS : [{ member: index + 1, record }],
  );
  const holdsTargets = targets.length > 0;
  const isRecorded = records.length > 0;
  const whole = Object.assign(
    encodeWrites(space, writes),
    holdsTargets ? encodeTargets(targets) : {},
    isRecorded ? encodeMemberRecords(records) : {},
  );
  // Encoding and sending a long text take a turn of the event loop each.
  if (writes.some(({ body }) => body !== null && body.length > LONG_BODY)) await nextTurn();
  return writeEncoded(run, {
    bound: whole,
    count: writes.length,
    parameterChange: change,
    form: { holdsTargets, isRecorded },
  });
}

/**
 * As `writeVersions`, for `count` encoded writes made by `parameterChange`. With `holdsTargets`, `bound` includes the
 * values of `encodeTargets`; with `isRecorded`, those of `encodeMemberRecords`.
 */
export async function writeEncoded(
  run: Run,
  {
    bound,
    count,
    parameterChange = 0,
    form = PLAIN,
  }: {
    readonly bound: Readonly<Record<string, Bound>>;
    readonly count: number;
    readonly parameterChange?: number;
    readonly form?: Omit<WriteForm, 'knowsParameters'>;
  },
): Promise<(WriteStamp | undefined)[]> {
  const knowsParameters = parameterChange !== 0;
  const rows = await run(
    statementOf({ knowsParameters, holdsTargets: form.holdsTargets, isRecorded: form.isRecorded }),
    knowsParameters ? { ...bound, parameter_change: String(parameterChange) } : bound,
  );
  return toOutcomes(rows, count);
}

/** `writeEncoded` as a statement of `Connections.runWhole`; it fails with `isLostRequirement` if one is not written. */
export function wholeWrite(
  bound: Readonly<Record<string, Bound>>,
  count: number,
  parameterChange = 0,
): BoundStatement {
  const statement = WHOLE_WRITES[parameterChange === 0 ? 0 : 1];
  if (statement === undefined) throw new Error('there are two forms of a whole write');
  return {
    statement,
    find: FIND_WRITTEN,
    bound: { ...bound, count, parameter_change: String(parameterChange) },
  };
}

/** Returns the outcomes of a statement of `count` writes, in their order. */
export function toOutcomes(rows: readonly Row[], count: number): (WriteStamp | undefined)[] {
  const outcomes: (WriteStamp | undefined)[] = new Array<WriteStamp | undefined>(count).fill(undefined);
  for (const [member, version, lastUpdated, sequence] of rows as readonly [
    number,
    number,
    number,
    number,
  ][]) {
    outcomes[member - 1] = { version, lastUpdated, sequence };
  }
  return outcomes;
}

/** Registers the parameters of a SearchParameter, inside the transaction that has written it, after its last write. */
export async function registerParameters(run: Run, space: number, registration: Registration): Promise<void> {
  await run(REGISTER, { space, owner: registration.owner, pairs: JSON.stringify(registration.pairs) });
}

/** Writes one version, what belongs to it (`VersionWrite`) and its companion inside a transaction. Undefined: nothing was written. */
export async function writeInTransaction(
  run: Run,
  space: number,
  write: VersionWrite,
): Promise<WriteStamp | undefined> {
  const [written] = await writeAll(run, space, [write]);
  return written;
}

/**
 * As `writeInTransaction`, for several versions of one space. They must be of distinct resources and in the order of
 * their locks. Each statement has at most 64.
 */
export async function writeAll(
  run: Run,
  space: number,
  writes: readonly VersionWrite[],
): Promise<(WriteStamp | undefined)[]> {
  const outcomes: (WriteStamp | undefined)[] = [];
  for (let start = 0; start < writes.length; start += MAX_MEMBERS)
    outcomes.push(...(await writeVersions(run, space, writes.slice(start, start + MAX_MEMBERS))));
  const written = writes.filter((_write, index) => outcomes[index] !== undefined);
  // Companions are new resources, so no transaction waits for their locks, and two such transactions cannot deadlock.
  const companions = written.flatMap(({ companion }) => companion ?? []);
  if (companions.length > 0 && (await writeAll(run, space, companions)).includes(undefined))
    throw fhirError('contended');
  for (const [index, { type, key, content, unopened = [] }] of writes.entries()) {
    const version = outcomes[index]?.version;
    if (version === undefined) continue;
    await noteUnopened(run, space, { type, key, version }, unopened);
    if (content !== undefined && !(await claimContent(run, { space, id: content }, { type, key, version })))
      throw fhirError('contentUnavailable');
  }
  for (const { registration, subscription } of written) {
    if (registration !== undefined) await registerParameters(run, space, registration);
    if (subscription !== undefined) await changeSubscription(run, space, subscription);
  }
  return outcomes;
}
