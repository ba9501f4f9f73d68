import { areAllCancelled } from './connection';
import { waitLimit, type DatabaseOptions, type Lane, type StatementContext } from './database';
import { FairTurns, NO_TENANT } from './fair-turns';

/** Statements of one tenant that can wait for a connection of one lane. */
const MAX_WAITING = 10_000;
/** Of this many connections of the search lane, statements of bulk data use one. */
const SEARCHES_PER_BULK = 3;

/**
 * The turns of tenants at the connections of each lane (fair-turns.ts). In a lane with several connections, except the read
 * lane, a tenant leaves at least one to the others. A statement of bulk data waits for one of few turns of its own, before
 * that of its lane: so searches find connections beside it.
 */
export class LaneTurns {
  private readonly lanes: Readonly<Record<Lane, FairTurns>>;
  private readonly bulk: FairTurns;

  constructor(
    connections: Readonly<Record<Lane, number>>,
    options: DatabaseOptions,
    /** The number of the tenant that a space belongs to. */
    private readonly tenantOf: (space: number) => number,
  ) {
    const maxWaitMs = waitLimit(options);
    const turns = (slots: number, most = Math.max(1, slots - 1)): FairTurns =>
      new FairTurns({ slots, most, mostAlone: slots, maxWaiting: MAX_WAITING, maxWaitMs });
    this.lanes = {
      // Reads by key are too short to reserve a connection for other tenants.
      read: turns(connections.read, connections.read),
      write: turns(connections.write),
      transaction: turns(connections.transaction),
      search: turns(connections.search),
    };
    this.bulk = turns(Math.max(1, Math.floor(connections.search / SEARCHES_PER_BULK)));
  }

  /** Waits for a turn, which ends with the returned function. Throws as FairTurns does. */
  async enter({ lane, space, isBulk = false, waiting }: StatementContext): Promise<() => void> {
    const tenant = space === undefined ? NO_TENANT : this.tenantOf(space);
    const isCancelled = (): boolean => areAllCancelled(waiting);
    const entered: FairTurns[] = [];
    const leave = (): void => {
      for (const turns of entered) turns.leave(tenant);
    };
    try {
      for (const turns of isBulk ? [this.bulk, this.lanes[lane]] : [this.lanes[lane]]) {
        await turns.enter(tenant, isCancelled);
        entered.push(turns);
      }
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Statements that wait for a turn. */
  waitingCount(lane: Lane): number {
    return this.lanes[lane].waitingCount;
  }
}
