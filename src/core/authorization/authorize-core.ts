import type { Core } from '../api/core';
import type { Interactions, RunsOf } from '../api/interactions';
import type { RequestContext } from '../context';
import type { Services } from '../ports';
import { ElementRedaction } from './element-redaction';
import { INTERACTION_REDACTION, type Redact, type RedactionOf } from './interaction-redaction';
import type { Permissions } from './permissions';
import { permissionsOf } from './visibility';
import { wrapInteractions } from './wrap-interactions';

/**
 * Authorization rule per core function.
 * - data: the function checks the grants itself; its results are redacted
 * - parts: it passes on a context in which the rules hold
 * - anybody: it discloses no stored data, or only public data
 * - server: it takes no request context; the route that exposes it requires an administrator
 */
type Rule = 'data' | 'parts' | 'anybody' | 'server';

/** Rules of all functions but the interactions, which are all data. A new function without a line here does not compile. */
export const CORE_RULES = {
  findSpace: 'anybody',
  decoy: 'anybody',
  tenants: 'server',
  administrationJobs: 'server',
  subscriptions: 'server',
  clients: 'server',
  issuers: 'server',
  policies: 'server',
  tokens: 'anybody',
  users: 'server',
  signIn: 'anybody',
  identify: 'anybody',
  renewCaller: 'anybody',
  signRead: 'anybody',
  openSignedRead: 'anybody',
  admit: 'anybody',
  recordRefusal: 'anybody',
  recordAdministration: 'server',
  charge: 'anybody',
  resourceTypes: 'anybody',
  applySummary: 'anybody',
  localReference: 'anybody',
  parseIfNoneExist: 'anybody',
  changes: 'data',
  lastSequence: 'data',
  seesEverything: 'anybody',
  openNotifications: 'parts',
  endStreams: 'server',
  inSnapshot: 'parts',
  fromCache: 'parts',
  recordAsOneAccess: 'parts',
  sharedTexts: 'server',
  capabilities: 'anybody',
  operations: 'anybody',
  namedQueries: 'anybody',
  jobs: 'data',
  outline: 'anybody',
  verifyIndex: 'server',
  reindex: 'server',
  outdatedIndex: 'server',
  readiness: 'server',
  announce: 'server',
  startWork: 'server',
  connections: 'server',
  notifications: 'server',
  isRedisReachable: 'server',
  liveQueries: 'server',
  close: 'server',
} as const satisfies Record<Exclude<keyof Core, keyof Interactions>, Rule>;

/** The services that tell what a caller may do. */
type PermissionServices = Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>;

/**
 * Interactions whose results are redacted. They check the grants themselves, because bundles and operations use them
 * too. Cost in open mode: one comparison.
 */
export function authorizeInteractions(core: Interactions, services: PermissionServices): Interactions {
  return redactAll(INTERACTION_REDACTION, core, services);
}

function redactAll<Names extends keyof Interactions>(
  table: RedactionOf<Names>,
  runs: RunsOf<Names>,
  services: PermissionServices,
): RunsOf<Names> {
  return wrapInteractions(table, runs, (name, run) => redacted(table[name], run, services));
}

function redacted<Arguments extends readonly unknown[], Result>(
  redact: Redact<Result> | undefined,
  run: (context: RequestContext, ...of: Arguments) => Promise<Result>,
  services: PermissionServices,
): (context: RequestContext, ...of: Arguments) => Promise<Result> {
  if (redact === undefined) return run;
  return async (context, ...of) => {
    const result = await run(context, ...of);
    const redaction = redactionFor(services, context);
    return redaction === undefined ? result : redact(redaction, result);
  };
}

/** The functions whose rule is `data` and that are no interactions. */
type DataFunctions = Pick<Core, 'lastSequence' | 'changes' | 'jobs'>;

/** The same for the functions that are no interactions. */
export function authorizeCore(core: DataFunctions, services: PermissionServices): DataFunctions {
  return {
    async lastSequence(context) {
      permissionsFor(services, context)?.requireSomething();
      return core.lastSequence(context);
    },
    async changes(context, ...of) {
      const versions = await core.changes(context, ...of);
      return redactionFor(services, context)?.versions(versions) ?? versions;
    },
    jobs: {
      ...core.jobs,
      async submit(context, request) {
        permissionsFor(services, context)?.requireAnything();
        return core.jobs.submit(context, request);
      },
    },
  };
}

function permissionsFor(services: PermissionServices, context: RequestContext): Permissions | undefined {
  return context.access === undefined ? undefined : permissionsOf(services, context);
}

function redactionFor(services: PermissionServices, context: RequestContext): ElementRedaction | undefined {
  const elements = permissionsFor(services, context)?.elements;
  return elements?.hidesAny === true ? new ElementRedaction(elements) : undefined;
}
