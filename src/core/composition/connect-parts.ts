import type { CoreAccess } from '../api/core';
import type { Interactions } from '../api/interactions';
import type { CacheInvalidator } from '../cache/cache-invalidator';
import type { Space } from '../context';
import { SUBSCRIPTION } from '../fhir/type-names';
import { Notifications } from '../fhir-subscriptions/delivery/notifications';
import { SubscriptionSockets } from '../fhir-subscriptions/sockets/subscription-sockets';
import { failExceeded } from '../indexing/fail-parameter';
import { createRetryingWriter, type RetryingWriter } from '../interactions/retrying-writer';
import { ExportJobs } from '../jobs/exports/export-jobs';
import { ChangeFeeds } from '../live-queries/change-feeds';
import { Outbound } from '../outbound/outbound';
import { SlowSearches } from '../search-execution/slow-searches';
import type { CoreOptions } from './core-options';
import { type AccessParts, createAccess } from './create-access';
import type { Audit } from './create-audit';
import type { BaseServices } from './create-foundation';
import { createInteractions } from './create-interactions';
import { createOperations } from './create-operations';
import type { CreatedServices } from './create-services';
import { createRequestReads, type RequestReads } from './request-services';

export interface PartsToConnect {
  readonly options: CoreOptions;
  readonly base: BaseServices;
  readonly created: CreatedServices;
  readonly audit: Audit;
  readonly cacheInvalidator: CacheInvalidator;
  readonly charge: CoreAccess['charge'];
}

export interface ConnectedParts extends RequestReads {
  readonly slowSearches: SlowSearches;
  readonly interactions: Interactions;
  readonly access: AccessParts;
  readonly write: RetryingWriter;
  readonly feeds: ChangeFeeds;
  readonly notifications: Notifications;
  readonly sockets: SubscriptionSockets;
  readonly exports: ExportJobs;
}

/** Creates the parts that need each other: interactions, access, and the readers of changes. */
export function connectParts(parts: PartsToConnect): ConnectedParts {
  const { options, base, created, audit, cacheInvalidator, charge } = parts;
  const { log, limits } = options;
  const { cache, spaces } = base;
  const { services } = created;
  const findSpace: CoreAccess['findSpace'] = (tenant, release) => spaces.find(tenant, release);
  const rootOf = ({ tenant, release }: Pick<Space, 'tenant' | 'release'>): string =>
    `${options.publicBase()}/w/${tenant}/api/v1/fhir/${release}`;
  const feeds = new ChangeFeeds({
    ...{ services, cache, limits, log },
    findSpace: ({ tenant, release }) => spaces.find(tenant, release),
  });
  const write = createRetryingWriter(spaces, {
    wrote(space, type) {
      feeds.wrote(space);
      notifications.wrote(space);
      if (type !== SUBSCRIPTION) return;
      notifications.wake();
      cache.announceWork();
    },
    parametersChanged: (tenant) => services.parametersChanged(tenant),
    parameterExceeded: (space, number) => failExceeded(services, space, number),
  });
  const { invoke, invokeWithin } = createOperations({
    ...{ options, created, write, cacheInvalidator, rootOf },
    issueBindingToken: (context, ids) => sockets.issue(context, ids),
  });
  const reads = createRequestReads(services, base.replicas, options);
  const slowSearches = new SlowSearches();
  const exports = new ExportJobs({
    ...{ services, limits, log, findSpace },
    runner: created.jobs,
    rates: base.rates,
    store: options.content.exports === 'none' ? undefined : options.content.exports,
    renewCaller: (space, caller) => access.renewCaller(space, caller),
  });
  const interactions = createInteractions({
    ...{ services, feeds, exports, write, invoke, invokeWithin, charge, rootOf },
    requests: reads.requests,
    searchResults: reads.searchResults,
    slowSearches,
    records: audit.entries,
    toRead: audit.toRead,
    isAuditApart: audit.isApart,
    recording: audit.recording,
    permissions: services,
  });
  const access = createAccess(options, base, { services, interactions });
  const renewCaller: CoreAccess['renewCaller'] = (space, caller) => access.renewCaller(space, caller);
  const notifications = new Notifications({
    ...{ services, interactions, write, cache, log, limits, rootOf, findSpace, renewCaller },
    outbound: new Outbound(options.outboundAllowedHosts),
    observe: (ending, delayMs) => options.instruments?.notified(ending, delayMs),
    record: (context, notification) => audit.recordNotification(context, notification),
  });
  const sockets = new SubscriptionSockets({
    ...{ services, interactions, cache, log, limits, rootOf, findSpace, renewCaller },
  });
  return { ...reads, slowSearches, interactions, access, write, feeds, notifications, sockets, exports };
}
