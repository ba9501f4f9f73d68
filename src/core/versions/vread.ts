import { visibilityAmong } from '../authorization/visibility';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { RELEASES } from '../fhir/release';
import type { SearchServices } from '../ports';
import type { ResourceAddress } from '../storage/read/version-address';
import type { VersionRow } from '../storage/read/version-row';
import { addressOf, printable, rowOfId } from './resource-address';
import { toStoredVersion } from './stored-version';

/** One version of a resource (http.html#vread). Throws notFound, versionNotFound; gone for one that is a deletion. */
export async function vread(
  services: SearchServices,
  context: RequestContext,
  { type, id, versionId }: { readonly type: string; readonly id: string; readonly versionId: string },
): Promise<StoredVersion> {
  const address = addressOf(services, context, type, id);
  return toStoredVersion(
    services,
    type,
    await readVersion(services, context, { type, address, id, versionId }),
  );
}

/** As `vread`, the stored row. */
export async function readVersion(
  services: SearchServices,
  context: RequestContext,
  {
    type,
    address,
    id,
    versionId,
  }: {
    readonly type: string;
    readonly address: ResourceAddress;
    readonly id: string;
    readonly versionId: string;
  },
): Promise<VersionRow> {
  const version = /^[1-9][0-9]{0,9}$/.test(versionId) ? Number(versionId) : 0;
  if (version === 0 || version > 2147483647) {
    throw fhirError('versionNotFound', { type, id, version: printable(versionId) });
  }
  const visibility = visibilityAmong(services, context, type, 'r');
  let space = context.space.number;
  let row = rowOfId(await services.reader.version(space, address, version, context.bytes), id);
  if (row === undefined && services.isConformanceType(context.space.release, type)) {
    space = RELEASES[context.space.release].baseSpace;
    row = rowOfId(await services.reader.version(space, address, version, context.bytes), id);
  }
  if (
    row === undefined ||
    (visibility !== undefined && !(await visibility.seesVersion(type, 'r', space, row)))
  )
    throw fhirError('versionNotFound', { type, id, version });
  if (row.change === 'delete') throw fhirError('gone', { type, id });
  return row;
}
