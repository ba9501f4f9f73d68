import type { IndexRows } from '../../search/index-rows';
import type { BoundStatement } from '../connection/connection';
import type { Connections } from '../connection/connections';
import { isRetryable } from '../connection/database-error';
import type { Database, Row, Run } from '../connection/database';
import { MAX_ATTEMPTS, SpaceQueue, type BatchObserver, type Lane } from './space-queue';
import type { VersionWrite, Written } from './version-write';
import { writeInTransaction } from './write-statements';

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
