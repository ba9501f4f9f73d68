/** An environment for operations over the resources of the specification, and those that a test adds. */
import { NO_CONCEPTS } from '../../support/no-concepts';
import type { Invocation } from '../../../src/core/api/operation';
import { fhirError } from '../../../src/core/errors';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { type JsonObject, parseJson, stringifyJson } from '../../../src/core/fhir/json';
import { type Release, RELEASES } from '../../../src/core/fhir/release';
import { stringMember } from '../../../src/core/fhir/terminology/members';
import { createCodeSystemCache } from '../../../src/core/cache/code-system-cache';
import type { CanonicalResource, OperationEnvironment } from '../../../src/core/operation-types/environment';
import { invokeOperation } from '../../../src/core/operations/invoke';
import { createPreparer } from '../../../src/core/preparation/create-preparer';
import { SpaceIndexing } from '../../../src/core/preparation/space-indexing';
import { createHasher } from '../../../src/core/search/rows/hash';
import type { Limits } from '../../../src/core/limits/size-limits';
import { checkRelations } from '../../../src/core/validation/relations';
import { createCodingChecker } from '../../../src/core/validation/coding-checker';
import { createCodeChecker } from '../../../src/core/validation/pending-codes';
import { createStructureSource } from '../../../src/core/validation/structure-source';
import { loadTerminology, toObject } from '../fhir/terminology/specification-terminology';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const LIMITS: Limits = {
  maxDepth: 64,
  maxBodyBytes: 16 * 1024 * 1024,
  maxPatchOperations: 1_000,
  maxBundleEntries: 10_000,
  maxIndexRows: 20_000,
  maxExpansionCodes: 10_000,
  pathTimeoutMs: 50,
  contentProcessorMs: 10_000,
  searchSortLimit: 1000,
  maxWriteQueue: 10_000,
  maxTenantSubscriptions: 100,
  versionCacheBytes: 0,
  searchCacheBytes: 0,
};

export interface TestEnvironment extends OperationEnvironment {
  /** Stores a resource, or replaces it. */
  store(resource: JsonObject): void;
  /** Returns the number of lookups of canonicals. */
  readonly lookups: () => number;
  maxExpansionCodes: number;
}

export function makeEnvironment(release: Release): TestEnvironment {
  const base = loadTerminology(release);
  const stored = new Map<string, { readonly version: number; readonly resource: JsonObject }>();
  const answers = new Map<string, string>();
  let changes = 0;
  let lookups = 0;
  const tools = new SpaceIndexing({
    hasher: createHasher(Buffer.alloc(32)),
    ownAddresses: [],
    maxIndexRows: 20_000,
  });
  const codeChecker = createCodeChecker();
  const codingChecker = createCodingChecker();
  const preparation = tools.preparationTools('http://zoo.example/extensions', {
    checkCodes: (space, pending) => codeChecker.check(space, environment, pending),
    checkCodings: (space, codings) => codingChecker.check(space, environment, codings),
    checkRelations: (_space, resource) => checkRelations(environment, resource),
    absentSystems: (space) => codingChecker.absentSystems(space),
    answerCodes: (space, questions) => codeChecker.answer(space, environment, questions),
    ...createStructureSource({
      terminology: () => environment,
      structuresVersion: () => Promise.resolve(String(changes)),
    }),
  });
  const find = (type: string, url: string, version?: string): CanonicalResource | undefined => {
    const own = [...stored].filter(([, { resource }]) => {
      const isVersion = version === undefined || resource['version'] === version;
      return resource['resourceType'] === type && resource['url'] === url && isVersion;
    });
    const newest = own.sort(([, a], [, b]) => (versionOf(a.resource) < versionOf(b.resource) ? 1 : -1))[0];
    if (newest !== undefined) {
      return { key: `11/${newest[0]}/${newest[1].version}`, text: stringifyJson(newest[1].resource, true) };
    }
    const found = base.get(`${type} ${url}`);
    if (found === undefined || (version !== undefined && version !== found.version)) return undefined;
    return { key: `${RELEASES[release].baseSpace}/${type}/${found.id}/1`, text: found.text };
  };
  const environment: TestEnvironment = {
    context: {
      space: {
        number: 11,
        timeZone: 'UTC',
        release,
        tenant: 'system',
        tenantNumber: 1,
        settings: {
          validation: 'full',
          searchUnknown: 'strict',
          referentialIntegrity: 'off',
          conditionalDelete: 'single',
          secondFactor: 'optional',
          openedTypes: [],
          limits: {},
        },
      },
      actor: 'anonymous',
      deadline: Number.MAX_SAFE_INTEGER,
      requestId: 'test',
      log,
    },
    definitions: loadDefinitions(release),
    async findCanonical(type, url, version) {
      lookups++;
      return find(type, url, version);
    },
    findCanonicalKey: async (type, url, version) => find(type, url, version)?.key,
    listCanonicalVersions: async () => [],
    findSystemOfValueSet: async () => undefined,
    startClosure: async () => undefined,
    readClosure: async () => undefined,
    addToClosure: async () => undefined,
    async read(type, id) {
      const own = stored.get(`${type}/${id}`);
      const found = [...base.values()].find((resource) => resource.type === type && resource.id === id);
      const text = own === undefined ? found?.text : stringifyJson(own.resource, true);
      if (text === undefined) throw fhirError('notFound', { type, id });
      return {
        type,
        id,
        versionId: 1,
        lastUpdated: 0,
        sequence: 1,
        change: 'create',
        author: 'anonymous',
        text,
      };
    },
    async summarizeMeta(type) {
      const tag = { system: 'http://zoo.example/tags', code: type ?? 'all' };
      return { profile: ['http://zoo.example/b', 'http://zoo.example/a'], tag: [tag], security: [] };
    },
    changeLabels: async (type, id) => {
      throw fhirError('notFound', { type, id });
    },
    makeDocument: async (id) => {
      throw fhirError('notFound', { type: 'Composition', id });
    },
    storeDocument: async () => {
      throw fhirError('forbidden', { reason: 'Nothing is stored here' });
    },
    search: async () => ({ matches: [], included: [], issues: [], used: [] }),
    findConceptMaps: async () => [],
    readRecord: async () => ({ matches: [], included: [], issues: [], used: [] }),
    // The specification alone has no search parameters of a tenant.
    searchParameterProgress: async () => [],
    purge: () => Promise.reject(new Error('nothing is stored here')),
    restartSearchParameters: async (id) => {
      if (id !== undefined) throw fhirError('notFound', { type: 'SearchParameter', id });
    },
    subscriptionStatuses: async () => [],
    subscriptionEvents: async ({ id }) => {
      throw fhirError('notFound', { type: 'Subscription', id });
    },
    issueBindingToken: async ([id = '']) => {
      throw fhirError('notFound', { type: 'Subscription', id });
    },
    ...NO_CONCEPTS,
    terminologyVersion: async () => String(changes),
    cachedAnswer: async (key) => answers.get(key),
    cacheAnswer: (key, text) => answers.set(key, text),
    codeSystems: createCodeSystemCache(),
    locate: async (type, id) => (stored.has(`${type}/${id}`) ? 'own' : 'none'),
    validator: tools.validator(release),
    findInInput: (input) => createPreparer(preparation, LIMITS).inspect(environment.context.space, input),
    validateOperation: (task) => createPreparer(preparation, LIMITS).validateOperation(task),
    limits: {
      maxDepth: LIMITS.maxDepth,
      get maxExpansionCodes() {
        return environment.maxExpansionCodes;
      },
    },
    store(resource) {
      changes++;
      const address = `${stringMember(resource, 'resourceType')}/${stringMember(resource, 'id')}`;
      stored.set(address, { version: changes, resource });
    },
    lookups: () => lookups,
    maxExpansionCodes: 10_000,
  };
  return environment;
}

function versionOf(resource: JsonObject): string {
  return stringMember(resource, 'version') ?? '';
}

/** Invokes with the elements of `Parameters.parameter`; the answer as an object. */
export async function invoke(
  environment: OperationEnvironment,
  address: Pick<Invocation, 'level' | 'type' | 'id' | 'code'>,
  parameter: readonly JsonObject[] | JsonObject = [],
): Promise<JsonObject> {
  const body = Array.isArray(parameter) ? { resourceType: 'Parameters', parameter } : parameter;
  const input = parseJson(JSON.stringify(body));
  return toObject(await invokeText(environment, { ...address, input, safe: false }));
}

/** The text of an answer that is no page. */
export async function invokeText(environment: OperationEnvironment, invocation: Invocation): Promise<string> {
  const result = await invokeOperation(environment, invocation);
  if (!('text' in result)) throw new Error(`$${invocation.code} answered with resources`);
  return result.text;
}

/** The values of the out parameters by name; the last where there are several. */
export function valuesOf(parameters: JsonObject): Record<string, unknown> {
  const entries = parameters['parameter'];
  if (!Array.isArray(entries)) return {};
  return Object.fromEntries(
    entries.map((entry) => {
      const { name, ...value } = entry as JsonObject;
      return [typeof name === 'string' ? name : '', Object.values(value)[0]];
    }),
  );
}
