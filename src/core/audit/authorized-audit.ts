/** What core does with AuditEvents: where they are, who may read them, and that they stay as they are. */
import type { Interactions } from '../api/interactions';
import type { SearchCondition, SearchPage, SearchRequest } from '../api/search';
import type { RequestContext } from '../context';
import { FhirError, fhirError, toIssue, type Issue } from '../errors';
import { AUDIT_EVENT, inSpaceOf, requireAuditor } from './audit-space';

export interface AuditRoutingOptions {
  /** Whether in open mode everybody may read AuditEvents. */
  readonly isOpen: boolean;
  /** Awaited before a search, so that what has happened until now is found; false: there is too much of it. */
  readonly catchUp: (context: RequestContext) => Promise<boolean>;
}

/** The context in which resources of a type are read. Throws `forbidden`. */
export type ReadingContext = (context: RequestContext, type: string | undefined) => RequestContext;

export function readingContext(isOpen: boolean): ReadingContext {
  return (context, type) => {
    if (type !== AUDIT_EVENT) return context;
    requireAuditor(context, isOpen);
    return inSpaceOf(context, type);
  };
}

/**
 * The same interactions; those on AuditEvents go to where these are, for auditors alone. An AuditEvent is made once, by
 * create or by an update that finds none, and never changed. Cost for all other types: a comparison.
 */
export function routeAuditEvents(core: Interactions, { isOpen, catchUp }: AuditRoutingOptions): Interactions {
  const toRead = readingContext(isOpen);
  const final = async (): Promise<never> => {
    throw refusal();
  };
  const search = async (context: RequestContext, request: SearchRequest): Promise<SearchPage> => {
    requireApart(request);
    if (request.type !== AUDIT_EVENT) return core.search(context, request);
    const within = toRead(context, AUDIT_EVENT);
    const isWhole = await catchUp(context);
    const page = await core.search(within, request);
    return isWhole ? page : { ...page, issues: [...page.issues, BEHIND] };
  };
  return {
    read: (context, type, id) => core.read(toRead(context, type), type, id),
    find: (context, type, id) => core.find(toRead(context, type), type, id),
    vread: (context, type, id, version) => core.vread(toRead(context, type), type, id, version),
    readAsOf: (context, type, id, moment) => core.readAsOf(toRead(context, type), type, id, moment),
    difference: (context, { type, id, from, to }) =>
      core.difference(toRead(context, type), { type, id, from, to }),
    create: (context, type, input) => core.create(inSpaceOf(context, type), type, input),
    update: async (context, { type, id, input, guard }) => {
      if (type !== AUDIT_EVENT) return core.update(context, { type, id, input, guard });
      try {
        return await core.update(inSpaceOf(context, type), {
          type,
          id,
          input,
          guard: { ifNoneMatchAny: true },
        });
      } catch (error) {
        throw error instanceof FhirError && error.key === 'preconditionFailed' ? refusal() : error;
      }
    },
    patch: (context, request) => (request.type === AUDIT_EVENT ? final() : core.patch(context, request)),
    delete: (context, type, ...rest) =>
      type === AUDIT_EVENT ? final() : core.delete(context, type, ...rest),
    // That there is one would be told.
    createIfNoneExist: (context, type, ...rest) =>
      core.createIfNoneExist(toRead(context, type), type, ...rest),
    updateWhere: (context, request) =>
      request.type === AUDIT_EVENT ? final() : core.updateWhere(context, request),
    patchWhere: (context, request) =>
      request.type === AUDIT_EVENT ? final() : core.patchWhere(context, request),
    deleteWhere: (context, type, ...rest) =>
      type === AUDIT_EVENT ? final() : core.deleteWhere(context, type, ...rest),
    bundle: (context, request) => core.bundle(context, request),
    history: (context, request) => core.history(toRead(context, request.type), request),
    search,
    searchBatch: async (context, requests) => {
      if (!requests.some(({ type }) => type === AUDIT_EVENT)) {
        for (const request of requests) requireApart(request);
        return core.searchBatch(context, requests);
      }
      return Promise.all(
        requests.map(async (request) => {
          try {
            return await search(context, request);
          } catch (error) {
            return error instanceof Error ? error : new Error(String(error));
          }
        }),
      );
    },
    aggregate: async (context, request) => {
      requireApart(request);
      const within = toRead(context, request.type);
      if (request.type === AUDIT_EVENT) await catchUp(context);
      return core.aggregate(within, request);
    },
    follow: async (context, request) => {
      if (request.type === AUDIT_EVENT)
        throw fhirError('notSupported', {
          reason: 'AuditEvents cannot be followed: search for them by date',
        });
      return core.follow(context, request);
    },
    invoke: (context, invocation) => core.invoke(context, invocation),
  };
}

const BEHIND: Issue = {
  severity: 'warning',
  code: 'incomplete',
  diagnostics:
    'Not all of the latest accesses are searchable yet: they are recorded, and found when the search is repeated later',
};

function refusal(): FhirError {
  const details = {
    method: 'To change or to delete an AuditEvent',
    allowed: 'what is recorded stays as it is',
  };
  return new FhirError('methodNotAllowed', [toIssue('methodNotAllowed', details)], 'GET, HEAD');
}

/** Names of parameters that ask for other resources beside those that are searched for. */
const LEADS_ELSEWHERE = /^_(include|revinclude|has|list)\b|\./;

/** Whether a search of AuditEvents that are kept apart refuses the parameter. */
export function leadsFromAuditEvents(name: string): boolean {
  return LEADS_ELSEWHERE.test(name);
}

/**
 * AuditEvents are searched by what stands in them, and nothing else by them: they are not where the others are. Throws
 * `invalidValue`. Cost: a look at each name.
 */
export function requireApart({ type, parameters, where }: SearchRequest): void {
  for (const [name, value] of parameters) {
    const leads =
      type === AUDIT_EVENT
        ? leadsFromAuditEvents(name)
        : name.includes(AUDIT_EVENT) || (isOfTypes(name) && value.includes(AUDIT_EVENT));
    if (leads) throw apart(name);
  }
  if (where !== undefined) for (const condition of where) requireConditionApart(type, condition);
}

function isOfTypes(name: string): boolean {
  return name === '_type' || name.startsWith('_revinclude') || name.startsWith('_include');
}

function requireConditionApart(type: string | undefined, condition: SearchCondition): void {
  switch (condition.kind) {
    case 'parameter':
      return;
    case 'all':
    case 'not':
      for (const each of condition.of) requireConditionApart(type, each);
      return;
    case 'any':
      for (const each of condition.of.flat()) requireConditionApart(type, each);
      return;
    case 'chain':
    case 'has':
      if (type === AUDIT_EVENT || (condition.kind === 'has' && condition.source === AUDIT_EVENT))
        throw apart(condition.parameter);
      for (const each of condition.of) requireConditionApart(type, each);
  }
}

function apart(name: string): FhirError {
  const reason = `AuditEvents are kept apart from other resources: '${name}' would lead from one to the other. Search for AuditEvents by themselves`;
  return fhirError('invalidValue', { reason });
}
