/** The records of each interaction (docs/run/audit.md). */
import type { ArgumentsOf, DifferenceRequest, Interactions, ResultOf } from '../api/interactions';
import type { Invocation } from '../api/operation';
import type { SearchPage } from '../api/search';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { AccessTrail } from './access-trail';
import { describeHistory, describeSearch, lineOf, listed, listedOf, queryText } from './describe';
import { operates, reads, readsVersion, writes, type RecordedRun } from './recorder';
import { withFound, type Described } from './recording';

/** The records of some of the interactions. */
export type RecordsOf<Names extends keyof Interactions> = {
  readonly [Name in Names]: RecordedRun<ArgumentsOf<Name>, ResultOf<Name>>;
};

export const INTERACTION_RECORDS: RecordsOf<keyof Interactions> = {
  read: readsVersion(([type, id]) => ({ interaction: 'read', type, id })),
  // It is part of another interaction, and recorded by that, except in a request with a trail.
  find: async (_recorder, run, context, ...of) => {
    const version = await run(context, ...of);
    if (version !== undefined) context.trail?.add(lineOf(version));
    return version;
  },
  vread: readsVersion(([type, id]) => ({ interaction: 'vread', type, id })),
  readAsOf: readsVersion(([type, id]) => ({ interaction: 'vread', type, id })),
  difference: reads({
    describe: ([{ type, id }]) => ({ interaction: 'vread', type, id }),
    found: (described, _text, [request]) => ({ ...described, details: comparedBy(request).join(' ') }),
    leave: (trail, _described, _text, [request]) => comparedBy(request).forEach((line) => trail.add(line)),
  }),
  create: writes(([type]) => ({ interaction: 'create', type })),
  update: writes(([{ type, id }]) => ({ interaction: 'update', type, id })),
  patch: writes(([{ type, id }]) => ({ interaction: 'patch', type, id })),
  delete: writes(
    ([type, id]) => ({ interaction: 'delete', type, id }),
    ({ version }) => version !== undefined,
  ),
  createIfNoneExist: writes(
    ([type, , criteria]) => ({ interaction: 'create', type, query: queryText(type, criteria) }),
    ({ created }) => created,
  ),
  updateWhere: writes(([{ type, criteria }]) => ({
    interaction: 'update',
    type,
    query: queryText(type, criteria),
  })),
  patchWhere: writes(([{ type, criteria }]) => ({
    interaction: 'patch',
    type,
    query: queryText(type, criteria),
  })),
  deleteWhere: writes(
    ([type, criteria]) => ({ interaction: 'delete', type, query: queryText(type, criteria) }),
    (versions) => versions.length > 0,
  ),
  // Its entries are recorded one by one (entry-records.ts); this records a refused or dry Bundle as a whole.
  bundle: async (recorder, run, context, request) => {
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
  history: reads({
    describe: ([request]) => describeHistory(request),
    found: (described, { versions }) => withFound(described, { details: listed(versions) }),
    leave: (trail, _described, { versions }) => versions.forEach((version) => trail.add(lineOf(version))),
  }),
  search: reads({ describe: ([request]) => describeSearch(request), found: withList, leave: leavePage }),
  searchBatch: async (recorder, run, context, requests) => {
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
  aggregate: reads({
    describe: ([request]) => describeSearch(request),
    found: (described) => described,
    leave: (trail, { query = '' }) => trail.add(query),
  }),
  follow: reads({
    describe: ([{ type, id, parameters }]) => ({
      interaction: id === undefined ? 'search-type' : 'read',
      ...{ type, id },
      query: `${queryText(type ?? '', parameters)}#live`,
    }),
    found: (described) => described,
    leave: () => undefined,
  }),
  invoke: operates(([invocation]) => invocation),
  subscriptionStatus: operates(([id]) => queried(id, 'status')),
  subscriptionEvents: operates(([{ id, since, until, content }]) =>
    queried(id, 'events', { eventsSinceNumber: since, eventsUntilNumber: until, content }),
  ),
};

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
