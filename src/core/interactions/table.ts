/**
 * The table of interactions: how each is recorded, where its AuditEvents are, and what is redacted of its result. Each
 * requires the rights of its caller by itself (docs/run/access-rules.md), because Bundles and operations use it too.
 */
import type {
  ArgumentsOf,
  DifferenceRequest,
  Interactions,
  ResultOf,
  SingleInteractions,
} from '../api/interactions';
import type { Invocation } from '../api/operation';
import type { SearchPage } from '../api/search';
import type { AccessTrail } from '../audit/access-trail';
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
import { operates, reads, readsVersion, writes, type RecordedRun, type Run } from '../audit/recorder';
import { withFound, type Described } from '../audit/recording';
import { describeHistory, describeSearch, lineOf, listed, listedOf, queryText } from '../audit/describe';
import type { ElementRedaction } from '../authorization/element-redaction';
import { SUBSCRIPTION } from '../fhir/type-names';

/** One interaction. */
export interface Row<Arguments extends readonly unknown[], Result> {
  readonly record: RecordedRun<Arguments, Result>;
  readonly route: RoutedRun<Arguments, Result>;
  /** Undefined: the result has no elements of a resource, or was redacted when they were read. */
  readonly redact: ((redaction: ElementRedaction, result: Result) => Result) | undefined;
}

type Table = { readonly [Name in keyof Interactions]: Row<ArgumentsOf<Name>, ResultOf<Name>> };

const typeOf = ([type]: readonly [string, ...unknown[]]): string => type;
const typeIn = ([{ type }]: readonly [{ readonly type: string }]): string => type;
const redactVersion: Table['read']['redact'] = (redaction, version) => redaction.version(version);
const redactWritten: Table['create']['redact'] = (redaction, result) => redaction.written(result);

const TABLE: Table = {
  read: {
    record: readsVersion(([type, id]) => ({ interaction: 'read', type, id })),
    route: readsType(typeOf),
    redact: redactVersion,
  },
  find: {
    // It is part of another interaction, and recorded by that, except in a request with a trail.
    record: async (_recorder, run, context, ...of) => {
      const version = await run(context, ...of);
      if (version !== undefined) context.trail?.add(lineOf(version));
      return version;
    },
    route: readsType(typeOf),
    redact: (redaction, version) => version && redaction.version(version),
  },
  vread: {
    record: readsVersion(([type, id]) => ({ interaction: 'vread', type, id })),
    route: readsType(typeOf),
    redact: redactVersion,
  },
  readAsOf: {
    record: readsVersion(([type, id]) => ({ interaction: 'vread', type, id })),
    route: readsType(typeOf),
    redact: redactVersion,
  },
  difference: {
    record: reads({
      describe: ([{ type, id }]) => ({ interaction: 'vread', type, id }),
      found: (described, _text, [request]) => ({ ...described, details: comparedBy(request).join(' ') }),
      leave: (trail, _described, _text, [request]) => comparedBy(request).forEach((line) => trail.add(line)),
    }),
    route: readsType(typeIn),
    redact: undefined,
  },
  create: {
    record: writes(([type]) => ({ interaction: 'create', type })),
    route: creates,
    redact: redactWritten,
  },
  update: {
    record: writes(([{ type, id }]) => ({ interaction: 'update', type, id })),
    route: updates,
    redact: redactWritten,
  },
  patch: {
    record: writes(([{ type, id }]) => ({ interaction: 'patch', type, id })),
    route: changesType(typeIn),
    redact: redactWritten,
  },
  delete: {
    record: writes(
      ([type, id]) => ({ interaction: 'delete', type, id }),
      ({ version }) => version !== undefined,
    ),
    route: changesType(typeOf),
    redact: (redaction, result) => redaction.deleted(result),
  },
  createIfNoneExist: {
    record: writes(
      ([type, , criteria]) => ({ interaction: 'create', type, query: queryText(type, criteria) }),
      ({ created }) => created,
    ),
    // Its answer says that there is one.
    route: readsType(typeOf),
    redact: redactWritten,
  },
  updateWhere: {
    record: writes(([{ type, criteria }]) => ({
      interaction: 'update',
      type,
      query: queryText(type, criteria),
    })),
    route: changesType(typeIn),
    redact: redactWritten,
  },
  patchWhere: {
    record: writes(([{ type, criteria }]) => ({
      interaction: 'patch',
      type,
      query: queryText(type, criteria),
    })),
    route: changesType(typeIn),
    redact: redactWritten,
  },
  deleteWhere: {
    record: writes(
      ([type, criteria]) => ({ interaction: 'delete', type, query: queryText(type, criteria) }),
      (versions) => versions.length > 0,
    ),
    route: changesType(typeOf),
    redact: (redaction, versions) => redaction.versions(versions),
  },
  bundle: {
    // Its entries are recorded one by one (entry-records.ts); this records a refused or dry Bundle as a whole.
    record: async (recorder, run, context, request) => {
      let answer;
      try {
        answer = await run(context, request);
      } catch (error) {
        await recorder.noteFailure(context, { interaction: 'transaction' }, error);
        throw error;
      }
      if (context.trail !== undefined) context.trail.isRecorded = true;
      if (answer.entries.length === 0 || request.isDryRun === true)
        await recorder.note(context, { interaction: answer.type });
      return answer;
    },
    route: routesParts(),
    redact: (redaction, answer) => redaction.bundle(answer),
  },
  history: {
    record: reads({
      describe: ([request]) => describeHistory(request),
      found: (described, { versions }) => withFound(described, { details: listed(versions) }),
      leave: (trail, _described, { versions }) => versions.forEach((version) => trail.add(lineOf(version))),
    }),
    route: readsType(([{ type }]) => type),
    redact: (redaction, page) => redaction.history(page),
  },
  search: {
    record: reads({ describe: ([request]) => describeSearch(request), found: withList, leave: leavePage }),
    route: searches,
    redact: (redaction, page) => redaction.page(page),
  },
  searchBatch: {
    record: async (recorder, run, context, requests) => {
      const { trail } = context;
      const pages = await run(context, requests);
      for (const [place, request] of requests.entries()) {
        const described = describeSearch(request);
        const page = pages[place];
        if (page instanceof Error) await recorder.noteUnread(context, described, page);
        else if (page === undefined) throw new Error('a search was not answered');
        else if (trail !== undefined) leavePage(trail, described, page);
        else if (recorder.recordsReads) await recorder.note(context, withList(described, page));
      }
      return pages;
    },
    route: searchesSeveral,
    redact: (redaction, pages) => pages.map((page) => (page instanceof Error ? page : redaction.page(page))),
  },
  aggregate: {
    record: reads({
      describe: ([request]) => describeSearch(request),
      found: (described) => described,
      leave: (trail, { query = '' }) => trail.add(query),
    }),
    route: counts,
    redact: undefined,
  },
  follow: {
    record: reads({
      describe: ([{ type, id, parameters }]) => ({
        interaction: id === undefined ? 'search-type' : 'read',
        ...{ type, id },
        query: `${queryText(type ?? '', parameters)}#live`,
      }),
      found: (described) => described,
      leave: () => undefined,
    }),
    route: follows,
    redact: (redaction, stream) => redaction.stream(stream),
  },
  invoke: {
    record: operates(([invocation]) => invocation),
    route: routesParts(),
    redact: (redaction, result) => redaction.invoked(result),
  },
  subscriptionStatus: {
    record: operates(([id]) => queried(id, 'status')),
    route: routesParts(),
    redact: undefined,
  },
  subscriptionEvents: {
    record: operates(([{ id, since, until, content }]) =>
      queried(id, 'events', { eventsSinceNumber: since, eventsUntilNumber: until, content }),
    ),
    route: routesParts(),
    redact: undefined,
  },
};

/** The names of all interactions. */
export const INTERACTION_NAMES: readonly string[] = Object.keys(TABLE);

/** Returns an interaction in a wrapper that its row of the table decides. */
export type Wrap = <Arguments extends readonly unknown[], Result>(
  row: Row<Arguments, Result>,
  run: Run<Arguments, Result>,
) => Run<Arguments, Result>;

/** Puts a wrapper around each interaction. */
export function wrapInteractions(core: Interactions, wrap: Wrap): Interactions {
  return { ...wrapSingle(core, wrap), bundle: wrapBundle(core.bundle, wrap) };
}

/** Puts a wrapper around the interaction `bundle`. */
export function wrapBundle(run: Interactions['bundle'], wrap: Wrap): Interactions['bundle'] {
  return wrap(TABLE.bundle, run);
}

/** Puts a wrapper around each interaction but `bundle`. */
export function wrapSingle(core: SingleInteractions, wrap: Wrap): SingleInteractions {
  return {
    read: wrap(TABLE.read, core.read),
    find: wrap(TABLE.find, core.find),
    vread: wrap(TABLE.vread, core.vread),
    readAsOf: wrap(TABLE.readAsOf, core.readAsOf),
    difference: wrap(TABLE.difference, core.difference),
    create: wrap(TABLE.create, core.create),
    update: wrap(TABLE.update, core.update),
    patch: wrap(TABLE.patch, core.patch),
    delete: wrap(TABLE.delete, core.delete),
    createIfNoneExist: wrap(TABLE.createIfNoneExist, core.createIfNoneExist),
    updateWhere: wrap(TABLE.updateWhere, core.updateWhere),
    patchWhere: wrap(TABLE.patchWhere, core.patchWhere),
    deleteWhere: wrap(TABLE.deleteWhere, core.deleteWhere),
    history: wrap(TABLE.history, core.history),
    search: wrap(TABLE.search, core.search),
    searchBatch: wrap(TABLE.searchBatch, core.searchBatch),
    aggregate: wrap(TABLE.aggregate, core.aggregate),
    follow: wrap(TABLE.follow, core.follow),
    invoke: wrap(TABLE.invoke, core.invoke),
    subscriptionStatus: wrap(TABLE.subscriptionStatus, core.subscriptionStatus),
    subscriptionEvents: wrap(TABLE.subscriptionEvents, core.subscriptionEvents),
  };
}

/** The operation that has the same answer, so that the records of both are alike. */
function queried(
  id: string,
  code: string,
  given: Readonly<Record<string, string | number | undefined>> = {},
): Invocation {
  const query = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return { level: 'instance', type: SUBSCRIPTION, id, code, query, safe: true };
}

/** The versions that a difference is made of, as a record has them. */
function comparedBy({ type, id, from, to }: DifferenceRequest): string[] {
  return [from, to].map((version) => `${type}/${id}/_history/${version}`);
}

// Member by member: a copy of all members costs more than the rest of a record.
function withList({ interaction, type, query }: Described, page: SearchPage): Described {
  return { interaction, type, query, details: listedOf(page) };
}

function leavePage(trail: AccessTrail, { query = '' }: Described, page: SearchPage): void {
  const list = listedOf(page);
  const { matches, included } = page;
  if (list !== undefined && trail.addList(query, list, matches.length + included.length)) return;
  trail.add(query);
  for (const version of matches) trail.add(lineOf(version));
  for (const version of included) trail.add(lineOf(version));
}
