/** What an operator sees of the nodes of a distributed database. */
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { DatabaseOptions } from '../connection/database';
import { closeClient, openClient } from '../connection/open-client';
import { addressOf, readCluster, rowsOf, type Cluster, type ClusterNode } from './cluster';
import { withNode } from './node-settings';
import { readPlacement } from './nodes';
import type { Placement } from './placement';

export interface NodeState {
  /** `10.0.0.12:5432` */
  readonly address: string;
  readonly role: ClusterNode['role'];
  readonly groups: number;
  readonly tenants: number;
  /** Bytes of its database; undefined: it does not answer. */
  readonly bytes: number | undefined;
  /** Why it does not answer. */
  readonly fault: string | undefined;
}

/** A distributed database: its cluster, and where its rows are. */
export interface Distributed {
  readonly client: Client;
  readonly cluster: Cluster;
  readonly placement: Placement;
}

const READ_TENANTS = sql`select t.name, t.number from andiron.tenant t order by t.name limit 1000000`;
const READ_BYTES = sql`select pg_database_size(current_database())::float8 as bytes`;

/** Runs `work` with a connection to the coordinator. Undefined: the database is not distributed. **Throws** as pg does. */
export async function withDistributed<T>(
  database: DatabaseOptions,
  work: (distributed: Distributed) => Promise<T>,
): Promise<T | undefined> {
  const placement = await readPlacement(database);
  if (placement === undefined) return undefined;
  const client = await openClient(database);
  try {
    const cluster = await readCluster(client);
    return cluster && (await work({ client, cluster, placement }));
  } finally {
    await closeClient(client);
  }
}

/** The numbers of all tenants, by name. **Throws** as pg does. */
export async function readTenantNumbers(client: Client): Promise<ReadonlyMap<string, number>> {
  const rows = await rowsOf<{ name: string; number: number }>(client, READ_TENANTS);
  return new Map(rows.map(({ name, number }) => [name, number]));
}

/**
 * Lists the nodes, the coordinator first; undefined: the database is not distributed. **Throws** as pg does if the coordinator is away.
 * **Cost**: a connection to each node, for five seconds at most.
 */
export async function listNodes(database: DatabaseOptions): Promise<readonly NodeState[] | undefined> {
  return withDistributed(database, async ({ client, cluster, placement }) => {
    const tenants = await readTenantNumbers(client);
    const ofTenants = [...tenants.values()].map((number) => addressOf(placement.groupOf(number).node));
    const ofGroups = placement.groups.map(({ node }) => addressOf(node));
    return Promise.all(
      cluster.nodes.map(async (node): Promise<NodeState> => {
        const address = addressOf(node);
        const count = (all: readonly string[]): number => all.filter((each) => each === address).length;
        const asked = await readBytes(database, node).catch((error: unknown) =>
          error instanceof Error ? error.message : String(error),
        );
        return {
          ...{ address, role: node.role, groups: count(ofGroups), tenants: count(ofTenants) },
          bytes: typeof asked === 'number' ? asked : undefined,
          fault: typeof asked === 'number' ? undefined : asked,
        };
      }),
    );
  });
}

function readBytes(database: DatabaseOptions, node: ClusterNode): Promise<number> {
  return withNode(database, node, async (client) => {
    const [row] = await rowsOf<{ bytes: number }>(client, READ_BYTES);
    return row?.bytes ?? 0;
  });
}

/** The address of the node of each tenant; undefined: the database is not distributed. **Throws** as pg does. */
export async function locateTenants(
  database: DatabaseOptions,
): Promise<ReadonlyMap<string, string> | undefined> {
  return withDistributed(database, async ({ client, placement }) => {
    const tenants = await readTenantNumbers(client);
    return new Map(
      [...tenants].map(([name, number]) => [name, addressOf(placement.groupOf(number).node)] as const),
    );
  });
}
