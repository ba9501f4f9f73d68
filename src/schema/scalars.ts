/**
 * Scalars of the gateway. Names in lower case are FHIR's primitive types, as in HL7's GraphQL binding
 * (http://hl7.org/fhir/R4/graphql.html). JSON scalars keep the text of decimals, in variables (through the parser of
 * the request body) and in literals.
 */
import { SEARCH_WHERE } from './fhir/where/any-type';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DECIMAL_MARK, isJsonObject, type Json, type JsonObject } from './json';
import { SentJson } from './sent-json';

export function fromNumberLiteral(text: string): Json {
  const value = Number(text);
  return String(value) === text ? value : DECIMAL_MARK + text;
}

function fromStringLiteral(node: ValueNode & { kind: Kind.STRING }): string {
  if (node.value.includes(DECIMAL_MARK))
    throw new GraphQLError('A string may not contain the character U+0001', { nodes: node });
  return node.value;
}

function fromObjectLiteral(node: ValueNode & { kind: Kind.OBJECT }, variables: Variables): JsonObject {
  const object: JsonObject = {};
  for (const field of node.fields) {
    const name = field.name.value;
    // An assignment to this name alone would not make a member.
    if (name === '__proto__')
      throw new GraphQLError("'__proto__' is not allowed as the name of a member", { nodes: field });
    object[name] = fromLiteral(field.value, variables);
  }
  return object;
}

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** Returns the JSON value of a GraphQL literal, with its variables replaced (null during validation). */
function fromLiteral(node: ValueNode, variables: Variables): Json {
  switch (node.kind) {
    case Kind.STRING:
      return fromStringLiteral(node);
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return fromNumberLiteral(node.value);
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((value) => fromLiteral(value, variables));
    case Kind.OBJECT:
      return fromObjectLiteral(node, variables);
    case Kind.VARIABLE:
      return (variables?.[node.name.value] ?? null) as Json;
    case Kind.ENUM:
      throw new GraphQLError(`'${node.value}' is not JSON; put it in quotes`, { nodes: node });
  }
}

function jsonObjectScalar(name: string, description: string): GraphQLScalarType<JsonObject, unknown> {
  const checked = (value: unknown): JsonObject => {
    if (value instanceof SentJson)
      throw new GraphQLError(`${name} must be a JSON object, with no more members than FHIR has`);
    if (isJsonObject(value)) return value;
    throw new GraphQLError(`${name} must be a JSON object`);
  };
  return new GraphQLScalarType<JsonObject, unknown>({
    name,
    description,
    serialize: (value) => value,
    parseValue: checked,
    parseLiteral: (node, variables) => checked(fromLiteral(node, variables)),
  });
}

export const jsonScalar = new GraphQLScalarType<Json, unknown>({
  name: 'JSON',
  description: 'Any JSON value. Decimals keep their digits: `1.00` stays `1.00`.',
  serialize: (value) => value,
  parseValue: (value) => value as Json,
  parseLiteral: fromLiteral,
});

export const resourceInputScalar = jsonObjectScalar(
  'ResourceInput',
  'A FHIR resource as JSON, with its `resourceType`. Decimals keep their digits: `1.00` stays `1.00`.',
);

export const parametersInputScalar = jsonObjectScalar(
  'ParametersInput',
  'The input of an operation: a FHIR Parameters resource as JSON, or a plain object of names and simple values ' +
    '(`{url: "http://hl7.org/fhir/ValueSet/administrative-gender", count: 10}`).',
);

function checkSafeInteger(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError('A SafeInt must be a whole number between -9007199254740991 and 9007199254740991');
}

export const safeIntScalar = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description: 'A whole number of at most 53 bits: between -9007199254740991 and 9007199254740991.',
  serialize: checkSafeInteger,
  parseValue: checkSafeInteger,
  parseLiteral: (node) => checkSafeInteger(node.kind === Kind.INT ? Number(node.value) : undefined),
});

/** Year to second with an offset: http://hl7.org/fhir/R4/datatypes.html#instant */
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function parseInstant(value: unknown): string {
  if (typeof value === 'string' && instantPattern.test(value) && !Number.isNaN(Date.parse(value)))
    return value;
  throw new GraphQLError(
    'An instant must be written as 2024-05-17T10:30:00Z or 2024-05-17T10:30:00.123+02:00',
  );
}

export const instantScalar = new GraphQLScalarType<string, unknown>({
  name: 'instant',
  description: 'A moment, at least to the second and with an offset: `2024-05-17T10:30:00.123+02:00`.',
  serialize: (value) => value,
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
});

/** A FHIR primitive that is written as a JSON string. */
export function stringScalar(name: string, description: string): GraphQLScalarType<string, unknown> {
  const parse = (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`${name} must be written as a string`);
  };
  return new GraphQLScalarType<string, unknown>({
    name,
    description,
    serialize: (value) => value,
    parseValue: parse,
    // HL7's examples write codes without quotes: name(use: official).
    parseLiteral: (node) =>
      parse(node.kind === Kind.STRING || node.kind === Kind.ENUM ? node.value : undefined),
  });
}

export const uriScalar = stringScalar('uri', 'A URI, absolute or relative.');
export const canonicalScalar = stringScalar(
  'canonical',
  'The canonical url of a definition, perhaps with `|version`.',
);
export const codeScalar = stringScalar('code', 'A code of a fixed set of codes.');

/** Placeholder for the enum of one release's resource types; `graft` replaces it. */
export const resourceTypePlaceholder = new GraphQLScalarType<string, unknown>({ name: 'ResourceType' });

/** The same for the input type with a `where` of each type. */
export const searchWherePlaceholder = new GraphQLScalarType<unknown, unknown>({ name: SEARCH_WHERE });
