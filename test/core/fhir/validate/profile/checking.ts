/** Resources against profiles as a person writes them. */
import type { JsonObject } from '../../../../../src/core';
import { loadDefinitions } from '../../../../../src/core/fhir/definitions';
import { stringMember } from '../../../../../src/core/fhir/terminology/members';
import type { Finding } from '../../../../../src/core/fhir/validate/finding';
import { checkClaim, collectClaims } from '../../../../../src/core/fhir/validate/profile/claims';
import { ProfileSet } from '../../../../../src/core/fhir/validate/profile/profile-set';
import type { CodesOfValueSet } from '../../../../../src/core/fhir/validate/profile/compiled-profile';
import { ValidationRun } from '../../../../../src/core/fhir/validate/run';
import { make, OWN, profile } from './made-snapshots';
import { specificationStructures } from './specification-structures';

export type Codes = Readonly<Record<string, CodesOfValueSet>>;

/** The profiles, with snapshots that are made of their differentials, beside those of the specification. */
export async function profileSet(structures: readonly JsonObject[], codes: Codes = {}): Promise<ProfileSet> {
  const known = new Map(specificationStructures('r4'));
  for (const structure of structures) {
    const { elements, findings } = await make(structure, structures);
    const fault = findings.find(({ severity }) => severity === 'error');
    if (fault !== undefined) throw new Error(`${fault.expression}: ${fault.diagnostics}`);
    const url = stringMember(structure, 'url') ?? '';
    known.set(url, { ...structure, snapshot: { element: [...elements.values()] } });
  }
  return new ProfileSet({
    definitions: loadDefinitions('r4'),
    structureDefinition: (canonical) => known.get(canonical.replace(/\|.*/, '')),
    codes: (valueSet) => codes[valueSet],
  });
}

/** All that a resource, and the resources in it, have against the profiles that they claim. */
export function runClaims(set: ProfileSet, resource: JsonObject): ValidationRun {
  const run = new ValidationRun(stringMember(resource, 'resourceType') ?? '', resource, true);
  run.wantsWarnings = true;
  for (const claim of collectClaims(resource, set.definitions)) {
    for (const url of claim.profiles) {
      const profile = set.profile(url);
      if (profile === undefined) throw new Error(`${url}: ${set.faultOf(url) ?? 'not known'}`);
      checkClaim(claim, profile, run);
    }
  }
  return run;
}

/** Findings as `expression: sentence`, the sentence without the name of the profile. */
export function faults(set: ProfileSet, resource: JsonObject): string[] {
  return runClaims(set, resource).findings.map(toLine);
}

export function toLine({ expression, diagnostics, severity }: Finding): string {
  const sentence = diagnostics.replace(/ \(the profile [^)]*\)/, '').replaceAll(`${OWN}/`, '');
  return `${severity === 'error' ? '' : `${severity} `}${expression}: ${sentence}`;
}

/** The resource with the claim. */
export function claiming(name: string, resource: JsonObject): JsonObject {
  return { ...resource, meta: { profile: [`${OWN}/${name}`] } };
}

/** A function that says what is wrong with a resource by one profile on its type. */
export async function checker(
  type: string,
  elements: readonly JsonObject[],
  others: readonly JsonObject[] = [],
  codes: Codes = {},
): Promise<(resource: JsonObject) => string[]> {
  const set = await profileSet([profile('Own', type, elements), ...others], codes);
  return (resource) => faults(set, claiming('Own', { resourceType: type, ...resource }));
}
