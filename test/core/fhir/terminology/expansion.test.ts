import { type JsonObject } from '../../../../src/core/fhir/json';
import { composeValueSet } from '../../../../src/core/fhir/terminology/compose';
import { expandValueSet, type ExpansionOptions } from '../../../../src/core/fhir/terminology/expansion';
import { objectsMember, stringMember } from '../../../../src/core/fhir/terminology/members';
import { makeSource } from './specification-terminology';

const ANIMALS = 'http://zoo.example/animals';
const CONDITIONS = 'http://zoo.example/conditions';

/** A mammal is an animal by nesting, a bat also a flyer by the property child, a penguin a bird by parent. */
const animals: JsonObject = {
  resourceType: 'CodeSystem',
  url: ANIMALS,
  version: '2',
  name: 'Animals',
  content: 'complete',
  property: [
    { code: 'legs', type: 'integer' },
    { code: 'retired', type: 'boolean', uri: 'http://hl7.org/fhir/concept-properties#inactive' },
  ],
  concept: [
    {
      code: 'animal',
      display: 'Animal',
      property: [{ code: 'notSelectable', valueBoolean: true }],
      concept: [
        {
          code: 'mammal',
          display: 'Mammal',
          property: [{ code: 'legs', valueInteger: 4 }],
          designation: [
            { language: 'de', value: 'Säugetier' },
            { language: 'de-AT', value: 'Säuger' },
            { use: { system: 'http://snomed.info/sct', code: '900000000000013009' }, value: 'Mammalia' },
          ],
          concept: [
            {
              code: 'bat',
              display: 'Bat',
              extension: [{ url: 'http://zoo.example/night', valueBoolean: true }],
            },
          ],
        },
        { code: 'bird', display: 'Bird', property: [{ code: 'legs', valueInteger: 2 }] },
        {
          code: 'flyer',
          property: [
            { code: 'child', valueCode: 'bat' },
            { code: 'child', valueCode: 'bird' },
          ],
        },
        { code: 'dodo', display: 'Dodo', property: [{ code: 'retired', valueBoolean: true }] },
      ],
    },
    { code: 'penguin', display: 'Penguin', property: [{ code: 'parent', valueCode: 'bird' }] },
  ],
};
const fragment: JsonObject = {
  resourceType: 'CodeSystem',
  url: CONDITIONS,
  content: 'fragment',
  caseSensitive: false,
  concept: [{ code: 'Ill' }, { code: 'Well' }],
};
const birds = valueSet('birds', { include: [filtered('is-a', 'concept', 'bird')] });

const own = [animals, fragment, birds];

function valueSet(name: string, compose: JsonObject): JsonObject {
  return { resourceType: 'ValueSet', url: `http://zoo.example/ValueSet/${name}`, compose };
}

function filtered(op: string, property: string, value: string): JsonObject {
  return { system: ANIMALS, filter: [{ property, op, value }] };
}

async function expand(
  compose: JsonObject,
  options: Partial<ExpansionOptions> = {},
  more: readonly JsonObject[] = [],
) {
  const composed = await composeValueSet(valueSet('asked', compose), makeSource('r4', [...own, ...more]));
  return expandValueSet(composed, {
    maxCodes: 10_000,
    identifier: 'urn:uuid:7b4a4d5e-0000-4000-8000-000000000000',
    timestamp: '2026-01-01T00:00:00Z',
    parameters: [],
    ...options,
  });
}

/** `a(b(c) d)`: the shape of a nested expansion. */
function shape(expansion: JsonObject): string {
  return objectsMember(expansion, 'contains')
    .map((element) => `${stringMember(element, 'code')}${'contains' in element ? `(${shape(element)})` : ''}`)
    .join(' ');
}

const flat = { excludeNested: true };

test.each([
  ['is-a', 'concept', 'mammal', 'mammal bat'],
  ['is-a', 'concept', 'flyer', 'bat bird flyer penguin'],
  ['descendent-of', 'concept', 'bird', 'penguin'],
  ['is-not-a', 'concept', 'bird', 'animal mammal bat flyer dodo'],
  ['generalizes', 'concept', 'penguin', 'animal bird flyer penguin'],
  ['=', 'legs', '4', 'mammal'],
  ['=', 'parent', 'animal', 'mammal bird flyer dodo'],
  ['=', 'child', 'bat', 'mammal flyer'],
  ['in', 'legs', '2, 4', 'mammal bird'],
  ['in', 'code', 'bat,dodo', 'bat dodo'],
  ['not-in', 'legs', '4', 'animal bat bird flyer dodo penguin'],
  ['exists', 'legs', 'true', 'mammal bird'],
  ['exists', 'legs', 'false', 'animal bat flyer dodo penguin'],
  ['regex', 'code', 'b.*', 'bat bird'],
  ['regex', 'display', '[A-M]a.+', 'mammal bat'],
  ['regex', 'code', 'b[^ \\f\\t]+', 'bat bird'],
  ['=', 'inactive', 'true', 'dodo'],
  ['=', 'notSelectable', 'true', 'animal'],
  // A concept that says nothing is neither.
  ['=', 'notSelectable', 'false', ''],
])('a filter %s of %s with %s chooses %4$s', async (op, property, value, codes) => {
  expect(shape(await expand({ include: [filtered(op, property, value)] }, flat))).toBe(codes);
});

test('whether a concept is selectable is found by the uri of the property', async () => {
  const concept = (code: string, value: boolean): JsonObject => ({
    code,
    property: [{ code: 'group', valueBoolean: value }],
  });
  const groups: JsonObject = {
    ...{ resourceType: 'CodeSystem', url: 'http://zoo.example/groups', content: 'complete' },
    property: [
      { code: 'group', uri: 'http://hl7.org/fhir/concept-properties#notSelectable', type: 'boolean' },
    ],
    concept: [concept('all', true), concept('one', false), { code: 'untold' }],
  };
  const chosen = async (value: string): Promise<string> => {
    const filter = [{ property: 'notSelectable', op: '=', value }];
    return shape(
      await expand({ include: [{ system: 'http://zoo.example/groups', filter }] }, flat, [groups]),
    );
  };
  expect([await chosen('true'), await chosen('false')]).toEqual(['all', 'one']);
});

test('all filters of an include must be met', async () => {
  const include = {
    ...filtered('is-a', 'concept', 'animal'),
    filter: [
      { op: 'is-a', property: 'concept', value: 'flyer' },
      { op: 'exists', property: 'legs', value: 'true' },
    ],
  };
  expect(shape(await expand({ include: [include] }, flat))).toBe('bird');
});

test('a hierarchy stays nested, and the children of what is left out move up', async () => {
  expect(shape(await expand({ include: [{ system: ANIMALS }] }))).toBe(
    'animal(mammal(bat) bird(penguin) flyer dodo)',
  );
  const exclude = [{ system: ANIMALS, concept: [{ code: 'bird' }, { code: 'mammal' }] }];
  expect(shape(await expand({ include: [{ system: ANIMALS }], exclude }))).toBe(
    'animal(flyer(bat) dodo penguin)',
  );
});

test('enumerated concepts keep the order and the display of the value set', async () => {
  const concept: JsonObject[] = [{ code: 'penguin', display: 'Tux' }, { code: 'bird' }];
  const expansion = await expand({ include: [{ system: ANIMALS, concept }] });
  expect(expansion['contains']).toEqual([
    { system: ANIMALS, version: '2', code: 'penguin', display: 'Tux' },
    { system: ANIMALS, version: '2', code: 'bird', display: 'Bird' },
  ]);
  expect(expansion['parameter']).toEqual([
    { name: 'used-codesystem', valueUri: `${ANIMALS}|2` },
    { name: 'version', valueUri: `${ANIMALS}|2` },
  ]);
});

test('concepts of an unknown system can be enumerated', async () => {
  const include = [
    { system: 'http://snomed.info/sct', concept: [{ code: '73211009', display: 'Diabetes mellitus' }] },
  ];
  expect((await expand({ include }))['contains']).toEqual([
    { system: 'http://snomed.info/sct', code: '73211009', display: 'Diabetes mellitus' },
  ]);
});

test('abstract, inactive and extensions are in the result, and can be left out', async () => {
  const all = await expand({ include: [{ system: ANIMALS }] }, flat);
  const byCode = new Map(objectsMember(all, 'contains').map((element) => [element['code'], element]));
  expect(byCode.get('animal')).toMatchObject({ abstract: true });
  expect(byCode.get('dodo')).toMatchObject({ inactive: true });
  expect(byCode.get('bat')).toMatchObject({
    extension: [{ url: 'http://zoo.example/night', valueBoolean: true }],
  });
  const options = { ...flat, activeOnly: true, excludeNotForUI: true };
  expect(shape(await expand({ include: [{ system: ANIMALS }] }, options))).toBe(
    'mammal bat bird flyer penguin',
  );
  expect(shape(await expand({ inactive: false, include: [{ system: ANIMALS }] }, flat))).not.toContain(
    'dodo',
  );
});

test('a page is cut from the flat list and has the total', async () => {
  const page = await expand({ include: [{ system: ANIMALS }] }, { offset: 2, count: 2 });
  expect(shape(page)).toBe('bat bird');
  expect(page).toMatchObject({ total: 7, offset: 2 });
  expect(await expand({ include: [{ system: ANIMALS }] }, { count: 0 })).not.toHaveProperty('contains');
  expect(
    shape(await expand({ include: [{ system: ANIMALS }] }, { count: 2, excludeNested: false })),
  ).toContain('animal(');
});

test('too many codes are refused unless a page is requested', async () => {
  const compose = { include: [{ system: ANIMALS }] };
  await expect(expand(compose, { maxCodes: 6 })).rejects.toMatchObject({ key: 'tooCostly' });
  await expect(expand(compose, { maxCodes: 6, count: 7 })).rejects.toMatchObject({ key: 'tooCostly' });
  expect(shape(await expand(compose, { maxCodes: 6, count: 6 }))).toBe('animal mammal bat bird flyer dodo');
});

test('text is searched in codes and displays, whatever its case', async () => {
  expect(shape(await expand({ include: [{ system: ANIMALS }] }, { filter: 'MAM' }))).toBe('mammal');
  expect(shape(await expand({ include: [{ system: ANIMALS }] }, { filter: 'flyer' }))).toBe('flyer');
});

test('displays and designations are in the requested language', async () => {
  const include = [{ system: ANIMALS, concept: [{ code: 'mammal' }] }];
  const display = async (displayLanguage: string) =>
    objectsMember(await expand({ include }, { displayLanguage }), 'contains')[0]?.['display'];
  expect(await display('de')).toBe('Säugetier');
  expect(await display('de-AT')).toBe('Säuger');
  expect(await display('fr')).toBe('Mammal');
  const [shown] = objectsMember(await expand({ include }, { includeDesignations: true }), 'contains');
  expect(shown?.['designation']).toHaveLength(3);
  const designations = [
    { system: 'urn:ietf:bcp:47', code: 'de-AT' },
    { system: undefined, code: '900000000000013009' },
  ];
  const [some] = objectsMember(await expand({ include }, { designations }), 'contains');
  expect(some?.['designation']).toHaveLength(3);
  const [none] = objectsMember(
    await expand({ include }, { designations: [{ system: undefined, code: 'fr' }] }),
    'contains',
  );
  expect(none).not.toHaveProperty('designation');
});

test('imported value sets are followed, and several in one include are intersected', async () => {
  const flyers = valueSet('flyers', { include: [filtered('is-a', 'concept', 'flyer')] });
  const both = { valueSet: ['http://zoo.example/ValueSet/birds', 'http://zoo.example/ValueSet/flyers'] };
  expect(shape(await expand({ include: [both] }, flat, [flyers]))).toBe('bird penguin');
  const narrowed = {
    system: ANIMALS,
    concept: [{ code: 'bat' }, { code: 'penguin' }],
    valueSet: ['http://zoo.example/ValueSet/birds'],
  };
  expect(shape(await expand({ include: [narrowed] }))).toBe('penguin');
});

test('a value set that includes itself is refused', async () => {
  const a = valueSet('a', { include: [{ valueSet: ['http://zoo.example/ValueSet/b'] }] });
  const b = valueSet('b', { include: [{ valueSet: ['http://zoo.example/ValueSet/a'] }] });
  const asked = expand({ include: [{ valueSet: ['http://zoo.example/ValueSet/a'] }] }, {}, [a, b]);
  await expect(asked).rejects.toMatchObject({
    key: 'notSupported',
    message: expect.stringContaining('includes itself'),
  });
});

test('value sets that include each other twice at every level are too costly, not endless', async () => {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const below = `http://zoo.example/ValueSet/level${level + 1}`;
    return valueSet(`level${level}`, { include: [{ valueSet: [below] }, { valueSet: [below] }] });
  });
  const last = valueSet('level40', { include: [{ system: ANIMALS }] });
  const asked = expand({ include: [{ valueSet: ['http://zoo.example/ValueSet/level0'] }] }, {}, [
    ...levels,
    last,
  ]);
  await expect(asked).rejects.toMatchObject({ key: 'tooCostly' });
});

test.each([
  [{ system: 'http://loinc.org' }, 'http://loinc.org'],
  [
    { system: 'http://snomed.info/sct', filter: [{ property: 'concept', op: 'is-a', value: '404684003' }] },
    'not-present',
  ],
  [{ system: ANIMALS, version: '3' }, `${ANIMALS}|3`],
  [{ valueSet: ['http://zoo.example/ValueSet/none'] }, 'http://zoo.example/ValueSet/none'],
  [filtered('is-a', 'concept', 'unicorn'), 'unicorn'],
  [filtered('=', 'colour', 'red'), 'colour'],
  [filtered('like', 'code', 'x'), 'like'],
  [filtered('regex', 'code', '(a'), 'not closed'],
])('names the obstacle to expanding %j', async (include, named) => {
  await expect(expand({ include: [include] })).rejects.toMatchObject({
    key: 'notSupported',
    status: 422,
    message: expect.stringContaining(named),
  });
});

test('an incomplete code system makes an expansion marked as incomplete', async () => {
  const expansion = await expand({ include: [{ system: CONDITIONS }] });
  expect(shape(expansion)).toBe('Ill Well');
  expect(expansion['extension']).toEqual([
    { url: 'http://hl7.org/fhir/StructureDefinition/valueset-unclosed', valueBoolean: true },
  ]);
});

test('a stored expansion counts where there is no compose', async () => {
  const contains = [
    { system: ANIMALS, code: 'bird', display: 'Bird', contains: [{ system: ANIMALS, code: 'penguin' }] },
  ];
  const stored = {
    resourceType: 'ValueSet',
    url: 'http://zoo.example/ValueSet/stored',
    expansion: { contains },
  };
  expect(
    shape(await expand({ include: [{ valueSet: ['http://zoo.example/ValueSet/stored'] }] }, {}, [stored])),
  ).toBe('bird penguin');
});

test('concepts that are each other’s parents are all shown', async () => {
  const circle = {
    resourceType: 'CodeSystem',
    url: 'http://zoo.example/circle',
    content: 'complete',
    concept: [
      { code: 'a', property: [{ code: 'parent', valueCode: 'b' }] },
      { code: 'b', property: [{ code: 'parent', valueCode: 'a' }] },
    ],
  };
  const expansion = await expand({ include: [{ system: 'http://zoo.example/circle' }] }, {}, [circle]);
  expect(shape(expansion)).toBe('b(a)');
});
