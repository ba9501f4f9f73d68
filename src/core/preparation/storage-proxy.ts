/** Storage calls of an operation as messages between threads: both ends. */
import type { IssuedToken } from '../api/notification-stream';
import type { DocumentContent } from '../api/operation';
import type { SearchPage } from '../api/search';
import type { SearchRequest } from '../search/requests/search-request';
import type { WriteResult } from '../api/version';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import type { LabelChange } from '../fhir/meta-labels';
import type { Notification } from '../api/notification';
import type {
  CanonicalResource,
  CanonicalType,
  Location,
  MetaSummary,
  OperationStorage,
  PurgeReport,
  PurgeRequest,
  RecordRequest,
  SearchParameterProgress,
  SubscriptionStatusRequest,
  TerminologyStorage,
} from '../operation-types/environment';
import type { SubscriptionEventsRequest } from '../api/notification-stream';

/** The part of a request's context that can be sent to another thread. */
export type OperationContext = Omit<RequestContext, 'log'>;

/** The calls that need no more than a space. */
export type TerminologyCall =
  | {
      readonly of: 'canonical';
      readonly type: CanonicalType;
      readonly url: string;
      readonly version?: string;
    }
  | {
      readonly of: 'canonicalKey';
      readonly type: CanonicalType;
      readonly url: string;
      readonly version?: string;
    }
  | { readonly of: 'systemOfValueSet'; readonly url: string }
  | { readonly of: 'terminologyVersion' };

export type StorageCall =
  | TerminologyCall
  | { readonly of: 'resource'; readonly type: string; readonly id: string }
  | { readonly of: 'location'; readonly type: string; readonly id: string }
  | { readonly of: 'meta'; readonly type?: string }
  | { readonly of: 'labels'; readonly type: string; readonly id: string; readonly change: LabelChange }
  | { readonly of: 'document'; readonly id: string }
  | { readonly of: 'newDocument'; readonly document: DocumentContent }
  | { readonly of: 'search'; readonly request: SearchRequest }
  | { readonly of: 'conceptMaps'; readonly system: string; readonly isTarget: boolean }
  | { readonly of: 'record'; readonly request: RecordRequest }
  | { readonly of: 'searchParameters'; readonly id?: string }
  | { readonly of: 'restart'; readonly id?: string }
  | { readonly of: 'purge'; readonly request: PurgeRequest }
  | { readonly of: 'subscriptionStatuses'; readonly request: SubscriptionStatusRequest }
  | { readonly of: 'subscriptionEvents'; readonly request: SubscriptionEventsRequest }
  | { readonly of: 'bindingToken'; readonly ids: readonly string[] }
  | { readonly of: 'answer'; readonly key: string }
  | { readonly of: 'newAnswer'; readonly key: string; readonly text: string };

/** True: the call may change what is stored. */
export function mayWrite({ of }: StorageCall): boolean {
  return of === 'labels' || of === 'newDocument' || of === 'restart' || of === 'purge';
}

/** Executes a call for terminology in the thread with the database. */
export async function callTerminology(storage: TerminologyStorage, call: TerminologyCall): Promise<unknown> {
  switch (call.of) {
    case 'canonical':
      return storage.findCanonical(call.type, call.url, call.version);
    case 'canonicalKey':
      return storage.findCanonicalKey(call.type, call.url, call.version);
    case 'systemOfValueSet':
      return storage.findSystemOfValueSet(call.url);
    case 'terminologyVersion':
      return storage.terminologyVersion();
  }
}

/** Executes a storage call in the thread with the database. */
export async function callStorage(storage: OperationStorage, call: StorageCall): Promise<unknown> {
  switch (call.of) {
    case 'canonical':
    case 'canonicalKey':
    case 'systemOfValueSet':
    case 'terminologyVersion':
      return callTerminology(storage, call);
    case 'resource':
      return storage.read(call.type, call.id);
    case 'location':
      return storage.locate(call.type, call.id);
    case 'meta':
      return storage.summarizeMeta(call.type);
    case 'labels':
      return storage.changeLabels(call.type, call.id, call.change);
    case 'document':
      return storage.makeDocument(call.id);
    case 'newDocument':
      return storage.storeDocument(call.document);
    case 'search':
      return storage.search(call.request);
    case 'conceptMaps':
      return storage.findConceptMaps(call.system, call.isTarget);
    case 'record':
      return storage.readRecord(call.request);
    case 'searchParameters':
      return storage.searchParameterProgress(call.id);
    case 'restart':
      return storage.restartSearchParameters(call.id);
    case 'purge':
      return storage.purge(call.request);
    case 'subscriptionStatuses':
      return storage.subscriptionStatuses(call.request);
    case 'subscriptionEvents':
      return storage.subscriptionEvents(call.request);
    case 'bindingToken':
      return storage.issueBindingToken(call.ids);
    case 'answer':
      return storage.cache.get(call.key);
    case 'newAnswer':
      return storage.cache.put(call.key, call.text);
  }
}

/** As `createStorageProxy` for terminology. */
export function createTerminologyProxy(
  send: (call: TerminologyCall) => Promise<unknown>,
): TerminologyStorage {
  return {
    findCanonical: async (type, url, version) =>
      (await send({ of: 'canonical', type, url, version })) as CanonicalResource | undefined,
    findCanonicalKey: async (type, url, version) =>
      (await send({ of: 'canonicalKey', type, url, version })) as string | undefined,
    findSystemOfValueSet: async (url) => (await send({ of: 'systemOfValueSet', url })) as string | undefined,
    terminologyVersion: async () => (await send({ of: 'terminologyVersion' })) as string,
  };
}

/**
 * Creates the storage for a thread without a database; `ask` returns the result of `callStorage` in the other thread,
 * or throws its error.
 */
export function createStorageProxy(send: (call: StorageCall) => Promise<unknown>): OperationStorage {
  return {
    ...createTerminologyProxy(send),
    read: async (type, id) => (await send({ of: 'resource', type, id })) as StoredVersion,
    locate: async (type, id) => (await send({ of: 'location', type, id })) as Location,
    summarizeMeta: async (type) => (await send({ of: 'meta', type })) as MetaSummary,
    changeLabels: async (type, id, change) =>
      (await send({ of: 'labels', type, id, change })) as StoredVersion,
    makeDocument: async (id) =>
      (await send({ of: 'document', id })) as Awaited<ReturnType<OperationStorage['makeDocument']>>,
    storeDocument: async (document) => (await send({ of: 'newDocument', document })) as WriteResult,
    search: async (request) => (await send({ of: 'search', request })) as SearchPage,
    findConceptMaps: async (system, isTarget) =>
      (await send({ of: 'conceptMaps', system, isTarget })) as readonly string[],
    readRecord: async (request) => (await send({ of: 'record', request })) as SearchPage,
    searchParameterProgress: async (id) =>
      (await send({ of: 'searchParameters', id })) as readonly SearchParameterProgress[],
    restartSearchParameters: async (id) => void (await send({ of: 'restart', id })),
    purge: async (request) => (await send({ of: 'purge', request })) as PurgeReport,
    subscriptionStatuses: async (request) =>
      (await send({ of: 'subscriptionStatuses', request })) as readonly Notification[],
    subscriptionEvents: async (request) =>
      (await send({ of: 'subscriptionEvents', request })) as Notification,
    issueBindingToken: async (ids) => (await send({ of: 'bindingToken', ids })) as IssuedToken,
    cache: {
      get: async (key) => (await send({ of: 'answer', key })) as string | undefined,
      put: (key, text) => void send({ of: 'newAnswer', key, text }),
    },
  };
}
