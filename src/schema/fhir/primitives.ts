/** The scalars of FHIR's primitive types, by HL7's names (http://hl7.org/fhir/R4/graphql.html). */
import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
} from 'graphql';
import { DECIMAL_MARK } from '../json';
import {
  canonicalScalar,
  codeScalar,
  fromNumberLiteral,
  instantScalar,
  stringScalar,
  uriScalar,
} from '../scalars';

/** Returns the scalar of a primitive that is a JSON number. Its literal keeps all digits. */
function numberScalar(name: string, description: string): GraphQLScalarType<unknown, unknown> {
  return new GraphQLScalarType<unknown, unknown>({
    name,
    description,
    serialize: (value) => value,
    parseValue: (value) => {
      if (typeof value === 'number' || (typeof value === 'string' && value.startsWith(DECIMAL_MARK)))
        return value;
      throw new GraphQLError(`${name} must be written as a number`);
    },
    parseLiteral: (node) => {
      if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return fromNumberLiteral(node.value);
      throw new GraphQLError(`${name} must be written as a number`, { nodes: node });
    },
  });
}

const DEFINED: Readonly<Record<string, GraphQLScalarType>> = {
  boolean: GraphQLBoolean,
  integer: GraphQLInt,
  string: GraphQLString,
  id: GraphQLID,
  canonical: canonicalScalar,
  code: codeScalar,
  instant: instantScalar,
  uri: uriScalar,
  decimal: numberScalar('decimal', 'A number with the digits that were written: `1.00` stays `1.00`.'),
  // Int ends at 2^31.
  positiveInt: numberScalar('positiveInt', 'A whole number from 1.'),
  unsignedInt: numberScalar('unsignedInt', 'A whole number from 0.'),
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  date: 'A date, at least a year: `1974-12-25`, `1974`. As the value of a search perhaps with a prefix: `ge1970`.',
  dateTime: 'A moment, at least a year: `2024-05-17T10:30:00+02:00`, `2024`.',
  time: 'A time of the day: `10:30:00`.',
  base64Binary: 'Bytes in base64.',
  markdown: 'Text with GitHub Flavored Markdown.',
  xhtml: 'The markup of a narrative, a `div` element.',
};

const made = new Map<string, GraphQLScalarType>(Object.entries(DEFINED));

/** Returns the scalar of a primitive type; the same object for every release. */
export function primitiveScalar(name: string): GraphQLScalarType {
  let scalar = made.get(name);
  if (scalar === undefined) {
    scalar = stringScalar(
      name,
      DESCRIPTIONS[name] ?? `FHIR's ${name} (http://hl7.org/fhir/datatypes.html#${name}).`,
    );
    made.set(name, scalar);
  }
  return scalar;
}
