import type { Log } from '../context';
import type { SearchParameterWork } from '../indexing/search-parameter-work';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import { enqueueIndexing, INDEXING } from '../storage/indexing/search-parameter-work';
import type { JobKind } from './job-runner';

/** Milliseconds until a job begins again that could not work in its space. */
const LATER_MS = 5_000;

/**
 * The kind of jobs that index the search parameters of a space. They follow from the parameters with pending work, and nobody
 * watches them. They may begin any number of times: the work itself counts attempts without progress.
 */
export function createParameterJobs(work: SearchParameterWork, log: Log): JobKind {
  return {
    name: INDEXING,
    concurrency: 1,
    keptMs: 0,
    interrupted: { state: 'failed' },
    async execute({ space, signal }) {
      if (!(await work.run(space, signal))) throw new SpaceBusyError();
      signal.throwIfAborted();
      return { state: 'done' };
    },
    // Nothing is lost by a failure: the next run finds the remaining work.
    onError(error) {
      if (!(error instanceof SpaceBusyError) && isNoDatabaseTrouble(error)) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, 'indexing of search parameters was interrupted');
      }
      return { isCounted: false, delayMs: LATER_MS };
    },
    enqueue: enqueueIndexing,
  };
}

/** Another process or a reindex works there. */
class SpaceBusyError extends Error {}
