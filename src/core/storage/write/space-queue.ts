import { FhirError, fhirError } from '../../errors';
import { isTraced, waitedFor } from '../../tracing';
import type { PrimaryConnections } from '../connection/connections';
import type { Run } from '../connection/database';
import { isOutdatedWrite, isOverQuota, isRetryable } from '../connection/database-error';
import type { VersionWrite, WriteStamp } from './version-write';
import { FIND_WRITTEN, MAX_MEMBERS, writeVersions } from './write-statements';

/**
 * Writes that must wait before a second statement of the space is sent beside the first; they must also be half as many
 * as the first has. The second statement works until it needs the tenant's counter while the first commits, so the
 * server's thread need not wait for both. Fewer writes are cheaper in the next statement.
 */
const LEAST_BESIDE = 4;
const MAX_UNDER_WAY = 2;
/** Attempts of a transaction after deadlocks or serialization failures. */
export const MAX_ATTEMPTS = 3;
/** Limit on the bodies in one statement; a larger one would block the space for too long. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

interface Waiting {
  readonly write: VersionWrite;
  readonly deadline: number;
  readonly resourceName: string;
  readonly resolve: (outcome: WriteStamp | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Compares writes by the order in which all transactions lock heads: first new ones, then existing ones, each by type
 * and key (claim_resources). So statements of different processes, and transactions, do not deadlock.
 */
function inLockingOrder({ write: one }: Waiting, { write: other }: Waiting): number {
  return (
    Number(one.expected !== 0) - Number(other.expected !== 0) ||
    one.type - other.type ||
    one.key.high - other.key.high ||
    (one.key.low >>> 0) - (other.key.low >>> 0)
  );
}

/** Called with the number of members of each statement, for metrics. */
export type BatchObserver = (members: number) => void;

/** Number of spaces with statements under way in this process; they share the connections for writes. */
export interface Lane {
  busySpaces: number;
}

export interface SpaceQueueOptions {
  /** Limit on the writes that wait; more are refused with `overloaded`. */
  readonly maxWaiting: number;
  readonly observe: BatchObserver;
  readonly lane: Lane;
}

/**
 * Batches the single writes of one space: writes that arrive while a statement is under way go into the next one. No
 * resource is in two statements under way. Each write resolves after the commit of its statement. If a statement fails
 * because of a member, its members run again one by one, so that each gets its own result.
 */
export class SpaceQueue {
  private waiting: Waiting[] = [];
  /** The resources of each statement under way. */
  private readonly underWay = new Set<ReadonlySet<string>>();
  private isToBeLookedAt = false;

  constructor(
    private readonly database: PrimaryConnections,
    private readonly space: number,
    private readonly options: SpaceQueueOptions,
  ) {}

  get idle(): boolean {
    return this.underWay.size === 0 && this.waiting.length === 0;
  }

  enqueue(write: VersionWrite, deadline = Infinity): Promise<WriteStamp | undefined> {
    if (this.waiting.length >= this.options.maxWaiting) return Promise.reject(fhirError('overloaded'));
    const written = new Promise<WriteStamp | undefined>((resolve, reject) => {
      const resourceName = `${write.type} ${write.key.high} ${write.key.low}`;
      this.waiting.push({ write, deadline, resourceName, resolve, reject });
      if (this.isToBeLookedAt || this.underWay.size >= MAX_UNDER_WAY) return;
      this.isToBeLookedAt = true;
      setImmediate(() => {
        this.isToBeLookedAt = false;
        this.sendWaiting();
      });
    });
    return isTraced() ? waitedFor('write of a version', written) : written;
  }

  private sendWaiting(): void {
    while (this.waiting.length > 0 && this.mayBegin()) {
      const batch = this.takeBatch();
      // A statement under way writes the resources of all of them.
      if (batch.length === 0) return;
      void this.sendBeside(batch);
    }
  }

  private mayBegin(): boolean {
    const [first, second] = this.underWay;
    if (first === undefined) return true;
    if (second !== undefined || this.options.lane.busySpaces > 1) return false;
    return this.waiting.length >= Math.max(LEAST_BESIDE, first.size / 2);
  }

  private async sendBeside(batch: readonly Waiting[]): Promise<void> {
    const resources = new Set(batch.map(({ resourceName }) => resourceName));
    if (this.underWay.size === 0) this.options.lane.busySpaces++;
    this.underWay.add(resources);
    await this.send(batch);
    this.underWay.delete(resources);
    if (this.underWay.size === 0) this.options.lane.busySpaces--;
    this.sendWaiting();
  }

  /**
   * Takes the members that have waited longest: never two of one resource, none of a resource that is being written,
   * and all made by the same search parameters. Members past their deadline are rejected with timeout, unwritten.
   */
  private takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const resources = new Set<string>([...this.underWay].flatMap((names) => [...names]));
    let characters = 0;
    let change: number | undefined;
    const now = Date.now();
    for (const member of this.waiting) {
      if (member.deadline < now) {
        member.reject(fhirError('timeout'));
        continue;
      }
      const size = member.write.body?.length ?? 0;
      const full = batch.length >= MAX_MEMBERS || (batch.length > 0 && characters + size > MAX_CHARACTERS);
      const isOther = batch.length > 0 && member.write.parameterChange !== change;
      if (full || isOther || resources.has(member.resourceName)) {
        left.push(member);
        continue;
      }
      change = member.write.parameterChange;
      resources.add(member.resourceName);
      characters += size;
      batch.push(member);
    }
    this.waiting = left;
    return batch.sort(inLockingOrder);
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    this.options.observe(batch.length);
    try {
      const outcomes = await writeVersions(
        (statement, bound) => this.run(statement, bound),
        this.space,
        batch.map((member) => member.write),
      );
      batch.forEach((member, index) => member.resolve(outcomes[index]));
    } catch (error) {
      // A FhirError is a failure of the database and applies to all; any other error may be due to one member.
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

  private run(...[statement, bound]: Parameters<Run>): ReturnType<Run> {
    return this.database.write('write', this.space, { statement, bound, find: FIND_WRITTEN });
  }

  private async sendAlone(member: Waiting): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const [outcome] = await writeVersions((statement, bound) => this.run(statement, bound), this.space, [
          member.write,
        ]);
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
