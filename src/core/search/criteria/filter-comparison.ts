/**
 * The operators of `_filter` on the values of one parameter. Source: https://hl7.org/fhir/R4/search_filter.html (ops)
 */
import { fhirError } from '../../errors';
import type { SearchParameterKind } from '../../fhir/definitions';
import { UCUM_SYSTEM } from '../../fhir/quantity';
import { isValidId } from '../../fhir/resource';
import { isCanonicalUrl, isCanonicalValued } from '../parameters/canonical-targets';
import { parseChoice } from '../requests/choice';
import { cut, fold, MAX_STRING_LENGTH } from '../rows/fold';
import { tokenAbove } from '../modifiers/above';
import { tokenBelow } from '../modifiers/below';
import { uriContains } from '../modifiers/contains';
import { tokenIn } from '../modifiers/in';
import { branchesOf, storedParameters, type StoredParameter } from '../parameters/parameter';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Criterion, HashedCode, Predicate } from '../predicate';
import { foldCode } from '../rows/token';
import { indexedUri, indexedVersion, splitCanonical } from '../rows/uri';
import { searchTypeOf } from '../types';
import { compositeType } from '../types/composite';
import { parseDateValue } from '../types/date';
import { lastUpdatedPredicates } from '../types/last-updated';
import { numberType } from '../types/number';
import { quantityType } from '../types/quantity';
import { referenceType } from '../types/reference';
import type { Modifier, SearchTypeContext, WrittenParameter } from '../types/search-type';
import { LAST_CHARACTER } from '../types/string-texts';
import { tokenType } from '../types/token';
import { uriType } from '../types/uri';
import { boundCodesOf } from '../parameters/value-types';
import type { FilterOperator, FilterTest } from './filter-grammar';

/** "For convenience, the codes loinc, snomed, rxnorm and ucum are predefined" (search_filter.html). */
const PREDEFINED_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['loinc', 'http://loinc.org'],
  ['snomed', 'http://snomed.info/sct'],
  ['rxnorm', 'http://www.nlm.nih.gov/research/umls/rxnorm'],
  ['ucum', UCUM_SYSTEM],
]);

const ORDERED: readonly FilterOperator[] = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'ap', 'sa', 'eb'];

/** Operators for each kind of values, beside `pr`. */
const OPERATORS: Readonly<Record<SearchParameterKind, readonly FilterOperator[]>> = {
  string: ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'lt', 'ge', 'le'],
  number: ORDERED,
  date: [...ORDERED, 'co', 'po'],
  token: ['eq', 'ne', 'ss', 'sb', 'in', 'ni'],
  reference: ['re'],
  quantity: ORDERED,
  uri: ['eq', 'ne', 'co', 'sw'],
  composite: ['eq'],
  special: [],
};

/** True for `pr false` and `ni`, which are met where no value of the whole set meets `pr true` or `in`. */
export function excludes({ operator, value }: FilterTest): boolean {
  return operator === 'ni' || (operator === 'pr' && value === 'false');
}

/**
 * Returns the criterion of one comparison on resources of `type`; for one that `excludes`, the opposite.
 * Throws unknownParameter, invalidParameterValue, unsupportedModifier.
 */
export function comparisonCriterion(
  context: SearchTypeContext,
  type: string,
  code: string,
  test: FilterTest,
): Criterion {
  const { operator, value } = test;
  const name = `_filter: ${code}`;
  const stored = storedParameters(context.definitions, type).get(code);
  const isOfHead = code === '_id' || code === '_lastUpdated';
  if (stored === undefined || (searchTypeOf(stored) === undefined && !isOfHead))
    throw fhirError('unknownParameter', {
      parameter: code.slice(0, 80),
      type,
      explanation: ' that _filter supports',
    });
  const { kind, ordinal, number } = stored.parameter;
  if (operator === 'pr') {
    parseChoice(`${name} pr`, value, ['true', 'false'] as const);
    return { name, anyOf: [{ index: 'presence', ordinal, isPresent: true, parameter: number }] };
  }
  const operators = code === '_id' ? EQUALITY : code === '_lastUpdated' ? INSTANT : OPERATORS[kind];
  if (!operators.includes(operator)) {
    const reason = `'${code.slice(0, 80)}' is a ${kind}; it can be compared by ${['pr', ...operators].join(', ')}`;
    throw fhirError('invalidParameterValue', { parameter: '_filter', value: operator, reason });
  }
  if (code === '_id') {
    const keys = isValidId(value) ? [context.keyOf(type, value)] : [];
    const anyOf: Predicate[] = keys.length === 0 ? [] : [{ index: 'key', keys, isWritten: true }];
    return { name, anyOf, ...(operator === 'ne' ? { isNegated: true } : {}) };
  }
  if (code === '_lastUpdated') {
    const prefix = operator === 'po' ? 'eq' : operator;
    return { name, anyOf: lastUpdatedPredicates(context, name, prefix + value) };
  }
  return { name, anyOf: predicatesOf(context, { stored, name, modifier: undefined }, operator, value) };
}

const EQUALITY: readonly FilterOperator[] = ['eq', 'ne'];
const INSTANT: readonly FilterOperator[] = [...ORDERED, 'po'];

function predicatesOf(
  context: SearchTypeContext,
  written: WrittenParameter,
  operator: FilterOperator,
  value: string,
): Predicate[] {
  switch (written.stored.parameter.kind) {
    case 'string':
      return stringPredicates(written.stored, operator, value);
    case 'token':
      return tokenPredicates(context, written, operator, withSystem(value, 0));
    case 'reference':
      return referenceType.predicates(context, written, value);
    case 'uri':
      return uriPredicates(context, written, operator, value);
    case 'date':
      return datePredicates(context, written, operator, value);
    case 'number':
      return numberType.predicates(context, written, operator + value);
    case 'quantity':
      return quantityType.predicates(context, written, operator + withSystem(value, 1));
    case 'composite':
      return compositeType.predicates(context, written, value);
    case 'special':
      return [];
  }
}

/** Replaces a predefined name in the part at this position by the whole system url. */
function withSystem(value: string, position: number): string {
  const parts = splitUnescaped(value, '|');
  const system = PREDEFINED_SYSTEMS.get(parts[position] ?? '');
  return system === undefined || parts.length < 2
    ? value
    : parts.map((part, index) => (index === position ? system : part)).join('|');
}

/** Folded values are compared: case makes no difference, nor do accents, as in all string searches. */
function stringPredicates({ rowsOf }: StoredParameter, operator: FilterOperator, value: string): Predicate[] {
  const text = cut(fold(value), MAX_STRING_LENGTH);
  if (text === '') return [];
  const first = text.codePointAt(0) ?? 0;
  const [character, next] = [String.fromCodePoint(first), String.fromCodePoint(following(first))];
  return rowsOf.flatMap(({ number: parameter }): Predicate[] => {
    const range = (from: string, to: string | undefined): Predicate => ({
      index: 'string',
      parameter,
      from,
      to,
      exact: undefined,
      isWhole: true,
    });
    switch (operator) {
      case 'eq':
        return [range(text, undefined)];
      case 'ne':
        // No character of a folded text sorts before the space.
        return [range('', text), range(`${text} `, LAST_CHARACTER)];
      case 'co':
        return [{ index: 'substring', parameter, text }];
      case 'sw':
        return [range(text, text + LAST_CHARACTER)];
      case 'ew':
        return [{ index: 'stringEnd', parameter, text }];
      // "comparison of Unicode code points of starting character"
      case 'gt':
        return [range(next, LAST_CHARACTER)];
      case 'ge':
        return [range(character, LAST_CHARACTER)];
      case 'lt':
        return [range('', character)];
      case 'le':
        return [range('', next)];
      default:
        return [];
    }
  });
}

const FIRST_SURROGATE = 0xd800;
const BEHIND_SURROGATES = 0xe000;

function following(codePoint: number): number {
  return codePoint + 1 === FIRST_SURROGATE ? BEHIND_SURROGATES : Math.min(codePoint + 1, 0x10ffff);
}

function tokenPredicates(
  context: SearchTypeContext,
  written: WrittenParameter,
  operator: FilterOperator,
  value: string,
): Predicate[] {
  const modified = (modifier: string, modifierType: Modifier): Predicate[] =>
    modifierType.predicates(context, { ...written, modifier }, value);
  const equal = (): Predicate[] =>
    caseVariantsOf(context, written.stored, value).flatMap((variant) =>
      tokenType.predicates(context, written, variant),
    );
  switch (operator) {
    case 'in':
    case 'ni':
      return modified('in', tokenIn);
    // "the value subsumes a concept in the set"
    case 'ss':
      return modified('below', tokenBelow);
    case 'sb':
      return modified('above', tokenAbove);
    case 'ne':
      return othersThan(equal());
    default:
      return equal();
  }
}

const caseVariants = new WeakMap<StoredParameter, ReadonlyMap<string, readonly string[]>>();

/**
 * Returns the value as written, and with each code of the parameter's bindings that differs only in case: "Values are
 * never case sensitive". All other codes are compared without regard to case anyway, except for those that nothing
 * lists.
 */
function caseVariantsOf(
  { definitions }: SearchTypeContext,
  stored: StoredParameter,
  value: string,
): readonly string[] {
  let variants = caseVariants.get(stored);
  if (variants === undefined) {
    const byFolded = new Map<string, string[]>();
    const codes = [...boundCodesOf(definitions, branchesOf(stored.parameter))];
    if (stored.valueTypes.includes('boolean')) codes.push('true', 'false');
    for (const code of codes) byFolded.set(foldCode(code), [...(byFolded.get(foldCode(code)) ?? []), code]);
    caseVariants.set(stored, (variants = byFolded));
  }
  const parts = splitUnescaped(value, '|');
  const code = unescapeValue(parts.at(-1) ?? '');
  const before = parts.slice(0, -1).map((part) => `${part}|`);
  const others = (variants.get(foldCode(code)) ?? []).filter((variant) => variant !== code);
  return [value, ...others.map((variant) => before.join('') + escapeCode(variant))];
}

function escapeCode(code: string): string {
  return code.replace(/[\\|,$]/g, '\\$&');
}

/** Returns predicates for a code that is none of these. */
function othersThan(excluded: readonly Predicate[]): Predicate[] {
  const codes = new Map<number, Partial<HashedCode>[]>();
  for (const predicate of excluded) {
    if (predicate.index !== 'token') continue;
    const { parameter, value, system } = predicate;
    const ofParameter = codes.get(parameter) ?? [];
    codes.set(parameter, ofParameter);
    ofParameter.push({
      ...(value === undefined ? {} : { value }),
      ...(system === undefined ? {} : { system }),
    });
  }
  return [...codes].map(([parameter, of]) => ({ index: 'otherCode', parameter, codes: of }));
}

/** The least character that PostgreSQL can store. */
const FIRST_CHARACTER = '\u0001';

function uriPredicates(
  context: SearchTypeContext,
  written: WrittenParameter,
  operator: FilterOperator,
  text: string,
): Predicate[] {
  const { stored } = written;
  switch (operator) {
    case 'co':
      return uriContains.predicates(context, written, text);
    case 'sw':
      return stored.rowsOf.map(({ number }) => ({
        index: 'uri',
        parameter: number,
        value: text,
        to: text + LAST_CHARACTER,
        version: undefined,
      }));
    case 'ne':
      break;
    default:
      return uriType.predicates(context, written, text);
  }
  const isVersioned = isCanonicalValued(stored) || isCanonicalUrl(context.definitions, stored.parameter);
  const { url, version } = isVersioned ? splitCanonical(text) : { url: text, version: '' };
  const value = indexedUri(context.hasher, url);
  const storedVersion = indexedVersion(version);
  return stored.rowsOf.flatMap(({ number: parameter }): Predicate[] => {
    const rows = { index: 'uri', parameter } as const;
    const others: Predicate[] = [
      { ...rows, value: '', to: value, version: undefined },
      { ...rows, value: value + FIRST_CHARACTER, to: LAST_CHARACTER, version: undefined },
    ];
    if (storedVersion === '') return others;
    return [
      ...others,
      { ...rows, value, version: '', versionTo: storedVersion },
      { ...rows, value, version: storedVersion + FIRST_CHARACTER, versionTo: LAST_CHARACTER },
    ];
  });
}

function datePredicates(
  context: SearchTypeContext,
  { stored, name }: WrittenParameter,
  operator: FilterOperator,
  value: string,
): Predicate[] {
  const prefix = operator === 'po' || operator === 'co' ? 'eq' : operator;
  const criterion = parseDateValue(context, name, prefix + value);
  // `ap` without its widening means overlap.
  const test = operator === 'po' ? 'ap' : operator === 'co' ? 'includes' : criterion.test;
  return stored.rowsOf.map(({ number }) => ({ index: 'range', parameter: number, ...criterion, test }));
}
