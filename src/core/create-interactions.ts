import type { Audit } from './access/create-audit';
import type { Interactions } from './api';
import type { ChangeFeeds } from './following/change-feeds';
import { runBundle, type BundleTools } from './interactions/bundle/run-bundle';
import type { SearchMemory } from './interactions/search-memory';
import { aggregate } from './interactions/aggregate';
import { createIfNoneExist } from './interactions/conditional/create';
import { deleteWhere } from './interactions/conditional/delete';
import { patchWhere } from './interactions/conditional/patch';
import { updateWhere } from './interactions/conditional/update';
import { create } from './interactions/create';
import { deleteResource } from './interactions/delete';
import { difference } from './interactions/difference';
import { history } from './interactions/history';
import { patch } from './interactions/patch';
import { find, read } from './interactions/read';
import { searchEach } from './interactions/search-each';
import { searchAny } from './interactions/search-types';
import { readAsOf } from './interactions/read-as-of';
import { update } from './interactions/update';
import { vread } from './interactions/vread';
import type { RequestServices } from './request-services';
import type { Services } from './services';
import type { WriteDoor } from './write-door';

export interface InteractionParts extends Pick<BundleTools, 'invoke' | 'invokeWithin' | 'charge'> {
  readonly services: Services;
  readonly requests: RequestServices;
  readonly searchMemory: SearchMemory;
  readonly feeds: ChangeFeeds;
  readonly write: WriteDoor;
  /** Made of these interactions, and asked for when a Bundle comes. */
  audit(): Audit;
}

/** The interactions, none of them recorded: reads by the services of their request, writes by the door for writes. */
export function createInteractions(parts: InteractionParts): Interactions {
  const { services, requests, searchMemory, feeds, write, invoke, invokeWithin, charge, audit } = parts;
  return {
    read: (context, type, id) => read(requests.of(context), context, type, id),
    find: (context, type, id) => find(requests.of(context), context, type, id),
    vread: (context, type, id, versionId) => vread(requests.of(context), context, type, id, versionId),
    readAsOf: (context, type, id, moment) => readAsOf(requests.of(context), context, type, id, moment),
    difference: (context, type, id, from, to) =>
      difference(requests.of(context), context, type, id, from, to),
    create: (given, type, input) => write(given, type, (context) => create(services, context, type, input)),
    update: (given, type, id, input, guard) =>
      write(given, type, (context) => update(services, context, type, id, input, guard)),
    patch: (given, type, id, operations, guard) =>
      write(given, type, (context) => patch(services, context, type, id, operations, guard)),
    delete: (given, type, id, guard) =>
      write(given, type, (context) => deleteResource(services, context, type, id, guard)),
    createIfNoneExist: (given, type, input, criteria) =>
      write(given, type, (context) => createIfNoneExist(services, context, type, input, criteria)),
    updateWhere: (given, type, criteria, input, guard) =>
      write(given, type, (context) => updateWhere(services, context, type, criteria, input, guard)),
    patchWhere: (given, type, criteria, operations, guard) =>
      write(given, type, (context) => patchWhere(services, context, type, criteria, operations, guard)),
    deleteWhere: (given, type, criteria, guard) =>
      write(given, type, (context) => deleteWhere(services, context, type, criteria, guard)),
    bundle: (given, request) =>
      runBundle(
        {
          services,
          write,
          single: audit().door,
          records: audit().entries,
          toRead: audit().toRead,
          isAuditApart: audit().isApart,
          charge,
          invoke,
          invokeWithin,
        },
        given,
        request,
      ),
    history: (context, request) => history(requests.of(context), context, request),
    search: async (context, request) => {
      if (context.memory !== undefined) return searchMemory.recall(context, context.memory, request);
      const reading = requests.of(context);
      return searchMemory.answer(context, request, reading.database, () =>
        searchAny(reading, context, request),
      );
    },
    aggregate: (context, request) => aggregate(requests.of(context), context, request),
    follow: (context, request) => feeds.follow(context, request),
    searchEach: async (context, asked) => {
      const { memory } = context;
      if (memory !== undefined)
        return Promise.all(asked.map((one) => searchMemory.recall(context, memory, one)));
      const reading = requests.of(context);
      return searchMemory.answerEach(context, asked, reading.database, (some) =>
        searchEach(reading, context, some),
      );
    },
    invoke,
  };
}
