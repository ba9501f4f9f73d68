import type { Migration } from 'kysely';
import * as baseline from './0033-baseline';
import * as failedSearchParameters from './0034-failed-search-parameters';
import * as issuerRelease from './0035-issuer-release';
import * as leastSchema from './0039-least-schema';
import * as signInNetworks from './0040-sign-in-networks';
import * as functionRecord from './0041-function-record';
import * as launchContext from './0042-launch-context';
import * as subscriptions from './0043-subscriptions';
import * as maskedHeaders from './0044-masked-headers';
import * as userRights from './0045-user-rights';
import * as administrationJobs from './0046-administration-jobs';
import * as unopenedReferences from './0047-unopened-references';
import * as refreshUses from './0048-refresh-uses';
import * as jobs from './0049-jobs';
import * as invitations from './0050-invitations';
import * as content from './0051-content';
import * as bulkJobs from './0052-bulk-jobs';
import * as imports from './0053-imports';
import * as jobsOfBefore from './0054-jobs-of-before';
import * as exportFiles from './0055-export-files';
import * as accountPolicies from './0056-account-policies';
import * as numbersBySlot from './0057-numbers-by-slot';
import * as spaceState from './0058-space-state';
import * as uncountedVersions from './0059-uncounted-versions';
import * as spacesOfBefore from './0060-spaces-of-before';
import * as earlierVacuum from './0061-earlier-vacuum';
import * as longSequences from './0062-long-sequences';
import * as countersOfBefore from './0063-counters-of-before';
import * as functionsOfBefore from './0064-functions-of-before';
import * as rowsByNode from './0065-rows-by-node';
import * as triggersOfBefore from './0066-triggers-of-before';
import * as concepts from './0067-concepts';
import * as closures from './0068-closures';

export { SEQUENCE_COLUMNS } from './0062-long-sequences';
export { readDroppingSteps, readEarlierFunctions, readFunctions, type DatabaseFunction } from './sql-files';

/** The step that creates the schema of all earlier landed versions. */
export const BASELINE = '0033-baseline';

/** All steps in order. A landed step is never edited; a change is a new step. Functions are in `functions/`. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  [BASELINE]: baseline,
  '0034-failed-search-parameters': failedSearchParameters,
  '0035-issuer-release': issuerRelease,
  '0039-least-schema': leastSchema,
  '0040-sign-in-networks': signInNetworks,
  '0041-function-record': functionRecord,
  '0042-launch-context': launchContext,
  '0043-subscriptions': subscriptions,
  '0044-masked-headers': maskedHeaders,
  '0045-user-rights': userRights,
  '0046-administration-jobs': administrationJobs,
  '0047-unopened-references': unopenedReferences,
  '0048-refresh-uses': refreshUses,
  '0049-jobs': jobs,
  '0050-invitations': invitations,
  '0051-content': content,
  '0052-bulk-jobs': bulkJobs,
  '0053-imports': imports,
  '0054-jobs-of-before': jobsOfBefore,
  '0055-export-files': exportFiles,
  '0056-account-policies': accountPolicies,
  '0057-numbers-by-slot': numbersBySlot,
  '0058-space-state': spaceState,
  '0059-uncounted-versions': uncountedVersions,
  '0060-spaces-of-before': spacesOfBefore,
  '0061-earlier-vacuum': earlierVacuum,
  '0062-long-sequences': longSequences,
  '0063-counters-of-before': countersOfBefore,
  '0064-functions-of-before': functionsOfBefore,
  '0065-rows-by-node': rowsByNode,
  '0066-triggers-of-before': triggersOfBefore,
  '0067-concepts': concepts,
  '0068-closures': closures,
};

/** The steps that the baseline replaces. A database with the last of them has the schema that the baseline creates. */
export const STEPS_OF_BASELINE: readonly string[] = [
  '0001-foundation',
  '0002-write-versions',
  '0003-rows-made-with',
  '0004-tenant-settings',
  '0005-search-across-resources',
  '0006-search-parameters',
  '0008-history-of-all',
  '0011-async-jobs',
  '0012-claim-resources',
  '0013-referential-integrity',
  '0014-async-job-functions',
  '0015-client-applications',
  '0017-audit',
  '0018-tenant-life',
  '0019-token-buckets',
  '0020-unversioned-changes',
  '0021-purged-sequences',
  '0022-quotas',
  '0023-policies',
  '0025-owed-tokens',
  '0026-sign-in',
  '0027-quota-of-few',
  '0028-gathered-records',
  '0029-id-token-algorithm',
  '0030-requirement',
  '0031-short-trigram-list',
  '0032-rows-by-place',
  '0033-composite-systems',
];

/** Steps that only replaced functions. */
export const STEPS_OF_FUNCTIONS: readonly string[] = ['0037-places-of-a-space'];

/**
 * The least schema number of a program that may write to a database with all steps. A step that removes or changes what
 * an older program uses raises it to the number of the first program that does without it (CONTRIBUTING.md, Changes of
 * the schema).
 */
export const LEAST_SCHEMA = 65;
