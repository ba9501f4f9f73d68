/**
 * Search parameters of a tenant, and the definitions of a release with them added, so that code that reads definitions
 * treats both alike.
 */
import type {
  Definitions,
  SearchParameterComponent,
  SearchParameterDefinition,
  SearchParameterKind,
} from '../../fhir/definitions';

/**
 * - `indexing`: every write makes its rows, but those of older versions are incomplete, so it cannot be searched
 * - `active`: complete
 * - `removing`: no rows are made or searched; existing rows are being removed
 * - `failed`: no rows are made or searched; existing rows stay until its SearchParameter changes
 */
export type TenantParameterState = 'indexing' | 'active' | 'removing' | 'failed';

/** True when each write makes the rows of the parameter. */
export function isIndexed({ state }: Pick<TenantParameter, 'state'>): boolean {
  return state === 'indexing' || state === 'active';
}

/** The part of a pair of a resource type and a parameter that index rows and searches depend on. */
export interface TenantParameterDefinition {
  readonly kind: SearchParameterKind;
  /** FHIRPath, with only the branches for the type. */
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
  /** From FIRST_TENANT_NUMBER; never assigned twice in its space. */
  readonly number: number;
  readonly type: string;
  /** Position of its bit in the heads of the type, counted from 0 after those of the built-in parameters. */
  readonly slot: number;
  readonly code: string;
  readonly url: string;
  /** Id of the SearchParameter that defines it. */
  readonly owner: string;
  readonly state: TenantParameterState;
  /** Reason of the failure; undefined in any other state. */
  readonly failure?: string;
  readonly definition: TenantParameterDefinition;
}

/** All search parameters of a space's tenant. A plain value. */
export interface SpaceParameters {
  /** Number of changes to the tenant's search parameters, from 1; writes compare it. */
  readonly change: number;
  readonly list: readonly TenantParameter[];
}

/** Lower bound of tenants' numbers, above those of built-in parameters; tenants' numbers are below ROW_SCHEME. */
export const FIRST_TENANT_NUMBER = 100_000;

/** Adds parameters of a tenant to the definitions of a release; none may have the code of another parameter. */
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
    // Types without such parameters have the release's own map, so that everything derived from it is shared.
    searchParameters: (type) => ofTypes.get(type) ?? definitions.searchParameters(type),
    searchParameter: (number) => byNumber.get(number) ?? definitions.searchParameter(number),
  };
}

/** Converts a tenant's parameter to a definition. `definitions`: those of the release. */
export function toDefinition(
  definitions: Definitions,
  { number, type, slot, code, url, definition }: Omit<TenantParameter, 'owner' | 'state'>,
): SearchParameterDefinition {
  const ordinal = ordinalOf(definitions, type, slot);
  return { ...definition, number, ordinal, type, code, url, isForeign: true };
}

/** Returns the position of a tenant parameter's bit in the heads of a type. */
export function ordinalOf(definitions: Definitions, type: string, slot: number): number {
  return definitions.searchParameters(type).size + slot;
}
