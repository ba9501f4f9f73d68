/** `:missing`: an exact complement. */
import type { Parameter } from './parameters';
import { BadSearch } from './refusal';
import type { Predicate } from './space';
import { elementsOf } from './values';

/** @throws BadSearch for what is neither true nor false, and for composites */
export function missingPredicate(parameter: Parameter, text: string): Predicate {
  if (parameter.kind === 'composite') throw new BadSearch(':missing of a composite');
  if (text !== 'true' && text !== 'false') throw new BadSearch(`:missing=${text}`);
  return ({ resource }) => (elementsOf(resource, parameter).length === 0) === (text === 'true');
}
