/**
 * The scalars of list arguments for the kinds of search parameters (http://hl7.org/fhir/R4/graphql.html, Searching).
 */
import { GraphQLError, GraphQLScalarType, GraphQLString, Kind } from 'graphql';
import { DECIMAL_MARK } from '../json';
import { primitiveScalar } from './primitives';

/**
 * Returns the scalar of a value in the form of REST's query string; codes, numbers and booleans may be without quotes.
 */
function searchScalar(name: string, description: string): GraphQLScalarType<string, unknown> {
  const refused = (): GraphQLError => new GraphQLError(`${name} must be written as a string`);
  return new GraphQLScalarType<string, unknown>({
    name,
    description,
    serialize: String,
    parseValue(value) {
      if (typeof value === 'number' || typeof value === 'boolean') return String(value);
      if (typeof value !== 'string') throw refused();
      return value.startsWith(DECIMAL_MARK) ? value.slice(DECIMAL_MARK.length) : value;
    },
    parseLiteral(node) {
      switch (node.kind) {
        case Kind.STRING:
        case Kind.ENUM:
        case Kind.INT:
        case Kind.FLOAT:
          return node.value;
        case Kind.BOOLEAN:
          return String(node.value);
        default:
          throw refused();
      }
    },
  });
}

const SCALARS: Readonly<Record<string, GraphQLScalarType>> = {
  string: GraphQLString,
  date: primitiveScalar('date'),
  uri: primitiveScalar('uri'),
  token: searchScalar('token', 'A code in the form of a search: `code`, `system|code`, `|code`, `system|`.'),
  reference: searchScalar('reference', 'A reference in the form of a search: `Patient/1`, `1`, a url.'),
  number: searchScalar('number', 'A number in the form of a search, perhaps with a prefix: `5.4`, `gt100`.'),
  quantity: searchScalar(
    'quantity',
    'A quantity in the form of a search: `5.4`, `gt5.4|http://unitsofmeasure.org|mg`.',
  ),
  composite: searchScalar(
    'composite',
    'Values of several parameters in the form of a search: `8480-6$gt140`.',
  ),
  special: searchScalar('special', 'The value of a search parameter with a grammar of its own.'),
};

/** True when this is a kind of search parameter. */
export function isSearchKind(kind: string): boolean {
  return Object.hasOwn(SCALARS, kind);
}

/** Returns the scalar for values of a kind of search parameter; the same object for every release. */
export function searchScalarOf(kind: string): GraphQLScalarType {
  const scalar = SCALARS[kind];
  if (scalar === undefined) throw new Error(`there is no scalar for search parameters of the kind '${kind}'`);
  return scalar;
}
