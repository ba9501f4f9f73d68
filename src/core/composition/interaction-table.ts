/** The table of interactions: how each is performed, where its AuditEvents are, its record, and what is redacted. */
import type { ArgumentsOf, Interactions, ResultOf } from '../api/interactions';
import type { SearchPage } from '../api/search';
import {
  changesType,
  counts,
  creates,
  follows,
  readsType,
  routesParts,
  searches,
  searchesSeveral,
  updates,
  type RoutedRun,
} from '../audit/audit-event-routing';
import { describeHistory, describeSearch, lineOf, listed, queryText } from '../audit/describe';
import {
  comparedBy,
  exportOf,
  leavePage,
  queried,
  recordBundle,
  recordFind,
  recordSearches,
  withList,
} from '../audit/interaction-records';
import { opens, operates, reads, readsVersion, writes, type RecordedRun } from '../audit/recorder';
import { withFound } from '../audit/recording';
import type { ElementRedaction } from '../authorization/element-redaction';
import type { RequestContext } from '../context';
import { runBundle, type BundleTools } from '../interactions/bundle/run-bundle';
import { createIfNoneExist } from '../interactions/conditional/create';
import { deleteWhere } from '../interactions/conditional/delete';
import { patchWhere } from '../interactions/conditional/patch';
import { updateWhere } from '../interactions/conditional/update';
import { create } from '../interactions/create';
import { deleteResource } from '../interactions/delete';
import { difference } from '../interactions/difference';
import { history } from '../interactions/history';
import { withOwnHeaders } from '../interactions/own-headers';
import { patch } from '../interactions/patch';
import { readAsOf } from '../interactions/read-as-of';
import { update } from '../interactions/update';
import { countPage, countVersion, sizeOfResult } from '../limits/answer-size';
import type { ExportJobs } from '../jobs/exports/export-jobs';
import type { ChangeFeeds } from '../live-queries/change-feeds';
import { aggregate } from '../search-execution/aggregates/aggregate';
import { searchBatch } from '../search-execution/page/search-batch';
import type { SearchResultCache } from '../search-execution/page/search-result-cache';
import type { SlowSearches } from '../search-execution/slow-searches';
import { searchAny } from '../search-execution/system-search';
import { find, read } from '../versions/read';
import { vread } from '../versions/vread';
import type { RequestServices } from './request-services';
import { queryEvents, queryStatus, type SubscriptionQueryParts } from './subscription-queries';

/** Parts of core that the interactions use; reads take the services of their request. */
export interface InteractionTools extends BundleTools, SubscriptionQueryParts {
  readonly requests: RequestServices;
  readonly searchResults: SearchResultCache;
  readonly slowSearches: SlowSearches;
  readonly feeds: ChangeFeeds;
  readonly exports: ExportJobs;
}

export interface InteractionRow<Name extends keyof Interactions> {
  readonly run: (
    tools: InteractionTools,
    context: RequestContext,
    of: ArgumentsOf<Name>,
  ) => Promise<ResultOf<Name>>;
  readonly route: RoutedRun<ArgumentsOf<Name>, ResultOf<Name>>;
  readonly record: RecordedRun<ArgumentsOf<Name>, ResultOf<Name>>;
  /** Undefined: the result has no elements of a resource, or they were redacted when they were read. */
  readonly redact: ((redaction: ElementRedaction, result: ResultOf<Name>) => ResultOf<Name>) | undefined;
}

const typeOf = ([type]: readonly [string, ...unknown[]]): string => type;
const typeIn = ([{ type }]: readonly [{ readonly type: string }]): string => type;

const redactVersion: InteractionRow<'read'>['redact'] = (redaction, version) => redaction.version(version);
const redactWritten: InteractionRow<'create'>['redact'] = (redaction, result) => redaction.written(result);

export const INTERACTIONS: { readonly [Name in keyof Interactions]: InteractionRow<Name> } = {
  // These three count long texts before they read them (VersionReader).
  read: {
    run: async ({ requests }, context, [type, id]) => {
      const services = requests.of(context);
      return withOwnHeaders(services, context, await read(services, context, type, id));
    },
    route: readsType(typeOf),
    record: readsVersion(([type, id]) => ({ interaction: 'read', type, id })),
    redact: redactVersion,
  },
  find: {
    run: ({ requests }, context, [type, id]) => find(requests.of(context), context, type, id),
    route: readsType(typeOf),
    record: recordFind,
    redact: (redaction, version) => version && redaction.version(version),
  },
  vread: {
    run: ({ requests }, context, [type, id, versionId]) =>
      vread(requests.of(context), context, { type, id, versionId }),
    route: readsType(typeOf),
    record: readsVersion(([type, id]) => ({ interaction: 'vread', type, id })),
    redact: redactVersion,
  },
  readAsOf: {
    run: async ({ requests }, context, [type, id, moment]) =>
      countVersion(context, await readAsOf(requests.of(context), context, { type, id, moment })),
    route: readsType(typeOf),
    record: readsVersion(([type, id]) => ({ interaction: 'vread', type, id })),
    redact: redactVersion,
  },
  difference: {
    run: ({ requests }, context, [{ type, id, from, to }]) =>
      difference(requests.of(context), context, { type, id, from, to }),
    route: readsType(typeIn),
    record: reads({
      describe: ([{ type, id }]) => ({ interaction: 'vread', type, id }),
      found: (described, _text, [request]) => ({ ...described, details: comparedBy(request).join(' ') }),
      leave: (trail, _described, _text, [request]) => comparedBy(request).forEach((line) => trail.add(line)),
    }),
    redact: undefined,
  },
  create: {
    run: ({ services, write }, given, [type, input]) =>
      write(given, type, (context) => create(services, context, { type, input })),
    route: creates,
    record: writes(([type]) => ({ interaction: 'create', type })),
    redact: redactWritten,
  },
  update: {
    run: ({ services, write }, given, [{ type, id, input, guard }]) =>
      write(given, type, (context) => update(services, context, { type, id, input, guard })),
    route: updates,
    record: writes(([{ type, id }]) => ({ interaction: 'update', type, id })),
    redact: redactWritten,
  },
  patch: {
    run: ({ services, write }, given, [{ type, id, patch: operations, guard, copies }]) =>
      write(given, type, (context) => patch(services, context, { type, id, operations, guard, copies })),
    route: changesType(typeIn),
    record: writes(([{ type, id }]) => ({ interaction: 'patch', type, id })),
    redact: redactWritten,
  },
  delete: {
    run: ({ services, write }, given, [type, id, guard]) =>
      write(given, type, (context) => deleteResource(services, context, { type, id, guard })),
    route: changesType(typeOf),
    record: writes(
      ([type, id]) => ({ interaction: 'delete', type, id }),
      ({ version }) => version !== undefined,
    ),
    redact: (redaction, result) => redaction.deleted(result),
  },
  createIfNoneExist: {
    run: ({ services, write }, given, [type, input, criteria]) =>
      write(given, type, (context) => createIfNoneExist(services, context, { type, input, criteria })),
    // Its answer says that there is one.
    route: readsType(typeOf),
    record: writes(
      ([type, , criteria]) => ({ interaction: 'create', type, query: queryText(type, criteria) }),
      ({ created }) => created,
    ),
    redact: redactWritten,
  },
  updateWhere: {
    run: ({ services, write }, given, [{ type, criteria, input, guard }]) =>
      write(given, type, (context) => updateWhere(services, context, { type, criteria, input, guard })),
    route: changesType(typeIn),
    record: writes(([{ type, criteria }]) => ({
      interaction: 'update',
      type,
      query: queryText(type, criteria),
    })),
    redact: redactWritten,
  },
  patchWhere: {
    run: ({ services, write }, given, [{ type, criteria, patch: operations, guard, copies }]) =>
      write(given, type, (context) =>
        patchWhere(services, context, { type, criteria, operations, guard, copies }),
      ),
    route: changesType(typeIn),
    record: writes(([{ type, criteria }]) => ({
      interaction: 'patch',
      type,
      query: queryText(type, criteria),
    })),
    redact: redactWritten,
  },
  deleteWhere: {
    run: ({ services, write }, given, [type, criteria, guard]) =>
      write(given, type, (context) => deleteWhere(services, context, { type, criteria, guard })),
    route: changesType(typeOf),
    record: writes(
      ([type, criteria]) => ({ interaction: 'delete', type, query: queryText(type, criteria) }),
      (versions) => versions.length > 0,
    ),
    redact: (redaction, versions) => redaction.versions(versions),
  },
  bundle: {
    run: (tools, context, [request]) => runBundle(tools, context, request),
    route: routesParts(),
    record: recordBundle,
    redact: (redaction, answer) => redaction.bundle(answer),
  },
  history: {
    run: async ({ requests }, context, [request]) =>
      countPage(context, await history(requests.of(context), context, request)),
    route: readsType(([{ type }]) => type),
    record: reads({
      describe: ([request]) => describeHistory(request),
      found: (described, { versions }) => withFound(described, { details: listed(versions) }),
      leave: (trail, _described, { versions }) => versions.forEach((version) => trail.add(lineOf(version))),
    }),
    redact: (redaction, page) => redaction.history(page),
  },
  search: {
    run: async ({ requests, searchResults, slowSearches }, context, [request]) => {
      if (context.cacheMark !== undefined)
        return countPage(context, await searchResults.getForAttempt(context, context.cacheMark, request));
      const reading = requests.of(context);
      const run = (): Promise<SearchPage> =>
        searchResults.answer(context, request, reading.database, () => searchAny(reading, context, request));
      const page = await slowSearches.observe(context, [request], run, (one) => [one]);
      return countPage(context, page);
    },
    route: searches,
    record: reads({ describe: ([request]) => describeSearch(request), found: withList, leave: leavePage }),
    redact: (redaction, page) => redaction.page(page),
  },
  searchBatch: {
    run: async ({ requests, searchResults, slowSearches }, context, [all]) => {
      const { cacheMark } = context;
      if (cacheMark !== undefined)
        return Promise.all(
          all.map(async (one) =>
            countPage(context, await searchResults.getForAttempt(context, cacheMark, one)),
          ),
        );
      const reading = requests.of(context);
      const run = (): Promise<readonly (SearchPage | Error)[]> =>
        searchResults.answerEach(context, all, reading.database, (some) =>
          searchBatch(reading, context, some),
        );
      const pages = await slowSearches.observe(context, all, run, (found) => found);
      for (const page of pages) if (!(page instanceof Error)) countPage(context, page);
      return pages;
    },
    route: searchesSeveral,
    record: recordSearches,
    redact: (redaction, pages) => pages.map((page) => (page instanceof Error ? page : redaction.page(page))),
  },
  aggregate: {
    run: ({ requests }, context, [request]) => aggregate(requests.of(context), context, request),
    route: counts,
    record: reads({
      describe: ([request]) => describeSearch(request),
      found: (described) => described,
      leave: (trail, { query = '' }) => trail.add(query),
    }),
    redact: undefined,
  },
  follow: {
    run: ({ feeds }, context, [request]) => feeds.follow(context, request),
    route: follows,
    record: reads({
      describe: ([{ type, id, parameters }]) => ({
        interaction: id === undefined ? 'search-type' : 'read',
        ...{ type, id },
        query: `${queryText(type ?? '', parameters)}#live`,
      }),
      found: (described) => described,
      leave: () => undefined,
    }),
    redact: (redaction, stream) => redaction.stream(stream),
  },
  invoke: {
    run: async ({ invoke }, context, [invocation]) => {
      const result = await invoke(context, invocation);
      context.bytes?.addAnswer(sizeOfResult(result));
      return result;
    },
    route: routesParts(),
    record: operates(([invocation]) => invocation),
    redact: (redaction, result) => redaction.invoked(result),
  },
  exportData: {
    run: ({ exports }, context, [kickOff]) => exports.kickOff(context, kickOff),
    route: routesParts(),
    record: operates(([{ level, group, query }]) => ({
      ...exportOf(level, group),
      query: [...query],
      safe: false,
    })),
    redact: undefined,
  },
  exportStatus: {
    run: ({ exports }, context, [id]) => exports.status(context, id),
    route: routesParts(),
    // By signed addresses its files are loaded without this server.
    record: opens(
      ([id]) => ({ ...exportOf('system'), query: [['_files', id]] }),
      (state) => state?.state === 'done' && state.manifest.isSigned,
    ),
    redact: undefined,
  },
  cancelExport: {
    run: ({ exports }, context, [id]) => exports.cancel(context, id),
    route: routesParts(),
    record: operates(([id]) => ({ ...exportOf('system'), query: [['_cancel', id]], safe: false })),
    redact: undefined,
  },
  exportedFile: {
    run: ({ exports }, context, [id, name]) => exports.file(context, id, name),
    route: routesParts(),
    record: operates(([id, name]) => ({
      ...exportOf('system'),
      query: [['_file', `${id}/${name}`]],
      safe: true,
    })),
    redact: (redaction, file) => file && redaction.file(file),
  },
  subscriptionStatus: {
    run: (tools, context, [id]) => queryStatus(tools, context, id),
    route: routesParts(),
    record: operates(([id]) => queried(id, 'status')),
    redact: undefined,
  },
  subscriptionEvents: {
    run: (tools, context, [request]) => queryEvents(tools, context, request),
    route: routesParts(),
    record: operates(([{ id, since, until, content }]) =>
      queried(id, 'events', { eventsSinceNumber: since, eventsUntilNumber: until, content }),
    ),
    redact: undefined,
  },
};
