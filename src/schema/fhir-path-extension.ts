/** The FHIR types of GraphQL types, for the evaluation of FHIRPath on their values. */
import { type GraphQLNamedType, type GraphQLSchema, isLeafType } from 'graphql';

interface FhirPathExtension {
  readonly fhirPlace: string;
}

/**
 * Returns the extensions of a type made from the elements below `path` of a structure: `Patient.contact`, `HumanName`.
 */
export function withFhirPath(
  structure: string,
  path: string,
): { readonly extensions: FhirPathExtension & Record<string, unknown> } {
  return { extensions: { fhirPlace: path === '' ? structure : `${structure}.${path}` } };
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  String: 'string',
  Boolean: 'boolean',
  Int: 'integer',
  ID: 'id',
};

/** Returns the FHIRPath name of a type; undefined when it is not a type of FHIR. */
export function fhirPlaceOf(type: GraphQLNamedType): string | undefined {
  if (isLeafType(type)) return PRIMITIVES[type.name] ?? type.name;
  const { fhirPlace } = type.extensions;
  return typeof fhirPlace === 'string' ? fhirPlace : undefined;
}

/** Returns the release of the schema's types: `r4`; undefined when the schema has none. */
export function releaseOf({ extensions }: GraphQLSchema): string | undefined {
  return typeof extensions.fhirRelease === 'string' ? extensions.fhirRelease : undefined;
}

export function setRelease(schema: GraphQLSchema, release: string): GraphQLSchema {
  schema.extensions = { ...schema.extensions, fhirRelease: release };
  return schema;
}
