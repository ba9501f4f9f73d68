import { setTimeout } from 'node:timers/promises';
import type { InvalidatedCaches } from '../api/tenant';
import type { RedisCache } from './redis-cache';
import type { ErasureWatch } from './erasure-watch';
import { addErasure, countInvalidations, type InvalidationProgress } from '../storage/tenants/erasures';
import type { DatabaseOptions } from '../storage/connection/database';
import { OwnerSession } from '../storage/connection/owner-session';

const LOOK_MS = 25;
/** Longer than the time after which a silent process counts as dead. */
const PATIENCE_MS = 25_000;

/** Removes erased data from all caches: of this process, of all others, and of Redis. */
export class CacheInvalidator {
  constructor(
    private readonly cache: RedisCache,
    private readonly watch: ErasureWatch,
    private readonly owner: DatabaseOptions,
  ) {}

  /**
   * Must be called when the erased data can no longer be read; resolves when no cache has it any more. Cost: a round trip
   * to each process through Redis, or two seconds without it; 20 seconds for a killed process; a scan of Redis.
   */
  async invalidate(spaces: readonly number[]): Promise<InvalidatedCaches> {
    this.watch.evict(spaces);
    const session = await OwnerSession.open(this.owner);
    const counts = await this.tell(session, spaces).finally(() => session.close());
    return {
      processes: counts.done,
      silentProcesses: counts.silent + counts.awaited,
      cachedTexts: await this.invalidateTexts(spaces),
    };
  }

  /** Tells all processes, and waits for them. */
  private async tell(session: OwnerSession, spaces: readonly number[]): Promise<InvalidationProgress> {
    const number = await addErasure(session, spaces);
    this.cache.announce({ kind: 'erased', subject: String(number) });
    const until = performance.now() + PATIENCE_MS;
    let counts = await countInvalidations(session, number);
    while (counts.awaited > 0 && performance.now() < until) {
      await setTimeout(LOOK_MS);
      counts = await countInvalidations(session, number);
    }
    return counts;
  }

  private async invalidateTexts(spaces: readonly number[]): Promise<number | undefined> {
    let removed = 0;
    for (const space of spaces) {
      const ofSpace = await this.cache.removeSpace(space);
      if (ofSpace === undefined) return undefined;
      removed += ofSpace;
    }
    return removed;
  }
}
