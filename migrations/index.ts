import type { Migration } from 'kysely';
import * as foundation from './0001-foundation';
import * as writeVersions from './0002-write-versions';
import * as rowsMadeWith from './0003-rows-made-with';
import * as tenantSettings from './0004-tenant-settings';
import * as searchAcrossResources from './0005-search-across-resources';
import * as searchParameters from './0006-search-parameters';
import * as historyOfAll from './0008-history-of-all';
import * as asyncJobs from './0011-async-jobs';
import * as claimResources from './0012-claim-resources';
import * as referentialIntegrity from './0013-referential-integrity';
import * as asyncJobFunctions from './0014-async-job-functions';
import * as clientApplications from './0015-client-applications';
import * as audit from './0017-audit';
import * as tenantLife from './0018-tenant-life';
import * as tokenBuckets from './0019-token-buckets';
import * as unversionedChanges from './0020-unversioned-changes';
import * as purgedSequences from './0021-purged-sequences';
import * as quotas from './0022-quotas';
import * as policies from './0023-policies';
import * as owedTokens from './0025-owed-tokens';
import * as signIn from './0026-sign-in';
import * as quotaOfFew from './0027-quota-of-few';
import * as gatheredRecords from './0028-gathered-records';
import * as idTokenAlgorithm from './0029-id-token-algorithm';
import * as requirement from './0030-requirement';
import * as shortTrigramList from './0031-short-trigram-list';
import * as rowsByPlace from './0032-rows-by-place';
import * as compositeSystems from './0033-composite-systems';

/** All steps in order. A landed step is never edited; a change is a new step. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-write-versions': writeVersions,
  '0003-rows-made-with': rowsMadeWith,
  '0004-tenant-settings': tenantSettings,
  '0005-search-across-resources': searchAcrossResources,
  '0006-search-parameters': searchParameters,
  '0008-history-of-all': historyOfAll,
  '0011-async-jobs': asyncJobs,
  '0012-claim-resources': claimResources,
  '0013-referential-integrity': referentialIntegrity,
  '0014-async-job-functions': asyncJobFunctions,
  '0015-client-applications': clientApplications,
  '0017-audit': audit,
  '0018-tenant-life': tenantLife,
  '0019-token-buckets': tokenBuckets,
  '0020-unversioned-changes': unversionedChanges,
  '0021-purged-sequences': purgedSequences,
  '0022-quotas': quotas,
  '0023-policies': policies,
  '0025-owed-tokens': owedTokens,
  '0026-sign-in': signIn,
  '0027-quota-of-few': quotaOfFew,
  '0028-gathered-records': gatheredRecords,
  '0029-id-token-algorithm': idTokenAlgorithm,
  '0030-requirement': requirement,
  '0031-short-trigram-list': shortTrigramList,
  '0032-rows-by-place': rowsByPlace,
  '0033-composite-systems': compositeSystems,
};
