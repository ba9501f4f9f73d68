import type { RequestContext } from '../context';
import type { ReadServices } from '../ports';
import { readClientNames } from '../storage/accounts/client-names';
import type { StoredVersion } from '../storage/read/stored-version';
import { CONSOLE, CONSOLE_DETAILS } from './console-client';

/**
 * Returns the names of the client applications that made these versions, in their order; undefined: it was removed, or the
 * request had no credentials. The caller was given the versions, so that it learns the names of their authors and of no
 * other clients. Cost: a statement.
 */
export async function authorNames(
  { database }: Pick<ReadServices, 'database'>,
  { space }: RequestContext,
  versions: readonly StoredVersion[],
): Promise<readonly (string | undefined)[]> {
  const ids = new Set(versions.map(({ author }) => author));
  // Its row need not exist.
  ids.delete(CONSOLE);
  const names = await readClientNames(database, space, [...ids]);
  return versions.map(({ author }) => (author === CONSOLE ? CONSOLE_DETAILS.name : names.get(author)));
}
