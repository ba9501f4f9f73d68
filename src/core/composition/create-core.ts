import type { Core, CoreAccess, CoreInteractions, CoreJobs, RunningCore } from '../api/core';
import { authorizeChanges, authorizeRequests } from '../authorization/authorize-core';
import { createAuditTrails } from '../audit/audit-trail';
import { createPolicies } from '../authorization/policies';
import { permissionsOf } from '../authorization/visibility';
import { CacheInvalidator } from '../cache/cache-invalidator';
import { createContentSweep, removeNotedObjects } from '../content/content-sweep';
import { ErasureWatch } from '../cache/erasure-watch';
import { loadDefinitions } from '../fhir/definitions';
import { limitEvaluationTime } from '../fhir/path';
import { createSubscriptionAdministration } from '../fhir-subscriptions/subscription-administration';
import { reindex, verifyIndex } from '../indexing/reindex';
import { openBinary, storeContent } from '../interactions/binary-content';
import { capabilities } from '../interactions/capabilities';
import { changes } from '../interactions/changes';
import { parseIfNoneExist } from '../interactions/conditional/if-none-exist';
import { openSignedRead, refusedSignature, signRead } from '../interactions/signed-read';
import { AdministrationJobs, FETCHES } from '../jobs/administration-jobs';
import { importCodeSystem } from '../jobs/code-system-import';
import { ImportJobs } from '../jobs/imports';
import { OpenJobs } from '../jobs/open-jobs';
import { createReindexJob } from '../jobs/reindex-job';
import { RequestJobs } from '../jobs/requests';
import { admitRequest, chargeRequests, type RequestCounts } from '../limits/admit-request';
import { RefusalDelay } from '../limits/refusal-delay';
import { UnderWay } from '../limits/under-way';
import { OPERATIONS } from '../operations';
import { Outbound } from '../outbound/outbound';
import { operationsOf } from '../operations/invoke';
import { authorNames } from '../oauth/author-names';
import { namedQueries } from '../search-execution/named-queries';
import { applySummary } from '../search-execution/page/apply-summary';
import { readLastSequence } from '../storage/read/feed';
import { findDisplays } from '../terminology/displays';
import { createTenantAdministration, forOwnAdministrators } from '../tenants/tenant-administration';
import { connectParts, type ConnectedParts } from './connect-parts';
import type { CoreOptions } from './core-options';
import { createAccessExplanations } from './create-access-explanations';
import { createAudit, type Audit } from './create-audit';
import { createFoundation, type BaseServices } from './create-foundation';
import { createServices, type CreatedServices } from './create-services';
import { createHealth } from './health';
import { listenForChanges } from './listen-for-changes';
import { fhirError } from '../errors';
import { isTenantName } from '../tenants/spaces';
import { ServerView } from './server-state';
import { watchWork } from './watch-work';

/**
 * Opens the database (migrating it to this program's schema), loads the definitions of both releases and returns the
 * entry point to core. Cost: under a second with an existing database.
 */
export async function createCore(given: CoreOptions): Promise<RunningCore> {
  limitEvaluationTime(given.limits.pathTimeoutMs);
  const base = await createFoundation(given);
  const { options } = base;
  const { log, limits, database: owner } = options;
  const { database, cache, tenants, spaces } = base;
  const created = createServices(
    options,
    base,
    () => work.wake(),
    () => contentSweep.wake(),
  );
  const { services, threads, jobs } = created;
  const erasures = new ErasureWatch({
    ...{ database, log },
    evictElsewhere: (some) => threads.post({ kind: 'evict-spaces', spaces: some }),
  });
  await erasures.open();
  const findSpace: CoreAccess['findSpace'] = (tenant, release) => spaces.find(tenant, release);
  const audit = createAudit({ services, database, owner, log, settings: options.audit, findSpace });
  const contentSweep = createContentSweep({ contents: services.contents, database, owner, log });
  const counts: RequestCounts = {
    rates: base.rates,
    underWay: new UnderWay(),
    refusals: new RefusalDelay(),
  };
  const charge: CoreAccess['charge'] = (context, some) => chargeRequests(counts, context, some);
  const cacheInvalidator = new CacheInvalidator(cache, erasures, owner);
  const connected = connectParts({ options, base, created, audit, cacheInvalidator, charge });
  const { access, feeds, notifications, sockets } = connected;
  connected.exports.serve();
  listenForChanges(base, { access, erasures, log });
  const work = watchWork(base, log, { erasures, jobs, audit, notifications, contentSweep });
  const requestJobs = new RequestJobs({ runner: jobs, database, limits, log });
  const administrationJobs = new AdministrationJobs({
    ...{ runner: jobs, database, tenants, log },
    rates: base.rates,
  });
  const imports = new ImportJobs({
    ...{ runner: jobs, services, log, findSpace, interactions: connected.interactions },
    codeSystems: { services, interactions: connected.interactions },
    outbound: new Outbound(options.outboundAllowedHosts),
    longestLine: limits.maxBodyBytes,
    renewCaller: (space, caller) => access.renewCaller(space, caller),
    async admitFetch(tenant) {
      const counted = { tenant, kind: 'fetches', name: '', rates: FETCHES };
      return (await base.rates.take([counted])).isAdmitted;
    },
  });
  const openJobs = new OpenJobs({ runner: jobs, database, owner });
  const view = new ServerView({ cache, database: owner, log, process: erasures.confirmation.process });
  const parts: Parts = { options, base, created, audit, counts, charge, cacheInvalidator, connected, view };

  return {
    interactions: { ...connected.interactions, ...interactionsOf(parts) },
    access: accessOf(parts),
    tenants: tenantsOf(parts),
    jobs: {
      ...createIndexWork(parts, administrationJobs),
      requests: authorizeRequests(
        {
          submit: (context, request) => requestJobs.submit(context, request),
          find: (context, id) => requestJobs.find(context, id),
          cancel: (context, id) => requestJobs.cancel(context, id),
          serve: (execute) => requestJobs.serve(execute),
          counts: () => requestJobs.counts(),
          stop: () => jobs.close(),
        },
        services,
      ),
      administration: administrationJobs,
      imports,
      importCodeSystem: (context, file, given) =>
        importCodeSystem({ services, interactions: connected.interactions }, context, file, given),
      open: { list: () => openJobs.list(), stop: (id) => openJobs.stop(id) },
      startWork() {
        for (const one of [erasures, jobs, audit, access, notifications, work, contentSweep]) one.start();
      },
    },
    streams: streamsOf(parts),
    health: healthOf(parts),
    async close() {
      for (const part of [
        ...[view, feeds, sockets, work, notifications, erasures, jobs, audit, contentSweep],
        ...[access, cache, threads, database],
      ])
        await part.close();
      await base.replicas?.close();
    },
  };
}

interface Parts {
  readonly options: CoreOptions;
  readonly base: BaseServices;
  readonly created: CreatedServices;
  readonly audit: Audit;
  readonly counts: RequestCounts;
  readonly charge: CoreAccess['charge'];
  readonly cacheInvalidator: CacheInvalidator;
  readonly connected: ConnectedParts;
  readonly view: ServerView;
}

function interactionsOf({
  created: { services },
  connected: { requests, searchResults },
  base: { cache },
}: Parts): Omit<CoreInteractions, keyof ConnectedParts['interactions']> {
  return {
    resourceTypes: (release) => loadDefinitions(release).resourceTypes,
    operations: (release) => operationsOf(loadDefinitions(release)),
    capabilities: (context, mode = 'full') => capabilities(services, context, mode),
    namedQueries: (context, cachedVersion) => namedQueries(services, context, cachedVersion),
    applySummary: (context, version, parameters) =>
      applySummary(services.definitions(context.space.release), version, parameters),
    authorNames: async (context, versions) => authorNames(requests.of(context), context, versions),
    async findDisplays(context, wanted) {
      const permissions = permissionsOf(services, context);
      permissions?.requireOperation('lookup');
      permissions?.requireAll('CodeSystem', 'r', 'A display in a language');
      return findDisplays(requests.of(context), context.space, wanted);
    },
    localReference: (context, reference) => services.references(context.space).local(reference),
    parseIfNoneExist: (context, type, text) =>
      parseIfNoneExist(services.references(context.space), type, text),
    storeContent: (context, upload) => storeContent(services, context, upload),
    openBinary: (context, version) => openBinary(services, context, version),
    outline: (text, some) => services.preparer.outline({ text, limits: some }),
    inSnapshot: (context, milliseconds, work) => requests.inSnapshot(context, milliseconds, work),
    fromCache: (context, work) => searchResults.attempt(context, work),
    seesEverything: (context) => permissionsOf(services, context)?.allowsEverything('r') !== false,
    sharedTexts: {
      get: (space, key) => cache.get(space.number, key),
      put: (space, key, text) => cache.put(space.number, key, text),
    },
  };
}

function accessOf({
  options: { authMode },
  base: { spaces },
  created: { services },
  connected: { access },
  audit,
  counts,
  charge,
}: Parts): Core['access'] {
  return {
    ...audit.recordRefusals({
      identify: (credentials) => access.identify(credentials),
      admit: (context) => admitRequest(counts, context),
    }),
    ...audit.recordSignIns({ tokens: access.tokens, signIn: access.signIn }),
    recordAsOneAccess: audit.recordAsOneAccess,
    recordAdministration: audit.recordAdministration,
    findSpace: (tenant, release) => spaces.find(tenant, release),
    decoy: access.decoy,
    unknownTenant: (tenant) =>
      authMode === 'open' && isTenantName(tenant)
        ? fhirError('noSuchTenant', { tenant })
        : fhirError('unknownTenant'),
    charge,
    renewCaller: (space, caller) => access.renewCaller(space, caller),
    signRead: (context, version) => signRead(services.secretKeys, context, version),
    async openSignedRead(space, signed) {
      if (space === undefined) throw refusedSignature();
      return access.renewCaller(space, openSignedRead(services.secretKeys, space, signed));
    },
  };
}

function tenantsOf(parts: Parts): Core['tenants'] {
  const { audit, cacheInvalidator } = parts;
  const { services } = parts.created;
  const { database: owner, log } = parts.options;
  const { spaces, tenants: store, rules } = parts.base;
  const { clients, issuers, users, own } = parts.connected.access;
  const { search } = parts.connected.interactions;
  const findSpace: CoreAccess['findSpace'] = (tenant, release) => spaces.find(tenant, release);
  const tenants = createTenantAdministration({
    ...{ services, database: owner, rules, store, spaces, cacheInvalidator },
    removeObjects: (session, some) => removeNotedObjects({ contents: services.contents, log }, session, some),
    settleRecords: (recorded) => audit.settle(recorded),
  });
  const policies = createPolicies({
    ...{ store, operations: OPERATIONS, findSpace },
    changed: (tenant) => spaces.changed(tenant),
    searchContext: (space) => services.searchContext(space),
  });
  const trails = createAuditTrails({
    ...{ search, clients, users, findSpace },
    records: parts.options.audit.records,
    recordAsOneAccess: audit.recordAsOneAccess,
  });
  const explanations = createAccessExplanations({
    ...{ services, policies, findSpace },
    recordAsOneAccess: audit.recordAsOneAccess,
    callerOf: parts.connected.access.explainedCaller,
  });
  const shared = { policies, audit: trails, access: explanations };
  return {
    ...tenants,
    ...{ clients, issuers, users, ...shared },
    own: { ...forOwnAdministrators(tenants), ...own, ...shared },
    subscriptions: createSubscriptionAdministration({
      ...{ services, database: owner, store, write: parts.connected.write, log, findSpace },
    }),
  };
}

function createIndexWork(
  { created: { services }, options, base: { rules } }: Parts,
  administrationJobs: AdministrationJobs,
): Pick<CoreJobs, 'reindex' | 'verifyIndex'> {
  const { database: owner } = options;
  const reindexSpaces: CoreJobs['reindex'] = (scope = {}) =>
    reindex({ services, database: owner, rules }, scope);
  administrationJobs.serve('reindex', createReindexJob(reindexSpaces));
  return {
    reindex: reindexSpaces,
    verifyIndex: (scope = {}) => verifyIndex({ services, database: owner }, scope),
  };
}

function streamsOf({
  base: { database },
  created: { services },
  connected: { feeds, sockets },
}: Parts): Core['streams'] {
  return {
    ...authorizeChanges(
      {
        lastSequence: (context) => readLastSequence(database, context.space.number),
        changes: (context, since, count) => changes(services, context, since, count),
      },
      services,
    ),
    openNotifications: (request) => sockets.open(request),
    end() {
      feeds.endAll();
      sockets.endAll();
    },
  };
}

function healthOf({
  base,
  options: { log },
  connected: { feeds, notifications, sockets, slowSearches },
  view,
}: Parts): Core['health'] {
  const health = createHealth(base, log);
  return {
    outdatedIndex: () => health.outdatedIndex(),
    readiness: () => health.readiness(),
    announce: (notice) => health.announce(notice),
    connections: () => base.database.usage(),
    replicaConnections: () => base.replicas?.usage() ?? [],
    isRedisReachable: () => base.cache.isReachable,
    slowSearches: () => slowSearches.list(),
    report: (describe) => view.report(describe),
    server: () => view.state(),
    liveQueries: () => feeds.counts,
    notifications: () => ({ ...notifications.counts, bound: sockets.count }),
  };
}
