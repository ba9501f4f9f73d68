/** Chains: a reference, and a condition on its target. */
import { textOf } from './json';
import { findParameter, type Parameter } from './parameters';
import { BadSearch, Unclear } from './refusal';
import { allowedTargets, resourcesAt } from './reference-search';
import type { Item, Predicate, Space } from './space';
import { elementsOf } from './values';

/** Makes the test of a parameter of a type; the matcher hands itself in. */
export type Compile = (space: Space, type: string, name: string, text: string) => Predicate;

/** True when the first name of a chain is a parameter of the type. */
function hasParameter(type: string, rest: string): boolean {
  const first = /^[^.:]*/.exec(rest)?.[0] ?? '';
  return first === '_has' || findParameter(type, first) !== undefined;
}

/** True when a reference of a resource leads to a target that meets the test. */
export function leadsTo(
  space: Space,
  parameter: Parameter,
  { resource, container }: Item,
  test: Predicate,
): boolean {
  const met = elementsOf(resource, parameter)
    .flatMap(({ value }) => resourcesAt(space, parameter, value, container))
    .filter(test);
  if (!space.hasContained && met.length > 0 && met.every((item) => item.resource !== item.container))
    throw new Unclear('contained resources are left out');
  return met.length > 0;
}

/** The rules do not define a value that is valid for one type and refused for another. */
export function compileForEach<T>(types: readonly string[], make: (type: string) => T): Map<string, T> {
  const made = new Map<string, T>();
  const refusals: BadSearch[] = [];
  for (const type of types) {
    try {
      made.set(type, make(type));
    } catch (error) {
      if (!(error instanceof BadSearch)) throw error;
      refusals.push(error);
    }
  }
  if (refusals[0] === undefined) return made;
  throw made.size === 0 ? refusals[0] : new Unclear(refusals[0].message);
}

/**
 * @param head the reference parameter, such as `subject` or `subject:Patient`
 * @param rest what follows the point, such as `name:exact` or `organization.name`
 * @throws BadSearch
 */
export function chainPredicate(
  space: Space,
  type: string,
  head: string,
  rest: string,
  text: string,
  compile: Compile,
): Predicate {
  const [code = '', wantedType] = head.split(':');
  const parameter: Parameter | undefined = findParameter(type, code);
  if (parameter?.kind !== 'reference') throw new BadSearch(`${head} is not a reference of ${type}`);
  const allowed = allowedTargets(space, type, parameter);
  if (wantedType !== undefined && !allowed.includes(wantedType)) throw new BadSearch(`${head}: not a target`);
  const types = (wantedType === undefined ? allowed : [wantedType]).filter((target) =>
    hasParameter(target, rest),
  );
  if (types.length === 0) throw new BadSearch(`${rest} is unknown to what ${head} refers to`);
  const predicates = compileForEach(types, (target) => compile(space, target, rest, text));
  return (item) =>
    leadsTo(
      space,
      parameter,
      item,
      (reached) => predicates.get(textOf(reached.resource['resourceType']) ?? '')?.(reached) === true,
    );
}
