import { visibilityOf } from '../authorization/visibility';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { RELEASES } from '../fhir/release';
import type { SearchServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';
import { addressOf, readBase, rowOfId } from '../versions/resource-address';
import { toStoredVersion } from '../versions/stored-version';

const BEYOND_LAST_VERSION = 2 ** 31 - 1;

/**
 * The version of a resource that was current at a moment (milliseconds since 1970). Base conformance resources exist at
 * every moment. Throws notFound if there was none, gone if it was deleted. Cost: one statement.
 */
export async function readAsOf(
  services: SearchServices,
  context: RequestContext,
  { type, id, moment }: { readonly type: string; readonly id: string; readonly moment: number },
): Promise<StoredVersion> {
  const address = addressOf(services, context, type, id);
  const visibility = visibilityOf(services, context);
  visibility?.permissions.require(type, 'r');
  const { number: space } = context.space;
  const [row] = await services.reader.history(space, address, {
    before: BEYOND_LAST_VERSION,
    since: 0,
    sinceSequence: 0,
    // Millisecond precision.
    at: { low: moment, high: moment + 1 },
    limit: 1,
  });
  const own = rowOfId(row === undefined ? undefined : await services.reader.complete(space, row), id);
  const isSeen = async (place: number, version: VersionRow): Promise<boolean> =>
    visibility === undefined || visibility.seesVersion(type, 'r', place, version);
  const seen = own !== undefined && (await isSeen(space, own)) ? own : undefined;
  if (seen !== undefined && seen.change !== 'delete') return toStoredVersion(services, type, seen);
  const isUncovered = own === undefined || own.change === 'delete';
  const base = isUncovered ? await readBase(services, context, { type, address, id }) : undefined;
  if (base !== undefined && (await isSeen(RELEASES[context.space.release].baseSpace, base)))
    return toStoredVersion(services, type, base);
  throw fhirError(seen === undefined ? 'notFound' : 'gone', { type, id });
}
