import type { Cancellation } from '../../concurrency/cancellation';
import { deferred } from '../../concurrency/deferred';
import { RELEASE_NAMES, RELEASES } from '../../fhir/release';
import type { Connections } from '../connection/connections';
import type { Database, ReadConnections, Row, StatementContext } from '../connection/database';
import { RequestBatcher } from '../connection/request-batcher';
import type { Bound, Statement } from '../connection/statement';
import { readKindOf } from './read-tables';
import { isCancelledByRecovery, isReplicaFailure, type Replica } from './replica';
import { ReplicaSnapshot, UNFIT } from './replica-snapshot';
import { hasReached, isReplicaOf, READ_POSITION, toPosition, type SpacePosition } from './space-position';

/** Milliseconds in which a replica must tell its position, beginning when the primary has told its own. */
const PATIENCE_MS = 300;

/** What became of a read that a replica could answer: all but the first are answered by the primary. */
export type ReplicaOutcome = 'answered' | 'behind' | 'cancelled' | 'failed';

/** Ends an attempt at a replica; callers never see it. */
const LEFT = new Error('the primary answers');

/**
 * The connections for reads of requests. A replica answers a statement only if it shows everything that the primary had committed
 * in the space when the request arrived; else the primary does. The primary tells how far it is by one small
 * statement, for all concurrent reads of a space (docs/decisions/0018). So answers are as fresh as those of the primary.
 */
export class Replicas implements ReadConnections {
  private readonly positions: RequestBatcher<number, number, SpacePosition | undefined>;
  private readonly bases = new Set(RELEASE_NAMES.map((release) => RELEASES[release].baseSpace));
  private next = 0;

  constructor(
    private readonly primary: Connections,
    private readonly replicas: readonly Replica[],
    private readonly observe: (outcome: ReplicaOutcome) => void,
  ) {
    this.positions = new RequestBatcher<number, number, SpacePosition | undefined>({
      name: 'read of the position',
      run: async (space, requests) => {
        const position = await primary.borrow({ lane: 'read', space }, async (connection) =>
          toPosition(await connection.run(space, READ_POSITION, { space }), connection.backend.history),
        );
        return requests.map(() => position);
      },
      concurrent: 2,
      most: 256,
      spaceOf: (space) => space,
      observe: () => undefined,
    });
  }

  async run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const { space } = context;
    const replica =
      space === undefined || readKindOf(statement.text) !== 'data' ? undefined : this.choose(space);
    if (space === undefined || replica === undefined) return this.primary.run(context, statement, bound);
    const position = this.required(space);
    const run = replica.run({ ...context, space }, statement, bound);
    run.rows.catch(() => undefined);
    try {
      await this.requireReached(replica, space, position, run.position);
      const rows = await run.rows;
      this.answered(replica);
      return rows;
    } catch (error) {
      this.leaveIf(replica, error);
      return this.primary.run(context, statement, bound);
    }
  }

  async inSnapshot<T>(
    space: number,
    given: readonly Cancellation[] | undefined,
    work: (snapshot: Database) => Promise<T>,
    milliseconds?: number,
  ): Promise<T> {
    const replica = this.choose(space);
    if (replica !== undefined) {
      const attempt = await this.attempt(replica, space, given, work, milliseconds);
      if (attempt?.outcome.status === 'fulfilled') return attempt.outcome.value;
      if (attempt !== undefined) throw attempt.outcome.reason;
    }
    return this.primary.inSnapshot(space, given, work, milliseconds);
  }

  /** Undefined: the primary must answer. */
  private async attempt<T>(
    replica: Replica,
    space: number,
    given: readonly Cancellation[] | undefined,
    work: (snapshot: Database) => Promise<T>,
    milliseconds: number | undefined,
  ): Promise<{ readonly outcome: PromiseSettledResult<T> } | undefined> {
    const required = this.required(space);
    const { promise: position, resolve, reject } = deferred<SpacePosition | undefined>();
    const reached = this.requireReached(replica, space, required, position);
    const running = replica.connections.inSnapshot(
      space,
      given,
      async (snapshot) => {
        const rows = await snapshot.run({ lane: 'search', space }, READ_POSITION, { space });
        resolve(toPosition(rows, snapshot.history));
        await reached;
        const readable = new ReplicaSnapshot(snapshot, this.primary, new Set([space, ...this.bases]));
        const [outcome] = await Promise.allSettled([work(readable)]);
        readable.requireWhole();
        return outcome;
      },
      milliseconds,
    );
    running.catch(reject);
    try {
      // A replica that hangs is left before it has lent a connection.
      await reached;
      const outcome = await running;
      this.answered(replica);
      return { outcome };
    } catch (error) {
      this.leaveIf(replica, error);
      return undefined;
    }
  }

  /** The position of the primary at a moment after this call. A failure is that of the next statement there. */
  private required(space: number): Promise<SpacePosition | undefined> {
    return this.positions.load(String(space), space, space).catch(() => undefined);
  }

  /** Throws LEFT unless the replica has reached the primary's position. */
  private async requireReached(
    replica: Replica,
    space: number,
    required: Promise<SpacePosition | undefined>,
    position: Promise<SpacePosition | undefined>,
  ): Promise<void> {
    const needed = await required;
    const found = await within(PATIENCE_MS, position);
    if (needed === undefined) throw LEFT;
    if (found !== undefined && hasReached(found, needed)) return;
    if (found !== undefined && !isReplicaOf(found, needed)) {
      replica.foundOfOtherHistory();
      this.observe('failed');
    } else {
      replica.foundBehind(space);
      this.observe('behind');
    }
    throw LEFT;
  }

  /** The next usable replica. */
  private choose(space: number): Replica | undefined {
    if (this.bases.has(space)) return undefined;
    for (let tried = 0; tried < this.replicas.length; tried++) {
      const replica = this.replicas[this.next++ % this.replicas.length];
      if (replica?.isUsable(space) === true) return replica;
    }
    return undefined;
  }

  private answered(replica: Replica): void {
    replica.answered();
    this.observe('answered');
  }

  /** Notes a failure of the replica. Throws other errors, which the primary would give too. */
  private leaveIf(replica: Replica, error: unknown): void {
    if (error === LEFT || error === UNFIT) return;
    if (!isReplicaFailure(error)) throw error;
    if (isCancelledByRecovery(error)) {
      this.observe('cancelled');
      return;
    }
    replica.failed(error instanceof Error ? error.message : 'unknown');
    this.observe('failed');
  }

  /** Notices for operators about replicas that are not used. */
  get notices(): readonly string[] {
    return this.replicas.flatMap(({ notice }) => notice ?? []);
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map(({ connections }) => connections.close()));
  }
}

/** Throws an Error if the promise takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the replica has not answered in time')), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
