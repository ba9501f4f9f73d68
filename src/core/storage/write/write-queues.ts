import type { IndexRows } from '../../search/rows/index-rows';
import type { BoundStatement } from '../connection/connection';
import type { PrimaryConnections } from '../connection/connections';
import { isRetryable } from '../connection/database-error';
import type { Database, Row, Run } from '../connection/database';
import { MAX_ATTEMPTS, SpaceQueue, type BatchObserver, type SpaceQueueOptions } from './space-queue';
import type { VersionWrite, WriteStamp } from './version-write';
import { writeInTransaction } from './write-statements';

/** A condition for a write, beside the expected version; it is tested in the transaction of the write. */
export interface WriteCondition {
  /**
   * Takes the locks of the condition, and those of conditions that the resource with these rows could match, so that
   * such writes wait for each other. It must come before all other locks of the transaction.
   */
  lock(run: Run, rows: IndexRows): Promise<void>;
  /** True if the condition still allows the replacement of this version; 0: the creation of the resource. */
  holds(database: Database, expected: number): Promise<boolean>;
}

/** Thrown if the condition of a write does not hold any more: nothing was written, and the caller must start again. */
export class ConditionLost extends Error {
  constructor() {
    super('the condition of a write does not hold any more');
    this.name = 'ConditionLost';
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
  private readonly options: SpaceQueueOptions;

  constructor(
    private readonly database: PrimaryConnections,
    maxWaiting: number,
    observe: BatchObserver,
    /** Awaited before a write if it returns a promise: at the first write of each space. */
    private readonly prepare: (space: number) => Promise<void> | undefined = () => undefined,
  ) {
    this.options = { maxWaiting, observe, lane: { busySpaces: 0 } };
  }

  /**
   * Writes one version; resolves after its commit, with undefined if the expected version did not hold. Throws
   * overloaded if `maxWaiting` writes of the space are waiting, and timeout if it waited until `deadline` (milliseconds
   * since 1970).
   */
  write(space: number, write: VersionWrite, deadline = Infinity): Promise<WriteStamp | undefined> {
    const preparing = this.prepare(space);
    if (preparing === undefined) return this.enqueue(space, write, deadline);
    return preparing.then(() => this.enqueue(space, write, deadline));
  }

  /**
   * Writes one version if a condition holds, in a transaction of its own; resolves after its commit, with undefined if
   * the expected version did not hold. Throws ConditionLost, timeout.
   */
  async writeUnder(
    space: number,
    condition: WriteCondition,
    write: VersionWrite,
  ): Promise<WriteStamp | undefined> {
    return this.transaction(space, async (run, database) => {
      await condition.lock(run, write.rows);
      if (!(await condition.holds(database, write.expected))) throw new ConditionLost();
      return writeInTransaction(run, space, write);
    });
  }

  /** Runs a transaction that may write (`Connections.transaction`); retries it after a deadlock. */
  async transaction<T>(space: number, work: (run: Run, database: Database) => Promise<T>): Promise<T> {
    await this.prepare(space);
    return againAfterDeadlock(() => this.database.transaction(space, work));
  }

  /** Runs a transaction whose statements are known beforehand (`Connections.runWhole`); retries it after a deadlock. */
  async whole(space: number, statements: readonly BoundStatement[]): Promise<Row[][]> {
    await this.prepare(space);
    return againAfterDeadlock(() => this.database.runWhole(space, statements));
  }

  private enqueue(space: number, write: VersionWrite, deadline: number): Promise<WriteStamp | undefined> {
    // These need two statements in one transaction; all kinds are rare.
    const { registration, subscription, companion, content, unopened = [] } = write;
    const isPlain = registration === undefined && subscription === undefined && companion === undefined;
    if (!isPlain || content !== undefined || unopened.length > 0)
      return this.database.transaction(space, (run) => writeInTransaction(run, space, write));
    let queue = this.queues.get(space);
    if (queue === undefined) {
      for (const [number, other] of this.queues) if (other.idle) this.queues.delete(number);
      queue = new SpaceQueue(this.database, space, this.options);
      this.queues.set(space, queue);
    }
    return queue.enqueue(write, deadline);
  }
}
