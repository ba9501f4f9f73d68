import { visibilityAmong } from '../access/visibility';
import type { StoredVersion } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { RELEASES } from '../fhir/release';
import type { Services } from '../services';
import type { VersionRow } from '../storage/version-row';
import { addressOf, readBase, readOwn } from './resource-address';
import { toStoredVersion } from './stored-version';

/** What stands at an address as whoever asks may know it. */
type Standing = { readonly row: VersionRow } | 'deleted' | 'none';

/**
 * The current version of a resource (http.html#read). A conformance resource that the tenant does not have is looked
 * for in the base space. What whoever asks may not see is not known. Throws notFound, gone, forbidden. Cost: one gathered
 * statement.
 */
export async function read(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
): Promise<StoredVersion> {
  const standing = await standingAt(services, context, type, id);
  if (typeof standing === 'object') return toStoredVersion(services, type, standing.row);
  throw fhirError(standing === 'deleted' ? 'gone' : 'notFound', { type, id });
}

/** As `read`, but what is absent or deleted is undefined. */
export async function find(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
): Promise<StoredVersion | undefined> {
  const standing = await standingAt(services, context, type, id);
  return typeof standing === 'object' ? toStoredVersion(services, type, standing.row) : undefined;
}

async function standingAt(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
): Promise<Standing> {
  const address = addressOf(services, context, type, id);
  const visibility = visibilityAmong(services, context, type, 'r');
  const { number: space, release } = context.space;
  const own = await readOwn(services, context, address, id);
  if (own !== undefined && own.change !== 'delete') {
    const isSeen = visibility === undefined || (await visibility.seesCurrent(type, 'r', space, own));
    return isSeen ? { row: own } : 'none';
  }
  const base = await readBase(services, context, type, address, id);
  if (base !== undefined) {
    const { baseSpace } = RELEASES[release];
    const isSeen = visibility === undefined || (await visibility.seesCurrent(type, 'r', baseSpace, base));
    if (isSeen) return { row: base };
  }
  if (own === undefined) return 'none';
  return visibility === undefined || (await visibility.sawDeleted(type, 'r', space, own))
    ? 'deleted'
    : 'none';
}
