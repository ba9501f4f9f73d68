import type { JsonObject } from '../../../../../src/core';
import { loadDefinitions } from '../../../../../src/core/fhir/definitions';
import { ProfileSet } from '../../../../../src/core/fhir/validate/profile/profile-set';
import { ValidationRun } from '../../../../../src/core/fhir/validate/run';
import { checkExtensions } from '../../../../../src/core/fhir/validate/profile/extensions';
import { checker, claiming, profileSet, runClaims } from './checking';
import { OWN, profile } from './made-snapshots';
import { slice, sliced } from './sliced';
import { leastProcessorMilliseconds } from '../../../../support/processor-time';

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_none, index) => make(index));

describe('What profiles cost', () => {
  it('is far below a millisecond for a Patient as countries profile it', async () => {
    const extension = (name: string): JsonObject =>
      profile(
        name,
        'Extension',
        [
          { path: 'Extension.url', fixedUri: `${OWN}/${name}` },
          { path: 'Extension.value[x]', min: 1, type: [{ code: 'Coding' }] },
        ],
        { kind: 'complex-type' },
      );
    const named = (name: string): JsonObject =>
      slice('Patient.extension', name, {
        max: '1',
        type: [{ code: 'Extension', profile: [`${OWN}/${name}`] }],
      });
    const set = await profileSet([
      extension('race'),
      extension('ethnicity'),
      extension('birthsex'),
      profile('Own', 'Patient', [
        ...sliced('Patient.extension', [['value', 'url']], ['race', 'ethnicity', 'birthsex'].map(named)),
        { path: 'Patient.identifier', min: 1 },
        { path: 'Patient.identifier.system', min: 1 },
        { path: 'Patient.identifier.value', min: 1 },
        {
          path: 'Patient.name',
          min: 1,
          constraint: [
            {
              key: 'own-8',
              severity: 'error',
              human: 'A name',
              expression: 'family.exists() or given.exists()',
            },
          ],
        },
        { path: 'Patient.gender', min: 1 },
        { path: 'Patient.telecom.system', min: 1 },
        { path: 'Patient.telecom.value', min: 1 },
      ]),
    ]);
    const given = (name: string): JsonObject => ({
      url: `${OWN}/${name}`,
      valueCoding: { system: 'urn:s', code: 'c' },
    });
    const patient = claiming('Own', {
      resourceType: 'Patient',
      extension: ['race', 'ethnicity', 'birthsex'].map(given),
      identifier: [{ system: 'urn:x', value: '1' }],
      name: [{ family: 'F', given: ['G'] }],
      gender: 'female',
      telecom: [
        { system: 'phone', value: '1' },
        { system: 'email', value: 'a@b' },
      ],
    });
    expect(runClaims(set, patient).findings).toEqual([]);
    const rounds = 5_000;
    const run = (): void => {
      for (let round = 0; round < rounds; round++) runClaims(set, patient);
    };
    run();
    // Some 10 to 40 µs each.
    expect(leastProcessorMilliseconds(0.5 * rounds, run) / rounds).toBeLessThan(0.5);
  });

  it('stays linear where extensions that contain themselves are distinguished by their profile', async () => {
    const node = profile(
      'Node',
      'Extension',
      sliced(
        'Extension.extension',
        [['profile', '$this']],
        [slice('Extension.extension', 'node', { type: [{ code: 'Extension', profile: [`${OWN}/Node`] }] })],
      ),
      { kind: 'complex-type' },
    );
    const set = await profileSet([node]);
    let value: JsonObject = { url: `${OWN}/Node`, valueString: 'x' };
    for (let depth = 0; depth < 30; depth++) value = { url: `${OWN}/Node`, extension: [value] };
    const resource = { resourceType: 'Patient', extension: [value] };
    expect(
      leastProcessorMilliseconds(500, () =>
        checkExtensions(resource, new ValidationRun('Patient', resource, true), set),
      ),
    ).toBeLessThan(500);
  });

  it('stays linear where references that fail lead to each other', async () => {
    const type = [{ code: 'Reference', targetProfile: [`${OWN}/Own`] }];
    const set = await profileSet([
      profile('Own', 'Patient', [
        { path: 'Patient.active', min: 1 },
        { path: 'Patient.link.other', type },
      ]),
    ]);
    const entry = many(60, (index) => ({
      fullUrl: `http://x.example/Patient/${index}`,
      resource: claiming('Own', {
        resourceType: 'Patient',
        link: [1, 2].map((step) => ({
          type: 'seealso',
          other: { reference: `Patient/${(index + step) % 60}` },
        })),
      }),
    }));
    const bundle: JsonObject = { resourceType: 'Bundle', type: 'collection', entry };
    let findings = 0;
    const spent = leastProcessorMilliseconds(1_000, () => {
      ({ length: findings } = runClaims(set, bundle).findings);
    });
    expect(findings).toBeGreaterThan(60);
    expect(spent).toBeLessThan(1_000);
  });

  it('has a bound where a profile is made to take long to compile', async () => {
    const constraint = [{ key: 'own-1', severity: 'error', human: 'x', expression: 'true' }];
    const element = many(10_000, () => ({ path: 'Observation.value[x]', constraint }));
    const snapshot = { element: [{ path: 'Observation' }, ...element] };
    const structure = { ...profile('Own', 'Observation', []), snapshot };
    const definitions = loadDefinitions('r4');
    const spent = leastProcessorMilliseconds(5_000, () => {
      const set = new ProfileSet({ definitions, structureDefinition: () => structure });
      set.profile(`${OWN}/Own`);
      expect(set.faultOf(`${OWN}/Own`)).toBe('it has more than 5000 constraints on types of values');
    });
    expect(spent).toBeLessThan(5_000);
  });

  it('ends with a finding where a constraint of a client compares everything with everything', async () => {
    for (const expression of [
      '%resource.descendants().where($this = %context).exists()',
      "text.matches('(a+)+$') or %resource.name.where(text = %context.text).exists()",
    ]) {
      const check = await checker('Patient', [
        { path: 'Patient.name', constraint: [{ key: 'own-1', severity: 'error', human: 'x', expression }] },
      ]);
      const name = many(10_000, (index) => ({ text: `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ${index}` }));
      let lines: string[] = [];
      const spent = leastProcessorMilliseconds(8_000, () => (lines = check({ name })));
      expect(lines).toContain(
        'Patient.name[0]: The profiles take too long to check on a resource of this size'.replace(
          /\[0\]/,
          lines[0]?.match(/\[\d+\]/)?.[0] ?? '',
        ),
      );
      expect(spent).toBeLessThan(8_000);
    }
  });

  it('ends with a word where patterns and values are made to be compared each with each', async () => {
    const codings = (count: number, suffix: string): JsonObject[] =>
      many(count, (index) => ({ system: 'urn:s', code: `${index}${suffix}` }));
    const check = await checker(
      'Patient',
      sliced(
        'Patient.identifier',
        [['value', 'type']],
        many(200, (index) =>
          slice('Patient.identifier', `s${index}`, {
            patternIdentifier: { type: { coding: codings(100, 'x') } },
          }),
        ),
      ),
    );
    const identifier = many(100, () => ({ type: { coding: codings(1_000, 'y') } }));
    let lines: string[] = [];
    const spent = leastProcessorMilliseconds(8_000, () => (lines = check({ identifier })));
    expect(lines).toContain('Patient: The profiles take too long to check on a resource of this size');
    expect(spent).toBeLessThan(8_000);
  });

  it('ends with a word where a profile has too many slices for a resource with too many values', async () => {
    const check = await checker(
      'Patient',
      sliced(
        'Patient.identifier',
        [['value', 'type.coding.code']],
        many(500, (index) =>
          slice('Patient.identifier', `s${index}`, {
            patternIdentifier: { type: { coding: [{ code: `c${index}` }] } },
          }),
        ),
      ),
    );
    const identifier = many(20_000, () => ({ type: { coding: [{ code: 'x' }] } }));
    let lines: string[] = [];
    const spent = leastProcessorMilliseconds(8_000, () => (lines = check({ identifier })));
    expect(lines).toEqual(['Patient: The profiles take too long to check on a resource of this size']);
    expect(spent).toBeLessThan(8_000);
  });
});
