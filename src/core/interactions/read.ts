import type { StoredVersion } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { Services } from '../services';
import { addressOf, readBase, readOwn } from './resource-address';
import { toStoredVersion } from './stored-version';

/**
 * The current version of a resource (http.html#read). A conformance resource that the tenant does not have is looked
 * for in the base space. Throws notFound, gone. Cost: one gathered statement.
 */
export async function read(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
): Promise<StoredVersion> {
  const address = addressOf(services, context, type, id);
  const own = await readOwn(services, context, address, id);
  if (own !== undefined && own.change !== 'delete') return toStoredVersion(services, type, own);
  const base = await readBase(services, context, type, address, id);
  if (base !== undefined) return toStoredVersion(services, type, base);
  throw fhirError(own === undefined ? 'notFound' : 'gone', { type, id });
}

/** As `read`, but what is absent or deleted is undefined. */
export async function find(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
): Promise<StoredVersion | undefined> {
  const address = addressOf(services, context, type, id);
  const own = await readOwn(services, context, address, id);
  const row =
    own !== undefined && own.change !== 'delete' ? own : await readBase(services, context, type, address, id);
  return row === undefined ? undefined : toStoredVersion(services, type, row);
}
