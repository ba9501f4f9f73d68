import type { Core } from '../api/core';
import type { Interactions } from '../api/interactions';
import type { RequestContext } from '../context';
import { wrapInteractions } from '../interactions/table';
import type { Services } from '../ports';
import { ElementRedaction } from './element-redaction';
import type { Permissions } from './permissions';
import { permissionsOf } from './visibility';

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
  clients: 'server',
  issuers: 'server',
  policies: 'server',
  tokens: 'anybody',
  users: 'server',
  signIn: 'anybody',
  identify: 'anybody',
  renewCaller: 'anybody',
  admit: 'anybody',
  recordRefusal: 'anybody',
  recordAdministration: 'server',
  charge: 'anybody',
  resourceTypes: 'anybody',
  partOf: 'anybody',
  localReference: 'anybody',
  changes: 'data',
  lastSequence: 'data',
  seesEverything: 'anybody',
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
  startWork: 'server',
  connections: 'server',
  liveQueries: 'server',
  close: 'server',
} as const satisfies Record<Exclude<keyof Core, keyof Interactions>, Rule>;

/**
 * Core with authorization. Interactions check the grants themselves, because bundles and operations use them too; this
 * function redacts their results. Cost in open mode: one comparison.
 */
export function authorizeCore(
  core: Core,
  services: Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>,
): Core {
  const permissionsFor = (context: RequestContext): Permissions | undefined =>
    context.access === undefined ? undefined : permissionsOf(services, context);
  const answersFor = (context: RequestContext): ElementRedaction | undefined => {
    const elements = permissionsFor(context)?.elements;
    return elements?.hidesAny === true ? new ElementRedaction(elements) : undefined;
  };
  return {
    ...core,
    ...wrapInteractions(core, ({ redact }, run) => {
      if (redact === undefined) return run;
      return async (context, ...of) => {
        const result = await run(context, ...of);
        const redaction = answersFor(context);
        return redaction === undefined ? result : redact(redaction, result);
      };
    }),
    async lastSequence(context) {
      permissionsFor(context)?.requireSomething();
      return core.lastSequence(context);
    },
    async changes(context, ...of) {
      const versions = await core.changes(context, ...of);
      return answersFor(context)?.versions(versions) ?? versions;
    },
    jobs: {
      ...core.jobs,
      async submit(context, request) {
        permissionsFor(context)?.requireAnything();
        return core.jobs.submit(context, request);
      },
    },
  };
}
