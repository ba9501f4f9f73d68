/**
 * The filters of each kind of search parameter, with modifiers and prefixes as named members
 * (http://hl7.org/fhir/R4/search.html#modifiers, #prefix). The values of one member are alternatives; all members must
 * be met.
 */
import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import { uriScalar } from '../../scalars';
import { searchScalarOf } from '../search-scalars';
import { type Condition, NEVER } from './condition';
import { escapeCommas, escapeText } from './values';

/** Describes how a member of a filter becomes a parameter. */
interface Member {
  readonly scalar: GraphQLScalarType;
  readonly description: string;
  /** Suffix of the parameter's name: `:exact`. */
  readonly modifier?: string;
  /** Prefix of each value: `ge`. */
  readonly prefix?: string;
  readonly escape: (text: string) => string;
  /** True: the member matches resources that have none of the values, so that an empty list is no condition. */
  readonly isNegated?: boolean;
}

type Members = ReadonlyMap<string, Member>;

const token = searchScalarOf('token');
const TOKEN: Members = new Map<string, Member>([
  ['eq', { scalar: token, escape: escapeCommas, description: 'Has one of these codes.' }],
  [
    'not',
    {
      scalar: token,
      escape: escapeCommas,
      modifier: 'not',
      isNegated: true,
      description: 'Has none of them, or no value.',
    },
  ],
  [
    'text',
    {
      scalar: GraphQLString,
      escape: escapeText,
      modifier: 'text',
      description: 'Words of its text, or their beginnings.',
    },
  ],
  [
    'in',
    { scalar: uriScalar, escape: escapeText, modifier: 'in', description: 'Is in one of these value sets.' },
  ],
  [
    'notIn',
    {
      scalar: uriScalar,
      escape: escapeText,
      modifier: 'not-in',
      isNegated: true,
      description: 'Is in none of them, or has no value.',
    },
  ],
  [
    'above',
    {
      scalar: token,
      escape: escapeCommas,
      modifier: 'above',
      description: 'Is one of these codes, or subsumes it.',
    },
  ],
  [
    'below',
    {
      scalar: token,
      escape: escapeCommas,
      modifier: 'below',
      description: 'Is one of these codes, or subsumed by it.',
    },
  ],
  [
    'ofType',
    {
      scalar: token,
      escape: escapeCommas,
      modifier: 'of-type',
      description: 'Identifiers: `system|code|value`, of which the first two are the type.',
    },
  ],
]);

const STRING: Members = new Map<string, Member>([
  [
    'startsWith',
    {
      scalar: GraphQLString,
      escape: escapeText,
      description: 'Begins with it; case and accents are ignored.',
    },
  ],
  [
    'exact',
    { scalar: GraphQLString, escape: escapeText, modifier: 'exact', description: 'Is exactly this.' },
  ],
  [
    'contains',
    { scalar: GraphQLString, escape: escapeText, modifier: 'contains', description: 'Contains it.' },
  ],
  [
    'text',
    {
      scalar: GraphQLString,
      escape: escapeText,
      modifier: 'text',
      description: 'Has these words, or their beginnings.',
    },
  ],
]);

const ID: Members = new Map<string, Member>([
  ['eq', { scalar: GraphQLID, escape: escapeText, description: 'Is one of these.' }],
  [
    'not',
    {
      scalar: GraphQLID,
      escape: escapeText,
      modifier: 'not',
      isNegated: true,
      description: 'Is none of them.',
    },
  ],
]);

const URI: Members = new Map<string, Member>([
  ['eq', { scalar: uriScalar, escape: escapeText, description: 'Is one of these.' }],
  [
    'below',
    {
      scalar: uriScalar,
      escape: escapeText,
      modifier: 'below',
      description: 'Is one of these or a path below it.',
    },
  ],
  [
    'above',
    {
      scalar: uriScalar,
      escape: escapeText,
      modifier: 'above',
      description: 'Is one of these or a path above it.',
    },
  ],
  ['contains', { scalar: uriScalar, escape: escapeText, modifier: 'contains', description: 'Contains it.' }],
]);

const reference = searchScalarOf('reference');
const REFERENCE: Members = new Map<string, Member>([
  [
    'eq',
    {
      scalar: reference,
      escape: escapeText,
      description: 'Refers to one of these: `Patient/1`, an id or a url.',
    },
  ],
  [
    'identifier',
    {
      scalar: token,
      escape: escapeCommas,
      modifier: 'identifier',
      description: 'Refers to its target by one of these identifiers.',
    },
  ],
  [
    'above',
    {
      scalar: reference,
      escape: escapeText,
      modifier: 'above',
      description: 'Refers to one of these, or to a resource above it.',
    },
  ],
  [
    'below',
    {
      scalar: reference,
      escape: escapeText,
      modifier: 'below',
      description:
        'Refers to one of these, or to a resource below it; for canonicals `url|1` means all versions 1.',
    },
  ],
]);

const PREFIXES: readonly (readonly [prefix: string, description: string])[] = [
  ['eq', 'Is within one of these.'],
  ['ne', 'Is not within one of them.'],
  ['gt', 'Is greater, or reaches beyond it.'],
  ['lt', 'Is less, or begins before it.'],
  ['ge', 'Is greater or equal.'],
  ['le', 'Is less or equal.'],
  ['sa', 'Begins after it.'],
  ['eb', 'Ends before it.'],
  ['ap', 'Is about the same.'],
];

function ordered(kind: string): Members {
  const scalar = searchScalarOf(kind);
  return new Map(
    PREFIXES.map(([prefix, description]) => [prefix, { scalar, prefix, description, escape: escapeCommas }]),
  );
}

function onlyEqual(kind: string): Members {
  return new Map([
    ['eq', { scalar: searchScalarOf(kind), escape: escapeCommas, description: 'Is one of these.' }],
  ]);
}

const MEMBERS: Readonly<Record<string, Members>> = {
  id: ID,
  token: TOKEN,
  string: STRING,
  uri: URI,
  reference: REFERENCE,
  date: ordered('date'),
  number: ordered('number'),
  quantity: ordered('quantity'),
  composite: onlyEqual('composite'),
  special: onlyEqual('special'),
};

function membersOf(kind: string): Members {
  const members = MEMBERS[kind];
  if (members === undefined)
    throw new Error(`there is no filter for search parameters of the kind '${kind}'`);
  return members;
}

/** Returns the fields of a filter of this kind, including `missing`. */
export function filterFields(kind: string): GraphQLInputFieldConfigMap {
  const fields: Record<string, GraphQLInputFieldConfig> = {};
  for (const [name, { scalar, description }] of membersOf(kind))
    fields[name] = { type: new GraphQLList(new GraphQLNonNull(scalar)), description };
  fields['missing'] = { type: GraphQLBoolean, description: 'True: has no value; false: has one.' };
  return fields;
}

const filters = new Map<string, GraphQLInputObjectType>();

/**
 * Returns `TokenFilter` and so on; the same object for every release. References have filters of their own, for chains.
 */
export function filterOf(kind: string): GraphQLInputObjectType {
  let filter = filters.get(kind);
  if (filter === undefined) {
    const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Filter`;
    const description = 'Values of one member are alternatives; all members must be met.';
    filters.set(
      kind,
      (filter = new GraphQLInputObjectType({ name, description, fields: filterFields(kind) })),
    );
  }
  return filter;
}

/** Returns the conditions of a filter on the parameter `code`. Members of other kinds are ignored. */
export function filterConditions(
  kind: string,
  code: string,
  filter: Readonly<Record<string, unknown>>,
): Condition[] {
  const conditions: Condition[] = [];
  for (const [name, member] of membersOf(kind)) {
    const values = filter[name];
    if (Array.isArray(values)) conditions.push(...memberConditions(code, name, member, values));
  }
  const { missing } = filter;
  if (typeof missing === 'boolean')
    conditions.push({ kind: 'parameter', name: `${code}:missing`, value: String(missing) });
  return conditions;
}

function memberConditions(
  code: string,
  name: string,
  { modifier, prefix = '', escape, isNegated = false }: Member,
  values: readonly unknown[],
): Condition[] {
  if (values.length === 0) return isNegated ? [] : [NEVER];
  const texts = values.map((value) => {
    const text = String(value);
    if (text === '') throw refusal(`The value of '${name}' of '${code}' is empty`);
    return prefix + escape(text);
  });
  return [
    {
      kind: 'parameter',
      name: modifier === undefined ? code : `${code}:${modifier}`,
      value: texts.join(','),
    },
  ];
}

export function refusal(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
