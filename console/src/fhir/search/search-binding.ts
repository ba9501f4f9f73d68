/** Finds the value set that the codes of a search parameter come from. */
import type { ElementInfo, TypeDefinition } from '../definitions';
import type { SearchParameter } from './search-parameters';

/** The value set of the element that the parameter searches; undefined: none is bound, or the definition is not known. */
export function boundValueSet(
  definition: TypeDefinition | undefined,
  { paths }: Pick<SearchParameter, 'paths'>,
): string | undefined {
  for (const path of paths) {
    let elements: readonly ElementInfo[] = definition?.elements ?? [];
    let found: ElementInfo | undefined;
    for (const name of path.split('.').slice(1)) {
      found = elements.find((element) => element.name === name);
      elements = found?.children ?? [];
    }
    if (found?.valueSet !== undefined) return found.valueSet;
  }
  return undefined;
}
