/** The query string of a search as criteria that people can edit, and back. */
import { splitUnescaped } from '../../../../packages/fhir-values/search-value';
import { isPrefix } from '../../../../packages/fhir-values/search-prefix';
import { formatPrefixed } from './search-value';
import { EXPRESSION_PARAMETERS, splitSearchName } from '../../../../packages/fhir-values/search-name';

/** A condition on a record, on what it refers to (`chain`), or on what refers to it (`has`). */
export type Criterion =
  | {
      readonly kind: 'value';
      readonly name: string;
      /** '' for none; in a criterion that a person edits also the prefix of its values. */
      readonly modifier: string;
      /** Alternatives, each as it stands in the address. */
      readonly values: readonly string[];
    }
  | {
      readonly kind: 'chain';
      readonly name: string;
      /** Type of the target; '' where the address names none. */
      readonly target: string;
      readonly of: Criterion;
    }
  | { readonly kind: 'has'; readonly type: string; readonly name: string; readonly of: Criterion };

export interface SortKey {
  readonly name: string;
  readonly isDescending: boolean;
}

export interface Include {
  readonly name: '_include' | '_revinclude';
  /** Also of what was included. */
  readonly isIterated: boolean;
  /** `Type:parameter` or `Type:parameter:Target`. */
  readonly value: string;
}

export interface SearchQuery {
  readonly criteria: readonly Criterion[];
  readonly sort: readonly SortKey[];
  readonly includes: readonly Include[];
  /** Matches per page; undefined: what the screen chooses. */
  readonly count: number | undefined;
  /** The place of a page in the result. */
  readonly cursor: string | undefined;
}

function parseCriterion(key: string, value: string): Criterion {
  const parts = splitSearchName(key);
  const { kind, code: name } = parts;
  if (kind === 'has') return { kind, type: parts.source, name, of: parseCriterion(parts.rest ?? '', value) };
  if (kind === 'chain')
    return { kind, name, target: parts.target ?? '', of: parseCriterion(parts.rest, value) };
  const values = EXPRESSION_PARAMETERS.has(name) ? [value] : splitUnescaped(value, ',');
  return { kind, name, modifier: parts.modifier ?? '', values };
}

function parseSort(value: string): readonly SortKey[] {
  return value
    .split(',')
    .filter((key) => key !== '')
    .map((key) => ({ name: key.replace(/^-/, ''), isDescending: key.startsWith('-') }));
}

/** Reads a query string, with or without its question mark. Nothing is refused: the server says what it does not know. */
export function parseQuery(text: string): SearchQuery {
  const criteria: Criterion[] = [];
  const sort: SortKey[] = [];
  const includes: Include[] = [];
  let count: number | undefined;
  let cursor: string | undefined;
  for (const [key, value] of new URLSearchParams(text)) {
    const [name = '', modifier] = key.split(':');
    if (name === '_include' || name === '_revinclude')
      includes.push({ name, isIterated: modifier === 'iterate' || modifier === 'recurse', value });
    else if (key === '_sort') sort.push(...parseSort(value));
    else if (key === '_count' && /^\d{1,4}$/.test(value)) count = Number(value);
    else if (key === '_cursor') cursor = value;
    else criteria.push(parseCriterion(key, value));
  }
  return { criteria, sort, includes, count, cursor };
}

/** The parameter and modifiers before the equals sign. */
export function keyOf(criterion: Criterion): string {
  if (criterion.kind === 'has') return `_has:${criterion.type}:${criterion.name}:${keyOf(criterion.of)}`;
  if (criterion.kind === 'chain') {
    const { name, target } = criterion;
    return `${name}${target === '' ? '' : `:${target}`}.${keyOf(criterion.of)}`;
  }
  const { name, modifier } = criterion;
  return modifier === '' || isPrefix(modifier) ? name : `${name}:${modifier}`;
}

/** The condition at the end of chains. */
export function leafOf(criterion: Criterion): Extract<Criterion, { kind: 'value' }> {
  return criterion.kind === 'value' ? criterion : leafOf(criterion.of);
}

/** The text after the equals sign; '' while nobody has entered a value. */
export function valueOf(criterion: Criterion): string {
  const { modifier, values } = leafOf(criterion);
  return values
    .filter((value) => value !== '')
    .map((value) => (isPrefix(modifier) ? formatPrefixed({ prefix: modifier, rest: value }) : value))
    .join(',');
}

/** Encodes what would end the parameter or is not allowed in an address, and nothing that people should be able to read. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(?:3A|2F|2C|24|40)/g, decodeURIComponent);
}

/** The query string without a question mark. Criteria without a value are left out. */
export function formatQuery({ criteria, sort, includes, count, cursor }: SearchQuery): string {
  const pairs: (readonly [string, string])[] = [
    ...criteria.map((criterion) => [keyOf(criterion), valueOf(criterion)] as const),
    ...includes.map(
      ({ name, isIterated, value }) => [`${name}${isIterated ? ':iterate' : ''}`, value] as const,
    ),
    [
      '_sort',
      sort
        .filter(({ name }) => name !== '')
        .map(({ name, isDescending }) => `${isDescending ? '-' : ''}${name}`)
        .join(','),
    ],
    ['_count', count === undefined ? '' : String(count)],
    ['_cursor', cursor ?? ''],
  ];
  return pairs
    .filter(([key, value]) => key !== '' && value !== '')
    .map(([key, value]) => `${encode(key)}=${encode(value)}`)
    .join('&');
}
