import { createHash } from 'node:crypto';
import path from 'node:path';
import { KeyedQueue } from '../concurrency/keyed-queue';
import { registerCache } from '../memory/cache-registry';
import { loadDefinitions } from '../fhir/definitions';
import { RELEASES } from '../fhir/release';
import { SearchParameterWork } from '../indexing/search-parameter-work';
import { JobRunner } from '../jobs/job-runner';
import { createParameterJobs } from '../jobs/parameter-job';
import type { ResourceKeys, SearchServices, Services, WriteServices } from '../ports';
import { Destinations } from '../outbound/destinations';
import { createPreparer } from '../preparation/create-preparer';
import type { WorkerHost } from '../preparation/messages';
import { SpaceIndexing } from '../preparation/space-indexing';
import { createThreadedPreparer } from '../preparation/threaded-preparer';
import { WorkerPool } from '../preparation/worker-pool';
import { requireSubscribable } from '../fhir-subscriptions/require-subscribable';
import { resolveCriteria } from '../search-execution/plan/resolve-criteria';
import { fetchHeads } from '../search-execution/sort/fetch-heads';
import { EACH_STATEMENT } from '../search-execution/read-scope';
import type { Hasher } from '../search/rows/hash';
import { createIdSource, idOfKey, keyOf } from '../search/rows/resource-key';
import { VersionCache } from '../storage/read/version-cache';
import { VersionReader } from '../storage/read/version-read';
import { Estimator } from '../storage/search/estimate';
import { SearchRunner } from '../storage/search/search-run';
import { WriteQueues } from '../storage/write/write-queues';
import { type CodeSystemCache, createCodeSystemCache } from '../cache/code-system-cache';
import { createThreadedReader } from '../preparation/threaded-reader';
import { createCodingChecker } from '../validation/coding-checker';
import { checkRelations } from '../validation/relations';
import { createCodeChecker } from '../validation/pending-codes';
import { createStructureSource, structuresVersion } from '../validation/structure-source';
import type { CoreOptions } from './core-options';
import { createContents } from './create-contents';
import type { BaseServices } from './create-foundation';
import { createTerminologyEnvironment } from '../terminology/environment';

export interface CreatedServices {
  readonly services: Services;
  /** The worker thread; it starts with its first task. */
  readonly threads: WorkerPool;
  /** Answers the thread's requests about profiles and codes. */
  readonly workerHost: WorkerHost;
  readonly jobs: JobRunner;
}

/**
 * Creates the services: definitions, reads, searches and writes.
 *
 * @param settled called when this process has no job to do
 * @param givenUp called when there is large content to remove
 *
 * Cost: the definitions of both releases are loaded. */
export function createServices(
  options: CoreOptions,
  foundation: BaseServices,
  settled: () => void,
  givenUp: () => void,
): CreatedServices {
  const { limits, log, ownAddresses, extensionBase } = options;
  const { database, cache, hasher, rates, spaces, installation } = foundation;
  const indexing = new SpaceIndexing({ hasher, ownAddresses, maxIndexRows: limits.maxIndexRows });
  const threads = new WorkerPool(
    path.join(__dirname, 'worker.js'),
    { hashKey: installation.hashKey, ownAddresses, extensionBase, limits },
    log,
  );
  const codeSystems = createCodeSystemCache(createThreadedReader((task) => threads.runNested(task)));
  const searching = createSearchServices(options, foundation, indexing, codeSystems);
  const workerHost = createWorkerHost(searching);
  const preparer = createPreparer(indexing.preparationTools(extensionBase, workerHost), limits);
  const writing: WriteServices = {
    ...searching,
    writes: new WriteQueues(
      database,
      limits.maxWriteQueue,
      (members) => options.instruments?.batched('write', members),
      (space) => foundation.record.note(space),
    ),
    ids: createIdSource(),
    contents: createContents(options, database, givenUp),
    turns: new KeyedQueue(),
    preparer: createThreadedPreparer(preparer, threads),
    destinations: new Destinations(options.outboundAllowedHosts),
    requireSubscribable,
  };
  const jobs = new JobRunner({ owner: options.database, log, announce: () => cache.announceWork(), settled });
  const indexingWork = new SearchParameterWork({
    services: writing,
    database: options.database,
    log,
    changed: (tenant) => spaces.changed(tenant),
  });
  jobs.serve(createParameterJobs(indexingWork, log));
  const services: Services = {
    ...writing,
    resourceTypes: (release) => indexing.resourceTypes(release),
    validator: (release) => indexing.validator(release),
    ...{ cache, rates, log },
    isAuditApart: options.audit.records !== 'off',
    parametersChanged(tenant) {
      spaces.changed(tenant);
      jobs.added();
    },
  };
  return { services, threads, workerHost, jobs };
}

function createSearchServices(
  { limits, secretKeys, explainsSearches, extensionBase, instruments }: CoreOptions,
  { installation, database, hasher }: BaseServices,
  indexing: SpaceIndexing,
  codeSystems: CodeSystemCache,
): SearchServices {
  const versions = registerCache(new VersionCache(limits.versionCacheBytes));
  return {
    definitions: loadDefinitions,
    definitionsOf: (space) => indexing.definitionsOf(space),
    isConformanceType: (release, type) =>
      installation.baseTypes.has(
        `${RELEASES[release].baseSpace} ${loadDefinitions(release).typeNumber(type)}`,
      ),
    references: (space) => indexing.references(space),
    searchContext: (space) => indexing.searchContext(space),
    extract: (space, type, resource) => indexing.extract(space, type, resource),
    extractForScan: (space, type, resource) => indexing.extractForScan(space, type, resource),
    createExtractor: (space, maxRows) => indexing.createExtractor(space, maxRows),
    extensionBase,
    connections: database,
    reads: database,
    database,
    reader: new VersionReader(database, (reads) => instruments?.batched('read', reads), versions),
    keys: createKeys(hasher),
    hasher,
    searches: new SearchRunner(database, versions, (pages) => instruments?.batched('search', pages)),
    estimator: new Estimator(database, limits.searchSortLimit),
    codeSystems,
    limits,
    secretKeys:
      secretKeys.length > 0
        ? secretKeys.map((key) => createHash('sha256').update(key, 'utf8').digest())
        : [installation.cursorKey],
    explainsSearches,
    scope: EACH_STATEMENT,
    grantSearches: { resolve: resolveCriteria, matches: fetchHeads },
  };
}

function createKeys(hasher: Hasher): ResourceKeys {
  return {
    keyOf: (type, id) => keyOf(hasher, type, id),
    idOf(key) {
      const id = idOfKey(key.high, key.low);
      if (id === undefined) throw new Error('a row with the key of a foreign id has lost that id');
      return id;
    },
    isOwn: (key) => key.high >= 0,
  };
}

function createWorkerHost(services: SearchServices): WorkerHost {
  const codeChecker = createCodeChecker();
  const codingChecker = createCodingChecker();
  const structures = createStructureSource({
    terminology: (space) => createTerminologyEnvironment(services, space),
    structuresVersion: (space) => structuresVersion(services, space),
  });
  return {
    ...structures,
    checkCodes: (space, pending) =>
      codeChecker.check(space, createTerminologyEnvironment(services, space), pending),
    checkCodings: (space, codings) =>
      codingChecker.check(space, createTerminologyEnvironment(services, space), codings),
    checkRelations: (space, resource) =>
      checkRelations(createTerminologyEnvironment(services, space), resource),
    absentSystems: (space) => codingChecker.absentSystems(space),
    answerCodes: (space, questions) =>
      codeChecker.answer(space, createTerminologyEnvironment(services, space), questions),
  };
}
