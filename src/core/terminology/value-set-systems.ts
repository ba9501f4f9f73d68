/** Code systems by the value set of all their codes (CodeSystem.valueSet). */
import type { Space } from '../context';
import type { SearchServices } from '../ports';
import { baseCodeSystems, ownCodeSystems } from './code-system-list';

/**
 * Returns the url of the code system that names this value set, of the tenant before that of the release. Cost: one
 * statement, two after a change of a code system. No search parameter leads there, and a value set without a resource
 * is rare.
 */
export async function findSystemOfValueSet(
  services: SearchServices,
  space: Space,
  url: string,
): Promise<string | undefined> {
  const own = await ownCodeSystems(services, space);
  return own?.byValueSet.get(url) ?? (await baseCodeSystems(services, space))?.byValueSet.get(url);
}
