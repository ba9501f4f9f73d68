import type { SearchRequest } from './search-request';
import { fhirError, toIssue, type Issue } from '../../errors';
import type { SearchParameterDefinition } from '../../fhir/definitions';
import type { Subset } from '../../fhir/subset';
import { parseChoice } from './choice';
import { parseElements } from './parse-subset';
import { parseCriterion } from '../criteria';
import { conditionCriteria } from '../criteria/condition';
import { isInclude, parseInclude, type Include } from './include';
import { suggestName } from '../../../../packages/fhir-values/closest-name';
import { explainParameters } from '../parameters/searchable-parameters';
import { NAMED_QUERY } from './named-query';
import type { Criterion } from '../predicate';
import { storedParameters, type StoredParameter } from '../parameters/parameter';
import type { SearchTypeContext } from '../types/search-type';

export const DEFAULT_COUNT = 50;
export const MAX_COUNT = 1000;
/** An offset costs as much as reading the keys of the skipped matches; cursors cost nothing. */
const MAX_OFFSET = 10_000;

/** `_id`, `_lastUpdated`, or a parameter of the type. */
export interface SortKey {
  readonly code: string;
  readonly parameter: SearchParameterDefinition | undefined;
  readonly descending: boolean;
}

/** A parsed search as plain data, independent of its execution. */
export interface SearchQuery {
  readonly type: string;
  /** A resource must meet all criteria. */
  readonly criteria: readonly Criterion[];
  readonly sort: readonly SortKey[];
  readonly includes: readonly Include[];
  readonly count: number;
  readonly total: 'none' | 'estimate' | 'accurate' | undefined;
  /** True for `_summary=count` or `_count=0`: only the total is wanted. */
  readonly countOnly: boolean;
  /** Undefined: whole resources. */
  readonly subset: Subset | undefined;
  readonly cursor: string | undefined;
  /** True: the page ends before the match of the cursor, or at the end of all matches. */
  readonly isBackward: boolean;
  /** True: cursors of the previous and the last page are wanted, too. */
  readonly bothWays: boolean;
  /** True: a cursor after each match is wanted. */
  readonly eachCursor: boolean;
  /** The resources that match (stored, contained or both), and how a contained match is returned (#contained). */
  readonly contained: {
    readonly matches: 'false' | 'true' | 'both';
    readonly as: 'container' | 'contained';
  };
  /** Number of matches before the first of the page; ignored beside a cursor. */
  readonly offset: number;
  /** The parameters that were understood, in the order of the request. */
  readonly used: readonly (readonly [name: string, value: string])[];
  /** Warnings about ignored parameters, under lenient handling. */
  readonly issues: readonly Issue[];
}

/** Parameters that shape the answer of a search of any type, with their kinds (search.html#summary-table). */
export const RESULT_PARAMETERS: readonly { readonly name: string; readonly kind: 'number' | 'string' }[] = [
  { name: '_sort', kind: 'string' },
  { name: '_count', kind: 'number' },
  { name: '_offset', kind: 'number' },
  { name: '_include', kind: 'string' },
  { name: '_revinclude', kind: 'string' },
  { name: '_summary', kind: 'string' },
  { name: '_total', kind: 'string' },
  { name: '_elements', kind: 'string' },
  { name: '_contained', kind: 'string' },
  { name: '_containedType', kind: 'string' },
];

/** Parameters of the format, which the edge handles. */
const PRESENTATION = new Set(['_format', '_pretty']);
const RESULT_NAMES = RESULT_PARAMETERS.map(({ name }) => name);
const MAX_CRITERIA = 50;
/** Limit on links of chains and `_has` in the criteria of one search; each becomes a part of the statement. */
const MAX_LINKS = 100;
/** True when the total is wanted even where it costs extra. */
export function isCounted({ total }: Pick<SearchQuery, 'total'>): boolean {
  return total === 'accurate' || total === 'estimate';
}

/** Limit on the characters of all names and values: room for 10,000 ids of 64 and as much again. */
const MAX_CHARACTERS = 1_500_000;

/** True when a search of this length is allowed. */
export function isSearchLength(characters: number): boolean {
  return characters <= MAX_CHARACTERS;
}

/** Throws tooCostly for a search that is longer than the limit. */
export function requireSearchLength(characters: number): void {
  if (isSearchLength(characters)) return;
  throw fhirError('tooCostly', {
    reason: `A search may have at most ${MAX_CHARACTERS} characters, and this one has ${characters}`,
  });
}

/**
 * Parses the parameters of a search (search.html). `unknown` decides whether unknown parameters are rejected or
 * ignored; unknown modifiers, prefixes and malformed values are always rejected. Empty values and `_` are ignored.
 * Throws unknownParameter, unsupportedModifier, invalidParameterValue, tooCostly.
 */
export function parseSearch(
  context: SearchTypeContext,
  type: string,
  request: SearchRequest,
  unknown: 'strict' | 'lenient',
): SearchQuery {
  requireSearchLength(request.parameters.reduce((sum, [name, value]) => sum + name.length + value.length, 0));
  const criteria: Criterion[] = [];
  const sort: SortKey[] = [];
  const includes: Include[] = [];
  const used: (readonly [string, string])[] = [];
  const issues: Issue[] = [];
  let count = DEFAULT_COUNT;
  let total: SearchQuery['total'];
  let countOnly = false;
  let subset: Subset | undefined;
  let cursor: string | undefined;
  let offset = 0;
  let contained: SearchQuery['contained'] = { matches: 'false', as: 'container' };
  if (context.restriction !== undefined) criteria.push(...context.restriction(type));
  const restricting = criteria.length;
  if (request.where !== undefined) criteria.push(...conditionCriteria(context, type, request.where));
  // A repeated criterion is evaluated once but still counts towards the limits.
  const seen = new Set<string>();
  const isNew = (name: string, value: string): boolean => seen.size < seen.add(`${name}=${value}`).size;
  let written = criteria.length - restricting;
  let links = 0;
  let includeCount = 0;
  for (const [name, value] of request.parameters) {
    if (value === '' || name === '_') continue;
    switch (name) {
      case '_cursor':
        cursor = value;
        break;
      case '_offset':
        offset = parseOffset(value);
        break;
      case '_count':
        count = parseCount(value);
        countOnly ||= count === 0;
        break;
      case '_total':
        total = parseChoice(name, value, ['none', 'estimate', 'accurate'] as const);
        break;
      case '_summary': {
        const summary = parseChoice(name, value, ['true', 'text', 'data', 'count', 'false'] as const);
        if (summary === 'count') countOnly = true;
        else if (summary !== 'false') subset = { kind: summary };
        break;
      }
      case NAMED_QUERY: {
        // Expanded before (search-execution/named-queries.ts), and never ignored, because it determines the search.
        const reason = 'a search of one resource type may have one named query, and no other search may';
        throw fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
      }
      case '_contained':
        contained = { ...contained, matches: parseChoice(name, value, ['false', 'true', 'both'] as const) };
        break;
      case '_containedType':
        contained = { ...contained, as: parseChoice(name, value, ['container', 'contained'] as const) };
        break;
      case '_elements':
        subset ??= { kind: 'elements', names: parseElements(context.definitions, type, value) };
        break;
      case '_sort':
        for (const key of value.split(',')) sort.push(parseSortKey(context, type, key));
        break;
      default: {
        if (PRESENTATION.has(name)) break;
        if (isInclude(name)) {
          includeCount += 1;
          if (isNew(name, value)) includes.push(...parseInclude(context.definitions, type, name, value));
          break;
        }
        links += linksIn(name);
        if (links > MAX_LINKS) {
          const reason = `A search may have at most ${MAX_LINKS} links of chains and _has in all its criteria`;
          throw fhirError('tooCostly', { reason });
        }
        const criterion = parseCriterion(context, type, name, value);
        if (criterion === undefined) {
          const details = { parameter: name.slice(0, 80), type };
          if (unknown === 'strict') {
            const explanation = explainParameters(context, type, name, RESULT_NAMES);
            throw fhirError('unknownParameter', { ...details, explanation });
          }
          issues.push({
            ...toIssue('unknownParameter', { ...details, explanation: '' }),
            severity: 'warning',
          });
          continue;
        }
        written += 1;
        if (isNew(name, value)) criteria.push(criterion);
      }
    }
    used.push([name, name === '_count' && Number(value) > count ? String(count) : value]);
    if (written > MAX_CRITERIA || includeCount > MAX_CRITERIA) {
      throw fhirError('tooCostly', {
        reason: `A search may have at most ${MAX_CRITERIA} criteria, and as many includes`,
      });
    }
  }
  return {
    ...{ type, criteria, sort, includes, count, total, countOnly, subset, cursor, offset, used, issues },
    contained,
    isBackward: request.isBackward === true,
    bothWays: request.bothWays === true,
    eachCursor: request.eachCursor === true,
  };
}

/** Returns the number of references that a name follows, in either direction. */
function linksIn(name: string): number {
  return name.includes('.') || name.startsWith('_has:') ? (name.match(/\.|_has:/g) ?? []).length : 0;
}

function parseCount(value: string): number {
  if (!/^[0-9]{1,9}$/.test(value)) {
    const reason = `a count is a whole number from 0; at most ${MAX_COUNT} resources are returned`;
    throw fhirError('invalidParameterValue', { parameter: '_count', value: value.slice(0, 80), reason });
  }
  return Math.min(Number(value), MAX_COUNT);
}

function parseOffset(value: string): number {
  if (/^[0-9]{1,9}$/.test(value) && Number(value) <= MAX_OFFSET) return Number(value);
  const reason = `an offset is a whole number from 0 to ${MAX_OFFSET}; follow the links 'next' to go further`;
  throw fhirError('invalidParameterValue', { parameter: '_offset', value: value.slice(0, 80), reason });
}

const SORTABLE: ReadonlySet<string> = new Set([
  'date',
  'string',
  'token',
  'reference',
  'uri',
  'number',
  'quantity',
]);

/** Sort keys that the head of a resource holds. */
const HEAD_KEYS: readonly string[] = ['_id', '_lastUpdated'];

/** True for a parameter whose values are stored and have an order; `_content`, for example, has no values. */
function isSortable(parameter: StoredParameter | undefined): boolean {
  return parameter !== undefined && parameter.storage !== 'none' && SORTABLE.has(parameter.parameter.kind);
}

function parseSortKey(context: SearchTypeContext, type: string, text: string): SortKey {
  const descending = text.startsWith('-');
  const code = descending ? text.slice(1) : text;
  if (HEAD_KEYS.includes(code)) return { code, parameter: undefined, descending };
  const parameter = context.definitions.searchParameters(type).get(code);
  const stored = storedParameters(context.definitions, type);
  if (parameter === undefined || !isSortable(stored.get(code))) {
    const sortable = [...stored].flatMap(([one, about]) =>
      isSortable(about) && !HEAD_KEYS.includes(one) ? [one] : [],
    );
    const codes = [...HEAD_KEYS, ...sortable.sort()];
    const reason = suggestName(code, codes, `${type} can be sorted by ${codes.join(', ')}`);
    throw fhirError('invalidParameterValue', { parameter: '_sort', value: text.slice(0, 80), reason });
  }
  return { code, parameter, descending };
}
