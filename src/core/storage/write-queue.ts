import { sql, type RawBuilder } from 'kysely';
import { FhirError, fhirError } from '../errors';
import type { IndexRows } from '../search/index-rows';
import { encodeMemberRecords, recordWritten, type MemberRecord } from './access-records';
import { isOutdatedWrite, isOverQuota, isRetryable } from './database-error';
import { IS_WITHIN_WHOLE, type BoundStatement } from './connection';
import type { Connections } from './connections';
import type { Database, Row, Run } from './database';
import { requireThat } from './requirement';
import { REGISTER, type Registration } from './search-parameters';
import { bind, defineStatement, template, type Bound, type Statement } from './statement';
import { encodeTargets, REQUIRE_TARGETS, type Target } from './targets';
import { encodeWrites, type VersionWrite, type Written } from './version-write';

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
  ...['author', 'body', 'target_key', 'target_end'],
  ...['token_member', 'token_parameter', 'token_value', 'token_system'],
  ...['reference_member', 'reference_parameter', 'reference_key', 'reference_type'],
  ...['range_member', 'range_parameter', 'range_qualifier', 'range_low', 'range_high'],
  ...['range_unit_system', 'range_unit_code', 'range_unit_name', 'range_extremes'],
  ...['string_member', 'string_parameter', 'string_value', 'string_exact', 'string_extremes'],
  ...['uri_member', 'uri_parameter', 'uri_value', 'uri_version', 'has_removals'],
];

/** What the statement of some writes does besides. */
interface WriteForm {
  /** For tenants with search parameters of their own. */
  readonly knowsParameters: boolean;
  /** Holds what they refer to, which must be there. */
  readonly holdsTargets: boolean;
  /** Leaves records of them. */
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
  const others = PARAMETERS.slice(1).map((name) => bind(name));
  // An argument is evaluated before the function begins.
  const space = knowsParameters
    ? sql`case when set_config('andiron.search_parameters', ${bind('parameter_change')}::text, true) <> ''
        then ${own} end`
    : own;
  return sql`select member, version, last_updated, sequence
          from andiron.write_versions(${sql.join([space, ...others])})`;
}

/** Of `Connections.runWhole`: all of its members are written, or the transaction fails. */
const WHOLE_WRITES: readonly Statement[] = [false, true].map((knowsParameters) => {
  const own = sql`case when ${requireThat(IS_WITHIN_WHOLE)} then ${bind('space')}::int end`;
  return defineStatement(
    template(sql`
      with written as materialized (${writingSql(knowsParameters, own)}),
        counted as (select ${requireThat(sql`count(*) = ${bind('count')}::int`)} as is_whole from written)
      select w.member, w.version, w.last_updated, w.sequence from counted c left join written w on c.is_whole`),
  );
});

/** More members only lengthen everybody's wait: measured best between 30 and 64. */
const MAX_MEMBERS = 64;
/**
 * A second statement of the space is sent beside the first where so many wait, and half as many as the first has: what
 * one does before it takes the tenant's counter goes on while the other is committed, and the server's thread need not
 * wait for both. Fewer would be cheaper together with those that come next.
 */
const LEAST_BESIDE = 4;
const MAX_UNDER_WAY = 2;
/** After a deadlock or a serialization failure. */
const MAX_ATTEMPTS = 3;
/** A larger statement would hold the space for too long. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Writes some versions of one space by one statement. The outcomes stand in the order of `writes`; undefined where
 * the expected version did not hold. All of them were made by one change of the tenant's search parameters; if it is no
 * longer the last, nothing is written and the error is one of `isOutdatedWrite`; nothing is either where something that
 * one of them refers to is not there (`VersionWrite.targets`): the error is then one of `isBrokenWrite`.
 */
export async function writeVersions(
  run: Run,
  space: number,
  writes: readonly VersionWrite[],
): Promise<(Written | undefined)[]> {
  const bound = encodeWrites(space, writes);
  const targets = writes.flatMap((write) => write.targets ?? NO_TARGETS);
  const change = writes[0]?.parameterChange;
  const records = writes.flatMap(({ record }, index) =>
    record === undefined ? NO_RECORDS : [{ member: index + 1, record }],
  );
  const holdsTargets = targets.length > 0;
  const isRecorded = records.length > 0;
  const whole =
    holdsTargets || isRecorded
      ? {
          ...bound,
          ...(holdsTargets ? encodeTargets(targets) : {}),
          ...(isRecorded ? encodeMemberRecords(records) : {}),
        }
      : bound;
  return writeEncoded(run, whole, writes.length, change, { holdsTargets, isRecorded });
}

/**
 * The same for `count` writes that are encoded already, made by that change of the tenant's search parameters; where it
 * `holdsTargets`, with the values of `encodeTargets`, where it `isRecorded`, with those of `encodeMemberRecords`.
 */
export async function writeEncoded(
  run: Run,
  bound: Readonly<Record<string, Bound>>,
  count: number,
  parameterChange = 0,
  form: Omit<WriteForm, 'knowsParameters'> = PLAIN,
): Promise<(Written | undefined)[]> {
  const knowsParameters = parameterChange !== 0;
  const rows = await run(
    statementOf({ ...form, knowsParameters }),
    knowsParameters ? { ...bound, parameter_change: String(parameterChange) } : bound,
  );
  return toOutcomes(rows, count);
}

/** The same as one statement of `Connections.runWhole`, which fails by `isLostRequirement` where one is not written. */
export function wholeWrite(
  bound: Readonly<Record<string, Bound>>,
  count: number,
  parameterChange = 0,
): BoundStatement {
  const statement = WHOLE_WRITES[parameterChange === 0 ? 0 : 1];
  if (statement === undefined) throw new Error('there are two forms of a whole write');
  return { statement, bound: { ...bound, count, parameter_change: String(parameterChange) } };
}

/** What a statement of `count` writes gave, in their order. */
export function toOutcomes(rows: readonly Row[], count: number): (Written | undefined)[] {
  const outcomes: (Written | undefined)[] = new Array<Written | undefined>(count).fill(undefined);
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

/** Registers what a SearchParameter says, inside the transaction that has written it, behind its last write. */
export async function registerParameters(run: Run, space: number, registration: Registration): Promise<void> {
  await run(REGISTER, { space, owner: registration.owner, pairs: JSON.stringify(registration.pairs) });
}

/**
 * Writes one version, registers what it says about search parameters, and writes what goes with it, inside a
 * transaction. Undefined: nothing was written.
 */
export async function writeInTransaction(
  run: Run,
  space: number,
  write: VersionWrite,
): Promise<Written | undefined> {
  const [written] = await writeAll(run, space, [write]);
  return written;
}

/** The same for several of one space, no two of one resource, in the order of their locks; at most 64 in one statement. */
export async function writeAll(
  run: Run,
  space: number,
  writes: readonly VersionWrite[],
): Promise<(Written | undefined)[]> {
  const outcomes: (Written | undefined)[] = [];
  for (let start = 0; start < writes.length; start += MAX_MEMBERS)
    outcomes.push(...(await writeVersions(run, space, writes.slice(start, start + MAX_MEMBERS))));
  const written = writes.filter((_write, index) => outcomes[index] !== undefined);
  // They are new, so that nobody waits for their locks: two of such transactions cannot wait for each other.
  const companions = written.flatMap(({ companion }) => companion ?? []);
  if (companions.length > 0 && (await writeAll(run, space, companions)).includes(undefined))
    throw fhirError('overloaded');
  for (const { registration } of written)
    if (registration !== undefined) await registerParameters(run, space, registration);
  return outcomes;
}

/** What must hold for a write beside the version that it expects; found out in the transaction of the write. */
export interface WriteCondition {
  /**
   * Waits for those who write on conditions that one resource may meet too, the one with these rows among them. Comes
   * before all other locks of the transaction.
   */
  lock(run: Run, rows: IndexRows): Promise<void>;
  /** Whether it still lets this version of the resource be replaced; 0: lets it be made. */
  holds(database: Database, expected: number): Promise<boolean>;
}

/** Thrown where the condition of a write does not hold any more: nothing was written, and all is to be looked at anew. */
export class ConditionLost extends Error {
  constructor() {
    super('the condition of a write does not hold any more');
    this.name = 'ConditionLost';
  }
}

const NO_TARGETS: readonly Target[] = [];
const NO_RECORDS: readonly MemberRecord[] = [];
const PLAIN = { holdsTargets: false, isRecorded: false };

interface Waiting {
  readonly write: VersionWrite;
  readonly deadline: number;
  readonly resourceName: string;
  readonly resolve: (outcome: Written | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The order in which everybody takes heads: first those that are made, then those that are changed, each by type and key
 * (migrations/0012), so that statements of different processes, and transactions, do not wait for each other in a circle.
 */
function inLockingOrder({ write: one }: Waiting, { write: other }: Waiting): number {
  return (
    Number(one.expected !== 0) - Number(other.expected !== 0) ||
    one.type - other.type ||
    one.key.high - other.key.high ||
    (one.key.low >>> 0) - (other.key.low >>> 0)
  );
}

/** Called with the number of members of each statement; for metrics. */
export type BatchObserver = (members: number) => void;

/** How many spaces have statements under way in this process: they share the connections for writes. */
interface Lane {
  busySpaces: number;
}

/**
 * Gathers the single writes of one space: what arrives while a statement is under way goes with the next one. No resource
 * is in two that are under way. Every write is answered after the commit of the statement that carried it, and on its own
 * merits: a failure of the statement as a whole is taken apart by running its members one by one.
 */
class SpaceQueue {
  private waiting: Waiting[] = [];
  /** The resources of each statement that is under way. */
  private readonly underWay = new Set<ReadonlySet<string>>();
  private isToBeLookedAt = false;

  constructor(
    private readonly database: Connections,
    private readonly space: number,
    private readonly maxWaiting: number,
    private readonly observe: BatchObserver,
    private readonly lane: Lane,
  ) {}

  get idle(): boolean {
    return this.underWay.size === 0 && this.waiting.length === 0;
  }

  enqueue(write: VersionWrite, deadline = Infinity): Promise<Written | undefined> {
    if (this.waiting.length >= this.maxWaiting) return Promise.reject(fhirError('overloaded'));
    return new Promise((resolve, reject) => {
      const resourceName = `${write.type} ${write.key.high} ${write.key.low}`;
      this.waiting.push({ write, deadline, resourceName, resolve, reject });
      if (this.isToBeLookedAt || this.underWay.size >= MAX_UNDER_WAY) return;
      this.isToBeLookedAt = true;
      setImmediate(() => {
        this.isToBeLookedAt = false;
        this.sendWaiting();
      });
    });
  }

  private sendWaiting(): void {
    while (this.waiting.length > 0 && this.mayBegin()) {
      const batch = this.takeBatch();
      // All are of resources that a statement is just writing.
      if (batch.length === 0) return;
      void this.sendBeside(batch);
    }
  }

  private mayBegin(): boolean {
    const [first, second] = this.underWay;
    if (first === undefined) return true;
    if (second !== undefined || this.lane.busySpaces > 1) return false;
    return this.waiting.length >= Math.max(LEAST_BESIDE, first.size / 2);
  }

  private async sendBeside(batch: readonly Waiting[]): Promise<void> {
    const resources = new Set(batch.map(({ resourceName }) => resourceName));
    if (this.underWay.size === 0) this.lane.busySpaces++;
    this.underWay.add(resources);
    await this.send(batch);
    this.underWay.delete(resources);
    if (this.underWay.size === 0) this.lane.busySpaces--;
    this.sendWaiting();
  }

  /**
   * The longest waiting members, never two of one resource nor one of a resource that is just being written, all made by
   * the same search parameters. Who waited past its deadline is told so, unwritten.
   */
  private takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const resources = new Set<string>([...this.underWay].flatMap((names) => [...names]));
    let bytes = 0;
    let change: number | undefined;
    const now = Date.now();
    for (const member of this.waiting) {
      if (member.deadline < now) {
        member.reject(fhirError('timeout'));
        continue;
      }
      const size = member.write.body?.length ?? 0;
      const full = batch.length >= MAX_MEMBERS || (batch.length > 0 && bytes + size > MAX_BYTES);
      const isOther = batch.length > 0 && member.write.parameterChange !== change;
      if (full || isOther || resources.has(member.resourceName)) {
        left.push(member);
        continue;
      }
      change = member.write.parameterChange;
      resources.add(member.resourceName);
      bytes += size;
      batch.push(member);
    }
    this.waiting = left;
    return batch.sort(inLockingOrder);
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    this.observe(batch.length);
    try {
      const outcomes = await writeVersions(
        (statement, bound) => this.database.run('write', this.space, statement, bound),
        this.space,
        batch.map((member) => member.write),
      );
      batch.forEach((member, index) => member.resolve(outcomes[index]));
    } catch (error) {
      // A FhirError is the database's own trouble and meets all; anything else is some member's: refused or unfit.
      const separable =
        (isOverQuota(error) || !(error instanceof FhirError || isOutdatedWrite(error))) &&
        (batch.length > 1 || isRetryable(error));
      if (!separable) {
        for (const member of batch) member.reject(error);
        return;
      }
      for (const member of batch) await this.sendAlone(member);
    }
  }

  private async sendAlone(member: Waiting): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const [outcome] = await writeVersions(
          (statement, bound) => this.database.run('write', this.space, statement, bound),
          this.space,
          [member.write],
        );
        member.resolve(outcome);
        return;
      } catch (error) {
        if (attempt < MAX_ATTEMPTS && isRetryable(error)) continue;
        member.reject(error);
        return;
      }
    }
  }
}

async function againAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}

/** The write queues of all spaces that have work. */
export class WriteQueues {
  private readonly queues = new Map<number, SpaceQueue>();
  private readonly lane: Lane = { busySpaces: 0 };

  constructor(
    private readonly database: Connections,
    private readonly maxWaiting: number,
    private readonly observe: BatchObserver,
    /** Awaited before a write where it gives something to wait for: the first one of each space. */
    private readonly prepare: (space: number) => Promise<void> | undefined = () => undefined,
  ) {}

  /**
   * Writes one version; resolves after its commit, undefined when the expected version did not hold.
   * Throws overloaded when `maxWaiting` writes of the space wait already, timeout when it waited until `deadline`
   * (milliseconds since 1970).
   */
  write(space: number, write: VersionWrite, deadline = Infinity): Promise<Written | undefined> {
    const preparing = this.prepare(space);
    if (preparing === undefined) return this.enqueue(space, write, deadline);
    return preparing.then(() => this.enqueue(space, write, deadline));
  }

  /**
   * Writes one version where a condition holds, in a transaction of its own; resolves after its commit, undefined when the
   * expected version did not hold. Throws ConditionLost, timeout.
   */
  async writeUnder(
    space: number,
    condition: WriteCondition,
    write: VersionWrite,
  ): Promise<Written | undefined> {
    return this.transaction(space, async (run, database) => {
      await condition.lock(run, write.rows);
      if (!(await condition.holds(database, write.expected))) throw new ConditionLost();
      return writeInTransaction(run, space, write);
    });
  }

  /** One transaction that may write (`Connections.transaction`), run again after a deadlock. */
  async transaction<T>(space: number, work: (run: Run, database: Database) => Promise<T>): Promise<T> {
    await this.prepare(space);
    return againAfterDeadlock(() => this.database.transaction(space, work));
  }

  /** One transaction of statements that are known beforehand (`Connections.runWhole`), run again after a deadlock. */
  async whole(space: number, statements: readonly BoundStatement[]): Promise<Row[][]> {
    await this.prepare(space);
    return againAfterDeadlock(() => this.database.runWhole(space, statements));
  }

  private enqueue(space: number, write: VersionWrite, deadline: number): Promise<Written | undefined> {
    // Two statements, which only a transaction holds together; both kinds are seldom.
    if (write.registration !== undefined || write.companion !== undefined)
      return this.database.transaction(space, (run) => writeInTransaction(run, space, write));
    let queue = this.queues.get(space);
    if (queue === undefined) {
      for (const [number, other] of this.queues) if (other.idle) this.queues.delete(number);
      queue = new SpaceQueue(this.database, space, this.maxWaiting, this.observe, this.lane);
      this.queues.set(space, queue);
    }
    return queue.enqueue(write, deadline);
  }
}
