/** Chains through references to a version, which use the current one and warn of it (search.html#versions). */
import type { Compile } from './chain';
import { textOf, type Resource } from './json';
import { findParameter } from './parameters';
import { referenceText, targetOf } from './reference';
import { resourcesAt } from './reference-search';
import { BadSearch, Unclear } from './refusal';
import type { Space } from './space';
import { elementsOf } from './values';

/** True when a match on the page was found through such a reference in the first link of a chain. */
export function goesThroughVersions(
  space: Space,
  [name, text]: readonly [name: string, text: string],
  page: readonly Resource[],
  compile: Compile,
): boolean {
  const [, code = '', only, rest] = /^([\w-]+)(?::(\w+))?\.(.*)$/.exec(name) ?? [];
  if (rest === undefined) return false;
  return page.some((resource) => {
    const parameter = findParameter(resource.resourceType, code);
    if (parameter === undefined) return false;
    return elementsOf(resource, parameter)
      .filter(({ value }) => targetOf(referenceText(value) ?? '', space.root)?.version !== undefined)
      .flatMap(({ value }) => resourcesAt(space, parameter, value, resource))
      .some((item) => {
        const type = textOf(item.resource['resourceType']) ?? '';
        return (only === undefined || only === type) && isMet(() => compile(space, type, rest, text)(item));
      });
  });
}

/** A type without the parameter does not meet it. */
function isMet(test: () => boolean): boolean {
  try {
    return test();
  } catch (error) {
    if (error instanceof BadSearch || error instanceof Unclear) return false;
    throw error;
  }
}
