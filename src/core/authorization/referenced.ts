/**
 * Resources outside of all patients' compartments (Practitioner, Organization, Medication …) that a record refers to.
 * The definitions say which types they are: those that a reference parameter of a type of the compartment names.
 */
import type { Definitions } from '../fhir/definitions';
import { hasCriterion, Nesting } from '../search/criteria/chain';
import { storedParameters } from '../search/parameter';
import type { Criterion, Predicate } from '../search/predicate';
import type { SearchTypeContext } from '../search/types/search-type';
import { AUDIT_EVENT } from '../audit/audit-space';

const NAME = 'referenced';

/**
 * Returns the criterion that one of the resources in the compartments refers to a resource of `type`. `conditionsOf`
 * gives the conditions that such a resource of a type must meet; undefined: none of that type counts. A reference that
 * may lead to any type never counts, because it would open all types. Undefined: nothing that counts can refer to the
 * type.
 *
 * @param owner type of the compartments' owners
 */
export function referencedCriterion(
  context: SearchTypeContext,
  owner: string,
  type: string,
  conditionsOf: (source: string) => readonly Criterion[] | undefined,
): Criterion | undefined {
  const { definitions } = context;
  const compartment = definitions.compartments.get(owner)?.parameters;
  if (compartment === undefined || type === owner || compartment.has(type)) return undefined;
  const anyOf: Predicate[] = [];
  for (const source of compartment.keys()) {
    if (source === AUDIT_EVENT) continue;
    const codes = codesTowards(definitions, source, type);
    const conditions = codes.length === 0 ? undefined : conditionsOf(source);
    if (conditions === undefined) continue;
    for (const code of codes) {
      const link = { source, code, name: NAME, value: '' };
      const nesting = Nesting.outside();
      const found = hasCriterion(context, { type, link, nesting, criteriaOf: () => conditions });
      anyOf.push(...(found?.anyOf ?? []));
    }
  }
  const merged = merge(anyOf);
  return merged.length === 0 ? undefined : { name: NAME, anyOf: merged };
}

/** Returns the codes of the literal references of `source` whose definition names `type`. */
function codesTowards(definitions: Definitions, source: string, type: string): readonly string[] {
  const most = definitions.resourceTypes.length / 2;
  return [...storedParameters(definitions, source).values()]
    .filter(({ parameter, valueTypes }) => parameter.kind === 'reference' && valueTypes.includes('Reference'))
    .filter(({ parameter: { targets } }) => targets.includes(type) && targets.length < most)
    .map(({ parameter }) => parameter.code);
}

/** Joins the references of each source type by its parameters, so that storage looks once for each type. */
function merge(predicates: readonly Predicate[]): readonly Predicate[] {
  const merged = new Map<number, Extract<Predicate, { index: 'source' }>>();
  for (const predicate of predicates) {
    if (predicate.index !== 'source' || predicate.urls !== undefined) continue;
    const { type } = predicate.source;
    const parameters = new Set([...(merged.get(type)?.parameters ?? []), ...predicate.parameters]);
    merged.set(type, { ...predicate, parameters: [...parameters] });
  }
  return [...merged.values()];
}
