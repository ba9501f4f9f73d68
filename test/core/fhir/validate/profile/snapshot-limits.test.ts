import type { JsonObject } from '../../../../../src/core';
import type { Finding } from '../../../../../src/core/fhir/validate/finding';
import { OWN, make, profile } from './made-snapshots';
import { leastAwaitedMilliseconds } from '../../../../support/processor-time';

describe('What is wrong', () => {
  it.each<[string, JsonObject, readonly JsonObject[], Partial<Finding>]>([
    [
      'a base that does not exist',
      profile('Lost', 'Patient', [], { baseDefinition: `${OWN}/Nowhere` }),
      [],
      { rule: 'unresolved', severity: 'error', expression: 'StructureDefinition.baseDefinition' },
    ],
    [
      'a profile that is derived from itself through another',
      profile('First', 'Patient', [], { baseDefinition: `${OWN}/Second` }),
      [
        profile('First', 'Patient', [], { baseDefinition: `${OWN}/Second` }),
        profile('Second', 'Patient', [], { baseDefinition: `${OWN}/First` }),
      ],
      {
        rule: 'unresolved',
        diagnostics: `In '${OWN}/Second': '${OWN}/First' is derived from itself`,
        expression: 'StructureDefinition.baseDefinition',
      },
    ],
    [
      'an element that the base does not have',
      profile('Odd', 'Patient', [{ path: 'Patient.name' }, { path: 'Patient.nmae.family', min: 1 }]),
      [],
      {
        rule: 'profile',
        diagnostics: "The element 'Patient.nmae' does not exist in the base definition",
        expression: 'StructureDefinition.differential.element[1]',
      },
    ],
    [
      'a path of another type',
      profile('Odd', 'Patient', [{ path: 'Person.name', min: 1 }]),
      [],
      { rule: 'profile', expression: 'StructureDefinition.differential.element[0]' },
    ],
    [
      'elements of a choice whose type is open',
      profile('Odd', 'Observation', [{ path: 'Observation.value[x].unit', min: 1 }]),
      [],
      { rule: 'profile', expression: 'StructureDefinition.differential.element[0]' },
    ],
    [
      'slices that nothing tells apart',
      profile('Odd', 'Patient', [
        { path: 'Patient.identifier', sliceName: 'a' },
        { path: 'Patient.identifier', sliceName: 'b' },
      ]),
      [],
      { rule: 'profile', severity: 'error', expression: 'StructureDefinition.differential.element[1]' },
    ],
    [
      'no base at all',
      profile('Odd', 'Patient', [], { baseDefinition: '' }),
      [],
      { rule: 'requiredMissing', expression: 'StructureDefinition.baseDefinition' },
    ],
    [
      'an extension that does not exist, which is a warning only',
      profile('Extended', 'Patient', [
        { path: 'Patient.extension', sliceName: 'x', type: [{ code: 'Extension', profile: [`${OWN}/x`] }] },
      ]),
      [],
      {
        rule: 'unresolved',
        severity: 'warning',
        expression: 'StructureDefinition.differential.element[0].type[0].profile[0]',
      },
    ],
  ])('is reported with its place: %s', async (_what, structure, others, expected) => {
    const { findings } = await make(structure, others);
    expect(findings).toContainEqual(expect.objectContaining(expected));
  });

  it('does not prevent the other elements from being generated', async () => {
    const made = await make(
      profile('Odd', 'Patient', [
        { path: 'Patient.nmae', min: 1 },
        { path: 'Patient.name', min: 1 },
      ]),
    );
    expect(made.elements.get('Patient.name')).toMatchObject({ min: 1 });
  });
});

describe('The work of a generation is bounded:', () => {
  const many = (count: number, element: (index: number) => JsonObject) =>
    Array.from({ length: count }, (_, index) => element(index));
  const slicing = { discriminator: [{ type: 'value', path: 'url' }], rules: 'open' };

  /** Profiles each of which rests on the next. */
  const tower = many(40, (index) =>
    profile(`P${index}`, 'Patient', [], { baseDefinition: `${OWN}/P${index + 1}` }),
  );

  it.each<[string, JsonObject, readonly JsonObject[]]>([
    [
      'slices of slices',
      profile('Huge', 'Patient', [
        { path: 'Patient.contact', slicing },
        ...many(3_000, (index) => ({ path: 'Patient.contact', sliceName: `s${index}` })),
      ]),
      [],
    ],
    [
      'long texts in many slices',
      profile('Huge', 'Patient', [
        { path: 'Patient.contact', slicing, comment: 'x'.repeat(1_000_000) },
        ...many(1_000, (index) => ({ path: 'Patient.contact', sliceName: `s${index}` })),
      ]),
      [],
    ],
    ['a tower of profiles', profile('Top', 'Patient', [], { baseDefinition: `${OWN}/P0` }), tower],
    [
      'more definitions than one profile can need',
      profile(
        'Wide',
        'Patient',
        many(2_000, (index) => ({
          path: 'Patient.extension',
          sliceName: `s${index}`,
          type: [{ code: 'Extension', profile: [`${OWN}/e${index}`] }],
        })),
      ),
      [],
    ],
  ])('%s', async (_what, structure, others) => {
    const spent = await leastAwaitedMilliseconds(2_000, async () => {
      const { elements, findings } = await make(structure, others);
      expect(elements.size).toBe(0);
      expect(findings.at(-1)).toMatchObject({
        rule: 'tooCostly',
        expression: 'StructureDefinition.differential',
      });
    });
    expect(spent).toBeLessThan(2_000);
  });

  it('a hundred faults are reported, not all', async () => {
    const { findings } = await make(
      profile(
        'Odd',
        'Patient',
        many(5_000, (index) => ({ path: `Patient.x${index}`, min: 1 })),
      ),
    );
    expect(findings).toHaveLength(100);
  });

  it('a path without end is refused', async () => {
    const path = `Questionnaire${'.item'.repeat(100_000)}`;
    const { findings } = await make(profile('Deep', 'Questionnaire', [{ path, min: 1 }]));
    expect(findings).toMatchObject([
      { rule: 'profile', expression: 'StructureDefinition.differential.element[0]' },
    ]);
  });

  it('others have their turn meanwhile', async () => {
    let turns = 0;
    const watch = setInterval(() => (turns += 1), 1);
    const { elements } = await make(
      profile('Large', 'Patient', [
        { path: 'Patient.contact', slicing },
        ...many(1_500, (index) => ({ path: 'Patient.contact', sliceName: `s${index}`, max: '1' })),
      ]),
    );
    clearInterval(watch);
    expect(elements.size).toBeGreaterThan(15_000);
    expect(turns).toBeGreaterThan(10);
  });
});
