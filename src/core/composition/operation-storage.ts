import { ElementRedaction } from '../authorization/element-redaction';
import { permissionsOf } from '../authorization/visibility';
import type { IssuedToken } from '../api/notification-stream';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext, Space } from '../context';
import { fhirError } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { parseStoredObject, type JsonObject, type JsonValue } from '../fhir/json';
import { changeLabels } from '../interactions/change-labels';
import { create } from '../interactions/create';
import { findConceptMaps } from '../operations/concept-maps';
import { makeDocument } from '../interactions/compartment/document';
import { everything } from '../interactions/compartment/everything';
import { find } from '../versions/read';
import { addressOf, readBase, readOwn } from '../versions/resource-address';
import { subscriptionEvents, subscriptionStatuses } from '../fhir-subscriptions/query-subscription';
import type {
  Location,
  MetaSummary,
  OperationStorage,
  PurgeReport,
  PurgeRequest,
} from '../operation-types/environment';
import type { SearchServices, Services, WriteServices } from '../ports';
import { documentText } from '../operations/document-text';
import { readLabelled } from '../storage/read/conformance';
import { restartSearchParameters, searchParameterProgress } from '../indexing/search-parameter-progress';
import { addToClosure, readClosure, startClosure } from '../storage/terminology/closures';
import { createTerminologyStorage } from '../terminology/environment';
import type { RetryingWriter } from '../interactions/retrying-writer';
import { createQueryTools } from './subscription-queries';

const BUNDLE = 'Bundle';
/** Limit on labelled resources of one type that $meta reads. */
const MAX_LABELLED = 5_000;

/** Needed by operations beside the services. */
export interface StorageTools {
  readonly write: RetryingWriter;
  purge(context: RequestContext, request: PurgeRequest): Promise<PurgeReport>;
  /** The address of the FHIR root of a space, without a slash at the end. */
  rootOf(space: Space): string;
  issueBindingToken(context: RequestContext, ids: readonly string[]): Promise<IssuedToken>;
}

/** Creates the storage and cache for the operations of one request. */
export function createOperationStorage(
  services: WriteServices & Pick<Services, 'cache' | 'parametersChanged'>,
  context: RequestContext,
  { write, purge, rootOf, issueBindingToken }: StorageTools,
): OperationStorage {
  const { space } = context;
  const permissions = permissionsOf(services, context);
  const answers = permissions && new ElementRedaction(permissions.elements);
  const shown = (version: StoredVersion): StoredVersion => answers?.version(version) ?? version;
  const querying = createQueryTools(services, context, rootOf);
  const { interactions } = querying;
  return {
    ...createTerminologyStorage(services, space),
    read: (type, id) => interactions.read(context, type, id),
    locate: (type, id) => locate(services, context, type, id),
    summarizeMeta: (type) => summarizeMeta(services, context, type),
    async changeLabels(type, id, change) {
      return shown(
        await write(context, type, (current) => changeLabels(services, current, { type, id, change })),
      );
    },
    async makeDocument(id) {
      const { versions } = await makeDocument(services, context, id);
      return { versions: answers?.versions(versions) ?? versions };
    },
    storeDocument: (document) =>
      write(context, BUNDLE, (current) =>
        create(services, current, {
          type: BUNDLE,
          input: { text: documentText(document, rootOf(space)) },
        }),
      ),
    search: (request) => interactions.search(context, request),
    findConceptMaps: (system, isTarget) => findConceptMaps(services, context, system, isTarget),
    startClosure: (name, most) => startClosure(services.connections, space.number, { name, most }),
    readClosure: (name, most) => readClosure(services.connections, space.number, { name, most }),
    addToClosure: (change) => addToClosure(services.connections, space.number, change),
    async readRecord(request) {
      const page = await everything(services, context, request);
      return answers?.page(page) ?? page;
    },
    searchParameterProgress: (id) => searchParameterProgress(services, context, id),
    restartSearchParameters: (id) => restartSearchParameters(services, context, id),
    purge: (request) => purge(context, request),
    subscriptionStatuses: (request) => subscriptionStatuses(querying, context, request),
    subscriptionEvents: (request) => subscriptionEvents(querying, context, request),
    issueBindingToken: (ids) => issueBindingToken(context, ids),
    cachedAnswer: (key) => services.cache.get(space.number, key),
    cacheAnswer: (key, text) => services.cache.put(space.number, key, text),
  };
}

/**
 * Creates the storage for operations inside a writing transaction, which may only read. Nothing is cached, because
 * the transaction may be rolled back.
 */
export function createReadingStorage(
  services: WriteServices & Pick<Services, 'cache' | 'parametersChanged'>,
  context: RequestContext,
  tools: Pick<StorageTools, 'rootOf' | 'issueBindingToken'>,
): OperationStorage {
  const refuse = (): Promise<never> => Promise.reject(new Error('an operation in a transaction writes'));
  return {
    ...createOperationStorage(services, context, { write: refuse, purge: refuse, ...tools }),
    startClosure: refuse,
    addToClosure: refuse,
    storeDocument: () => {
      const reason = 'A document is stored (persist=true) by itself and not in a transaction';
      return Promise.reject(fhirError('notSupported', { reason }));
    },
    cachedAnswer: () => Promise.resolve(undefined),
    cacheAnswer: () => undefined,
  };
}

async function locate(
  services: SearchServices,
  context: RequestContext,
  type: string,
  id: string,
): Promise<Location> {
  const address = addressOf(services, context, type, id);
  if (context.access !== undefined) {
    const isAllowed = permissionsOf(services, context)?.allows(type, 'r') === true;
    if (!isAllowed || (await find(services, context, type, id)) === undefined) return 'none';
  }
  const own = await readOwn(services, context, { address, id });
  if (own !== undefined && own.change !== 'delete') return 'own';
  return (await readBase(services, context, { type, address, id })) === undefined ? 'none' : 'base';
}

async function summarizeMeta(
  services: Pick<Services, 'createExtractor' | 'database' | 'keys' | 'searchContext'>,
  context: RequestContext,
  type: string | undefined,
): Promise<MetaSummary> {
  const { space } = context;
  const definitions = loadDefinitions(space.release);
  const profile = new Set<string>();
  const tag = new Map<string, JsonObject>();
  const security = new Map<string, JsonObject>();
  const permissions = permissionsOf(services, context);
  if (type !== undefined) permissions?.requireAll(type, 's', 'The operation $meta on a type');
  for (const name of type === undefined ? definitions.resourceTypes : [type]) {
    if (permissions?.allowsAll(name, 's') === false) continue;
    const typeNumber = definitions.typeNumber(name);
    if (typeNumber === undefined) continue;
    const parameters = definitions.searchParameters(name);
    const ordinals = ['_profile', '_tag', '_security'].flatMap((code) => parameters.get(code)?.ordinal ?? []);
    const texts = await readLabelled(services.database, space.number, {
      type: typeNumber,
      ordinals,
      limit: MAX_LABELLED + 1,
    });
    if (texts.length > MAX_LABELLED) {
      throw fhirError('tooCostly', {
        reason: `More than ${MAX_LABELLED} resources of type ${name} carry labels`,
      });
    }
    for (const text of texts) {
      const { meta } = parseStoredObject(text);
      if (!isObject(meta)) continue;
      for (const url of listOf(meta['profile'])) if (typeof url === 'string') profile.add(url);
      collectCodings(meta['tag'], tag);
      collectCodings(meta['security'], security);
    }
  }
  return { profile: [...profile], tag: [...tag.values()], security: [...security.values()] };
}

function collectCodings(codings: JsonValue | undefined, into: Map<string, JsonObject>): void {
  for (const coding of listOf(codings)) {
    if (!isObject(coding)) continue;
    const name = JSON.stringify([coding['system'] ?? null, coding['code'] ?? null]);
    if (!into.has(name)) into.set(name, coding);
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
