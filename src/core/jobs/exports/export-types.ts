/** The types of an export, and the criteria that their resources must meet. */
import { permissionsOf } from '../../authorization/visibility';
import { referenceAccessOf } from '../../authorization/referenced';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { Definitions } from '../../fhir/definitions';
import { parseQueryText } from '../../fhir/query-text';
import type { Subset } from '../../fhir/subset';
import { AUDIT_EVENT, PATIENT, PROVENANCE } from '../../fhir/type-names';
import type { SearchServices, Services } from '../../ports';
import { compartmentTypes } from '../../search/parameters/compartment';
import type { Criterion } from '../../search/predicate';
import { parseElements } from '../../search/requests/parse-subset';
import { parseSearch, RESULT_PARAMETERS } from '../../search/requests/parse-search';
import { searchContext } from '../../search-execution/plan/prepare-search';
import { resolveCriteria } from '../../search-execution/plan/resolve-criteria';
import { typeNumberOf } from '../../versions/resource-address';
import type { ExportRequest } from './export-request';

/** What a type contributes to an export. */
export interface TypePlan {
  readonly type: string;
  readonly number: number;
  /** A resource must meet all criteria of one of the alternatives; undefined: each resource of the type is in it. */
  readonly alternatives: readonly (readonly Criterion[])[] | undefined;
}

/** Parameters that would change the result of a search, or its scope, and not its matches. */
const NOT_IN_FILTERS: readonly string[] = [
  ...RESULT_PARAMETERS.map(({ name }) => name),
  ...['_cursor', '_query', '_format', '_pretty', '_type'],
];

/**
 * Returns the types of an export that the caller may export: those of the compartments of patients, and those that only references
 * lead to. Throws `operationInputInvalid` where the level has none of the requested ones, and `forbidden` for a requested type that
 * the caller may not read and search.
 */
export function exportedTypes(
  services: Pick<SearchServices, 'createExtractor' | 'definitions' | 'keys' | 'searchContext'> &
    Pick<Services, 'isAuditApart'>,
  context: RequestContext,
  { level, types: requested }: Pick<ExportRequest, 'level' | 'types'>,
): { readonly own: readonly string[]; readonly linked: readonly string[] } {
  const definitions = services.definitions(context.space.release);
  const permissions = permissionsOf(services, context);
  const ofPatients = compartmentTypes(definitions, PATIENT) ?? [];
  const isApart = (type: string): boolean => type === AUDIT_EVENT && services.isAuditApart;
  const own = (level === 'system' ? definitions.resourceTypes : ofPatients).filter((type) => !isApart(type));
  const linked =
    level === 'system' ? [] : linkedTypes(definitions, context).filter((type) => !own.includes(type));
  if (requested?.some(isApart) === true)
    throw fhirError('operationInputInvalid', {
      reason: 'AuditEvents are no part of exports: administrators export them from the audit trail',
    });
  if (requested !== undefined && !requested.some((type) => own.includes(type)))
    throw fhirError('operationInputInvalid', {
      reason: 'None of the types in _type is one of the records of patients',
    });
  for (const type of requested ?? []) {
    permissions?.require(type, 's');
    permissions?.require(type, 'r');
  }
  const isExported = (type: string): boolean =>
    (requested?.includes(type) ?? true) &&
    (permissions === undefined || (permissions.allows(type, 's') && permissions.allows(type, 'r')));
  const exported = own.filter(isExported);
  if (exported.length === 0 && permissions !== undefined) throw permissions.missing('*', 's');
  return { own: exported, linked: linked.filter(isExported) };
}

/** Types outside the compartments that resources of a record refer to, and Provenance. */
function linkedTypes(definitions: Definitions, { space }: RequestContext): readonly string[] {
  return definitions.resourceTypes.filter((type) => {
    if (type === PROVENANCE) return true;
    const access = referenceAccessOf(definitions, type);
    return access === 'bySetting' ? space.settings.openedTypes.includes(type) : access !== undefined;
  });
}

/** Throws the errors of the searches in `_typeFilter`, and of `_elements`. */
export function requireValidFilters(
  services: SearchServices,
  context: RequestContext,
  request: Pick<ExportRequest, 'filters' | 'elements'>,
): void {
  for (const type of new Set(request.filters.map((filter) => filter.type)))
    criteriaOf(services, context, request, type);
  subsetOf(services.definitions(context.space.release), request);
}

/** Parses the criteria of one type, those of the caller's rights included. */
function criteriaOf(
  services: SearchServices,
  context: RequestContext,
  { filters }: Pick<ExportRequest, 'filters'>,
  type: string,
): readonly (readonly Criterion[])[] {
  const typeContext = searchContext(services, context);
  const readable = permissionsOf(services, context)?.conditions(type, 'r') ?? [];
  const queries = filters.filter((filter) => filter.type === type).map(({ query }) => parseQueryText(query));
  return (queries.length === 0 ? [[]] : queries).map((parameters) => {
    const result = parameters.find(([name]) => NOT_IN_FILTERS.includes(name.split(':')[0] ?? ''));
    if (result !== undefined)
      throw fhirError('operationInputInvalid', {
        reason: `'${result[0].slice(0, 60)}' cannot be used in _typeFilter: only parameters that select resources can`,
      });
    const { criteria } = parseSearch(typeContext, type, { parameters }, 'strict');
    const texts = new Set(criteria.map((criterion) => JSON.stringify(criterion)));
    return [...criteria, ...readable.filter((criterion) => !texts.has(JSON.stringify(criterion)))];
  });
}

/** Plans the types of an export. Cost: a statement for each criterion that depends on other resources. */
export async function planTypes(
  services: SearchServices,
  context: RequestContext,
  request: ExportRequest,
  types: readonly string[],
): Promise<readonly TypePlan[]> {
  const plans: TypePlan[] = [];
  for (const type of types) {
    const alternatives = criteriaOf(services, context, request, type);
    const resolved: Criterion[][] = [];
    for (const criteria of alternatives)
      resolved.push(await resolveCriteria(services, context, criteria, 'inUse'));
    plans.push({
      ...{ type, number: typeNumberOf(services, context, type) },
      alternatives: resolved.some((criteria) => criteria.length === 0) ? undefined : resolved,
    });
  }
  return plans;
}

/** Returns the part of each resource that `_elements` selects; undefined: the whole. Throws `invalidParameterValue`. */
export function subsetOf(
  definitions: Definitions,
  { elements }: Pick<ExportRequest, 'elements'>,
): Subset | undefined {
  if (elements.length === 0) return undefined;
  const names = new Map<string, Set<string>>();
  for (const element of elements)
    for (const [owner, found] of parseElements(definitions, undefined, element)) {
      const known = names.get(owner) ?? new Set<string>();
      for (const name of found) known.add(name);
      names.set(owner, known);
    }
  return { kind: 'elements', names };
}
