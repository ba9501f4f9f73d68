/** The policy that restricts a program to the record of one patient. */
import type { Policy, PolicyRule } from '../../../api/administration';
import { isArray, objectsOf, textOf, type JsonObject } from '../../../api/json';

/** The parameter of a CompartmentDefinition that stands for the resource itself. */
const SELF = '{def}';

/**
 * The policy whose rules reach one patient and its compartment, which the CompartmentDefinition of the release describes.
 * Types with the same search parameters share a rule.
 */
export function patientPolicy(compartment: JsonObject, patient: string, interactions: string): Policy {
  const typesOf = new Map<string, string[]>();
  for (const { code, param } of objectsOf(compartment['resource'])) {
    const type = textOf(code) ?? '';
    const parameters = isArray(param) ? param.flatMap((each) => textOf(each) ?? []) : [];
    const names = parameters.filter((name) => name !== SELF).toSorted();
    if (type === '' || type === 'Patient' || names.length === 0) continue;
    const key = names.join(' ');
    typesOf.set(key, [...(typesOf.get(key) ?? []), type]);
  }
  const rules = [...typesOf].map(([names, types]): PolicyRule => {
    const criteria = names.split(' ').map((name) => `${name}=Patient/${patient}`);
    return { types, interactions, criteria };
  });
  return { rules: [{ types: ['Patient'], interactions, criteria: [`_id=${patient}`] }, ...rules] };
}

/** A name for the n-th policy of a patient; ids have no character that names of policies lack. */
export function patientPolicyName(patient: string, number: number): string {
  const suffix = number === 1 ? '' : `-${number}`;
  return `${`patient-${patient}`.slice(0, 64 - suffix.length)}${suffix}`;
}
