/** The GraphQL document that does what a search address does. */
import type { Capabilities } from '../capabilities';
import type { Column } from './search-columns';
import { formatQuery, type Criterion, type SearchQuery } from './search-query';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import { choiceName } from '../../../../packages/fhir-values/choice-name';
import { EXPRESSION_PARAMETERS } from '../../../../packages/fhir-values/search-name';
import { splitPrefix } from '../../../../packages/fhir-values/search-prefix';
import { toArgumentName } from '../../../../packages/fhir-values/argument-name';

type Literal = string | boolean | readonly Literal[] | { readonly [name: string]: Literal };

const PLAIN_MODIFIERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['exact', 'contains', 'text']],
  ['token', ['text', 'in', 'not-in']],
  ['uri', ['below', 'above', 'contains']],
]);
const CODED_MODIFIERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['token', ['not', 'above', 'below', 'of-type']],
  ['reference', ['identifier', 'above', 'below']],
]);

const memberOf = (modifier: string): string =>
  modifier.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Filter of one condition; undefined: typed input cannot say it. */
function toFilter(
  { name, modifier, values }: Extract<Criterion, { kind: 'value' }>,
  type: string,
): Literal | undefined {
  const plain = values.map(unescapeValue);
  if (EXPRESSION_PARAMETERS.has(name)) return modifier === '' ? plain : undefined;
  if (modifier === 'missing') return { missing: values[0] === 'true' };
  if (PLAIN_MODIFIERS.get(type)?.includes(modifier) === true) return { [memberOf(modifier)]: plain };
  if (CODED_MODIFIERS.get(type)?.includes(modifier) === true) return { [memberOf(modifier)]: values };
  if (type === 'reference' && /^[A-Z]/.test(modifier)) {
    return { eq: plain.map((value) => (value.includes('/') ? value : `${modifier}/${value}`)) };
  }
  if (modifier !== '') return undefined;
  if (type === 'string') return { startsWith: plain };
  if (type === 'uri' || type === 'reference') return { eq: plain };
  if (type !== 'date' && type !== 'number' && type !== 'quantity') return { eq: values };
  const [first, ...others] = values.map(splitPrefix);
  if (first === undefined || others.some(({ prefix }) => prefix !== first.prefix)) return undefined;
  return { [first.prefix]: [first, ...others].map(({ rest }) => rest) };
}

/** One condition as a member of `where`; undefined: typed input cannot say it. */
function toMember(
  criterion: Criterion,
  type: string,
  capabilities: Capabilities,
): readonly [name: string, filter: Literal] | undefined {
  if (criterion.kind === 'has') {
    const inner = toMember(criterion.of, criterion.type, capabilities);
    return (
      inner && ['_has', { [criterion.type]: { [toArgumentName(criterion.name)]: { [inner[0]]: inner[1] } } }]
    );
  }
  const parameter = capabilities.get(type)?.parameters.find(({ code }) => code === criterion.name);
  if (parameter === undefined) return undefined;
  if (criterion.kind === 'chain') {
    // Without a type the chain goes to all types that the reference may have.
    const inner =
      criterion.target === '' ? undefined : toMember(criterion.of, criterion.target, capabilities);
    return inner && [toArgumentName(criterion.name), { [criterion.target]: { [inner[0]]: inner[1] } }];
  }
  const filter = toFilter(criterion, parameter.type);
  return filter === undefined ? undefined : [toArgumentName(criterion.name), filter];
}

/** The criteria that typed input can say, as `where`, and the others. */
function divide(
  criteria: readonly Criterion[],
  type: string,
  capabilities: Capabilities,
): { readonly where: Literal | undefined; readonly others: readonly Criterion[] } {
  const members = new Map<string, Literal[]>();
  const others: Criterion[] = [];
  for (const criterion of criteria) {
    const member = toMember(criterion, type, capabilities);
    if (member === undefined) {
      others.push(criterion);
      continue;
    }
    const [name, filter] = member;
    members.set(name, [...(members.get(name) ?? []), filter]);
  }
  const merged = [...members].map(([name, filters]): [string, Literal] => {
    const [only, ...more] = filters;
    return [name, only !== undefined && more.length === 0 ? only : filters];
  });
  return { where: merged.length === 0 ? undefined : Object.fromEntries(merged), others };
}

function print(literal: Literal, indent: string): string {
  if (typeof literal === 'string' || typeof literal === 'boolean') return JSON.stringify(literal);
  if (literal instanceof Array) {
    const [only, ...more] = literal.map((each) => print(each, indent));
    return only !== undefined && more.length === 0 ? only : `[${[only, ...more].join(', ')}]`;
  }
  const inner = `${indent}  `;
  const lines = Object.entries(literal).map(([name, value]) => `${inner}${name}: ${print(value, inner)}`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** The fields of data types that a reader needs. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['Address', 'text line city postalCode country'],
  ['Annotation', 'text'],
  ['Attachment', 'title url contentType'],
  ['CodeableConcept', 'text coding { system code display }'],
  ['Coding', 'system code display'],
  ['ContactPoint', 'system value use'],
  ['HumanName', 'text family given'],
  ['Identifier', 'system value'],
  ['Money', 'value currency'],
  ['Period', 'start end'],
  ['Quantity', 'value comparator unit'],
  ['Range', 'low { value unit } high { value unit }'],
  ['Reference', 'reference display'],
]);

function selectionOf({ name, types, isChoice }: Column): readonly string[] {
  if (name.includes('.')) return ['meta { lastUpdated }'];
  return types.flatMap((type) => {
    const field = isChoice ? choiceName(name, type) : name;
    const fields = FIELDS.get(type);
    if (fields !== undefined) return [`${field} { ${fields} }`];
    return /^[a-z]/.test(type) ? [field] : [];
  });
}

export interface GraphqlOptions {
  readonly type: string;
  readonly columns: readonly Column[];
  readonly capabilities: Capabilities;
  /** Matches per page. */
  readonly first: number;
}

/** A document with typed conditions, and with a query string for what those cannot say. */
export function toGraphql(
  query: SearchQuery,
  { type, columns, capabilities, first }: GraphqlOptions,
): string {
  const { where, others } = divide(query.criteria, type, capabilities);
  const rest = formatQuery({ ...query, criteria: others, count: undefined, cursor: undefined });
  const strings = [
    ...(where === undefined ? [`type: ${type}`] : [`where: ${print({ [type]: where }, '    ')}`]),
    ...(rest === '' ? [] : [`query: ${JSON.stringify(rest.replaceAll('%7C', '|'))}`]),
    `first: ${first}`,
    ...(query.cursor === undefined ? [] : [`after: ${JSON.stringify(query.cursor)}`]),
  ];
  const fields = columns.flatMap(selectionOf).map((field) => `          ${field}`);
  const onType =
    fields.length === 0 ? '' : `\n        ... on ${type} {\n${[...new Set(fields)].join('\n')}\n        }`;
  return `{
  search(
    ${strings.join('\n    ')}
  ) {
    edges {
      mode
      node {
        id${onType}
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;
}
