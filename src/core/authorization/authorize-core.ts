import type { Core } from '../api/core';
import type { RequestContext } from '../context';
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

/** A new function of core without a line here does not compile. */
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
  read: 'data',
  find: 'data',
  partOf: 'anybody',
  localReference: 'anybody',
  vread: 'data',
  readAsOf: 'data',
  difference: 'data',
  create: 'data',
  update: 'data',
  patch: 'data',
  delete: 'data',
  createIfNoneExist: 'data',
  updateWhere: 'data',
  patchWhere: 'data',
  deleteWhere: 'data',
  bundle: 'data',
  history: 'data',
  changes: 'data',
  lastSequence: 'data',
  seesEverything: 'anybody',
  follow: 'data',
  endStreams: 'server',
  search: 'data',
  aggregate: 'data',
  inSnapshot: 'parts',
  fromMemory: 'parts',
  recordAsOneAccess: 'parts',
  searchBatch: 'data',
  sharedTexts: 'server',
  capabilities: 'anybody',
  operations: 'anybody',
  namedQueries: 'anybody',
  invoke: 'data',
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
} as const satisfies Record<keyof Core, Rule>;

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
    async read(context, ...of) {
      const version = await core.read(context, ...of);
      return answersFor(context)?.version(version) ?? version;
    },
    async find(context, ...of) {
      const version = await core.find(context, ...of);
      return version && (answersFor(context)?.version(version) ?? version);
    },
    async vread(context, ...of) {
      const version = await core.vread(context, ...of);
      return answersFor(context)?.version(version) ?? version;
    },
    async readAsOf(context, ...of) {
      const version = await core.readAsOf(context, ...of);
      return answersFor(context)?.version(version) ?? version;
    },
    async create(context, ...of) {
      const result = await core.create(context, ...of);
      return answersFor(context)?.written(result) ?? result;
    },
    async update(context, ...of) {
      const result = await core.update(context, ...of);
      return answersFor(context)?.written(result) ?? result;
    },
    async patch(context, ...of) {
      const result = await core.patch(context, ...of);
      return answersFor(context)?.written(result) ?? result;
    },
    async delete(context, ...of) {
      const result = await core.delete(context, ...of);
      return answersFor(context)?.deleted(result) ?? result;
    },
    async createIfNoneExist(context, ...of) {
      const result = await core.createIfNoneExist(context, ...of);
      return answersFor(context)?.written(result) ?? result;
    },
    async updateWhere(context, ...of) {
      const result = await core.updateWhere(context, ...of);
      return answersFor(context)?.written(result) ?? result;
    },
    async patchWhere(context, ...of) {
      const result = await core.patchWhere(context, ...of);
      return answersFor(context)?.written(result) ?? result;
    },
    async deleteWhere(context, ...of) {
      const versions = await core.deleteWhere(context, ...of);
      return answersFor(context)?.versions(versions) ?? versions;
    },
    async lastSequence(context) {
      permissionsFor(context)?.requireSomething();
      return core.lastSequence(context);
    },
    async bundle(context, request) {
      const answer = await core.bundle(context, request);
      return answersFor(context)?.bundle(answer) ?? answer;
    },
    async history(context, request) {
      const page = await core.history(context, request);
      return answersFor(context)?.history(page) ?? page;
    },
    async changes(context, ...of) {
      const versions = await core.changes(context, ...of);
      return answersFor(context)?.versions(versions) ?? versions;
    },
    async follow(context, request) {
      const stream = await core.follow(context, request);
      return answersFor(context)?.stream(stream) ?? stream;
    },
    async search(context, request) {
      const page = await core.search(context, request);
      return answersFor(context)?.page(page) ?? page;
    },
    async searchBatch(context, requests) {
      const pages = await core.searchBatch(context, requests);
      const answers = answersFor(context);
      if (answers === undefined) return pages;
      return pages.map((page) => (page instanceof Error ? page : answers.page(page)));
    },
    async invoke(context, invocation) {
      const result = await core.invoke(context, invocation);
      return answersFor(context)?.invoked(result) ?? result;
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
