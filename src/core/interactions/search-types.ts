import type { SearchPage, SearchRequest } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { Services } from '../services';
import { search } from './search';

/** A search of one type, or of several (http.html#search). */
export async function searchAny(
  services: Services,
  context: RequestContext,
  request: SearchRequest,
): Promise<SearchPage> {
  const { type } = request;
  if (type === undefined)
    throw fhirError('notSupported', { reason: 'Searching all types at once is not offered' });
  return search(services, context, { ...request, type });
}
