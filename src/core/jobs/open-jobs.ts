import type { OpenJob } from '../api/server';
import type { PrimaryConnections } from '../storage/connection/connections';
import type { DatabaseOptions } from '../storage/connection/database';
import { cancelJob, REQUEST } from '../storage/jobs/jobs';
import { readOpenJobs } from '../storage/schema/server-facts';
import { BULK_JOBS } from './bulk-jobs';
import type { JobRunner } from './job-runner';

export interface OpenJobsOptions {
  readonly runner: Pick<JobRunner, 'cancel' | 'wake'>;
  readonly database: PrimaryConnections;
  readonly owner: DatabaseOptions;
}

/** The jobs of all tenants that have not ended, for the operator. */
export class OpenJobs {
  constructor(private readonly options: OpenJobsOptions) {}

  async list(): Promise<readonly OpenJob[]> {
    return (await readOpenJobs(this.options.owner)).map(({ space: _space, ...job }) => job);
  }

  async stop(id: string): Promise<boolean> {
    const { runner, database, owner } = this.options;
    const [job] = await readOpenJobs(owner, id);
    if (job === undefined) return false;
    const { space, kind } = job;
    // Of a request, an export and an import nothing is left, as when its client deletes it.
    await cancelJob(database, { space, id }, [kind], kind === REQUEST || BULK_JOBS.includes(kind));
    runner.cancel(id);
    runner.wake();
    return true;
  }
}
