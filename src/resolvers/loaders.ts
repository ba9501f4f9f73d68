import DataLoader from 'dataloader';
import type {
  Core,
  LocalReference,
  RequestContext,
  SearchPage,
  SearchRequest,
  StoredVersion,
  FoundDisplay,
  WantedDisplay,
} from '../core/index';

/** A search of one type. */
export type TypeSearch = SearchRequest & { readonly type: string };

/** Codes of one call of core, which takes some milliseconds for them. */
const MOST_DISPLAYS = 1_000;

/** The loaders of one request: a resource that is requested twice is read once. */
export interface Loaders {
  /** Key: `Type/id`; undefined for a resource that does not exist or is deleted. */
  readonly resources: DataLoader<string, StoredVersion | undefined>;
  /** Key: `Type/id/_history/versionId`. */
  readonly versions: DataLoader<string, StoredVersion>;
  /** The name of the client application that made a version; undefined: there is none. */
  readonly authorNames: DataLoader<StoredVersion, string | undefined>;
  /** Displays of codes; those of one turn share the statements of their code systems. */
  readonly displays: DataLoader<WantedDisplay, FoundDisplay, string>;
  /** Searches of one turn form a batch; equal parts of it share one statement. */
  readonly searches: DataLoader<TypeSearch, SearchPage, string>;
}

/**
 * Creates the loaders of a request.
 * Cost: one statement for the reads of one turn, of this and other requests of the space (core batches them).
 */
export function createLoaders(core: Core, request: RequestContext): Loaders {
  return {
    resources: new DataLoader((keys: readonly string[]) =>
      each(keys, (key) => {
        const [type = '', id = ''] = key.split('/');
        return core.interactions.find(request, type, id);
      }),
    ),
    versions: new DataLoader((keys: readonly string[]) =>
      each(keys, (key) => {
        const [type = '', id = '', , versionId = ''] = key.split('/');
        return core.interactions.vread(request, type, id, versionId);
      }),
    ),
    authorNames: new DataLoader((made: readonly StoredVersion[]) =>
      core.interactions.authorNames(request, made),
    ),
    displays: new DataLoader(
      (wanted: readonly WantedDisplay[]) => core.interactions.findDisplays(request, wanted),
      {
        maxBatchSize: MOST_DISPLAYS,
        cacheKeyFn: ({ system, version, code, languages }) =>
          JSON.stringify([system, version, code, languages]),
      },
    ),
    searches: new DataLoader(
      async (searches: readonly TypeSearch[]) => {
        const [first, second] = searches;
        if (first === undefined || second !== undefined)
          return core.interactions.searchBatch(request, searches);
        return each([first], (one) => core.interactions.search(request, one));
      },
      { cacheKeyFn: (searches) => JSON.stringify(searches) },
    ),
  };
}

/** Loads the resource of a reference, or the version that it names. */
export function loadLocal(
  { type, id, versionId }: LocalReference,
  { resources, versions }: Loaders,
): Promise<StoredVersion | undefined> {
  if (versionId === undefined) return resources.load(`${type}/${id}`);
  return versions.load(`${type}/${id}/_history/${versionId}`);
}

/** Each failure is returned by itself, so that it does not fail the other reads of the batch. */
function each<Key, Value>(
  keys: readonly Key[],
  load: (key: Key) => Promise<Value>,
): Promise<(Value | Error)[]> {
  return Promise.all(keys.map((key) => load(key).catch(toError)));
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
