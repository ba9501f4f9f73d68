/** Moves a tenant to another node of a distributed database, while it is used. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { DatabaseOptions } from '../connection/database';
import { closeClient, openClient } from '../connection/open-client';
import { addressOf, rowsOf, type ClusterNode } from './cluster';
import { readTenantNumbers, withDistributed, type Distributed } from './node-list';
import { requireNodeSettings } from './node-settings';
import { slotBounds, type ShardGroup } from './placement';
import { readCopyProgress, type CopyProgress } from './rebalance';

/** The base resources, by release. */
const BASE_SPACES = [1, 2];
const POLL_MS = 1_000;
const MOST_TRIES = 30;
const RETRY_MS = 2_000;

export interface MoveOptions {
  readonly database: DatabaseOptions;
  readonly tenant: string;
  /** `10.0.0.12:5432` */
  readonly to: string;
  /** Called about once a second. */
  told(progress: CopyProgress): void;
}

export interface Move {
  /** The node that had the tenant. */
  readonly from: string;
  /** False: the tenant was there already. */
  readonly isMoved: boolean;
  /** True: its shard group had other tenants, which stayed. */
  readonly isSplit: boolean;
}

/**
 * Moves a tenant by Citus. Its requests go on; writes wait for a moment at the end. If its shard group has other tenants, or the base
 * resources, these get groups of their own on the present node. Undefined: the database is not distributed.
 *
 * **Throws** Error for an unknown tenant or node, and as pg does. **Cost**: copies the rows of the group.
 */
export function moveTenant({ database, tenant, to, told }: MoveOptions): Promise<Move | undefined> {
  return withDistributed(database, async (distributed) => {
    const { client, cluster, placement } = distributed;
    const tenants = await readTenantNumbers(client);
    const number = tenants.get(tenant);
    if (number === undefined) throw new Error(`The tenant '${tenant}' does not exist`);
    const workers = cluster.nodes.filter(({ role, takesShards }) => role === 'worker' && takesShards);
    const target = workers.find((node) => addressOf(node) === to);
    if (target === undefined)
      throw new Error(`No node has the address ${to}: choose one of ${workers.map(addressOf).join(', ')}`);
    const group = placement.groupOf(number);
    const from = addressOf(group.node);
    if (from === to) return { from, isMoved: false, isSplit: false };
    const { least } = slotBounds(number);
    const isSplit = [...tenants.values(), ...BASE_SPACES].some(
      (other) => placement.groupOf(other) === group && slotBounds(other).least !== least,
    );
    await requireNodeSettings(database, cluster);
    await rowsOf(client, sql`set statement_timeout = 0`);
    // A node that was added later has no copy of the tables that each node has whole.
    await rowsOf(client, sql`select replicate_reference_tables('force_logical')`);
    const moving = isSplit ? splitGroup(distributed, group, { number, target }) : moveGroup(group, target);
    await withProgress(
      database,
      told,
      whenCleanedUp(() => rowsOf(client, moving)),
    );
    return { from, isMoved: true, isSplit };
  });
}

/** Tries again while the tables that an earlier move has left on the target are in use: Citus drops them some seconds after it. */
async function whenCleanedUp(move: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await move();
      return;
    } catch (error) {
      const isLeftOver = error instanceof Error && error.message.includes('could not be cleaned up');
      if (!isLeftOver || tries === MOST_TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** One shard of the group; Citus moves and splits the others with it. */
function shardOf({ shards }: ShardGroup): string {
  const name = shards.get('resource') ?? '';
  return name.slice(name.lastIndexOf('_') + 1);
}

function moveGroup(group: ShardGroup, target: ClusterNode): RawBuilder<unknown> {
  const { host, port } = group.node;
  return sql`
    select citus_move_shard_placement(
      ${shardOf(group)}::bigint, ${host}, ${port}::int, ${target.host}, ${target.port}::int, 'force_logical')`;
}

/** Makes a group of the hashes of a tenant on another node; those beside them stay, in groups of their own. */
function splitGroup(
  { cluster }: Distributed,
  group: ShardGroup,
  { number, target }: { readonly number: number; readonly target: ClusterNode },
): RawBuilder<unknown> {
  const own = cluster.nodes.find((node) => addressOf(node) === addressOf(group.node));
  if (own === undefined) throw new Error(`The node ${addressOf(group.node)} is no node of the cluster`);
  const { least, most } = slotBounds(number);
  const [hasBelow, hasAbove] = [least > group.least, most < group.most];
  const points = [...(hasBelow ? [least - 1] : []), ...(hasAbove ? [most] : [])];
  const nodes = [...(hasBelow ? [own.id] : []), target.id, ...(hasAbove ? [own.id] : [])];
  return sql`
    select citus_split_shard_by_split_points(
      ${shardOf(group)}::bigint, ${points.map(String)}::text[], ${nodes}::int[], 'force_logical')`;
}

/** Waits for `moving`, and tells meanwhile how far Citus is. */
async function withProgress(
  database: DatabaseOptions,
  told: (progress: CopyProgress) => void,
  moving: Promise<unknown>,
): Promise<void> {
  // Its failure is that of the race below.
  moving.catch(() => undefined);
  const client = await openClient(database);
  try {
    const hasEnded = (): Promise<boolean> => Promise.race([moving.then(() => true), sleep(POLL_MS, false)]);
    while (!(await hasEnded())) {
      // A move does not fail because it cannot be watched.
      const progress = await readCopyProgress(client).catch(() => undefined);
      if (progress !== undefined) told(progress);
    }
  } finally {
    await closeClient(client);
  }
}
