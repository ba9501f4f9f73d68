/** Work of Citus that moves shard groups, as an operator follows it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { DatabaseOptions } from '../connection/database';
import { rowsOf } from './cluster';
import { withDistributed } from './node-list';
import { requireNodeSettings } from './node-settings';

const POLL_MS = 1_000;

export interface CopyProgress {
  readonly copied: number;
  readonly bytes: number;
}

export interface RebalanceProgress extends CopyProgress {
  /** `running`, `finished`, `failed` … */
  readonly state: string;
  readonly moved: number;
  readonly moves: number;
}

const READ_COPY = sql`
  select coalesce(sum(least(p.target_shard_size, p.source_shard_size)), 0)::float8 as copied,
         coalesce(sum(p.source_shard_size), 0)::float8 as bytes
  from get_rebalance_progress() p`;
const START = sql`select citus_rebalance_start(shard_transfer_mode => 'force_logical')::text as job`;
const READ_STATE = sql`
  select s.state::text as state, coalesce((s.details -> 'task_state_counts' ->> 'done')::int, 0) as moved,
         coalesce((select sum(c.value::int) from jsonb_each_text(s.details -> 'task_state_counts') c), 0)::int as moves
  from citus_rebalance_status() s limit 1`;
const ENDED = new Set(['finished', 'failed', 'cancelled']);

/** How far the moves and splits are that Citus makes now. **Throws** as pg does. */
export async function readCopyProgress(client: ClientBase): Promise<CopyProgress> {
  const [row] = await rowsOf<CopyProgress>(client, READ_COPY);
  return row ?? { copied: 0, bytes: 0 };
}

/**
 * Lets Citus move shard groups until the nodes have about as many bytes. False: they have already. Undefined: the database is not
 * distributed. **Throws** as pg does, also where a rebalancing runs.
 */
export function startRebalance(database: DatabaseOptions): Promise<boolean | undefined> {
  return withDistributed(database, async ({ client, cluster }) => {
    await requireNodeSettings(database, cluster);
    const [row] = await rowsOf<{ job: string | null }>(client, START);
    return row?.job !== null && row?.job !== '0';
  });
}

/** Tells every second how far the rebalancing is; returns the last state, such as `finished`. **Throws** as pg does. */
export async function followRebalance(
  database: DatabaseOptions,
  told: (progress: RebalanceProgress) => void,
): Promise<string> {
  const last = await withDistributed(database, async ({ client }) => {
    for (;;) {
      const [row] = await rowsOf<Omit<RebalanceProgress, keyof CopyProgress>>(client, READ_STATE);
      if (row === undefined) return 'finished';
      told({ ...row, ...(await readCopyProgress(client)) });
      if (ENDED.has(row.state)) return row.state;
      await sleep(POLL_MS);
    }
  });
  return last ?? 'finished';
}
