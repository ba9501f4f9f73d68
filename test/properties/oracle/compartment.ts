/**
 * Compartments: the resources that belong to one patient, practitioner, encounter … by the CompartmentDefinitions of
 * the release.
 */
import { officialCompartment } from './official';
import { findParameter, TYPES } from './parameters';
import { referenceText, targetOf } from './reference';
import { BadSearch } from './refusal';
import type { Predicate, Space } from './space';
import { elementsOf } from './values';

/** Those that the data have resources of. */
export const COMPARTMENTS: readonly string[] = ['Patient', 'Encounter', 'Practitioner'];
export function compartmentTypes(space: Space, compartment: string): string[] {
  const codes = officialCompartment(space.release, compartment);
  return TYPES.filter((type) => codes.has(type));
}

/**
 * Tests whether a resource of a type is in the compartment of an owner: it is the owner, or one of the type's parameters
 * for that compartment refers to the owner, which need not exist. Parameters that the table of the oracle does not know are of elements that the data lack.
 * @throws BadSearch where the type is in no such compartment
 */
export function compartmentPredicate(space: Space, compartment: string, id: string, type: string): Predicate {
  const codes = officialCompartment(space.release, compartment).get(type);
  if (codes === undefined) throw new BadSearch(`${type} is not in the compartment of ${compartment}`);
  const parameters = codes.flatMap((code) => findParameter(type, code) ?? []);
  return ({ resource }) =>
    (resource['resourceType'] === compartment && resource['id'] === id) ||
    parameters
      .flatMap((parameter) => elementsOf(resource, parameter))
      .map(({ value }) => targetOf(referenceText(value) ?? '', space.root))
      .some((target) => target?.type === compartment && target.id === id);
}

/** `Patient/1/Observation` or `Patient/1/*`; undefined for a mere type. */
export function readPlace(
  text: string,
): { readonly compartment: string; readonly id: string; readonly type: string | undefined } | undefined {
  const [compartment = '', id, type] = text.split('/');
  if (id === undefined || type === undefined) return undefined;
  return { compartment, id, type: type === '*' ? undefined : type };
}
