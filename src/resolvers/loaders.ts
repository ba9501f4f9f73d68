import DataLoader from 'dataloader';
import type { Core, RequestContext, StoredVersion } from '../core/index';

/** The reads of one request: a resource that is asked for twice is read once. */
export interface Loaders {
  /** Key: `Type/id`; undefined for what is absent or deleted. */
  readonly resources: DataLoader<string, StoredVersion | undefined>;
}

/** Cost: the reads of one turn, of this and of other requests of the space, are one statement (core gathers them). */
export function createLoaders(core: Core, request: RequestContext): Loaders {
  const resources = new DataLoader<string, StoredVersion | undefined>((keys) =>
    Promise.all(
      keys.map((key) => {
        const slash = key.indexOf('/');
        return core.find(request, key.slice(0, slash), key.slice(slash + 1)).catch(toError);
      }),
    ),
  );
  return { resources };
}

/** One failing read fails for itself, not for those it was gathered with. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
