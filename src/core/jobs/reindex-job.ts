import type { AdministrationJobExecutor } from '../api/administration-jobs';
import type { ReindexProgress, ReindexScope } from '../api/index-work';
import { isRelease } from '../fhir/release';
import { describeDifference, ReindexReport, type IndexDifferenceDocument } from '../indexing/reindex-report';

/** Further losses are only counted. */
const MOST_LISTED = 100;

/** Executes jobs that repair the search index of a tenant, whose request may have a `release`. */
export function createReindexJob(
  reindex: (scope: ReindexScope) => AsyncIterable<ReindexProgress>,
): AdministrationJobExecutor {
  return async ({ tenant, request, signal, report }) => {
    const { release } = request;
    const scope = {
      tenant,
      ...(typeof release === 'string' && isRelease(release) ? { release } : {}),
    };
    const sums = new ReindexReport();
    const losses: IndexDifferenceDocument[] = [];
    let count = 0;
    for await (const progress of reindex(scope)) {
      signal.throwIfAborted();
      sums.add(progress);
      count += progress.losses.length;
      for (const loss of progress.losses.slice(0, MOST_LISTED - losses.length))
        losses.push(describeDifference(loss));
      const { resources, compared, repaired } = sums.totals;
      report({ release: progress.release, resources, compared, repaired });
    }
    const { compared, repaired, added, removed } = sums.totals;
    return { compared, repaired, added, removed, count, losses };
  };
}
