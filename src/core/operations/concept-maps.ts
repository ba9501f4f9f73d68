import type { RequestContext } from '../context';
import { escapeValue } from '../../../packages/fhir-values/search-value';
import { fhirError } from '../errors';
import { MAX_COUNT } from '../search/requests/parse-search';
import type { SearchServices } from '../ports';
import { search } from '../search-execution/search';

/**
 * Returns the texts of the concept maps from codes of a system, or to them, of the tenant and of the release. Throws
 * `tooCostly`. Cost: a search of a conformance type.
 */
export async function findConceptMaps(
  services: SearchServices,
  context: RequestContext,
  system: string,
  isTarget: boolean,
): Promise<readonly string[]> {
  const { matches, next } = await search(services, context, {
    type: 'ConceptMap',
    parameters: [
      [isTarget ? 'target-system' : 'source-system', escapeValue(system)],
      ['_count', String(MAX_COUNT)],
    ],
    handling: 'strict',
  });
  if (next !== undefined) {
    throw fhirError('tooCostly', {
      reason: `There are more concept maps for ${system.slice(0, 200)} than can be searched at once; name one by url`,
    });
  }
  return matches.map(({ text }) => text);
}
