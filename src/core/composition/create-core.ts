import { authorizeCore, authorizeInteractions } from '../authorization/authorize-core';
import { createPolicies } from '../authorization/policies';
import { permissionsOf } from '../authorization/visibility';
import type { Core } from '../api/core';
import type { Space } from '../context';
import { createRetryingWriter } from '../interactions/retrying-writer';
import { CacheInvalidator } from '../cache/cache-invalidator';
import { ErasureWatch } from '../cache/erasure-watch';
import { loadDefinitions } from '../fhir/definitions';
import { limitEvaluationTime } from '../fhir/path';
import { failExceeded } from '../indexing/fail-parameter';
import { reindex, verifyIndex } from '../indexing/reindex';
import { capabilities } from '../interactions/capabilities';
import { changes } from '../interactions/changes';
import { parseIfNoneExist } from '../interactions/conditional/if-none-exist';
import { namedQueries } from '../search-execution/named-queries';
import { openSignedRead, refusedSignature, signRead } from '../interactions/signed-read';
import { AdministrationJobs } from '../jobs/administration-jobs';
import { createReindexJob } from '../jobs/reindex-job';
import { RequestJobs } from '../jobs/requests';
import { admitRequest, chargeRequests, type RequestCounts } from '../limits/admit-request';
import { RefusalDelay } from '../limits/refusal-delay';
import { UnderWay } from '../limits/under-way';
import { Notifications } from '../fhir-subscriptions/delivery/notifications';
import { SubscriptionSockets } from '../fhir-subscriptions/sockets/subscription-sockets';
import { createSubscriptionAdministration } from '../fhir-subscriptions/subscription-administration';
import { operationsOf } from '../operations/invoke';
import { Outbound } from '../outbound/outbound';
import { applySummary } from '../search-execution/page/apply-summary';
import { readLastSequence } from '../storage/read/feed';
import { ChangeFeeds } from '../live-queries/change-feeds';
import { createTenantAdministration } from '../tenants/tenant-administration';
import type { CoreOptions } from './core-options';
import { createAccess } from './create-access';
import { createAudit } from './create-audit';
import { createFoundation } from './create-foundation';
import { createInteractions } from './create-interactions';
import { OPERATIONS } from '../operations';
import { createOperations } from './create-operations';
import { createRequestReads } from './request-services';
import { createServices } from './create-services';
import { createHealth } from './health';
import { listenForChanges } from './listen-for-changes';

/**
 * Opens the database (migrating it to this program's schema), loads the definitions of both releases and returns the
 * entry point to core. Cost: under a second with an existing database.
 */
export async function createCore(options: CoreOptions): Promise<Core> {
  const { log, limits, database: owner } = options;
  limitEvaluationTime(limits.pathTimeoutMs);
  const foundation = await createFoundation(options);
  const { database, cache, rates, rules, tenants, spaces } = foundation;
  const findSpace: Core['findSpace'] = (tenant, release) => spaces.find(tenant, release);
  const changed = (tenant: string): void => spaces.changed(tenant);
  const rootOf = ({ tenant, release }: Pick<Space, 'tenant' | 'release'>): string =>
    `${options.publicBase()}/w/${tenant}/api/v1/fhir/${release}`;

  const created = createServices(options, foundation);
  const { services, threads, jobs } = created;
  const erasures = new ErasureWatch({
    ...{ database, log },
    evictElsewhere: (some) => threads.post({ kind: 'evict-spaces', spaces: some }),
  });
  await erasures.open();
  const cacheInvalidator = new CacheInvalidator(cache, erasures);
  const feeds = new ChangeFeeds({
    ...{ services, cache, limits, log },
    findSpace: ({ tenant, release }) => spaces.find(tenant, release),
  });
  const write = createRetryingWriter(spaces, {
    wrote(space) {
      feeds.wrote(space);
      notifications.wrote(space);
    },
    parametersChanged: (tenant) => services.parametersChanged(tenant),
    parameterExceeded: (space, number) => failExceeded(services, space, number),
  });
  const { invoke, invokeWithin } = createOperations({
    ...{ options, created, write, cacheInvalidator, rootOf },
    issueBindingToken: (context, ids) => sockets.issue(context, ids),
  });

  const counts: RequestCounts = { rates, underWay: new UnderWay(), refusals: new RefusalDelay() };
  const charge: Core['charge'] = (context, some) => chargeRequests(counts, context, some);
  const { requests, searchResults } = createRequestReads(services, options);
  const audit = createAudit({ services, database, owner, log, settings: options.audit, findSpace });
  const interactions = authorizeInteractions(
    createInteractions({
      ...{ services, requests, searchResults, feeds, write, invoke, invokeWithin, charge, audit, rootOf },
    }),
    services,
  );
  const access = createAccess(options, foundation, { services, interactions });
  const notifications = new Notifications({
    ...{
      services,
      interactions,
      write,
      cache,
      log,
      limits,
      outbound: new Outbound(options.outboundAllowedHosts),
    },
    ...{ rootOf, findSpace },
    renewCaller: (space, caller) => access.renewCaller(space, caller),
    observe: (ending, delayMs) => options.instruments?.notified(ending, delayMs),
    record: (context, told) => audit.recordNotification(context, told),
  });
  const sockets = new SubscriptionSockets({
    ...{ services, interactions, cache, log, limits, rootOf, findSpace },
    renewCaller: (space, caller) => access.renewCaller(space, caller),
  });
  listenForChanges(foundation, { access, erasures, log });
  const requestJobs = new RequestJobs({ runner: jobs, database, limits, log });
  const reindexSpaces: Core['reindex'] = (scope = {}) => reindex({ services, database: owner, rules }, scope);
  const administrationJobs = new AdministrationJobs({ runner: jobs, database, tenants, log });
  administrationJobs.serve('reindex', createReindexJob(reindexSpaces));
  const health = createHealth(foundation, log);

  return {
    ...interactions,
    ...authorizeCore(
      {
        lastSequence: (context) => readLastSequence(database, context.space.number),
        changes: (context, since, count) => changes(services, context, since, count),
        jobs: {
          submit: (context, request) => requestJobs.submit(context, request),
          find: (context, id) => requestJobs.find(context, id),
          cancel: (context, id) => requestJobs.cancel(context, id),
          serve: (execute) => requestJobs.serve(execute),
          counts: () => requestJobs.counts(),
          stop: () => jobs.close(),
        },
      },
      services,
    ),
    ...audit.recordRefusals({
      identify: (credentials) => access.identify(credentials),
      admit: (context) => admitRequest(counts, context),
    }),
    ...audit.recordSignIns({ tokens: access.tokens, signIn: access.signIn }),
    recordAsOneAccess: audit.recordAsOneAccess,
    recordAdministration: audit.recordAdministration,
    renewCaller: (space, caller) => access.renewCaller(space, caller),
    signRead: (context, version) => signRead(services.secretKeys, context, version),
    async openSignedRead(space, signed) {
      if (space === undefined) throw refusedSignature();
      return access.renewCaller(space, openSignedRead(services.secretKeys, space, signed));
    },
    ...{ charge, findSpace, decoy: access.decoy },
    ...{ clients: access.clients, issuers: access.issuers, users: access.users },
    policies: createPolicies({
      ...{ store: tenants, operations: OPERATIONS, findSpace, changed },
      searchContext: (space) => services.searchContext(space),
    }),
    tenants: createTenantAdministration({
      ...{ services, database: owner, rules, store: tenants, spaces, cacheInvalidator },
      settleRecords: (recorded) => audit.settle(recorded),
    }),
    subscriptions: createSubscriptionAdministration({
      ...{ services, database: owner, store: tenants, write, log, findSpace },
    }),
    resourceTypes: (release) => loadDefinitions(release).resourceTypes,
    applySummary: (context, version, parameters) =>
      applySummary(services.definitions(context.space.release), version, parameters),
    localReference: (context, reference) => services.references(context.space).local(reference),
    parseIfNoneExist: (context, type, text) =>
      parseIfNoneExist(services.references(context.space), type, text),
    sharedTexts: {
      get: (space, key) => cache.get(space.number, key),
      put: (space, key, text) => cache.put(space.number, key, text),
    },
    inSnapshot: (context, milliseconds, work) => requests.inSnapshot(context, milliseconds, work),
    fromCache: (context, work) => searchResults.attempt(context, work),
    seesEverything: (context) => permissionsOf(services, context)?.allowsEverything('r') !== false,
    openNotifications: (request) => sockets.open(request),
    endStreams() {
      feeds.endAll();
      sockets.endAll();
    },
    capabilities: (context, mode = 'full') => capabilities(services, context, mode),
    operations: (release) => operationsOf(loadDefinitions(release)),
    namedQueries: (context, cachedVersion) => namedQueries(services, context, cachedVersion),
    outline: (text, some) => services.preparer.outline({ text, limits: some }),
    verifyIndex: (scope = {}) => verifyIndex({ services, database: owner }, scope),
    ...{ reindex: reindexSpaces, administrationJobs },
    outdatedIndex: () => health.outdatedIndex(),
    readiness: () => health.readiness(),
    announce: (notice) => health.announce(notice),
    connections: () => database.usage(),
    isRedisReachable: () => cache.isReachable,
    liveQueries: () => feeds.counts,
    notifications: () => ({ ...notifications.counts, bound: sockets.count }),
    startWork() {
      for (const work of [erasures, jobs, audit, access, notifications]) work.start();
    },
    async close() {
      for (const part of [
        feeds,
        sockets,
        notifications,
        erasures,
        jobs,
        audit,
        access,
        cache,
        threads,
        database,
      ])
        await part.close();
    },
  };
}
