import { visibilityAmong } from '../authorization/visibility';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { RELEASES } from '../fhir/release';
import type { SearchServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';
import { addressOf, readBase, readOwn } from './resource-address';
import { toReadVersion } from './stored-version';

/** The state of an address as far as the caller may see it. */
type AddressState = { readonly row: VersionRow } | 'deleted' | 'none';

/**
 * The current version of a resource (http.html#read). A conformance resource that the tenant does not have is read from
 * the base space. Resources that the caller may not see do not exist. Throws notFound, gone, forbidden. Cost: one
 * batched statement.
 */
export async function read(
  services: SearchServices,
  context: RequestContext,
  type: string,
  id: string,
): Promise<StoredVersion> {
  const standing = await standingAt(services, context, type, id);
  if (typeof standing === 'object') return toReadVersion(services, context.space, type, standing.row);
  throw fhirError(standing === 'deleted' ? 'gone' : 'notFound', { type, id });
}

/** As `read`, but undefined for an absent or deleted resource. */
export async function find(
  services: SearchServices,
  context: RequestContext,
  type: string,
  id: string,
): Promise<StoredVersion | undefined> {
  const standing = await standingAt(services, context, type, id);
  return typeof standing === 'object'
    ? toReadVersion(services, context.space, type, standing.row)
    : undefined;
}

async function standingAt(
  services: SearchServices,
  context: RequestContext,
  type: string,
  id: string,
): Promise<AddressState> {
  const address = addressOf(services, context, type, id);
  const visibility = visibilityAmong(services, context, type, 'r');
  const { number: space, release } = context.space;
  const own = await readOwn(services, context, { address, id });
  if (own !== undefined && own.change !== 'delete') {
    const isSeen = visibility === undefined || (await visibility.seesCurrent(type, 'r', space, own));
    return isSeen ? { row: own } : 'none';
  }
  const base = await readBase(services, context, { type, address, id });
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
