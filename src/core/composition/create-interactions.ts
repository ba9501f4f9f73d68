import type { Audit } from './create-audit';
import type { Interactions, SingleInteractions } from '../api/interactions';
import type { Space } from '../context';
import type { ChangeFeeds } from '../live-queries/change-feeds';
import { runBundle, type BundleTools } from '../interactions/bundle/run-bundle';
import type { SearchResultCache } from '../search-execution/page/search-result-cache';
import { aggregate } from '../search-execution/aggregates/aggregate';
import { createIfNoneExist } from '../interactions/conditional/create';
import { deleteWhere } from '../interactions/conditional/delete';
import { patchWhere } from '../interactions/conditional/patch';
import { updateWhere } from '../interactions/conditional/update';
import { create } from '../interactions/create';
import { deleteResource } from '../interactions/delete';
import { difference } from '../interactions/difference';
import { history } from '../interactions/history';
import { patch } from '../interactions/patch';
import { find, read } from '../versions/read';
import { searchBatch } from '../search-execution/page/search-batch';
import { searchAny } from '../search-execution/system-search';
import { withOwnHeaders } from '../interactions/own-headers';
import { readAsOf } from '../interactions/read-as-of';
import { update } from '../interactions/update';
import { vread } from '../versions/vread';
import { countPage, countVersion, sizeOfResult } from '../limits/answer-size';
import type { RequestServices } from './request-services';
import { createSubscriptionQueries } from './subscription-queries';
import type { Services } from '../ports';
import type { RetryingWriter } from '../interactions/retrying-writer';

export interface InteractionParts extends Pick<BundleTools, 'invoke' | 'invokeWithin' | 'charge'> {
  readonly services: Services;
  readonly requests: RequestServices;
  readonly searchResults: SearchResultCache;
  readonly feeds: ChangeFeeds;
  readonly write: RetryingWriter;
  readonly audit: Audit;
  /** The address of the FHIR root of a space, without a slash at the end. */
  rootOf(space: Space): string;
}

/**
 * Creates the interactions with audit records: reads use the services of their request, writes the retrying writer.
 */
export function createInteractions(parts: InteractionParts): Interactions {
  const { services, write, charge, invoke, invokeWithin, audit } = parts;
  const single = audit.record(createSingleInteractions(parts));
  return {
    ...single,
    bundle: audit.recordBundle((given, request) =>
      runBundle(
        {
          ...{ services, write, single, charge, invoke, invokeWithin },
          records: audit.entries,
          toRead: audit.toRead,
          isAuditApart: audit.isApart,
        },
        given,
        request,
      ),
    ),
  };
}

function createSingleInteractions({
  services,
  requests,
  searchResults,
  feeds,
  write,
  invoke,
  rootOf,
}: InteractionParts): SingleInteractions {
  return {
    ...createSubscriptionQueries(requests, rootOf),
    // These three count long texts before they read them (VersionReader).
    async read(context, type, id) {
      const services = requests.of(context);
      return withOwnHeaders(services, context, await read(services, context, type, id));
    },
    find: (context, type, id) => find(requests.of(context), context, type, id),
    vread: (context, type, id, versionId) => vread(requests.of(context), context, { type, id, versionId }),
    readAsOf: async (context, type, id, moment) =>
      countVersion(context, await readAsOf(requests.of(context), context, { type, id, moment })),
    difference: (context, { type, id, from, to }) =>
      difference(requests.of(context), context, { type, id, from, to }),
    create: (given, type, input) =>
      write(given, type, (context) => create(services, context, { type, input })),
    update: (given, { type, id, input, guard }) =>
      write(given, type, (context) => update(services, context, { type, id, input, guard })),
    patch: (given, { type, id, patch: operations, guard, copies }) =>
      write(given, type, (context) => patch(services, context, { type, id, operations, guard, copies })),
    delete: (given, type, id, guard) =>
      write(given, type, (context) => deleteResource(services, context, { type, id, guard })),
    createIfNoneExist: (given, type, input, criteria) =>
      write(given, type, (context) => createIfNoneExist(services, context, { type, input, criteria })),
    updateWhere: (given, { type, criteria, input, guard }) =>
      write(given, type, (context) => updateWhere(services, context, { type, criteria, input, guard })),
    patchWhere: (given, { type, criteria, patch: operations, guard, copies }) =>
      write(given, type, (context) =>
        patchWhere(services, context, { type, criteria, operations, guard, copies }),
      ),
    deleteWhere: (given, type, criteria, guard) =>
      write(given, type, (context) => deleteWhere(services, context, { type, criteria, guard })),
    history: async (context, request) =>
      countPage(context, await history(requests.of(context), context, request)),
    search: async (context, request) => {
      if (context.cacheMark !== undefined)
        return countPage(context, await searchResults.getForAttempt(context, context.cacheMark, request));
      const reading = requests.of(context);
      const page = await searchResults.answer(context, request, reading.database, () =>
        searchAny(reading, context, request),
      );
      return countPage(context, page);
    },
    aggregate: (context, request) => aggregate(requests.of(context), context, request),
    follow: (context, request) => feeds.follow(context, request),
    searchBatch: async (context, all) => {
      const { cacheMark } = context;
      if (cacheMark !== undefined)
        return Promise.all(
          all.map(async (one) =>
            countPage(context, await searchResults.getForAttempt(context, cacheMark, one)),
          ),
        );
      const reading = requests.of(context);
      const pages = await searchResults.answerEach(context, all, reading.database, (some) =>
        searchBatch(reading, context, some),
      );
      for (const page of pages) if (!(page instanceof Error)) countPage(context, page);
      return pages;
    },
    invoke: async (context, invocation) => {
      const result = await invoke(context, invocation);
      context.bytes?.addAnswer(sizeOfResult(result));
      return result;
    },
  };
}
