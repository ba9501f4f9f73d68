import DataLoader from 'dataloader';
import type { Core, RequestContext, SearchPage, SearchRequest, StoredVersion } from '../core/index';

/** A search of one type. */
export type TypeSearch = SearchRequest & { readonly type: string };

/** What one request reads: a resource that is asked for twice is read once. */
export interface Loaders {
  /** Key: `Type/id`; undefined for what is absent or deleted. */
  readonly resources: DataLoader<string, StoredVersion | undefined>;
  /** Key: `Type/id/_history/versionId`. */
  readonly versions: DataLoader<string, StoredVersion>;
  /** Those of one turn go together: what they do alike is one statement. */
  readonly searches: DataLoader<TypeSearch, SearchPage, string>;
}

/** Cost: the reads of one turn, of this and of other requests of the space, are one statement (core gathers them). */
export function createLoaders(core: Core, request: RequestContext): Loaders {
  return {
    resources: new DataLoader((keys: readonly string[]) =>
      each(keys, (key) => {
        const [type = '', id = ''] = key.split('/');
        return core.find(request, type, id);
      }),
    ),
    versions: new DataLoader((keys: readonly string[]) =>
      each(keys, (key) => {
        const [type = '', id = '', , versionId = ''] = key.split('/');
        return core.vread(request, type, id, versionId);
      }),
    ),
    searches: new DataLoader(
      async (asked: readonly TypeSearch[]) => {
        const [first, second] = asked;
        if (first === undefined || second !== undefined) return core.searchBatch(request, asked);
        return each([first], (one) => core.search(request, one));
      },
      { cacheKeyFn: (asked) => JSON.stringify(asked) },
    ),
  };
}

/** One that fails fails for itself, not for those it was gathered with. */
function each<Key, Value>(
  keys: readonly Key[],
  load: (key: Key) => Promise<Value>,
): Promise<(Value | Error)[]> {
  return Promise.all(keys.map((key) => load(key).catch(toError)));
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
