/** Removes content that belongs to nothing, and the objects of removed content. */
import { PollingLoop } from '../concurrency/polling-loop';
import type { Log } from '../context';
import { FhirError } from '../errors';
import type { Database, DatabaseOptions } from '../storage/connection/database';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import { OwnerSession } from '../storage/connection/owner-session';
import { haveContentToRemove } from '../storage/content/contents';
import {
  countNotedObjects,
  objectNotRemoved,
  objectRemoved,
  readNotedObjects,
  removeDeadContents,
} from '../storage/content/content-removal';
import { CONTENT_SILENCE, type Contents } from './contents';

export interface ContentSweepOptions {
  readonly contents: Pick<Contents, 'storeNamed'>;
  readonly database: Database;
  readonly owner: DatabaseOptions;
  readonly log: Log;
}

const RETRY_MS = 5_000;
const GATHER_MS = 500;

/** The loop of a process, which sweeps when it is woken; other processes may sweep at the same time. */
export function createContentSweep(options: ContentSweepOptions): PollingLoop {
  return new PollingLoop({
    async round() {
      if (await haveContentToRemove(options.database, CONTENT_SILENCE)) await sweep(options);
      return undefined;
    },
    retryMs: RETRY_MS,
    gatherMs: GATHER_MS,
    log: options.log,
    trouble: 'the removal of large content was interrupted',
    isReported: isNoDatabaseTrouble,
  });
}

/** Removes all content that belongs to nothing now, and the objects of removed content. */
export async function sweep(options: Omit<ContentSweepOptions, 'database'>): Promise<void> {
  const session = await OwnerSession.open(options.owner);
  try {
    while ((await removeDeadContents(session, CONTENT_SILENCE)) > 0);
    await removeNotedObjects(options, session);
  } finally {
    await session.close();
  }
}

/**
 * Deletes the objects of removed content now: all, or those of some spaces. Returns the number that is left, because a store cannot
 * be reached; they are tried again.
 */
export async function removeNotedObjects(
  { contents, log }: Pick<ContentSweepOptions, 'contents' | 'log'>,
  session: OwnerSession,
  spaces?: readonly number[],
): Promise<number> {
  for (;;) {
    const noted = await readNotedObjects(session, spaces);
    for (const one of noted) {
      const [, id = ''] = one.object.split('/');
      try {
        await contents.storeNamed(one.store).remove({ space: one.space, id });
        await objectRemoved(session, one);
      } catch (error) {
        if (!(error instanceof FhirError) && !(error instanceof Error && 'syscall' in error)) throw error;
        log.warn({ err: error, store: one.store }, 'an object of removed content could not be deleted');
        await objectNotRemoved(session, one);
      }
    }
    if (noted.length === 0) return spaces === undefined ? 0 : countNotedObjects(session, spaces);
  }
}
