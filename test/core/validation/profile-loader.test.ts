import type { JsonObject } from '../../../src/core';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { createValidator } from '../../../src/core/fhir/validate';
import { ProfileLoader } from '../../../src/core/validation/profile-loader';
import type { WantedProfiles } from '../../../src/core/validation/wanted-profiles';
import { claiming } from '../fhir/validate/profile/checking';
import { BASE, OWN, profile } from '../fhir/validate/profile/made-snapshots';
import { slice, sliced } from '../fhir/validate/profile/sliced';
import { Structures } from './structures';

const SPACE = { number: 11, release: 'r4', tenant: 'clinic', tenantNumber: 7, timeZone: 'UTC' } as const;
const AS_WRITTEN: WantedProfiles = { requested: [] };
const validator = createValidator(loadDefinitions('r4'));

/** Returns the issues of a resource, as `severity expression: sentence`. */
async function judge(loader: ProfileLoader, resource: JsonObject, wanted = AS_WRITTEN): Promise<string[]> {
  const loading = loader.profilesOf(SPACE, resource, wanted);
  if (loading === undefined) return [];
  const { profiles, findings } = await loading;
  const validation = validator.validate(resource, { isFull: true, profiles });
  return [...validation.findings, ...findings].map(
    ({ severity, expression, diagnostics }) =>
      `${severity} ${expression}: ${diagnostics.replaceAll(`${OWN}/`, '')}`,
  );
}

const named = (name: string, element: JsonObject, more: JsonObject = {}): JsonObject =>
  profile(name, 'Patient', [element], more);
const patient = (...names: string[]): JsonObject => ({
  resourceType: 'Patient',
  meta: { profile: names.map((name) => (name.includes(':') ? name : `${OWN}/${name}`)) },
});
const MISSING = 'error Patient.name: Patient.name is missing; at least 1 must be there';

describe('Profiles of a space', () => {
  it('are loaded with their bases and the profiles that they name, and get missing snapshots', async () => {
    const source = new Structures();
    source.put(
      named('First', { path: 'Patient.name', min: 1 }),
      named(
        'Second',
        { path: 'Patient.identifier', type: [{ code: 'Identifier', profile: [`${OWN}/Numbered`] }] },
        { baseDefinition: `${OWN}/First` },
      ),
      profile('Numbered', 'Identifier', [{ path: 'Identifier.value', min: 1 }], { kind: 'complex-type' }),
    );
    const loader = new ProfileLoader(source);
    expect(await judge(loader, { ...patient('Second'), identifier: [{ system: 'urn:x' }] })).toEqual([
      'error Patient.identifier[0].value: Identifier.value is missing; at least 1 must be there (the profile Numbered)',
      `${MISSING} (the profile Second)`,
    ]);
  });

  it('are not loaded where no profile is claimed', () => {
    const source = new Structures();
    const loader = new ProfileLoader(source);
    expect(loader.profilesOf(SPACE, { resourceType: 'Patient' }, AS_WRITTEN)).toBeUndefined();
    expect(source.versions).toBe(0);
  });

  it('are cached: the second time only the last change is read', async () => {
    const source = new Structures();
    source.put(named('Own', { path: 'Patient.name', min: 1 }));
    const loader = new ProfileLoader(source);
    const first = await judge(loader, patient('Own'));
    const { finds } = source;
    expect(finds).toBeGreaterThan(0);
    expect(await judge(loader, patient('Own'))).toEqual(first);
    expect(source.finds).toBe(finds);
    expect(source.versions).toBe(2);
  });

  it('are loaded once for concurrent requests', async () => {
    const source = new Structures();
    source.put(named('Own', { path: 'Patient.name', min: 1 }));
    const loader = new ProfileLoader(source);
    const alone = new Structures();
    alone.put(named('Own', { path: 'Patient.name', min: 1 }));
    await judge(new ProfileLoader(alone), patient('Own'));
    const all = await Promise.all(Array.from({ length: 20 }, () => judge(loader, patient('Own'))));
    for (const each of all) expect(each).toEqual([`${MISSING} (the profile Own)`]);
    expect(source.finds).toBe(alone.finds);
  });

  it('are never older than the request', async () => {
    const source = new Structures();
    const loader = new ProfileLoader(source);
    const base = named('Base', { path: 'Patient.gender', min: 1 });
    source.put(base, named('Own', { path: 'Patient.name', min: 1 }, { baseDefinition: `${OWN}/Base` }));
    expect(await judge(loader, patient('Own'))).toHaveLength(2);
    source.put(named('Base', { path: 'Patient.gender', min: 0 }));
    expect(await judge(loader, patient('Own'))).toEqual([`${MISSING} (the profile Own)`]);
    source.put(named('Own', { path: 'Patient.name', min: 0 }, { baseDefinition: `${OWN}/Base` }));
    expect(await judge(loader, patient('Own'))).toEqual([]);
    expect(await judge(loader, patient('New'))).toHaveLength(1);
    source.put(named('New', { path: 'Patient.name', min: 0 }));
    expect(await judge(loader, patient('New'))).toEqual([]);
  });

  it('have the codes by which slices differ, and reload them when terminology changes', async () => {
    const source = new Structures();
    const valueSet = 'http://clinic.example/ValueSet/kinds';
    source.put(
      profile(
        'Own',
        'Patient',
        sliced(
          'Patient.identifier',
          [['value', 'type']],
          [
            slice('Patient.identifier', 'kind', { max: '1' }),
            {
              id: 'Patient.identifier:kind.type',
              path: 'Patient.identifier.type',
              min: 1,
              binding: { strength: 'required', valueSet },
            },
          ],
        ),
      ),
    );
    const identifier = ['a', 'b', 'a'].map((code) => ({ type: { coding: [{ system: 'urn:s', code }] } }));
    const resource: JsonObject = { ...patient('Own'), identifier };
    const loader = new ProfileLoader(source);
    expect(await judge(loader, resource)).toEqual([
      `warning Patient: The slices of Patient.identifier are not checked (the profile Own): the codes of ${valueSet}, by which they differ, are not available`,
    ]);
    source.putCodes(valueSet, [['urn:s', ['a']]]);
    expect(await judge(loader, resource)).toEqual([
      "error Patient.identifier[2]: There are 2 in the slice 'kind' of Patient.identifier; at most 1 may be (the profile Own)",
    ]);
    source.putCodes(valueSet, [['urn:s', ['b']]]);
    expect(await judge(loader, resource)).toEqual([]);
  });
});

describe('Profiles that cannot be resolved', () => {
  it('are reported where they are claimed, as a warning; those that are asked for as an error', async () => {
    const loader = new ProfileLoader(new Structures());
    const inner = { ...patient('Nowhere'), id: 'p' };
    const resource = {
      ...patient(`${BASE}/Patient`, 'Nowhere'),
      contained: [inner],
      link: [{ other: { reference: '#p' }, type: 'seealso' }],
    };
    const sentence = 'The profile Nowhere was not checked: it does not exist';
    expect(await judge(loader, resource)).toEqual([
      `warning Patient.meta.profile[1]: ${sentence}`,
      `warning Patient.contained[0].meta.profile[0]: ${sentence}`,
    ]);
    expect(await judge(loader, patient('Nowhere'), { requested: ['urn:x'] })).toEqual([
      'error Patient: The profile urn:x was not checked: it does not exist',
      `warning Patient.meta.profile[0]: ${sentence}`,
    ]);
  });

  it('are reported with their errors', async () => {
    const source = new Structures();
    source.put(
      named('Orphan', { path: 'Patient.name', min: 1 }, { baseDefinition: `${OWN}/Nowhere` }),
      named('Wrong', { path: 'Patient.nam', min: 1 }),
      {
        ...named('Logical', { path: 'Logical.x' }),
        type: 'Logical',
        snapshot: { element: [{ path: 'Logical' }] },
      },
      {
        ...named('Disorder', { path: 'Patient' }),
        snapshot: { element: [{ path: 'Patient' }, { path: 'Patient.name.given' }] },
      },
    );
    const loader = new ProfileLoader(source);
    const found = await judge(loader, patient('Orphan', 'Wrong', 'Logical', 'Disorder'));
    expect(found.map((line) => line.slice(line.indexOf(': ') + 2))).toEqual([
      "The profile Orphan was not checked: its snapshot cannot be made: The StructureDefinition 'Nowhere' does not exist",
      expect.stringContaining('The profile Wrong was not checked: its snapshot cannot be made: '),
      'The profile Logical was not checked: it is for Logical, which FHIR 4.0.1 does not have',
      'The profile Disorder was not checked: Patient.name.given does not follow the element that it belongs to',
    ]);
  });

  it('with another version are different profiles', async () => {
    const source = new Structures();
    source.put({ ...named('Own', { path: 'Patient.name', min: 1 }), version: '2.0' });
    const loader = new ProfileLoader(source);
    expect(await judge(loader, patient('Own|2.0'))).toEqual([`${MISSING} (the profile Own)`]);
    expect(await judge(loader, patient('Own|1.0'))).toEqual([
      'warning Patient.meta.profile[0]: The profile Own|1.0 was not checked: it does not exist',
    ]);
  });

  it('include those beyond the limit', async () => {
    const source = new Structures();
    const loader = new ProfileLoader(source);
    const names = Array.from({ length: 250 }, (_none, index) => `Nowhere${index}`);
    const found = await judge(loader, patient(...names), { requested: [] });
    expect(found.some((line) => line.includes('at most 200 profiles are looked up'))).toBe(false);
    // 100 errors are listed; the looking up has ended at 200.
    expect(found).toHaveLength(101);
    expect(source.finds).toBe(200);
  });
});

describe('Requested profiles', () => {
  it('are checked on the outermost resource, once, whether it claims them or not', async () => {
    const source = new Structures();
    source.put(named('Own', { path: 'Patient.name', min: 1 }));
    const loader = new ProfileLoader(source);
    const wanted = { requested: [`${OWN}/Own`] } as const;
    const expected = [`${MISSING} (the profile Own)`];
    expect(await judge(loader, { resourceType: 'Patient' }, wanted)).toEqual(expected);
    expect(await judge(loader, patient('Own'), wanted)).toEqual(expected);
  });

  it('may be those of all extensions', async () => {
    const loader = new ProfileLoader(new Structures());
    const resource = {
      resourceType: 'Patient',
      extension: [
        { url: `${BASE}/patient-birthPlace`, valueString: 'x' },
        { url: 'http://nowhere.example/x', valueString: 'x' },
      ],
    };
    expect(await judge(loader, resource)).toEqual([]);
    expect(await judge(loader, resource, { ...AS_WRITTEN, everyExtension: true })).toEqual([
      `error Patient.extension[0].value.ofType(string): Extension.value[x] is of type string; allowed are Address (the profile ${BASE}/patient-birthPlace)`,
    ]);
  });
});

it('A claim of the type itself is valid', async () => {
  const loader = new ProfileLoader(new Structures());
  expect(await judge(loader, claiming('x', { resourceType: 'Patient' }))).toHaveLength(1);
  expect(await judge(loader, patient(`${BASE}/Patient`, `${BASE}/DomainResource`))).toEqual([]);
});
