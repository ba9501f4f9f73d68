/**
 * Compartments (https://hl7.org/fhir/R4/compartmentdefinition.html): the resources that belong to a patient, an
 * encounter, a practitioner … through their references.
 */
import type { Definitions } from '../../fhir/definitions';
import type { JsonObject } from '../../fhir/json';
import type { ReferenceResolver } from '../../fhir/reference';
import { storedParameters } from './parameter';
import type { Criterion, Predicate } from '../predicate';
import { targetsOf } from '../values/target-values';
import { referenceType } from '../types/reference';
import type { SearchTypeContext } from '../types/search-type';

/** In the definitions: the resource that owns the compartment. */
const OWNER = '{def}';

/** Name of a compartment's criterion among those of a search. */
export const COMPARTMENT = 'compartment';

/**
 * Returns the types of resources that can be in the compartment of a resource of type `owner`, sorted; undefined: a
 * resource of that type has no compartment.
 */
export function compartmentTypes(definitions: Definitions, owner: string): readonly string[] | undefined {
  const compartment = definitions.compartments.get(owner);
  if (compartment === undefined) return undefined;
  return [...new Set([owner, ...compartment.parameters.keys()])].sort();
}

/**
 * Returns the ids of the resources of type `owner` in whose compartments a resource is: itself, and those that it
 * refers to by one of the parameters of the CompartmentDefinition. Cost: that of a few expressions.
 */
export function compartmentOwners(
  definitions: Definitions,
  owner: string,
  { type, id, resource }: { readonly type: string; readonly id: string; readonly resource: JsonObject },
  references: ReferenceResolver,
): ReadonlySet<string> {
  const owners = new Set<string>(type === owner ? [id] : []);
  const parameters = definitions.searchParameters(type);
  for (const code of definitions.compartments.get(owner)?.parameters.get(type) ?? []) {
    const parameter = parameters.get(code);
    if (parameter === undefined) continue;
    for (const { text } of targetsOf(definitions, parameter, resource)) {
      const local = references.local(text);
      if (local?.type === owner) owners.add(local.id);
    }
  }
  return owners;
}

/**
 * Returns the criterion that a resource of `type` is in the compartment of `owner`: it refers to `owner` by one of the
 * parameters of the CompartmentDefinition, or it is `owner` itself. R4 says the latter (`{def}`) for three of its five
 * compartments and nothing for Patient and Device; here it holds for all. References to a version of the owner count.
 * Undefined: no resource of that type is ever in it, or there is no such compartment.
 */
export function compartmentCriterion(
  context: SearchTypeContext,
  owner: { readonly type: string; readonly id: string },
  type: string,
): Criterion | undefined {
  const { definitions } = context;
  const compartment = definitions.compartments.get(owner.type);
  const codes = compartment?.parameters.get(type) ?? [];
  const isOwner = compartment !== undefined && type === owner.type;
  if (codes.length === 0 && !isOwner) return undefined;
  const predicates: Predicate[] = isOwner
    ? [{ index: 'key', keys: [context.keyOf(owner.type, owner.id)] }]
    : [];
  const stored = storedParameters(definitions, type);
  for (const code of codes) {
    const parameter = stored.get(code);
    if (parameter === undefined) {
      if (code === OWNER || context.hidesElements?.(type) === true) continue;
      throw new Error(`The compartment ${owner.type} names '${code}', which is no parameter of ${type}`);
    }
    const written = { stored: parameter, name: COMPARTMENT, modifier: undefined };
    predicates.push(...referenceType.predicates(context, written, `${owner.type}/${owner.id}`));
  }
  // Several parameters may share the same rows.
  const distinct = new Map(predicates.map((predicate) => [JSON.stringify(predicate), predicate]));
  return { name: COMPARTMENT, anyOf: [...distinct.values()] };
}

/** Returns the criterion that a resource of `type` is in the compartment of one of several owners of a type. */
export function compartmentsCriterion(
  context: SearchTypeContext,
  owner: { readonly type: string; readonly ids: readonly string[] },
  type: string,
): Criterion {
  const keys = owner.ids.map((id) => context.keyOf(owner.type, id));
  const targetType = context.definitions.typeNumber(owner.type) ?? 0;
  const [first] = owner.ids;
  const ofOne =
    first === undefined ? undefined : compartmentCriterion(context, { ...owner, id: first }, type);
  const anyOf = (ofOne?.anyOf ?? []).map((predicate): Predicate => {
    if (predicate.index === 'key') return { ...predicate, keys };
    if (predicate.index !== 'reference') throw new Error(`A compartment of ${type} is by ${predicate.index}`);
    return { index: 'references', parameter: predicate.parameter, targets: keys, targetType };
  });
  return { name: COMPARTMENT, anyOf };
}
