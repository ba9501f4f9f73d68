import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import type { SearchRequest } from './search-request';
import { fhirError, toIssue, type Issue } from '../../errors';
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import type { Subset } from '../../fhir/subset';
import type { Include } from './include';
import { searchableCodes } from '../parameters/searchable-parameters';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import { parseSearch, type SearchQuery } from './parse-search';
import type { SearchTypeContext } from '../types/search-type';

type Parameters = SearchRequest['parameters'];

/** Limit over all searched types; each alternative has one or two hashes. */
const MAX_ALTERNATIVES = 200_000;
/** Limit on the unknown parameters that one response names. */
const MAX_NAMED = 20;

/** The types that a search without a type in its address names. */
export interface NamedTypes {
  /** All types that a `_type` names, sorted by name; undefined: there is no `_type`. */
  readonly named: readonly string[] | undefined;
  /** The types that every `_type` names, because a repeated parameter means AND. */
  readonly common: readonly string[];
  /** All parameters except `_type`. */
  readonly others: Parameters;
}

/** Parses `_type=A,B` (search.html#type). Throws invalidParameterValue, unsupportedModifier. */
export function readTypes(definitions: Definitions, parameters: Parameters): NamedTypes {
  const lists: string[][] = [];
  for (const [name, value] of parameters) {
    if (name.startsWith('_type:'))
      throw fhirError('unsupportedModifier', {
        modifier: name.slice(6, 80),
        parameter: '_type',
        explanation: '',
      });
    if (name !== '_type' || value === '') continue;
    const types = splitUnescaped(value, ',').map(unescapeValue);
    const unknown = types.find((type) => !definitions.isResourceType(type));
    if (unknown !== undefined) {
      const hint = didYouMean(
        unknown,
        definitions.resourceTypes,
        'write names of resource types, with commas between',
      );
      const reason = `'${unknown.slice(0, 40)}' is not a resource type${hint}`;
      throw fhirError('invalidParameterValue', { parameter: '_type', value: value.slice(0, 80), reason });
    }
    lists.push(types);
  }
  const others = parameters.filter(([name]) => name !== '_type');
  if (lists.length === 0) return { named: undefined, common: [], others };
  const named = [...new Set(lists.flat())].sort();
  return { named, common: named.filter((type) => lists.every((list) => list.includes(type))), others };
}

/** A search of several types as plain data. */
export interface TypesQuery extends Omit<SearchQuery, 'type' | 'criteria' | 'sort'> {
  /** The search of each type: the same parameters, as that type understands them. */
  readonly queries: ReadonlyMap<string, SearchQuery>;
  /** `_sort` by names alone, because each type has its own parameter for a name. */
  readonly sort: readonly { readonly code: string; readonly descending: boolean }[];
}

/**
 * Parses a search for each of `types`. A parameter is known if all of them have it: "If the _type parameter is
 * included, all other search parameters SHALL be common to all provided types. If _type is not included, all parameters
 * SHALL be common to all resource types" (search.html#Introduction).
 * Throws as `parseSearch`, and tooCostly. Cost: that of `parseSearch` for each type, some microseconds.
 */
export function parseTypesSearch(
  context: SearchTypeContext,
  types: readonly string[],
  request: SearchRequest,
  unknown: 'strict' | 'lenient',
): TypesQuery {
  const given = request.parameters.filter(([name, value]) => value !== '' && name !== '_');
  boundAlternatives(types.length, given);
  const lacking = new Map<string, string>();
  const parse = (type: string, parameters: Parameters): SearchQuery =>
    parseSearch(context, type, { ...request, parameters }, 'lenient');
  let queries = types.map((type) => parse(type, given));
  for (const { type, used } of queries) {
    const usedNames = new Set(used.map(([name]) => name));
    for (const [name] of given) if (!usedNames.has(name) && !lacking.has(name)) lacking.set(name, type);
  }
  const issues = [...lacking].slice(0, MAX_NAMED).map(([name, type]): Issue => {
    const details = { parameter: name.slice(0, 80), type };
    const explanation = '; all types that are searched must have it';
    if (unknown === 'strict') {
      const common = commonCodes(context, types).join(', ');
      throw fhirError('unknownParameter', {
        ...details,
        explanation: `${explanation}, as they have ${common}`,
      });
    }
    return { ...toIssue('unknownParameter', { ...details, explanation }), severity: 'warning' };
  });
  if (lacking.size > 0) {
    const supported = given.filter(([name]) => !lacking.has(name));
    queries = types.map((type) => parse(type, supported));
  }
  const [first] = queries;
  if (first === undefined) throw new Error('a search of several types needs a type');
  requireComparable(queries);
  if (first.contained.matches !== 'false') {
    const details = { parameter: '_contained', value: first.contained.matches };
    throw fhirError('invalidParameterValue', {
      ...details,
      reason: 'only a search of one resource type supports it',
    });
  }
  return {
    ...first,
    queries: new Map(queries.map((query) => [query.type, query])),
    sort: first.sort,
    includes: distinctIncludes(queries),
    subset: mergeSubsets(queries),
    issues,
  };
}

/** Returns the codes that all of the types can be searched by. */
function commonCodes(context: SearchTypeContext, types: readonly string[]): string[] {
  const [first = [], ...others] = types.map((type) => searchableCodes(context, type));
  const sets = others.map((codes) => new Set(codes));
  return first.filter((code) => sets.every((codes) => codes.has(code)));
}

/** Limits the alternatives of a search of several types together. Throws tooCostly. */
function boundAlternatives(types: number, parameters: Parameters): void {
  let alternatives = 0;
  for (const [, value] of parameters) alternatives += value.split(',').length;
  if (alternatives * types > MAX_ALTERNATIVES) {
    const reason = `A search of ${types} types may have ${Math.floor(MAX_ALTERNATIVES / types)} alternatives in all; name fewer types by _type`;
    throw fhirError('tooCostly', { reason });
  }
}

/**
 * Throws invalidParameterValue unless the values of each sort key are comparable over all types: numbers with numbers,
 * texts with texts.
 */
function requireComparable(queries: readonly SearchQuery[]): void {
  for (const [index, { code, parameter }] of (queries[0]?.sort ?? []).entries()) {
    const other = queries.find(({ sort }) => isNumeric(sort[index]?.parameter) !== isNumeric(parameter));
    if (other === undefined) continue;
    const reason = `${queries[0]?.type} and ${other.type} have values of different kinds for it`;
    throw fhirError('invalidParameterValue', { parameter: '_sort', value: code.slice(0, 80), reason });
  }
}

function isNumeric(parameter: SearchParameterDefinition | undefined): boolean {
  return parameter !== undefined && ['date', 'number', 'quantity'].includes(parameter.kind);
}

/** `Type:parameter` is the same include for all types; `*` differs for each type. */
function distinctIncludes(queries: readonly SearchQuery[]): Include[] {
  const distinct = new Map<string, Include>();
  for (const include of queries.flatMap(({ includes }) => includes)) {
    const { source, parameters, targetType, isReverse, iterates } = include;
    const codes = parameters.map(({ code }) => code);
    distinct.set(JSON.stringify([source, codes, targetType, isReverse, iterates]), include);
  }
  return [...distinct.values()];
}

/** `_elements=a` names the element `a` of each type. */
function mergeSubsets(queries: readonly SearchQuery[]): Subset | undefined {
  const names = new Map<string, Set<string>>();
  for (const { subset } of queries) {
    if (subset?.kind !== 'elements') return subset;
    for (const [type, elements] of subset.names) {
      const ofType = names.get(type) ?? new Set<string>();
      for (const element of elements) ofType.add(element);
      names.set(type, ofType);
    }
  }
  return { kind: 'elements', names };
}
