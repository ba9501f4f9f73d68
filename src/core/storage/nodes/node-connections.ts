import { sql } from 'kysely';
import type { Cancellation } from '../../concurrency/cancellation';
import type { BoundStatement } from '../connection/connection';
import type { Connections, PrimaryConnections } from '../connection/connections';
import type { Database, Lane, Row, Run, StatementContext } from '../connection/database';
import { isDatabaseTrouble, StatementError, translateDatabaseError } from '../connection/database-error';
import { defineStatement, template, type Bound, type Statement } from '../connection/statement';
import { addressOf } from './cluster';
import { MOVED } from './guard';
import type { Nodes } from './nodes';
import type { Node } from './placement';

/** SQLSTATEs of a node that has the rows no more: of the guard, and of missing tables and functions. */
const GONE = new Set([MOVED, '42P01', '42883']);

const PING = defineStatement(template(sql`select 1`));

/**
 * The connections of a process to a database that is distributed by Citus: statements of a space run on the node that has its rows,
 * all others on the coordinator (docs/understand/distributed.md). The connections to a node are opened when it is first used.
 */
export class NodeConnections implements PrimaryConnections {
  private readonly nodes = new Map<number, { readonly node: Node; readonly connections: Connections }>();

  constructor(
    private readonly coordinator: Connections,
    private readonly directory: Nodes,
    private readonly open: (node: Node) => Connections,
  ) {}

  get probe(): Connections['probe'] {
    return this.coordinator.probe;
  }

  get rowSecurity(): Connections['rowSecurity'] {
    return this.coordinator.rowSecurity;
  }

  async run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const { space } = context;
    if (space === undefined) return this.coordinator.run(context, statement, bound);
    return this.at(space, (connections) => connections.run(context, statement, bound));
  }

  async transaction<T>(space: number, work: (run: Run, database: Database) => Promise<T>): Promise<T> {
    return this.at(space, (connections, node) =>
      connections.transaction(space, (run, database) => work(run, this.within(node, database))),
    );
  }

  async write(lane: Lane, space: number, write: Required<BoundStatement>): Promise<Row[]> {
    return this.at(space, (connections) => connections.write(lane, space, write));
  }

  async runWhole(space: number, statements: readonly BoundStatement[]): Promise<Row[][]> {
    return this.at(space, (connections) => connections.runWhole(space, statements));
  }

  async inSnapshot<T>(
    space: number,
    given: readonly Cancellation[] | undefined,
    work: (snapshot: Database) => Promise<T>,
    milliseconds?: number,
  ): Promise<T> {
    return this.at(space, (connections, node) =>
      connections.inSnapshot(space, given, (snapshot) => work(this.within(node, snapshot)), milliseconds),
    );
  }

  /**
   * The database of a transaction or snapshot on a node. Statements of other spaces, which are those of the base resources, run by
   * themselves where these are on another node.
   */
  private within({ number }: Node, database: Database): Database {
    return {
      run: (context, statement, bound) => {
        const { space } = context;
        const isHere = space !== undefined && this.directory.current.groupOf(space).node.number === number;
        return (isHere ? database : this).run(context, statement, bound);
      },
    };
  }

  /** Runs `work` on the node of a space; once more where the space has moved meanwhile and nothing was stored. */
  private async at<T>(space: number, work: (connections: Connections, node: Node) => Promise<T>): Promise<T> {
    try {
      return await this.on(await this.nodeOf(space), work);
    } catch (error) {
      if (!isGone(error)) {
        // The node may have another address by now; the next request uses it.
        if (isDatabaseTrouble(error)) this.directory.refresh().catch(() => undefined);
        throw error;
      }
      await this.directory.refresh().catch(rethrow);
      return this.on(await this.nodeOf(space), work);
    }
  }

  private nodeOf(space: number): Promise<Node> {
    return this.directory.nodeOf(space).catch(rethrow);
  }

  private on<T>(node: Node, work: (connections: Connections, node: Node) => Promise<T>): Promise<T> {
    let opened = this.nodes.get(node.number);
    if (opened?.node.host !== node.host || opened.node.port !== node.port) {
      // It has another address, for example after a failover.
      void opened?.connections.close();
      opened = { node, connections: this.open(node) };
      this.nodes.set(node.number, opened);
    }
    return work(opened.connections, node);
  }

  /** Describes the nodes that do not answer. Never throws. Cost: a statement at each node, two seconds at most. */
  async describeAway(): Promise<readonly string[]> {
    const nodes = [...new Set(this.directory.current.groups.map(({ node }) => node))];
    const answers = await Promise.allSettled(
      nodes.map((node) =>
        this.on(node, ({ probe }) =>
          probe.query((database) => database.run({ lane: 'search', space: undefined }, PING, {})),
        ),
      ),
    );
    return nodes
      .filter((_node, index) => answers[index]?.status === 'rejected')
      .map((node) => `The node ${addressOf(node)} cannot be reached: its tenants are answered by 503`);
  }

  private get all(): readonly Connections[] {
    return [this.coordinator, ...[...this.nodes.values()].map(({ connections }) => connections)];
  }

  renew(): void {
    for (const connections of this.all) connections.renew();
  }

  usage(): ReturnType<Connections['usage']> {
    const [first, ...others] = this.all.map((connections) => connections.usage());
    const add = (lane: Lane): { total: number; idle: number; waiting: number; limit: number } => {
      const sum = { total: 0, idle: 0, waiting: 0, limit: 0 };
      for (const each of [first, ...others]) {
        if (each === undefined) continue;
        sum.total += each[lane].total;
        sum.idle += each[lane].idle;
        sum.waiting += each[lane].waiting;
        sum.limit += each[lane].limit;
      }
      return sum;
    };
    return { read: add('read'), write: add('write'), transaction: add('transaction'), search: add('search') };
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((connections) => connections.close()));
  }
}

/** **Throws** the error of pg as one of the catalogue. */
function rethrow(error: unknown): never {
  throw translateDatabaseError(error).error;
}

function isGone(error: unknown): boolean {
  return error instanceof StatementError && GONE.has(error.sqlState);
}
