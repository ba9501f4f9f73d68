/** Strategies that route interactions on AuditEvents to their space; used by the table of interactions. */
import type { ChangeRequest, ChangeStream } from '../api/change-stream';
import type { TypeSearchRequest, UpdateRequest } from '../api/interactions';
import type { ResourceInput } from '../api/resource-input';
import type { AggregateRequest, AggregateResult, SearchPage } from '../api/search';
import type { WriteResult } from '../api/version';
import type { SearchRequest } from '../search/requests/search-request';
import type { RequestContext } from '../context';
import { FhirError, fhirError, toIssue, type Issue } from '../errors';
import { inSpaceOf, requireAuditor } from '../authorization/audit-space';
import { AUDIT_EVENT } from '../fhir/type-names';
import { requireApart } from './audit-event-search';
import type { Run } from './recorder';

/** The context in which resources of a type are read. Throws `forbidden`. */
export type ReadingContext = (context: RequestContext, type: string | undefined) => RequestContext;

export function readingContext(isOpen: boolean): ReadingContext {
  return (context, type) => {
    if (type !== AUDIT_EVENT) return context;
    requireAuditor(context, isOpen);
    return inSpaceOf(context, type);
  };
}

export interface AuditEventRouter {
  readonly toRead: ReadingContext;
  /** Awaited before a search, so that it finds all earlier accesses; false: there were too many. */
  readonly catchUp: (context: RequestContext) => Promise<boolean>;
  /** Searches without a route. */
  search(context: RequestContext, request: SearchRequest): Promise<SearchPage>;
}

/** Carries out an interaction by `run`, in the space of its resources. */
export type RoutedRun<Arguments extends readonly unknown[], Result> = (
  router: AuditEventRouter,
  run: Run<Arguments, Result>,
  context: RequestContext,
  ...of: Arguments
) => Promise<Result>;

/** An interaction that reads resources of one type. */
export function readsType<Arguments extends readonly unknown[], Result>(
  typeOf: (of: NoInfer<Arguments>) => string | undefined,
): RoutedRun<Arguments, Result> {
  return (router, run, context, ...of) => run(router.toRead(context, typeOf(of)), ...of);
}

/** An interaction that changes or deletes resources of one type, which AuditEvents do not allow. */
export function changesType<Arguments extends readonly unknown[], Result>(
  typeOf: (of: NoInfer<Arguments>) => string,
): RoutedRun<Arguments, Result> {
  return async (_router, run, context, ...of) => {
    if (typeOf(of) === AUDIT_EVENT) throw refusal();
    return run(context, ...of);
  };
}

/** An interaction whose parts are routed one by one. */
export function routesParts<Arguments extends readonly unknown[], Result>(): RoutedRun<Arguments, Result> {
  return (_router, run, context, ...of) => run(context, ...of);
}

/** Creates a resource in the space of its type. */
export const creates: RoutedRun<[type: string, input: ResourceInput], WriteResult> = (
  _router,
  run,
  context,
  ...[type, input]
) => run(inSpaceOf(context, type), type, input);

/** Updates a resource. An AuditEvent can be created by an update, but never changed: throws `methodNotAllowed`. */
export const updates: RoutedRun<[UpdateRequest], WriteResult> = async (_router, run, context, request) => {
  if (request.type !== AUDIT_EVENT) return run(context, request);
  try {
    return await run(inSpaceOf(context, AUDIT_EVENT), { ...request, guard: { ifNoneMatchAny: true } });
  } catch (error) {
    throw error instanceof FhirError && error.key === 'preconditionFailed' ? refusal() : error;
  }
};

/**
 * Searches one type. A search of AuditEvents waits until earlier accesses are recorded; if there are too many, it warns.
 */
export const searches: RoutedRun<[SearchRequest], SearchPage> = async (router, run, context, request) => {
  requireApart(request);
  if (request.type !== AUDIT_EVENT) return run(context, request);
  const within = router.toRead(context, AUDIT_EVENT);
  const isWhole = await router.catchUp(context);
  const page = await run(within, request);
  return isWhole ? page : { ...page, issues: [...page.issues, BEHIND] };
};

/** Runs several searches; if one is of AuditEvents, each by itself, with its error as its result. */
export const searchesSeveral: RoutedRun<
  [readonly TypeSearchRequest[]],
  readonly (SearchPage | Error)[]
> = async (router, run, context, requests) => {
  if (!requests.some(({ type }) => type === AUDIT_EVENT)) {
    for (const request of requests) requireApart(request);
    return run(context, requests);
  }
  return Promise.all(
    requests.map(async (request) => {
      try {
        return await searches(router, router.search, context, request);
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    }),
  );
};

/** Counts resources by groups. A count of AuditEvents waits like a search. */
export const counts: RoutedRun<[AggregateRequest], AggregateResult> = async (
  router,
  run,
  context,
  request,
) => {
  requireApart(request);
  const within = router.toRead(context, request.type);
  if (request.type === AUDIT_EVENT) await router.catchUp(context);
  return run(within, request);
};

/** Opens a live query. Throws `notSupported` for AuditEvents. */
export const follows: RoutedRun<[ChangeRequest], ChangeStream> = async (_router, run, context, request) => {
  if (request.type === AUDIT_EVENT)
    throw fhirError('notSupported', {
      reason: 'AuditEvents cannot be followed: search for them by date',
    });
  return run(context, request);
};

const BEHIND: Issue = {
  severity: 'warning',
  code: 'incomplete',
  diagnostics:
    'Not all of the latest accesses are searchable yet: they are recorded, and found when the search is repeated later',
};

function refusal(): FhirError {
  const details = {
    method: 'To change or to delete an AuditEvent',
    allowed: 'records are immutable',
  };
  return new FhirError('methodNotAllowed', [toIssue('methodNotAllowed', details)], 'GET, HEAD');
}
