/** `_has`: that a resource of another type refers here, of which something must be true. */
import type { Compile } from './chain';
import { findParameter } from './parameters';
import { BadSearch, Unclear } from './refusal';
import { allowedTargets, resourcesAt } from './reference-search';
import { alone, type Predicate, type Space } from './space';
import { elementsOf } from './values';

/**
 * @param type the type that is referred to
 * @param name such as `_has:Observation:patient:code`
 * @throws BadSearch
 */
export function hasPredicate(
  space: Space,
  type: string,
  name: string,
  text: string,
  compile: Compile,
): Predicate {
  const [, source = '', code = '', ...more] = name.split(':');
  const rest = more.join(':');
  const parameter = findParameter(source, code);
  if (parameter?.kind !== 'reference' || rest === '')
    throw new BadSearch(`${name}: _has:Type:reference:parameter`);
  if (!allowedTargets(space, source, parameter).includes(type))
    throw new BadSearch(`${name} does not refer to ${type}`);
  const predicate = compile(space, source, rest, text);
  const found = new Set(
    space.resources
      .filter(({ resourceType }) => resourceType === source)
      .filter((resource) => predicate(alone(resource)))
      .flatMap((resource) =>
        elementsOf(resource, parameter).flatMap(({ value }) =>
          resourcesAt(space, parameter, value, resource),
        ),
      )
      .map(({ resource }) => resource),
  );
  return ({ resource, container }) => {
    if (found.has(resource) && container !== resource)
      throw new Unclear('what refers to a contained resource');
    return found.has(resource);
  };
}
