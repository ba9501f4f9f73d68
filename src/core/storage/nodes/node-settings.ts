/** The settings of PostgreSQL that the nodes of Citus need, because it moves shard groups by logical replication. */
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { DatabaseOptions } from '../connection/database';
import { closeClient, openClient, withinLimit } from '../connection/open-client';
import { addressOf, rowsOf, type Cluster, type ClusterNode } from './cluster';

/** Milliseconds in which a node must answer. */
const NODE_LIMIT_MS = 5_000;

/**
 * **Throws** Error with the first setting that a worker lacks, and what to do. Citus takes the end of the written WAL for the end of
 * what was committed: with `synchronous_commit=off` it moves less.
 */
export async function requireNodeSettings(
  database: DatabaseOptions,
  { nodes, postgres }: Pick<Cluster, 'nodes' | 'postgres'>,
): Promise<void> {
  for (const node of nodes)
    if (node.role === 'worker' && node.takesShards) await checkNode(database, node, postgres);
}

async function checkNode(database: DatabaseOptions, node: ClusterNode, postgres: number): Promise<void> {
  const facts = await withNode(database, node, async (client) => {
    const [row] = await rowsOf<{ postgres: number; wal: string; plugins: string | null; commits: string }>(
      client,
      sql`select current_setting('server_version_num')::int / 10000 as postgres, current_setting('wal_level') as wal,
                 current_setting('output_plugin_libraries', true) as plugins, current_setting('synchronous_commit') as commits`,
    );
    return row;
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The node ${addressOf(node)} cannot be used with the user and password of the coordinator: ${reason}`,
      { cause: error },
    );
  });
  if (facts === undefined) return;
  const name = `The node ${addressOf(node)}`;
  if (facts.postgres !== postgres)
    throw new Error(
      `${name} has PostgreSQL ${facts.postgres}, and the coordinator ${postgres}: use one version`,
    );
  if (facts.wal !== 'logical')
    throw new Error(
      `${name} has wal_level=${facts.wal}: moves of tenants need logical; set it there, and restart PostgreSQL`,
    );
  if (facts.commits === 'off')
    throw new Error(
      `${name} has synchronous_commit=off: a move of a tenant would lose what was written in its last moment; set it to on there, and reload PostgreSQL`,
    );
  const plugins = facts.plugins?.split(',').map((each) => each.trim());
  if (plugins !== undefined && !plugins.includes('citus'))
    throw new Error(
      `${name} has output_plugin_libraries without citus: moves of tenants need it; add it there, and reload PostgreSQL`,
    );
}

/** Runs `work` with a connection to a node. **Throws** as pg does, after five seconds at the latest. */
export async function withNode<T>(
  database: DatabaseOptions,
  { host, port }: Pick<ClusterNode, 'host' | 'port'>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await openClient({ ...database, host, port });
  try {
    return await withinLimit(client, NODE_LIMIT_MS, () => work(client));
  } finally {
    await closeClient(client);
  }
}
