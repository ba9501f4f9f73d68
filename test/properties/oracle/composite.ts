/** Composites: each pair from the same element. */
import { isObject } from './json';
import { elementTest } from './criterion';
import type { Parameter } from './parameters';
import { alternativesOf, splitAt } from './query-text';
import { BadSearch } from './refusal';
import type { Predicate, Space } from './space';
import { elementsOf, followPath } from './values';

/** @throws BadSearch for a modifier, and where the pieces are not as many as the components */
export function compositePredicate(
  space: Space,
  type: string,
  parameter: Parameter,
  modifier: string,
  text: string,
): Predicate {
  if (modifier !== '') throw new BadSearch(`:${modifier} of a composite`);
  const components = parameter.components ?? [];
  const alternatives = alternativesOf(text).map((alternative) => {
    const pieces = splitAt(alternative, '$');
    if (pieces.length !== components.length || pieces.includes(''))
      throw new BadSearch(`${alternative}: ${components.length} parts`);
    return components.map((component, index) => ({
      component,
      test: elementTest(space, type, component, '', pieces[index] ?? ''),
    }));
  });
  return ({ resource }) =>
    (parameter.bases ?? [])
      .flatMap((base) => followPath(resource, base).filter(isObject))
      .some((element) =>
        alternatives.some((tests) =>
          tests.every(({ component, test }) => elementsOf(element, component).some(test)),
        ),
      );
}
