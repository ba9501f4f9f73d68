/**
 * Search parameters that a tenant has made, and the definitions of a release with them: everything that reads
 * definitions then works with both alike.
 */
import type {
  Definitions,
  SearchParameterComponent,
  SearchParameterDefinition,
  SearchParameterKind,
} from '../fhir/definitions';

/**
 * - `indexing`: every write makes its rows, but those of older versions are not complete: it cannot be searched
 * - `active`: complete
 * - `removing`: nobody makes rows of it or searches by it; those that are there are being removed
 * - `failed`: the same, but its rows stay as they are until its SearchParameter changes
 */
export type TenantParameterState = 'indexing' | 'active' | 'removing' | 'failed';

/** True: each write makes its rows. */
export function isIndexed({ state }: Pick<TenantParameter, 'state'>): boolean {
  return state === 'indexing' || state === 'active';
}

/** What index rows and searches are made by, of one pair of a resource type and a parameter. */
export interface TenantParameterDefinition {
  readonly kind: SearchParameterKind;
  /** FHIRPath, only the branches for the type. */
  readonly expression: string;
  readonly targets: readonly string[];
  readonly components: readonly SearchParameterComponent[];
  readonly multipleOr: boolean;
  readonly multipleAnd: boolean;
  readonly comparators: readonly string[];
  readonly modifiers: readonly string[];
}

/** One pair of a resource type and a search parameter of a space. A plain value. */
export interface TenantParameter {
  /** From FIRST_TENANT_NUMBER; in its space given once and never again. */
  readonly number: number;
  readonly type: string;
  /** Which bit behind those of the built-in parameters is its own in the heads of the type, from 0. */
  readonly slot: number;
  readonly code: string;
  readonly url: string;
  /** Id of the SearchParameter that made it. */
  readonly owner: string;
  readonly state: TenantParameterState;
  /** Why it has failed; undefined unless it is in that state. */
  readonly failure?: string;
  readonly definition: TenantParameterDefinition;
}

/** All of a space. A plain value. */
export interface SpaceParameters {
  /** How often the search parameters of the tenant have changed: what writes are compared by. From 1. */
  readonly change: number;
  readonly list: readonly TenantParameter[];
}

/** Built-in parameters have numbers below it; those of tenants are below ROW_SCHEME. */
export const FIRST_TENANT_NUMBER = 100_000;

/** The definitions of a release with some parameters of a tenant, which must not have the code of another one. */
export function withTenantParameters(
  definitions: Definitions,
  parameters: readonly TenantParameter[],
): Definitions {
  if (parameters.length === 0) return definitions;
  const ofTypes = new Map<string, Map<string, SearchParameterDefinition>>();
  const byNumber = new Map<number, SearchParameterDefinition>();
  for (const parameter of [...parameters].sort((one, other) => one.slot - other.slot)) {
    const { type } = parameter;
    let ofType = ofTypes.get(type);
    if (ofType === undefined) ofTypes.set(type, (ofType = new Map(definitions.searchParameters(type))));
    const definition = toDefinition(definitions, parameter);
    ofType.set(parameter.code, definition);
    byNumber.set(parameter.number, definition);
  }
  return {
    ...definitions,
    ofRelease: definitions,
    // The release's own list for types without any, so that what is made of it is shared.
    searchParameters: (type) => ofTypes.get(type) ?? definitions.searchParameters(type),
    searchParameter: (number) => byNumber.get(number) ?? definitions.searchParameter(number),
  };
}

/** `definitions`: those of the release. */
export function toDefinition(
  definitions: Definitions,
  { number, type, slot, code, url, definition }: Omit<TenantParameter, 'owner' | 'state'>,
): SearchParameterDefinition {
  const ordinal = ordinalOf(definitions, type, slot);
  return { ...definition, number, ordinal, type, code, url, isForeign: true };
}

/** The bit of a parameter of a tenant in the heads of a type. */
export function ordinalOf(definitions: Definitions, type: string, slot: number): number {
  return definitions.searchParameters(type).size + slot;
}
