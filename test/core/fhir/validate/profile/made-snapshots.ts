/** Profiles as a person writes them, and their snapshots over the specification of R4. */
import type { JsonObject } from '../../../../../src/core';
import { objectsMember, stringMember } from '../../../../../src/core/fhir/terminology/members';
import type { Finding } from '../../../../../src/core/fhir/validate/finding';
import { generateSnapshot } from '../../../../../src/core/fhir/validate/profile/snapshot';
import { specificationStructures } from './specification-structures';

export const BASE = 'http://hl7.org/fhir/StructureDefinition';
export const OWN = 'http://clinic.example/fhir/StructureDefinition';

/** A profile as a person writes it: the differential, each element with its path. */
export function profile(
  name: string,
  type: string,
  elements: readonly JsonObject[],
  more: JsonObject = {},
): JsonObject {
  return {
    resourceType: 'StructureDefinition',
    url: `${OWN}/${name}`,
    name,
    status: 'active',
    kind: 'resource',
    abstract: false,
    type,
    baseDefinition: `${BASE}/${type}`,
    derivation: 'constraint',
    differential: { element: [...elements] },
    ...more,
  };
}

export interface Made {
  /** By id, in order. */
  readonly elements: ReadonlyMap<string, JsonObject>;
  readonly findings: readonly Finding[];
}

export async function make(structure: JsonObject, others: readonly JsonObject[] = []): Promise<Made> {
  const known = specificationStructures('r4');
  const { elements, findings } = await generateSnapshot(structure, (url) => {
    return others.find((other) => other['url'] === url) ?? known.get(url);
  });
  return {
    elements: new Map((elements ?? []).map((element) => [stringMember(element, 'id') ?? '', element])),
    findings,
  };
}

/** The ids that begin so. */
export const idsBelow = ({ elements }: Made, start: string) =>
  [...elements.keys()].filter((id) => id.startsWith(start));
export const constraintKeys = (element: JsonObject | undefined) =>
  objectsMember(element ?? {}, 'constraint').map((constraint) => constraint['key']);
export const typesOf = (element: JsonObject | undefined) =>
  objectsMember(element ?? {}, 'type').map(({ code }) => code);
