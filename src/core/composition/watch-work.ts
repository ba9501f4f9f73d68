import type { ErasureWatch } from '../cache/erasure-watch';
import type { PollingLoop } from '../concurrency/polling-loop';
import { CONTENT_SILENCE } from '../content/contents';
import type { Log } from '../context';
import { FEED_SILENCE_MS, type Notifications } from '../fhir-subscriptions/delivery/notifications';
import { JOB_SILENCE_MS, type JobRunner } from '../jobs/job-runner';
import { WorkWatch } from '../jobs/work-watch';
import type { Audit } from './create-audit';
import type { BaseServices } from './create-foundation';

export interface WatchedWork {
  readonly erasures: ErasureWatch;
  readonly jobs: JobRunner;
  readonly audit: Audit;
  readonly notifications: Notifications;
  readonly contentSweep: PollingLoop;
}

/** Creates the watch that wakes the background work of this process. */
export function watchWork(
  { database, cache }: BaseServices,
  log: Log,
  { erasures, jobs, audit, notifications, contentSweep }: WatchedWork,
): WorkWatch {
  const work = new WorkWatch({
    ...{ database, log },
    watchingProcess: () => ({
      ...erasures.confirmation,
      worker: notifications.worker,
      jobSilenceMs: JOB_SILENCE_MS,
      feedSilenceMs: FEED_SILENCE_MS,
      contentSilence: CONTENT_SILENCE,
    }),
    hasNotices: () => cache.receivesNotices,
    wake: {
      erasures: () => erasures.poll(),
      jobs: () => jobs.wake(),
      records: () => audit.wake(),
      feeds: () => notifications.wake(),
      contents: () => contentSweep.wake(),
    },
  });
  cache.listenForWork(() => work.wake());
  return work;
}
