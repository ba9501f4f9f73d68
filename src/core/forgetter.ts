import { setTimeout } from 'node:timers/promises';
import type { Forgotten } from './api';
import type { RedisCache } from './cache/redis-cache';
import type { ErasureWatch } from './erasure-watch';
import { addErasure, countForgetting } from './storage/erasures';
import type { OwnerSession } from './storage/owner-session';

const LOOK_MS = 25;
/** Longer than a process that gives no sign of life is waited for. */
const PATIENCE_MS = 25_000;

/** Has everybody forget what was erased from the database: this process, all others, Redis. */
export class Forgetter {
  constructor(
    private readonly cache: RedisCache,
    private readonly watch: ErasureWatch,
  ) {}

  /**
   * To be called after what is erased can no longer be read; resolves when nobody remembers it any more. Cost: a round trip to
   * each process by way of Redis, or a second without it; 20 seconds for a process that was killed; a walk over Redis.
   */
  async forget(session: OwnerSession, spaces: readonly number[]): Promise<Forgotten> {
    this.watch.forget(spaces);
    const number = await addErasure(session, spaces);
    this.cache.announce({ kind: 'erased', subject: String(number) });
    const until = performance.now() + PATIENCE_MS;
    let counts = await countForgetting(session, number);
    while (counts.awaited > 0 && performance.now() < until) {
      await setTimeout(LOOK_MS);
      counts = await countForgetting(session, number);
    }
    return {
      processes: counts.done,
      silentProcesses: counts.silent + counts.awaited,
      cachedTexts: await this.forgetTexts(spaces),
    };
  }

  private async forgetTexts(spaces: readonly number[]): Promise<number | undefined> {
    let removed = 0;
    for (const space of spaces) {
      const ofSpace = await this.cache.forget(space);
      if (ofSpace === undefined) return undefined;
      removed += ofSpace;
    }
    return removed;
  }
}
