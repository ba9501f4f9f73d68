/** Core's door with a record of every access that goes through it. */
import type { Core } from '../api/core';
import type { Interactions } from '../api/interactions';
import type { SearchPage } from '../api/search';
import type { StoredVersion } from '../api/version';
import type { RequestContext } from '../context';
import { FhirError } from '../errors';
import type { IdSource } from '../search/resource-key';
import type { AccessLog } from './access-log';
import { AccessTrail } from './access-trail';
import {
  describeHistory,
  describeSearch,
  endingOf,
  lineOf,
  listed,
  listedOf,
  operationAddress,
  queryText,
} from '../authorization/describe';
import { settle, toRecord, withFound, type Described, type Ending } from './recording';

export interface RecordingTools {
  readonly log: AccessLog;
  readonly ids: IdSource;
  /** False: only what changes something, and what was refused. */
  readonly recordsReads: boolean;
}

/**
 * The same interactions, each of which leaves one record: what was written in the statement that wrote it
 * (`RequestContext.recording`), all else behind it, gathered (access-log.ts). Of a request with a trail, what it reads goes
 * there. Cost: about a microsecond, and what is written.
 */
export function recordAccesses(core: Interactions, tools: RecordingTools): Interactions {
  const { log, ids, recordsReads } = tools;

  function note(context: RequestContext, described: Described, ending?: Ending): Promise<void> | undefined {
    return log.note(context.space.number, toRecord(ids, context, described, ending));
  }

  async function noteFailure(context: RequestContext, described: Described, error: unknown): Promise<void> {
    settle(error);
    const { memory } = context;
    // What memory alone could not answer is begun anew, and recorded then; so is what it refused, to be recorded once.
    if (memory !== undefined) memory.missed ??= 'unfit';
    else await note(context, described, endingOf(error));
  }

  /** An interaction that changes nothing and has failed. */
  async function noteUnread(context: RequestContext, described: Described, error: unknown): Promise<void> {
    settle(error);
    if ((context.trail === undefined && recordsReads) || isRefusal(error))
      await noteFailure(context, described, error);
  }

  /** An interaction that changes nothing. `found` tells it with what came of it; `leave`, what that puts on a trail. */
  async function reading<Result>(
    context: RequestContext,
    {
      described,
      work,
      found,
      leave,
    }: {
      readonly described: Described;
      readonly work: () => Promise<Result>;
      readonly found: (result: Result) => Described;
      readonly leave: (trail: AccessTrail, result: Result) => void;
    },
  ): Promise<Result> {
    const { trail } = context;
    let result;
    try {
      result = await work();
    } catch (error) {
      await noteUnread(context, described, error);
      throw error;
    }
    if (trail !== undefined) leave(trail, result);
    else if (recordsReads) {
      const room = note(context, found(result));
      if (room !== undefined) await room;
    }
    return result;
  }

  /** An interaction that may write. `isWritten`: its result says that it has, so that it is recorded already. */
  async function writing<Result>(
    given: RequestContext,
    described: Described,
    work: (context: RequestContext) => Promise<Result>,
    isWritten: (result: Result) => boolean,
  ): Promise<Result> {
    const context = {
      ...given,
      recording: {
        of: (type: string, id: string) => toRecord(ids, given, withFound(described, { type, id })),
      },
    };
    let result;
    try {
      result = await work(context);
    } catch (error) {
      await noteFailure(given, described, error);
      throw error;
    }
    if (given.trail !== undefined) given.trail.isRecorded = true;
    if (!isWritten(result)) await note(given, described);
    return result;
  }

  const leaveOne = (trail: AccessTrail, version: StoredVersion): void => trail.add(lineOf(version));
  const readOne = (
    context: RequestContext,
    described: Described,
    work: () => Promise<StoredVersion>,
  ): Promise<StoredVersion> => {
    const { interaction } = described;
    const found = ({ type, id, versionId: version }: StoredVersion): Described => ({
      interaction,
      type,
      id,
      version,
    });
    return reading(context, { described, work, found, leave: leaveOne });
  };
  // Each by its name: to copy whatever there is takes longer than all else here.
  const foundIn = ({ interaction, type, query }: Described, page: SearchPage): Described => ({
    interaction,
    type,
    query,
    details: listedOf(page),
  });
  const leavePage = (trail: AccessTrail, { query = '' }: Described, page: SearchPage): void => {
    const list = listedOf(page);
    const { matches, included } = page;
    if (list !== undefined && trail.addList(query, list, matches.length + included.length)) return;
    trail.add(query);
    for (const version of matches) trail.add(lineOf(version));
    for (const version of included) trail.add(lineOf(version));
  };

  return {
    read: (context, type, id) =>
      readOne(context, { interaction: 'read', type, id }, () => core.read(context, type, id)),
    // Part of something else, but for a request with a trail.
    find: async (context, type, id) => {
      const version = await core.find(context, type, id);
      if (version !== undefined) context.trail?.add(lineOf(version));
      return version;
    },
    vread: (context, type, id, versionId) =>
      readOne(context, { interaction: 'vread', type, id }, () => core.vread(context, type, id, versionId)),
    readAsOf: (context, type, id, moment) =>
      readOne(context, { interaction: 'vread', type, id }, () => core.readAsOf(context, type, id, moment)),
    difference: (context, { type, id, from, to }) => {
      const lines = [from, to].map((version) => `${type}/${id}/_history/${version}`);
      return reading(context, {
        described: { interaction: 'vread', type, id },
        work: () => core.difference(context, { type, id, from, to }),
        found: () => ({ interaction: 'vread', type, id, details: lines.join(' ') }),
        leave: (trail) => lines.forEach((line) => trail.add(line)),
      });
    },
    create: (given, type, input) =>
      writing(
        given,
        { interaction: 'create', type },
        (context) => core.create(context, type, input),
        () => true,
      ),
    update: (given, { type, id, input, guard }) =>
      writing(
        given,
        { interaction: 'update', type, id },
        (context) => core.update(context, { type, id, input, guard }),
        () => true,
      ),
    patch: (given, { type, id, patch, guard }) =>
      writing(
        given,
        { interaction: 'patch', type, id },
        (context) => core.patch(context, { type, id, patch, guard }),
        () => true,
      ),
    delete: (given, type, id, guard) =>
      writing(
        given,
        { interaction: 'delete', type, id },
        (context) => core.delete(context, type, id, guard),
        ({ version }) => version !== undefined,
      ),
    createIfNoneExist: (given, type, input, criteria) =>
      writing(
        given,
        { interaction: 'create', type, query: queryText(type, criteria) },
        (context) => core.createIfNoneExist(context, type, input, criteria),
        ({ created }) => created,
      ),
    updateWhere: (given, { type, criteria, input, guard }) =>
      writing(
        given,
        { interaction: 'update', type, query: queryText(type, criteria) },
        (context) => core.updateWhere(context, { type, criteria, input, guard }),
        () => true,
      ),
    patchWhere: (given, { type, criteria, patch, guard }) =>
      writing(
        given,
        { interaction: 'patch', type, query: queryText(type, criteria) },
        (context) => core.patchWhere(context, { type, criteria, patch, guard }),
        () => true,
      ),
    deleteWhere: (given, type, criteria, guard) =>
      writing(
        given,
        { interaction: 'delete', type, query: queryText(type, criteria) },
        (context) => core.deleteWhere(context, type, criteria, guard),
        (versions) => versions.length > 0,
      ),
    // Its entries are recorded each by itself (entry-records.ts); here is what was refused or tried as a whole.
    bundle: async (context, request) => {
      let answer;
      try {
        answer = await core.bundle(context, request);
      } catch (error) {
        await noteFailure(context, { interaction: 'transaction' }, error);
        throw error;
      }
      if (context.trail !== undefined) context.trail.isRecorded = true;
      if (answer.entries.length === 0 || request.isDryRun === true)
        await note(context, { interaction: answer.type });
      return answer;
    },
    history: (context, request) => {
      const described = describeHistory(request);
      return reading(context, {
        described,
        work: () => core.history(context, request),
        found: ({ versions }) => withFound(described, { details: listed(versions) }),
        leave: (trail, { versions }) => versions.forEach((version) => trail.add(lineOf(version))),
      });
    },
    search: (context, request) => {
      const described = describeSearch(request);
      return reading(context, {
        described,
        work: () => core.search(context, request),
        found: (page) => foundIn(described, page),
        leave: (trail, page) => leavePage(trail, described, page),
      });
    },
    searchBatch: async (context, requests) => {
      const { trail } = context;
      const pages = await core.searchBatch(context, requests);
      for (const [place, request] of requests.entries()) {
        const described = describeSearch(request);
        const page = pages[place];
        if (page instanceof Error) await noteUnread(context, described, page);
        else if (page === undefined) throw new Error('a search was not answered');
        else if (trail !== undefined) leavePage(trail, described, page);
        else if (recordsReads) await note(context, foundIn(described, page));
      }
      return pages;
    },
    aggregate: (context, request) => {
      const described = describeSearch(request);
      return reading(context, {
        described,
        work: () => core.aggregate(context, request),
        found: () => described,
        leave: (trail) => trail.add(described.query ?? ''),
      });
    },
    follow: (context, request) => {
      const described: Described = {
        interaction: request.id === undefined ? 'search-type' : 'read',
        type: request.type,
        id: request.id,
        query: `${queryText(request.type ?? '', request.parameters)}#live`,
      };
      return reading(context, {
        described,
        work: () => core.follow(context, request),
        found: () => described,
        leave: () => undefined,
      });
    },
    invoke: async (context, invocation) => {
      const { type, id } = invocation;
      const described: Described = {
        interaction: 'operation',
        type,
        id,
        query: operationAddress(invocation),
      };
      let result;
      try {
        result = await core.invoke(context, invocation);
      } catch (error) {
        await noteFailure(context, described, error);
        throw error;
      }
      if (context.trail !== undefined) context.trail.add(described.query ?? '');
      else if (recordsReads || !invocation.safe) await note(context, described);
      return result;
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof FhirError && [401, 403, 429].includes(error.status);
}

/** As Core.recordAsOneAccess. */
export function recordTogether({ log, ids, recordsReads }: RecordingTools): Core['recordAsOneAccess'] {
  return async (context, query, work, statusOf) => {
    const trail = new AccessTrail();
    const note = (ending: Ending): Promise<void> | undefined => {
      const isRefused = [401, 403, 429].includes(ending.status);
      if (!recordsReads && !isRefused) return undefined;
      const { details } = trail;
      if (details === undefined && trail.isRecorded) return undefined;
      return log.note(
        context.space.number,
        toRecord(ids, context, { interaction: 'operation', query, details }, ending),
      );
    };
    let result;
    try {
      result = await work({ ...context, trail });
    } catch (error) {
      settle(error);
      await note(endingOf(error));
      throw error;
    }
    await note({ status: statusOf(result) });
    return result;
  };
}
