/** Compartments: https://hl7.org/fhir/R4/compartmentdefinition.html */
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { createReferenceResolver } from '../../../src/core/fhir/reference';
import { RELEASE_NAMES } from '../../../src/core/fhir/release';
import { compartmentCriterion, compartmentTypes } from '../../../src/core/search/parameters/compartment';
import { createHasher } from '../../../src/core/search/rows/hash';
import { keyOf } from '../../../src/core/search/rows/resource-key';
import { UTC } from '../../../packages/fhir-values/date';
import type { SearchTypeContext } from '../../../src/core/search/types/search-type';

describe.each(RELEASE_NAMES)('in %s', (release) => {
  const definitions = loadDefinitions(release);
  const hasher = createHasher(Buffer.alloc(16, 1));
  const context: SearchTypeContext = {
    definitions,
    zone: UTC,
    hasher,
    references: createReferenceResolver({
      ownAddresses: [],
      tenant: 'system',
      release,
      resourceTypes: definitions.resourceTypes,
    }),
    keyOf: (type, id) => keyOf(hasher, type, id),
    now: Date.now(),
  };

  it.each(['Device', 'Encounter', 'Patient', 'Practitioner', 'RelatedPerson'])(
    'each type in the compartment of a %s has a criterion for this owner only',
    (type) => {
      const types = compartmentTypes(definitions, type) ?? [];
      expect(types.length).toBeGreaterThan(20);
      expect(types).toContain(type);
      const target = context.keyOf(type, 'one');
      for (const member of types) {
        const { anyOf = [], isNegated } = compartmentCriterion(context, { type, id: 'one' }, member) ?? {};
        expect([member, anyOf.length > 0, isNegated]).toEqual([member, true, undefined]);
        for (const predicate of anyOf) {
          if (predicate.index === 'key') expect([member, predicate.keys]).toEqual([type, [target]]);
          else
            expect(predicate).toMatchObject({
              index: 'reference',
              target,
              targetType: definitions.typeNumber(type),
            });
        }
      }
      for (const other of definitions.resourceTypes.filter((name) => !types.includes(name)))
        expect(compartmentCriterion(context, { type, id: 'one' }, other)).toBeUndefined();
    },
  );

  it('parameters with the same rows give one predicate', () => {
    const criterion = compartmentCriterion(context, { type: 'Patient', id: 'one' }, 'AllergyIntolerance');
    const parameters = criterion?.anyOf.map((predicate) => JSON.stringify(predicate)) ?? [];
    expect(new Set(parameters).size).toBe(parameters.length);
    expect(parameters.length).toBe(3);
  });

  it('a type without a compartment has no members', () => {
    expect(compartmentTypes(definitions, 'Organization')).toBeUndefined();
    expect(
      compartmentCriterion(context, { type: 'Organization', id: 'one' }, 'Organization'),
    ).toBeUndefined();
    expect(compartmentCriterion(context, { type: 'Patient', id: 'one' }, 'Organization')).toBeUndefined();
  });
});
