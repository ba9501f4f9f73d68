import type { HistoryPage, HistoryRequest } from '../api';
import type { RequestContext } from '../context';
import { openCursor, sealCursor } from '../cursor';
import { fhirError } from '../errors';
import type { Services } from '../services';
import { addressOf, rowOfId } from './resource-address';
import { toStoredVersion } from './stored-version';

const DEFAULT_COUNT = 50;
const MAX_COUNT = 1000;
const BEYOND_LAST_VERSION = 2147483647;

/**
 * The versions of one resource, newest first (http.html#history). Base conformance resources have no history of a
 * tenant's. Throws notFound for what never was, invalidCursor.
 */
export async function history(
  services: Services,
  context: RequestContext,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { type, id } = request;
  const address = addressOf(services, context, type, id);
  const count = Math.min(request.count ?? DEFAULT_COUNT, MAX_COUNT);
  const since = request.since ?? 0;
  const sinceSequence = request.sinceSequence ?? 0;
  const { at } = request;
  const boundTo = `history ${context.space.number} ${type}/${id} ${since} ${sinceSequence} ${at?.low ?? ''} ${at?.high ?? ''}`;
  let before = BEYOND_LAST_VERSION;
  if (request.cursor !== undefined) {
    const [remembered] = openCursor(services.secretKeys, boundTo, request.cursor);
    if (typeof remembered !== 'number') throw fhirError('invalidCursor');
    before = remembered;
  }
  const range = { before, since, sinceSequence, ...(at === undefined ? {} : { at }) };
  const rows = await services.reader.history(context.space.number, address, { ...range, limit: count + 1 });
  const ours = rows.filter((row) => rowOfId(row, id) !== undefined);
  if (ours.length === 0 && request.cursor === undefined) {
    const known = rowOfId(await services.reader.current(context.space.number, address), id);
    if (known === undefined) throw fhirError('notFound', { type, id });
  }
  const page = await services.reader.completePage(ours.slice(0, count), () => context.space.number);
  const last = page.at(-1);
  const more = ours.length > page.length && last !== undefined;
  return {
    versions: page.map((row) => toStoredVersion(services, type, row)),
    ...(request.cursor === undefined && !more ? { total: page.length } : {}),
    ...(more ? { next: sealCursor(services.secretKeys, boundTo, [last.version]) } : {}),
  };
}
