/** What the types of a schema are in FHIR, for whatever evaluates FHIRPath on their values. */
import { type GraphQLNamedType, type GraphQLSchema, isLeafType } from 'graphql';

interface Place {
  readonly fhirPlace: string;
}

/** For a type made of the elements below `path` of a structure: `Patient.contact`, `HumanName`. */
export function withPlace(structure: string, path: string): { readonly extensions: Place & Record<string, unknown> } {
  return { extensions: { fhirPlace: path === '' ? structure : `${structure}.${path}` } };
}

const PRIMITIVES: Readonly<Record<string, string>> = { String: 'string', Boolean: 'boolean', Int: 'integer', ID: 'id' };

/** As FHIRPath names it; undefined for what is none of FHIR's. */
export function fhirPlaceOf(type: GraphQLNamedType): string | undefined {
  if (isLeafType(type)) return PRIMITIVES[type.name] ?? type.name;
  const { fhirPlace } = type.extensions;
  return typeof fhirPlace === 'string' ? fhirPlace : undefined;
}

/** Of which release the types are: `r4`; undefined where the schema does not say. */
export function releaseOf({ extensions }: GraphQLSchema): string | undefined {
  return typeof extensions.fhirRelease === 'string' ? extensions.fhirRelease : undefined;
}

export function setRelease(schema: GraphQLSchema, release: string): GraphQLSchema {
  schema.extensions = { ...schema.extensions, fhirRelease: release };
  return schema;
}
