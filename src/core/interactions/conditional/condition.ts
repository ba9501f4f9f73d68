import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import { searchableCodes } from '../../search/parameters/searchable-parameters';
import type { Criteria } from '../../api/version';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { parseCriterion } from '../../search/criteria';
import type { Criterion, Predicate } from '../../search/predicate';
import type { Services } from '../../ports';
import type { ConditionLock } from '../../storage/write/condition-lock';
import { printable, typeNumberOf } from '../../versions/resource-address';
import { searchContext } from '../../search-execution/plan/prepare-search';
import { locksOfCriteria } from './condition-locks';

/** Validated search criteria that guard or select a write. */
export interface Condition {
  readonly type: string;
  readonly typeNumber: number;
  /** A resource must match all of them. */
  readonly criteria: readonly Criterion[];
  /** Equal for equivalent criteria of one space, whatever their order and spelling. */
  readonly name: string;
  /** The locks that conditional writes with these criteria take. */
  readonly locks: readonly ConditionLock[];
}

const MAX_CRITERIA = 50;

/**
 * Parses search parameters of a type as a condition (http.html#ccreate, #cond-update). Each parameter must be known
 * and restrict the matches. Unknown or empty ones, parameters of the result (`_sort`, `_count`,
 * `_include` …) and criteria that every resource matches are rejected, whatever the tenant's handling, because a write
 * must never affect resources that the client did not mean.
 * Throws requiredMissing, unknownParameter, unsupportedModifier, invalidParameterValue, tooCostly, unknownType.
 * Cost: no I/O.
 */
export function parseCondition(
  services: Pick<Services, 'createExtractor' | 'definitions' | 'keys' | 'searchContext'>,
  context: RequestContext,
  type: string,
  parameters: Criteria,
): Condition {
  const typeNumber = typeNumberOf(services, context, type);
  if (parameters.length === 0)
    throw fhirError('requiredMissing', { reason: `Search criteria must say which ${type} is meant` });
  if (parameters.length > MAX_CRITERIA)
    throw fhirError('tooCostly', { reason: `A condition may have at most ${MAX_CRITERIA} criteria` });
  const within = searchContext(services, context);
  const criteria = parameters.map(([name, value]): Criterion => {
    const criterion = parseCriterion(within, type, name, value);
    if (criterion === undefined) {
      const rest = 'criteria say which resource is meant, and each must be understood';
      const explanation = didYouMean(name, searchableCodes(within, type), rest);
      throw fhirError('unknownParameter', { parameter: printable(name), type, explanation });
    }
    if (value === '' || !asksForSomething(criterion)) {
      const reason = 'as a criterion of a write it must ask for something that a resource can have';
      throw fhirError('invalidParameterValue', {
        parameter: printable(name),
        value: value.slice(0, 80),
        reason,
      });
    }
    return criterion;
  });
  const { definitions } = within;
  // Resources that the caller may not find do not match.
  const restricted = within.restriction === undefined ? criteria : [...within.restriction(type), ...criteria];
  return {
    type,
    typeNumber,
    criteria: restricted,
    name: `${typeNumber} ${normalForm(restricted)}`,
    locks: locksOfCriteria(definitions, type, typeNumber, criteria),
  };
}

/** False if nothing or everything matches, because the value is empty after folding or unescaping. */
function asksForSomething({ anyOf }: Criterion): boolean {
  return anyOf.some((predicate) => {
    switch (predicate.index) {
      case 'target':
        return predicate.target.criteria.every(asksForSomething);
      case 'source':
        return predicate.source.criteria.every(asksForSomething);
      case 'all':
        return predicate.criteria.some(asksForSomething);
      case 'substring':
      case 'uriSubstring':
      case 'stringEnd':
        return predicate.text !== '';
      case 'uri':
        return predicate.value !== '';
      default:
        return true;
    }
  });
}

function normalForm(criteria: readonly Criterion[]): string {
  return JSON.stringify([...new Set(criteria.map(criterionForm))].sort());
}

function criterionForm({ anyOf, isNegated }: Criterion): string {
  return `${isNegated === true ? 'not ' : ''}${JSON.stringify([...new Set(anyOf.map(predicateForm))].sort())}`;
}

function predicateForm(predicate: Predicate): string {
  switch (predicate.index) {
    case 'target':
      return JSON.stringify({
        ...predicate,
        target: normalForm(predicate.target.criteria),
        type: predicate.target.type,
      });
    case 'source':
      return JSON.stringify({
        ...predicate,
        source: normalForm(predicate.source.criteria),
        type: predicate.source.type,
      });
    case 'all':
      return JSON.stringify({ ...predicate, criteria: normalForm(predicate.criteria) });
    default:
      // Infinity, which JSON does not have, is the end of an open range.
      return JSON.stringify(predicate, (_key, value: unknown) => (value === Infinity ? 'open' : value));
  }
}
