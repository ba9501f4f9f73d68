/** Definitions that a tenant makes, and that change how its resources are searched and validated. */
import { CONCEPTS } from '../../../properties/oracle/generate-values';
import type { Resource } from '../../../properties/oracle/json';
import type { Release } from '../../../../src/core';
import { MARKER_SYSTEM, markerOf, type Tenant } from '../tenant';
import type { Sent } from '../world';
import { releaseOf } from './choose';
import { put } from './shapes';

export const OWN_URL = 'http://andiron.example';

/** Definitions that both tenants make under the same ids and urls, and each in its own way. */
export function definition(release: Release, tenant: string, variant: number, form: number): Sent {
  const isFirst = (tenant.length + form) % 2 === 0;
  const made: Readonly<Record<string, object>> = {
    SearchParameter: {
      id: 'own',
      name: 'own',
      description: markerOf(tenant),
      code: 'own',
      base: ['Patient'],
      type: 'string',
      expression: isFirst ? 'Patient.name.family' : 'Patient.name.given',
    },
    StructureDefinition: {
      id: 'strict',
      name: 'Strict',
      title: markerOf(tenant),
      kind: 'resource',
      abstract: false,
      type: 'Patient',
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
      derivation: 'constraint',
      differential: {
        element: [
          isFirst
            ? { id: 'Patient.birthDate', path: 'Patient.birthDate', min: 1 }
            : { id: 'Patient.gender', path: 'Patient.gender', min: 1 },
        ],
      },
    },
    ValueSet: {
      id: 'own-values',
      title: markerOf(tenant),
      compose: {
        include: [
          {
            system: CONCEPTS.anatomySystem,
            concept: CONCEPTS.anatomy.slice(isFirst ? 0 : 2, isFirst ? 2 : 4).map((code) => ({ code })),
          },
        ],
      },
    },
  };
  const types = Object.keys(made);
  const type = types[variant % types.length] ?? '';
  const resource = {
    resourceType: type,
    url: `${OWN_URL}/${type}/own`,
    status: 'active',
    meta: { tag: [{ system: MARKER_SYSTEM, code: markerOf(tenant) }] },
    ...made[type],
  };
  return put(release, resource as unknown as Resource);
}

export function anyDefinition(tenant: Tenant): Sent {
  const { random, name } = tenant;
  const release = releaseOf(random);
  const made = definition(release, name, random.below(3), random.below(2));
  return random.chance(0.2) ? { method: 'DELETE', path: made.path } : made;
}
