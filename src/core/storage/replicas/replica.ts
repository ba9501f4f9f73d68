import type { Log } from '../../context';
import { deferred } from '../../concurrency/deferred';
import { FhirError } from '../../errors';
import { Connections } from '../connection/connections';
import type { DatabaseOptions, ReplicaAddress, Row, StatementContext } from '../connection/database';
import { codeOf, isDatabaseTrouble, StatementError } from '../connection/database-error';
import type { Bound, Statement } from '../connection/statement';
import { inspectReplica, UnfitReplica, type ReplicaRole } from './inspect-replica';
import { READ_POSITION, toPosition, type SpacePosition } from './space-position';

const LEAST_REST_MS = 1_000;
const MOST_REST_MS = 30_000;
/** Milliseconds for which a space is not read from a replica that was behind. */
const BEHIND_MS = 100;
/** Milliseconds for which a replica is behind before its notice says so. */
const LONG_BEHIND_MS = 10_000;
const MAX_SPACES = 10_000;

/** A statement under way at a replica. */
export interface ReplicaRun {
  /** Resolves when the statement has been sent. */
  readonly sent: Promise<void>;
  /** The position that the rows are not older than; undefined: the replica does not know the space. */
  readonly position: Promise<SpacePosition | undefined>;
  readonly rows: Promise<Row[]>;
  /** Nothing is sent any more if it still waits for a connection. */
  leave(): void;
}

export interface ReplicaParts {
  readonly log: Log;
  /** As of `Connections`. */
  readonly hasRowSecurity: boolean;
  readonly tenantOf: (space: number) => number;
}

/** One standby, and whether it can be used now. */
export class Replica {
  readonly connections: Connections;
  /** Its place in the list of the setting, from 1. */
  readonly place: number;
  private readonly log: Log;
  /** True: it was checked since its last failure. */
  private isFit = false;
  private hasFailed = false;
  /** No check before (performance.now()). */
  private restsUntil = 0;
  private failures = 0;
  private role: ReplicaRole = 'standby';
  /** Since when it has answered nothing because it is behind. */
  private behindSince: number | undefined;
  private readonly behindUntil = new Map<number, number>();

  constructor(
    private readonly database: DatabaseOptions,
    private readonly address: ReplicaAddress & { readonly place: number },
    { log, hasRowSecurity, tenantOf }: ReplicaParts,
  ) {
    const { host, port, place } = address;
    this.place = place;
    this.log = withReplica(log, `${host}:${port}`);
    this.connections = new Connections({ ...database, host, port }, this.log, hasRowSecurity, tenantOf);
    void this.inspect();
  }

  /** True if statements of the space may be sent to it. */
  isUsable(space: number): boolean {
    if (!this.isFit) {
      this.inspectAgain();
      return false;
    }
    const until = this.behindUntil.get(space);
    if (until === undefined) return true;
    if (performance.now() < until) return false;
    this.behindUntil.delete(space);
    return true;
  }

  private inspectAgain(): void {
    if (!this.isFit && performance.now() >= this.restsUntil) void this.inspect();
  }

  /** Checks it beside the requests, at the start and after each failure. */
  private async inspect(): Promise<void> {
    this.restsUntil = Infinity;
    try {
      await inspectReplica(this.database, this.address);
      this.isFit = true;
      this.role = 'standby';
    } catch (error) {
      const reason = error instanceof UnfitReplica ? error.message : codeOf(error);
      this.failed(reason, error instanceof UnfitReplica ? error.role : 'standby');
    }
  }

  /** Sends a statement behind the read of the position, on one connection, whose data only move forward. */
  run(
    context: StatementContext & { readonly space: number },
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): ReplicaRun {
    const { space, waiting } = context;
    const { promise: position, resolve, reject } = deferred<SpacePosition | undefined>();
    let isLeft = false;
    const { promise: sent, resolve: send, reject: fail } = deferred<void>();
    const rows = this.connections.borrow(context, (connection) =>
      connection.whileWaitedFor(waiting, async () => {
        if (isLeft) return [];
        const both = connection.runInTurn(space, [
          { statement: READ_POSITION, bound: { space } },
          { statement, bound },
        ]);
        send();
        const [first, second] = both;
        if (first === undefined || second === undefined) throw new Error('two statements were sent');
        first.then((found) => resolve(toPosition(found, connection.backend.history)), reject);
        // The connection has no other user before both have ended.
        await Promise.allSettled(both);
        return second;
      }),
    );
    // It may fail before anything is sent.
    rows.catch((error: unknown) => {
      fail(error);
      reject(error);
    });
    const leave = (): void => {
      isLeft = true;
    };
    return { sent, position, rows, leave };
  }

  answered(): void {
    this.behindSince = undefined;
    this.works();
  }

  private works(): void {
    this.failures = 0;
    if (!this.hasFailed) return;
    this.hasFailed = false;
    this.log.info({}, 'it is used again');
  }

  /** It is not used for a while: longer after each failure in a row. `reason`: for the log. */
  failed(reason: string, role: ReplicaRole = 'standby'): void {
    this.isFit = false;
    this.restsUntil = performance.now() + Math.min(MOST_REST_MS, LEAST_REST_MS * 2 ** this.failures);
    this.failures += 1;
    const isNews = role !== this.role;
    this.role = role;
    if (role === 'database') {
      this.hasFailed = false;
      if (isNews) this.log.info({}, 'it is the database itself');
      return;
    }
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.log.warn({ reason }, 'it cannot be used, and the database answers its reads');
  }

  /** Its data are of another history than the primary's, as far as its connections know. */
  foundOfOtherHistory(): void {
    this.connections.renew();
    this.failed('its data are of another history', 'other');
  }

  foundBehind(space: number): void {
    this.works();
    this.behindSince ??= performance.now();
    if (this.behindUntil.size >= MAX_SPACES) this.behindUntil.clear();
    this.behindUntil.set(space, performance.now() + BEHIND_MS);
  }

  /** A notice for operators; undefined: it is used. A replica that rests is checked, in case nothing is read. */
  get notice(): string | undefined {
    this.inspectAgain();
    const of = `Replica ${this.place} of FHIR_DATABASE_REPLICAS`;
    const then = 'the database answers its reads';
    if (!this.isFit && this.hasFailed)
      return this.role === 'other'
        ? `${of} is not a standby of the database, or has not followed its failover yet: ${then}`
        : `${of} cannot be used: ${then}`;
    const { behindSince = Infinity } = this;
    return performance.now() - behindSince > LONG_BEHIND_MS ? `${of} is behind: ${then}` : undefined;
  }
}

/** SQLSTATEs of statements that recovery cancels: of a conflict, and of a deadlock with it (hot-standby.html). */
const CANCELLED_BY_RECOVERY = new Set(['40001', '40P01']);

export function isCancelledByRecovery(error: unknown): boolean {
  return error instanceof StatementError && CANCELLED_BY_RECOVERY.has(error.sqlState);
}

/** True if the primary could have answered: anything but a timeout, or what concerns the request. */
export function isReplicaFailure(error: unknown): boolean {
  return !(error instanceof FhirError) || isDatabaseTrouble(error);
}

function withReplica(log: Log, replica: string): Log {
  const prefix = (message: string): string => `replica ${replica}: ${message}`;
  return {
    debug: (details, message) => log.debug(details, prefix(message)),
    info: (details, message) => log.info(details, prefix(message)),
    warn: (details, message) => log.warn(details, prefix(message)),
    error: (details, message) => log.error(details, prefix(message)),
  };
}
