import { fhirError } from '../../errors';
import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import { missingCriterion } from '../modifiers/missing';
import { storedParameters } from '../parameters/parameter';
import { splitUnescaped } from '../../../../packages/fhir-values/search-value';
import type { Criterion } from '../predicate';
import { isSingleValued } from '../parameters/single-valued';
import { searchTypeOf } from '../types';
import { ANY_TYPE, type Modifier, type SearchType, type SearchTypeContext } from '../types/search-type';
import { Nesting, parseChain, parseHas, type NestedParameter, type ParseInner } from './chain';
import { filterParameter } from './filter';
import { idParameter } from './id';
import { lastUpdatedParameter } from './last-updated';
import { createListParameter } from './list';
import type { SpecialParameter } from './special';
import { contentParameter, textParameter } from './text';
import { splitSearchName } from '../../../../packages/fhir-values/search-name';

/** Parameters of every type with their own semantics. Adding one: a file, and its line here. */
const SPECIAL: ReadonlyMap<string, SpecialParameter> = new Map([
  ['_id', idParameter],
  ['_lastUpdated', lastUpdatedParameter],
  ['_filter', filterParameter],
  ['_text', textParameter],
  ['_content', contentParameter],
  ['_list', createListParameter((...of) => parseCriterion(...of))],
]);

/** Parameters that search text of several elements: the narrative of a resource, and its whole content. */
const NARRATIVE = '_text';
const CONTENT = '_content';

/** The codes of these parameters. */
export const COMPUTED_PARAMETERS: readonly string[] = [...SPECIAL.keys()];

const MAX_ALTERNATIVES = 1000;

/**
 * Parses one parameter of a search to a criterion on resources of `type`; `name` with its modifier, a chain or `_has`
 * as written. Undefined: there is no such parameter, or it cannot be searched.
 * Throws unsupportedModifier, invalidParameterValue, tooCostly.
 */
export function parseCriterion(
  context: SearchTypeContext,
  type: string,
  name: string,
  value: string,
): Criterion | undefined {
  return parseNestedCriterion(context, { type, name, value, nesting: Nesting.outside() });
}

/** As `parseCriterion`, for a parameter inside of a chain. */
export function parseNestedCriterion(
  context: SearchTypeContext,
  input: NestedParameter,
): Criterion | undefined {
  const { type, name, value, nesting } = input;
  const inner: ParseInner = (parameter) => parseNestedCriterion(context, parameter);
  const parts = splitSearchName(name);
  if (parts.kind === 'has') return parseHas(context, input, parts, inner);
  if (parts.kind === 'chain') return parseChain(context, input, parts, inner);
  const { code, modifier } = parts;
  if (hidesWords(context, type, code)) return undefined;
  const special = SPECIAL.get(code);
  const stored = storedParameters(context.definitions, type).get(code);
  // Every parameter with an expression has a bit in each head, `_id` and `_lastUpdated` too.
  if (special !== undefined && (modifier !== 'missing' || stored?.parameter.expression === undefined)) {
    if (modifier !== undefined && !special.modifiers.includes(modifier))
      throw unsupported(code, modifier, special.modifiers);
    boundAlternatives(name, value);
    return special.criterion(context, { type, name, modifier, value, nesting });
  }
  const searchType = stored === undefined ? undefined : searchTypeOf(stored);
  if (stored === undefined || (searchType === undefined && special === undefined)) return undefined;
  const isCombined = stored.parameter.kind === 'composite';
  if (modifier === 'missing' && !isCombined) return missingCriterion(name, stored.parameter, value);
  if (searchType === undefined) return undefined;
  const matcher = modifier === undefined ? searchType : modifierOf(context, searchType, modifier);
  if (matcher === undefined)
    throw unsupported(code, modifier ?? '', [
      ...(isCombined ? [] : ['missing']),
      ...searchType.modifiers.keys(),
    ]);
  return {
    name,
    anyOf: boundAlternatives(name, value, matcher.maxAlternatives).flatMap((part) =>
      matcher.predicates(context, { stored, name, modifier }, part),
    ),
    ...(matcher.isNegated === true ? { isNegated: true } : {}),
    ...(isSingleValued(context.definitions, stored) ? { isSingle: true } : {}),
  };
}

/** Returns the modifier of the search type; undefined: the search type has no such modifier. */
function modifierOf(
  { definitions }: SearchTypeContext,
  { modifiers }: SearchType,
  modifier: string,
): Modifier | undefined {
  return (
    modifiers.get(modifier) ?? (definitions.isResourceType(modifier) ? modifiers.get(ANY_TYPE) : undefined)
  );
}

/** True where a parameter searches text that is partly hidden from the client. */
export function hidesWords({ hidesElements }: SearchTypeContext, type: string, code: string): boolean {
  return (
    (code === NARRATIVE && hidesElements?.(type) === true) || (code === CONTENT && hidesElements?.() === true)
  );
}

function unsupported(code: string, modifier: string, supported: readonly string[]): Error {
  const listed = supported.length === 0 ? '' : `supported are ${supported.join(', ')}`;
  return fhirError('unsupportedModifier', {
    modifier: modifier.slice(0, 80),
    parameter: code,
    explanation: didYouMean(modifier, supported, listed),
  });
}

function boundAlternatives(name: string, value: string, most = MAX_ALTERNATIVES): string[] {
  const parts = splitUnescaped(value, ',');
  if (parts.length > most) {
    throw fhirError('tooCostly', {
      reason: `A search parameter may have at most ${most} alternatives here, and '${name.slice(0, 80)}' has ${parts.length}`,
    });
  }
  return parts;
}
