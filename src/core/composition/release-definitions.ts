import type { Space } from '../context';
import { type Definitions, loadDefinitions, type TypeStructure } from '../fhir/definitions';
import { type Descriptions, loadDescriptions } from '../fhir/definitions/descriptions';
import { RELEASES, type Release } from '../fhir/release';
import { OPERATIONS } from '../operations';
import { type OperationSignature, operationSignatures } from '../operation-types/signatures';
import { withTenantParameters } from '../search/parameters/tenant-parameter';
import { searchableParameters, type SearchableParameter } from '../search/parameters/searchable';

export type { SearchableParameter } from '../search/parameters/searchable';

/** With its short text; that of a tenant's parameter is its url. */
export interface DescribedParameter extends SearchableParameter {
  readonly description: string | undefined;
}

/** The definitions of a release as plain data, for generators such as that of the GraphQL schema. */
export interface ReleaseDefinitions {
  readonly release: Release;
  /** `4.0.1` */
  readonly fhirVersion: string;
  /** Names of the concrete resource types, sorted. */
  readonly resourceTypes: readonly string[];
  /** Structure of any type, including data types; undefined when the release has no such type. */
  structure(typeName: string): TypeStructure | undefined;
  /** The operations that can be run, by code. */
  readonly operations: readonly OperationSignature[];
  /** The search parameters of a type, sorted by code. */
  searchParameters(type: string): readonly DescribedParameter[];
  readonly descriptions: Descriptions;
}

/** Cost: that of loading the definitions, once; structures are made on demand. */
export function releaseDefinitions(release: Release): ReleaseDefinitions {
  return toPlain(release, loadDefinitions(release));
}

/** As `releaseDefinitions`, with the active search parameters of the space. */
export function spaceDefinitions({
  release,
  searchParameters,
}: Pick<Space, 'release' | 'searchParameters'>): ReleaseDefinitions {
  const active = (searchParameters?.list ?? []).filter(({ state }) => state === 'active');
  return toPlain(release, withTenantParameters(loadDefinitions(release), active));
}

function toPlain(release: Release, definitions: Definitions): ReleaseDefinitions {
  const { resourceTypes, structure } = definitions;
  const descriptions = loadDescriptions(release);
  return {
    release,
    fhirVersion: RELEASES[release].fhirVersion,
    resourceTypes,
    structure,
    operations: operationSignatures(OPERATIONS, definitions),
    searchParameters: (type) =>
      searchableParameters(definitions, type).map((parameter) => ({
        ...parameter,
        description: descriptions.searchParameter(type, parameter.code) ?? parameter.url,
      })),
    descriptions,
  };
}
