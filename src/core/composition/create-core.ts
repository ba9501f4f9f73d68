import { createHash, createHmac } from 'node:crypto';
import { createAccess } from './create-access';
import { createAudit, type Audit } from './create-audit';
import { authorizeCore } from '../authorization/authorize-core';
import { createPolicies } from '../authorization/policies';
import { requireInvocation } from '../authorization/operation-rule';
import { permissionsOf } from '../authorization/visibility';
import type { Core } from '../api/core';
import { AsyncJobs } from '../jobs/async-jobs';
import { baseContent } from '../conformance/base-resources';
import { RedisCache } from '../cache/redis-cache';
import type { RequestContext, TenantSpace } from '../context';
import type { CoreOptions } from './core-options';
import { createInteractions } from './create-interactions';
import { createInvokers } from './create-invokers';
import { ErasureWatch } from '../erasure/erasure-watch';
import { ChangeFeeds } from '../subscriptions/change-feeds';
import { loadDefinitions } from '../fhir/definitions';
import { limitEvaluationTime } from '../fhir/path';
import { parseStoredObject } from '../fhir/json';
import { RELEASES, type Release } from '../fhir/release';
import { Outbound } from '../outbound/outbound';
import type { PurgeReport, PurgeRequest } from '../operations/environment';
import { CacheInvalidator } from '../erasure/cache-invalidator';
import { Health, OTHER_DEFINITIONS } from './health';
import { capabilities } from '../interactions/capabilities';
import { namedQueries } from '../interactions/named-queries';
import { applySummary } from '../search-execution/page/apply-summary';
import { changes } from '../interactions/changes';
import { requireDatabase, SearchResultCache } from '../search-execution/page/search-result-cache';
import { KeyedQueue } from '../concurrency/keyed-queue';
import { admitRequest, chargeRequests, type RequestCounts } from '../limits/admit-request';
import { RateLimiter } from '../limits/rate-limiter';
import { RefusalDelay } from '../limits/refusal-delay';
import { BucketStores } from '../limits/token-bucket';
import { UnderWay } from '../limits/under-way';
import { createOperationStorage } from './operation-storage';
import { createCodeSystemCache } from '../terminology/code-system-cache';
import { operationsOf } from '../operations/invoke';
import { answerWorker, type OperationWorkerHost, type Task, type TaskResult } from '../preparation/messages';
import { createPreparer } from '../preparation/create-preparer';
import { SpaceIndexing } from '../preparation/space-indexing';
import { createThreadedPreparer } from '../preparation/threaded-preparer';
import { WorkerPool } from '../preparation/worker-pool';
import { purge } from '../erasure/purge';
import { failExceeded } from '../indexing/fail-parameter';
import { reindex, verifyIndex } from '../indexing/reindex';
import { registerCache } from '../erasure/cache-registry';
import { RequestServices } from './request-services';
import { rowRules } from '../indexing/row-rules';
import { SearchParameterWork } from '../indexing/search-parameter-work';
import { createHasher } from '../search/hash';
import { createIdSource, idOfKey, keyOf } from '../search/resource-key';
import type { Services } from '../ports';
import { Spaces } from '../tenants/spaces';
import { Connections } from '../storage/connection/connections';
import { readLastSequence } from '../storage/read/feed';
import { migrate } from '../storage/schema/migrate';
import { schemaNumber, THIS_SCHEMA } from '../storage/schema/program-schema';
import { RowRecord } from '../storage/indexing/row-record';
import { TenantStore } from '../storage/tenants/tenants';
import { StoredBuckets } from '../storage/tenants/token-buckets';
import { Estimator } from '../storage/search/estimate';
import { readSearchParameters } from '../storage/indexing/search-parameters';
import { SpaceChanges } from '../storage/read/space-changes';
import { VersionCache } from '../storage/read/version-cache';
import { SearchRunner } from '../storage/search/search-run';
import { VersionReader } from '../storage/read/version-read';
import { WriteQueues } from '../storage/write/write-queues';
import { createTenantAdministration } from '../tenants/tenant-administration';
import { createTerminologyEnvironment } from './terminology-environment';
import { createRetryingWriter } from '../concurrency/retrying-writer';
import { createCodeChecker } from '../validation/pending-codes';
import { createStructureSource, structuresVersion } from '../validation/structure-source';

/**
 * Opens the database (migrating it to this program's schema), loads the definitions of both releases and returns the
 * entry point to core. Cost: under a second with an existing database.
 */
export async function createCore(options: CoreOptions): Promise<Core> {
  const { log, instruments, limits } = options;
  limitEvaluationTime(limits.pathTimeoutMs);
  const base = baseContent(options.extensionBase);
  const installation = await migrate({ database: options.database, base, log, ...options.start });
  const database: Connections = new Connections(options.database, log, installation.hasRowSecurity, (space) =>
    tenants.tenantOf(space),
  );
  const tenants: TenantStore = new TenantStore(database, options.database);
  if (instruments !== undefined) database.observe = (lane, ms) => instruments.statement(lane, ms);
  const hasher = createHasher(installation.hashKey);
  const tools = new SpaceIndexing({
    hasher,
    publicUrls: options.publicUrls,
    maxIndexRows: limits.maxIndexRows,
  });
  const cache = new RedisCache(
    options.redis,
    `andiron:${installation.id}:${options.database.database}`,
    log,
    (outcome) => instruments?.cacheLookup(outcome),
  );
  const storedBuckets = new StoredBuckets(database);
  const digest = (text: string): Buffer =>
    createHmac('sha256', installation.hashKey).update(text, 'utf8').digest();
  const rates = new RateLimiter(
    new BucketStores(
      (request) => cache.takeTokens(request),
      (request) => storedBuckets.take(request),
    ),
    (name) => digest(name).toString('base64url'),
  );
  const counts: RequestCounts = { rates, underWay: new UnderWay(), refusals: new RefusalDelay() };
  const codeSystems = createCodeSystemCache();
  const rules = rowRules(options.publicUrls);
  const record = new RowRecord(database, rules);

  const codeChecker = createCodeChecker();
  const host: OperationWorkerHost = {
    judge: (space, pending) =>
      codeChecker.judge(space, createTerminologyEnvironment(services, space, codeSystems), pending),
    version: (space, of) => structures.version(space, of),
    find: (space, canonical) => structures.find(space, canonical),
    listCodes: (space, valueSet) => structures.listCodes(space, valueSet),
    storage: (context) => createOperationStorage(services, { ...context, log }, write, purgeThere),
  };
  const threads = new WorkerPool(
    {
      hashKey: installation.hashKey,
      publicUrls: options.publicUrls,
      extensionBase: options.extensionBase,
      limits,
    },
    (question) => answerWorker(host, question),
    log,
  );
  const inThread = (task: Task): Promise<TaskResult> => threads.run(task);

  const preparationTools = tools.preparationTools(options.extensionBase, host);
  const memory = registerCache(new VersionCache(limits.versionCacheBytes));
  const services: Services = {
    definitions: loadDefinitions,
    definitionsOf: (space) => tools.definitionsOf(space),
    resourceTypes: (release) => tools.resourceTypes(release),
    connections: database,
    database,
    reader: new VersionReader(database, (reads) => instruments?.gathered('read', reads), memory),
    searches: new SearchRunner(database, memory, (pages) => instruments?.gathered('search', pages)),
    estimator: new Estimator(database, limits.searchSortLimit),
    writes: new WriteQueues(
      database,
      limits.maxWriteQueue,
      (members) => instruments?.gathered('write', members),
      (space) => record.note(space),
    ),
    keys: {
      keyOf: (type, id) => keyOf(hasher, type, id),
      idOf: (key) => {
        const id = idOfKey(key.high, key.low);
        if (id === undefined) throw new Error('a row with the key of a foreign id has lost that id');
        return id;
      },
      isOwn: (key) => key.high >= 0,
    },
    ids: createIdSource(),
    hasher,
    codeSystems,
    turns: new KeyedQueue(),
    cache,
    rates,
    limits,
    explainsSearches: options.explainsSearches,
    isAuditApart: options.audit.records !== 'off',
    extensionBase: options.extensionBase,
    secretKeys:
      options.secretKeys.length > 0
        ? options.secretKeys.map((key) => createHash('sha256').update(key, 'utf8').digest())
        : [installation.cursorKey],
    log,
    preparer: createThreadedPreparer(createPreparer(preparationTools, limits), threads),
    parametersChanged(tenant) {
      spaces.changed(tenant);
      parameterWork.wake();
    },
    validator: (release) => tools.validator(release),
    extract: (space, type, resource) => tools.extract(space, type, resource),
    extractForScan: (space, type, resource) => tools.extractForScan(space, type, resource),
    createExtractor: (space, maxRows) => tools.createExtractor(space, maxRows),
    references: (space) => tools.references(space),
    searchContext: (space) => tools.searchContext(space),
    isConformanceType: (release, type) =>
      installation.baseTypes.has(
        `${RELEASES[release].baseSpace} ${loadDefinitions(release).typeNumber(type)}`,
      ),
  };
  const purgeThere = (context: RequestContext, request: PurgeRequest): Promise<PurgeReport> =>
    purge(
      { services, database: options.database, cacheInvalidator, isOpen: options.isPurgeOpen },
      context,
      request,
    );
  const { preparer, validator } = services;
  const { invoke, invokeWithin } = createInvokers({
    services,
    parts: { preparer, codeSystems, limits, validator },
    storageOf: (context) => createOperationStorage(services, context, write, purgeThere),
    inThread,
  });
  const structures = createStructureSource({
    terminology: (space) => createTerminologyEnvironment(services, space, codeSystems),
    structuresVersion: (space) => structuresVersion(services, space),
  });
  const spaces = new Spaces(
    tenants,
    (tenant) => cache.announce({ kind: 'tenant-changed', subject: tenant }),
    options.tenantDefaults,
    async (space) => (await readSearchParameters(database, space)).map(({ parameter }) => parameter),
  );
  const parameterWork = new SearchParameterWork({
    services,
    database: options.database,
    log,
    changed: (tenant) => spaces.changed(tenant),
  });
  const decoy = (tenant: string, release: Release): TenantSpace | undefined =>
    options.authMode === 'enforced' ? spaces.decoy(tenant, release) : undefined;
  const access = createAccess({
    mode: options.authMode,
    database,
    owner: options.database,
    publicUrls: options.publicUrls,
    assertionBases: options.assertionBases,
    outbound: new Outbound(options.outboundAllowedHosts),
    tokenSeconds: options.tokenSeconds,
    outsideTokenSeconds: options.outsideTokenSeconds,
    findSpace: (tenant, release) => spaces.find(tenant, release),
    decoy,
    changed: (tenant) => spaces.changed(tenant),
    log,
    rates,
    digest,
    people: {
      references: (space) => services.references(space),
      async find({ number, release }, type, id) {
        const typeNumber = loadDefinitions(release).typeNumber(type);
        if (typeNumber === undefined) return undefined;
        const row = await services.reader.current(number, {
          type: typeNumber,
          key: services.keys.keyOf(type, id),
        });
        return row === undefined || row.change === 'delete' ? undefined : parseStoredObject(row.body);
      },
    },
    patients: {
      search: (context, request) => guarded.search(context, request),
      read: (context, type, id) => guarded.read(context, type, id),
    },
  });
  const erasures = new ErasureWatch({
    database,
    log,
    forgetElsewhere: (some) => threads.tell({ kind: 'forget-spaces', spaces: some }),
  });
  await erasures.open();
  const cacheInvalidator = new CacheInvalidator(cache, erasures);
  const jobs = new AsyncJobs({ database, owner: options.database, limits, log });
  const feeds = new ChangeFeeds({
    services,
    cache,
    limits,
    log,
    findSpace: ({ tenant, release }) => spaces.find(tenant, release),
  });
  const write = createRetryingWriter(spaces, {
    wrote: (space) => feeds.wrote(space),
    parametersChanged: (tenant) => services.parametersChanged(tenant),
    parameterExceeded: (space, number) => failExceeded(services, space, number),
  });
  cache.listen(({ kind, subject }) => {
    if (kind === 'tenant-changed') {
      spaces.forget(subject);
      access.forget();
    } else if (kind === 'erased') erasures.look();
    // Only a log entry: all cache entries about base resources name their digest.
    else if (subject !== base.digest) log.warn({}, OTHER_DEFINITIONS);
  });
  if (installation.baseReplaced) cache.announce({ kind: 'definitions-changed', subject: base.digest });

  const requests = new RequestServices(services, (snapshot, of) => searchResults.begin(snapshot, of));
  const searchResults = registerCache(
    new SearchResultCache({
      changes: new SpaceChanges(database),
      bytes: limits.searchCacheBytes,
      isConformanceType: services.isConformanceType,
      permissionsOf: (context) => permissionsOf(services, context)?.number,
      observe: (outcome) => instruments?.rememberedSearch(outcome),
    }),
  );
  const invokeAllowed: Core['invoke'] = async (context, invocation) => {
    requireDatabase(context);
    requireInvocation(services, context, invocation);
    return invoke(context, invocation);
  };

  const bare = createInteractions({
    services,
    requests,
    searchResults,
    feeds,
    write,
    invoke: invokeAllowed,
    invokeWithin,
    charge: (context, requests) => chargeRequests(counts, context, requests),
    audit: () => audit,
  });
  const audit: Audit = createAudit(bare, {
    ...{ services, database, log },
    owner: options.database,
    settings: options.audit,
    findSpace: (tenant, release) => spaces.find(tenant, release),
  });

  const health = new Health({
    database,
    log,
    schema: schemaNumber(Object.keys(THIS_SCHEMA.steps)),
    cache,
    record,
    rules,
    digest: base.digest,
    hasRowSecurity: installation.hasRowSecurity,
  });

  const core: Core = {
    ...audit.door,
    recordAsOneAccess: audit.recordAsOneAccess,
    ...audit.recordRefusals({
      identify: (credentials) => access.identify(credentials),
      admit: (context) => admitRequest(counts, context),
    }),
    recordAdministration: audit.recordAdministration,
    renewCaller: (space, caller) => access.renewCaller(space, caller),
    charge: (context, requests) => chargeRequests(counts, context, requests),
    findSpace: (tenant, release) => spaces.find(tenant, release),
    decoy,
    clients: access.clients,
    issuers: access.issuers,
    policies: createPolicies({
      store: tenants,
      findSpace: (tenant, release) => spaces.find(tenant, release),
      searchContext: (space) => services.searchContext(space),
      changed: (tenant) => spaces.changed(tenant),
    }),
    users: access.users,
    ...audit.recordSignIns({ tokens: access.tokens, signIn: access.signIn }),
    tenants: createTenantAdministration({
      ...{ services, database: options.database, rules, store: tenants, spaces, cacheInvalidator },
      settleRecords: (recorded) => audit.settle(recorded),
    }),
    resourceTypes: (release) => loadDefinitions(release).resourceTypes,
    partOf: (context, version, parameters) =>
      applySummary(services.definitions(context.space.release), version, parameters),
    localReference: (context, reference) => services.references(context.space).local(reference),
    changes: (context, since, count) => changes(services, context, since, count),
    sharedTexts: {
      get: (space, key) => cache.get(space.number, key),
      put: (space, key, text) => cache.put(space.number, key, text),
    },
    inSnapshot: (context, milliseconds, work) => requests.inSnapshot(context, milliseconds, work),
    fromCache: (context, work) => searchResults.attempt(context, work),
    lastSequence: (context) => readLastSequence(database, context.space.number),
    seesEverything: (context) => permissionsOf(services, context)?.allowsEverything('r') !== false,
    endStreams: () => feeds.endAll(),
    capabilities: (context, mode = 'full') => capabilities(services, context, mode),
    operations: (release) => operationsOf(loadDefinitions(release)),
    namedQueries: (context, known) => namedQueries(services, context, known),
    jobs: {
      submit: (context, request) => jobs.submit(context, request),
      find: (context, id) => jobs.find(context, id),
      cancel: (context, id) => jobs.cancel(context, id),
      serve: (execute) => jobs.serve(execute),
      stop: () => jobs.close(),
    },
    outline: (text, limits) => preparer.outline({ text, limits }),
    verifyIndex: (scope = {}) => verifyIndex({ services, database: options.database }, scope),
    reindex: (scope = {}) => reindex({ services, database: options.database, rules }, scope),
    outdatedIndex: () => health.outdatedIndex(),
    readiness: () => health.readiness(),
    connections: () => database.usage(),
    liveQueries: () => feeds.counts,
    startWork() {
      erasures.start();
      parameterWork.start();
      jobs.start();
      audit.start();
      access.start();
    },
    async close() {
      await feeds.close();
      await erasures.close();
      await jobs.close();
      await parameterWork.close();
      await audit.close();
      await access.close();
      cache.close();
      await threads.close();
      await database.close();
    },
  };
  const guarded = authorizeCore(core, services);
  return guarded;
}
