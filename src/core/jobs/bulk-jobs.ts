/** Exports and imports of all clients of a tenant, as its administrators see them. */
import type { AdministrationJob } from '../api/administration-jobs';
import type { JsonObject, JsonValue } from '../fhir/json';
import type { Database } from '../storage/connection/database';
import { readBulkJobs, type BulkJobFacts } from '../storage/jobs/bulk-job-list';
import { readFiles, type ImportedFile } from '../storage/jobs/import-files';

export const BULK_JOBS: readonly string[] = ['export', 'import'];
/** Of one space; the oldest ones of more are not listed. */
const MOST_LISTED = 100;

/** The exports and imports in the spaces of a tenant, by release. **Cost**: a statement for each space, and for each open import. */
export async function listBulkJobs(
  database: Database,
  spaces: Readonly<Record<string, number>>,
  id?: string,
): Promise<readonly AdministrationJob[]> {
  const limit = id === undefined ? MOST_LISTED : 1;
  const wanted = { kinds: BULK_JOBS, limit, ...(id === undefined ? {} : { id }) };
  const jobs: AdministrationJob[] = [];
  for (const [release, space] of Object.entries(spaces))
    for (const facts of await readBulkJobs(database, space, wanted)) {
      const isImporting = facts.kind === 'import' && facts.state === 'running';
      // An import of a code system reports its own.
      const progress =
        facts.progress ??
        (isImporting ? importTotals(await readFiles(database, { space, id: facts.id })) : undefined);
      jobs.push(toJob(release, { ...facts, progress: facts.state === 'done' ? undefined : progress }));
    }
  return jobs;
}

/** How far an import is, or what it has done. */
export function importTotals(files: readonly ImportedFile[]): JsonObject {
  const sum = (numberOf: (file: ImportedFile) => number): number =>
    files.reduce((total, file) => total + numberOf(file), 0);
  return {
    files: files.length,
    received: files.filter(({ isReceived }) => isReceived).length,
    lines: sum(({ lines }) => lines),
    written: sum(({ written }) => written),
    refused: sum(({ failed, failure }) => failed + (failure === undefined ? 0 : 1)),
  };
}

function toJob(release: string, facts: BulkJobFacts): AdministrationJob {
  const { id, kind, state, progress, result, failure, created, started, ended, client, person } = facts;
  const { since, until, ...request } = facts.request;
  return {
    ...{ id, kind, state, progress, result, failure, created, started, ended },
    isBeingCancelled: facts.isCancelled && state === 'running',
    by: client === undefined ? undefined : { client, person, requestId: '' },
    request: { release, ...request, ...instant('since', since), ...instant('until', until) },
  };
}

const instant = (name: string, value: JsonValue | undefined): JsonObject =>
  typeof value === 'number' ? { [name]: new Date(value).toISOString() } : {};
