import type { JsonObject } from '../../../../../src/core';
import { checker, claiming, faults, profileSet, runClaims } from './checking';
import { OWN, profile } from './made-snapshots';
import { bySystem, IDENTIFIER, identifiers, inSlice, slice, sliced } from './sliced';

describe('The slices of an element', () => {
  it('have a least and a greatest number of members', async () => {
    const check = await checker('Patient', bySystem({ min: 1, max: '1' }));
    expect(check(identifiers('a', 'x', 'b', 'x'))).toEqual([]);
    expect(check(identifiers('a', 'a', 'x', 'a'))).toEqual([
      "Patient.identifier[1]: There are 3 in the slice 'a' of Patient.identifier; at most 1 may be",
      "Patient.identifier: There is nothing in the slice 'b' of Patient.identifier; at least 1 must be there",
    ]);
    expect(check({})).toHaveLength(2);
  });

  it('are not required in an element that is absent', async () => {
    const coding = 'Observation.code.coding';
    const check = await checker('Observation', [
      ...sliced(
        coding,
        [['value', 'system']],
        [slice(coding, 'own', { min: 1 }), inSlice(coding, 'own', 'system', { min: 1, fixedUri: 'urn:own' })],
      ),
    ]);
    expect(check({})).toEqual([]);
    expect(check({ code: { text: 'T' } })).toEqual([
      "Observation.code.coding: There is nothing in the slice 'own' of Observation.code.coding; at least 1 must be there",
    ]);
  });

  it('constrain their members, and nothing else', async () => {
    const check = await checker('Patient', bySystem());
    const long = (name: string): JsonObject => ({ system: `urn:${name}`, value: 'long' });
    expect(check({ identifier: [long('x'), long('b'), { system: 'urn:a' }] })).toEqual([
      'Patient.identifier[2].value: Patient.identifier:a.value is missing; at least 1 must be there',
      'Patient.identifier[1].value: The text is longer than 3 characters',
    ]);
  });

  it('may be all that there is', async () => {
    const check = await checker('Patient', bySystem({}, { rules: 'closed' }));
    expect(check(identifiers('b', 'a'))).toEqual([]);
    expect(check(identifiers('b', 'x', 'a'))).toEqual([
      'Patient.identifier[1]: This is in no slice of Patient.identifier; there are a, b, and no others are allowed',
    ]);
  });

  it('may have others at the end only', async () => {
    const check = await checker('Patient', bySystem({}, { rules: 'openAtEnd' }));
    expect(check(identifiers('b', 'a', 'x', 'y'))).toEqual([]);
    expect(check(identifiers('b', 'x', 'a'))).toEqual([
      "Patient.identifier[2]: This is in the slice 'a', but values in no slice must be at the end",
    ]);
  });

  it('may be in order', async () => {
    const check = await checker('Patient', bySystem({}, { ordered: true }));
    expect(check(identifiers('a', 'x', 'a', 'b', 'x', 'b'))).toEqual([]);
    expect(check(identifiers('b', 'x', 'a'))).toEqual([
      "Patient.identifier[2]: This is in the slice 'a', which must come before 'b'",
    ]);
  });

  it('may have a default slice for values in no other', async () => {
    const check = await checker('Patient', [
      ...bySystem({}, { rules: 'closed' }),
      slice(IDENTIFIER, '@default'),
      inSlice(IDENTIFIER, '@default', 'period', { min: 1 }),
    ]);
    expect(check(identifiers('a', 'x'))).toEqual([
      'Patient.identifier[1].period: Patient.identifier:@default.period is missing; at least 1 must be there',
    ]);
  });

  it('may be prohibited', async () => {
    const check = await checker('Patient', bySystem({ max: '0' }));
    expect(check(identifiers('x'))).toEqual([]);
    expect(check(identifiers('x', 'a'))).toEqual([
      "Patient.identifier[1]: There is 1 in the slice 'a' of Patient.identifier; none is allowed",
    ]);
  });
});

describe('Slices of slices', () => {
  const nested = (): JsonObject[] => [
    ...sliced(
      'Observation.component',
      [['value', 'code.text']],
      [
        slice('Observation.component', 'outer', { min: 1 }),
        inSlice('Observation.component', 'outer', 'code.text', { min: 1, fixedString: 'outer' }),
        {
          ...inSlice('Observation.component', 'outer', 'interpretation', {}),
          slicing: { discriminator: [{ type: 'value', path: 'text' }], rules: 'closed' },
        },
        {
          id: 'Observation.component:outer.interpretation:high',
          path: 'Observation.component.interpretation',
          sliceName: 'high',
          min: 1,
          max: '1',
        },
        {
          id: 'Observation.component:outer.interpretation:high.text',
          path: 'Observation.component.interpretation.text',
          min: 1,
          fixedString: 'high',
        },
      ],
    ),
  ];

  it('are searched in the members of the outer slice only', async () => {
    const check = await checker('Observation', nested());
    const component = (text: string, ...words: string[]): JsonObject => ({
      code: { text },
      interpretation: words.map((word) => ({ text: word })),
    });
    expect(check({ component: [component('other', 'x'), component('outer', 'high')] })).toEqual([]);
    expect(check({ component: [component('outer', 'x'), component('outer', 'high', 'high')] })).toEqual([
      'Observation.component[0].interpretation[0]: This is in no slice of Observation.component:outer.interpretation; there are high, and no others are allowed',
      "Observation.component[0].interpretation: There is nothing in the slice 'high' of Observation.component:outer.interpretation; at least 1 must be there",
      "Observation.component[1].interpretation[1]: There are 2 in the slice 'high' of Observation.component:outer.interpretation; at most 1 may be",
    ]);
  });

  it('that divide a slice further are counted in it', async () => {
    const first = profile('First', 'Patient', bySystem({ max: '2' }));
    const second = profile(
      'Second',
      'Patient',
      [
        { path: IDENTIFIER, slicing: { discriminator: [{ type: 'value', path: 'system' }], rules: 'open' } },
        {
          ...slice(IDENTIFIER, 'a'),
          slicing: { discriminator: [{ type: 'value', path: 'use' }], rules: 'closed' },
        },
        slice(IDENTIFIER, 'a/old', { max: '1' }),
        inSlice(IDENTIFIER, 'a/old', 'use', { min: 1, fixedCode: 'old' }),
        slice(IDENTIFIER, 'a/usual', { min: 1 }),
        inSlice(IDENTIFIER, 'a/usual', 'use', { min: 1, fixedCode: 'usual' }),
      ],
      { baseDefinition: `${OWN}/First` },
    );
    const set = await profileSet([first, second]);
    const check = (...uses: string[]): string[] =>
      faults(
        set,
        claiming('Second', {
          resourceType: 'Patient',
          identifier: uses.map((use) => ({ system: 'urn:a', value: '1', use })),
        }),
      );
    expect(check('old', 'usual')).toEqual([]);
    expect(check('old', 'temp').map((line) => line.slice(0, 95))).toEqual([
      'Patient.identifier[1]: This is in no slice of Patient.identifier:a; there are a/old, a/usual, a',
      "Patient.identifier: There is nothing in the slice 'a/usual' of Patient.identifier:a; at least 1",
    ]);
    expect(check('usual', 'usual', 'usual')).toEqual([
      "Patient.identifier[2]: There are 3 in the slice 'a' of Patient.identifier; at most 2 may be",
      "Patient.identifier[2]: There are 3 in the slice 'a/usual' of Patient.identifier:a; at most 2 may be",
    ]);
  });
});

describe('In any order', () => {
  /** A small generator of its own, so that a failure can be repeated. */
  function random(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  it('members of unordered slices are judged alike', async () => {
    const set = await profileSet([
      profile('Own', 'Patient', bySystem({ min: 1, max: '2' }, { rules: 'closed' })),
    ]);
    const next = random(7);
    const pick = (names: readonly string[]): string => names[Math.floor(next() * names.length)] ?? '';
    let refused = 0;
    for (let round = 0; round < 300; round++) {
      const identifier = Array.from({ length: Math.floor(next() * 6) }, () => ({
        system: `urn:${pick(['a', 'a', 'b', 'x'])}`,
        value: pick(['1', '22', 'long']),
      }));
      const shuffled = identifier
        .map((each) => ({ each, at: next() }))
        .sort((one, other) => one.at - other.at)
        .map(({ each }) => each);
      const judge = (list: JsonObject[]): string[] =>
        runClaims(set, claiming('Own', { resourceType: 'Patient', identifier: list }))
          .findings.map(({ diagnostics, rule, severity }) => `${severity} ${rule} ${diagnostics}`)
          .sort();
      const expected = judge(identifier);
      if (expected.length > 0) refused++;
      expect(judge(shuffled)).toEqual(expected);
    }
    expect(refused).toBeGreaterThan(100);
    expect(refused).toBeLessThan(300);
  });
});
