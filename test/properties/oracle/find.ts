/** Asks the oracle of a handful of resources, for its own tests. */
import { toJson, type Resource } from './json';
import { makeSpace } from './make-space';
import { search } from './matcher';

export const ROOT = 'https://fhir.example.org/w/system/api/v1/fhir/r4';

/**
 * Ids of what a search finds, or 400.
 * @param searchText such as `Patient?name=a`
 * @throws Unclear where the rules leave the answer open
 */
export function find(resources: readonly object[], searchText: string): string[] | 400 {
  const stored = resources.map((resource) => toJson(resource) as Resource);
  const space = makeSpace({ release: 'r4', root: ROOT, resources: stored });
  const [type = '', query = ''] = searchText.split(/\?(.*)/s);
  const expected = search(space, type === '' ? undefined : type, query);
  return expected === undefined ? 400 : expected.matches.map(({ id }) => id);
}
