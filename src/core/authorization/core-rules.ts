import type { Core } from '../api/core';
import type { Interactions } from '../api/interactions';

/**
 * Authorization rule of a function of core.
 * - data: the function checks the grants itself; its results are redacted
 * - parts: it passes on a context in which the rules hold
 * - anybody: it discloses no stored data, or only public data
 * - server: it takes no request context; the route that exposes it requires an administrator
 */
type Rule = 'data' | 'parts' | 'anybody' | 'server';

/** The rule of each function of a part, or one rule for all. A new function without a rule here does not compile. */
type RulesOf<Part> = 'server' | Readonly<Record<keyof Part, Rule>>;

/** Rules by part. The interactions of the table (composition/interaction-table.ts) are all `data`. */
export const CORE_RULES = {
  interactions: {
    resourceTypes: 'anybody',
    operations: 'anybody',
    capabilities: 'anybody',
    namedQueries: 'anybody',
    applySummary: 'anybody',
    authorNames: 'anybody',
    findDisplays: 'data',
    localReference: 'anybody',
    parseIfNoneExist: 'anybody',
    storeContent: 'data',
    openBinary: 'data',
    outline: 'anybody',
    inSnapshot: 'parts',
    fromCache: 'parts',
    seesEverything: 'anybody',
    sharedTexts: 'server',
  },
  access: {
    findSpace: 'anybody',
    decoy: 'anybody',
    unknownTenant: 'anybody',
    identify: 'anybody',
    renewCaller: 'anybody',
    signRead: 'anybody',
    openSignedRead: 'anybody',
    tokens: 'anybody',
    signIn: 'anybody',
    admit: 'anybody',
    charge: 'anybody',
    recordRefusal: 'anybody',
    recordAdministration: 'server',
    recordAsOneAccess: 'parts',
  },
  tenants: 'server',
  jobs: {
    requests: 'data',
    administration: 'server',
    imports: 'data',
    importCodeSystem: 'server',
    open: 'server',
    reindex: 'server',
    verifyIndex: 'server',
    startWork: 'server',
  },
  streams: {
    changes: 'data',
    lastSequence: 'data',
    openNotifications: 'parts',
    end: 'server',
  },
  health: 'server',
} as const satisfies {
  readonly [Part in keyof Core]: RulesOf<Omit<Core[Part], keyof Interactions>>;
};
