import type { StoredVersion } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { Services } from '../services';
import { addressOf, readBase, rowOfId } from './resource-address';
import { toStoredVersion } from './stored-version';

const BEYOND_LAST_VERSION = 2 ** 31 - 1;

/**
 * The version of a resource that was current at a moment (milliseconds since 1970). Base conformance resources have always
 * been there. Throws notFound where there was none then, gone where it was deleted. Cost: one statement.
 */
export async function readAsOf(
  services: Services,
  context: RequestContext,
  type: string,
  id: string,
  moment: number,
): Promise<StoredVersion> {
  const address = addressOf(services, context, type, id);
  const { number: space } = context.space;
  const [row] = await services.reader.history(space, address, {
    before: BEYOND_LAST_VERSION,
    since: 0,
    sinceSequence: 0,
    // To the millisecond.
    at: { low: moment, high: moment + 1 },
    limit: 1,
  });
  const own = rowOfId(row === undefined ? undefined : await services.reader.complete(space, row), id);
  if (own !== undefined && own.change !== 'delete') return toStoredVersion(services, type, own);
  const base = await readBase(services, context, type, address, id);
  if (base !== undefined) return toStoredVersion(services, type, base);
  throw fhirError(own === undefined ? 'notFound' : 'gone', { type, id });
}
