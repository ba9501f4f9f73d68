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
import {
  areAtOnePosition,
  hasReached,
  isReplicaOf,
  READ_POSITION,
  toPosition,
  type SpacePosition,
} from './space-position';

/** Milliseconds from the position of the primary to a free connection of a replica. */
const CONNECTION_MS = 300;
/** Milliseconds from then to the position of the replica. */
const ANSWER_MS = 1_000;

/**
 * What became of a read that a replica could answer: all but the first are answered by the primary. busy: it had no
 * connection in time; ahead: it showed a later change than the primary did just before.
 */
export type ReplicaOutcome = 'answered' | 'behind' | 'ahead' | 'busy' | 'cancelled' | 'failed';

/** Ends an attempt at a replica; callers never see it. */
const LEFT = new Error('the primary answers');

/** Compares the positions of a replica and of the primary. */
type Comparison = (replica: SpacePosition, primary: SpacePosition) => boolean;

/**
 * The connections for searches and snapshots of requests. A replica answers only if it shows everything that the primary had
 * committed in the space when the request arrived; else the primary does. The primary tells how far it is by one
 * small statement, for all concurrent searches of a space (docs/decisions/0018). So answers are as fresh as those of the primary.
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

  /**
   * Reads by key stay at the primary: they cost it no more than its position. A replica that is ahead, because it shows a
   * commit before its writer is answered, does not answer: a later statement of the request may run at the primary.
   */
  async run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const { space, lane } = context;
    const mayLeave = space !== undefined && lane === 'search' && readKindOf(statement.text) === 'data';
    const replica = mayLeave ? this.choose(space) : undefined;
    if (space === undefined || replica === undefined) return this.primary.run(context, statement, bound);
    const required = this.required(space);
    const run = replica.run({ ...context, space }, statement, bound);
    run.rows.catch(() => undefined);
    try {
      await this.require(areAtOnePosition, { replica, space, required, ...run });
      const rows = await run.rows;
      this.answered(replica);
      return rows;
    } catch (error) {
      run.leave();
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
      const attempt = await this.attempt(replica, space, { given, work, milliseconds });
      if (attempt?.outcome.status === 'fulfilled') return attempt.outcome.value;
      if (attempt !== undefined) throw attempt.outcome.reason;
    }
    return this.primary.inSnapshot(space, given, work, milliseconds);
  }

  /** Undefined: the primary must answer. */
  private async attempt<T>(
    replica: Replica,
    space: number,
    {
      given,
      work,
      milliseconds,
    }: {
      readonly given: readonly Cancellation[] | undefined;
      readonly work: (snapshot: Database) => Promise<T>;
      readonly milliseconds: number | undefined;
    },
  ): Promise<{ readonly outcome: PromiseSettledResult<T> } | undefined> {
    const required = this.required(space);
    const { promise: position, resolve, reject } = deferred<SpacePosition | undefined>();
    const { promise: sent, resolve: send, reject: fail } = deferred<void>();
    const reached = this.require(hasReached, { replica, space, required, sent, position });
    const running = replica.connections.inSnapshot(
      space,
      given,
      async (snapshot) => {
        send();
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
    running.catch((error: unknown) => {
      fail(error);
      reject(error);
    });
    try {
      // This rejects first where a replica hangs before it has a free connection.
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

  /** Throws LEFT unless the positions compare as they must. */
  private async require(
    compare: Comparison,
    {
      replica,
      space,
      required,
      sent,
      position,
    }: {
      readonly replica: Replica;
      readonly space: number;
      readonly required: Promise<SpacePosition | undefined>;
      readonly sent: Promise<void>;
      readonly position: Promise<SpacePosition | undefined>;
    },
  ): Promise<void> {
    const needed = await required;
    if (needed === undefined) throw LEFT;
    if (!(await within(CONNECTION_MS, sent))) {
      this.observe('busy');
      throw LEFT;
    }
    if (!(await within(ANSWER_MS, position))) throw new Error('the replica has not answered in time');
    const found = await position;
    if (found !== undefined && compare(found, needed)) return;
    if (found !== undefined && hasReached(found, needed)) {
      this.observe('ahead');
      throw LEFT;
    }
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

  /** The connections to each replica, as of `Connections.usage`. Searches and snapshots use the only lane. */
  usage(): readonly ReturnType<Connections['usage']>['search'][] {
    return this.replicas.map(({ connections }) => connections.usage().search);
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map(({ connections }) => connections.close()));
  }
}

/** False: the promise takes longer. Throws its error. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
