import type { JsonObject } from '../../../../../src/core';
import { checker, claiming, faults, profileSet, runClaims, toLine } from './checking';
import { BASE, OWN, profile } from './made-snapshots';

describe('A profile limits the targets of references', () => {
  const target = (...names: string[]) => [
    {
      code: 'Reference',
      targetProfile: names.map((name) => (name.includes(':') ? name : `${BASE}/${name}`)),
    },
  ];

  it('by type, as far as the reference shows it', async () => {
    const check = await checker('Observation', [{ path: 'Observation.subject', type: target('Patient') }]);
    const fitting: JsonObject[] = [
      { reference: 'Patient/1' },
      { reference: 'http://other.example/fhir/Patient/1' },
      { reference: 'urn:uuid:0a7d6a2e-5b1e-4b3f-9a63-2cf3a0b3a0c1' },
      { reference: 'http://other.example/x' },
      { display: 'somebody' },
      { type: 'Patient', identifier: { value: '1' } },
    ];
    for (const subject of fitting) expect(check({ subject })).toEqual([]);
    const others: JsonObject[] = [
      { reference: 'Group/1' },
      { type: 'Group', identifier: { value: '1' } },
      { reference: 'Group?identifier=1' },
    ];
    for (const subject of others)
      expect(check({ subject })).toEqual([
        'Observation.subject: The reference is to a Group; allowed are references to Patient',
      ]);
    // The base type reports the faults that it refuses.
    expect(check({ subject: { reference: 'Basic/1' } })).toEqual([]);
  });

  it('by the type of a contained resource, and its profile', async () => {
    const named = profile('Named', 'Patient', [{ path: 'Patient.name', min: 1 }]);
    const check = await checker(
      'Observation',
      [{ path: 'Observation.subject', type: target(`${OWN}/Named`, 'Device') }],
      [named],
    );
    const subject = { reference: '#p' };
    const contained = (resource: JsonObject) => [{ id: 'p', ...resource }];
    expect(check({ subject, contained: contained({ resourceType: 'Device' }) })).toEqual([]);
    expect(check({ subject, contained: contained({ resourceType: 'Group' }) })).toEqual([
      'Observation.subject: The reference is to a Group; allowed are references to Patient, Device',
    ]);
    expect(
      check({ subject, contained: contained({ resourceType: 'Patient', name: [{ text: 'A' }] }) }),
    ).toEqual([]);
    expect(check({ subject, contained: contained({ resourceType: 'Patient' }) })).toEqual([
      'Observation.subject: The target of the reference does not meet Named: Patient.name is missing; at least 1 must be there (the profile Named)',
    ]);
    expect(check({ subject: { reference: 'Patient/1' } })).toEqual([]);
  });

  it('by the entry of a Bundle that a reference means', async () => {
    const named = profile('Named', 'Patient', [{ path: 'Patient.name', min: 1 }]);
    const own = profile('Own', 'Observation', [
      { path: 'Observation.subject', type: target(`${OWN}/Named`) },
    ]);
    const set = await profileSet([named, own]);
    const bundle = (fullUrl: string, reference: string, patients: readonly JsonObject[]): JsonObject => ({
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        { fullUrl, resource: claiming('Own', { resourceType: 'Observation', subject: { reference } }) },
        ...patients,
      ],
    });
    const nameless = (fullUrl: string, id = '1'): JsonObject => ({
      fullUrl,
      resource: { resourceType: 'Patient', id },
    });
    const place = 'Bundle.entry[0].resource.subject';
    const expected = `${place}: The target of the reference does not meet Named: Patient.name is missing; at least 1 must be there (the profile Named)`;
    const here = 'http://here.example/fhir';
    const uuid = 'urn:uuid:0a7d6a2e-5b1e-4b3f-9a63-2cf3a0b3a0c1';
    for (const [reference, target] of [
      ['Patient/1', `${here}/Patient/1`],
      ['Patient/1/_history/3', `${here}/Patient/1`],
      [`${here}/Patient/1`, `${here}/Patient/1`],
      [uuid, uuid],
    ] as const) {
      expect(faults(set, bundle(`${here}/Observation/1`, reference, [nameless(target)]))).toEqual([expected]);
    }
    // Another server's Patient/1 is another patient.
    const elsewhere = [nameless('http://there.example/fhir/Patient/1')];
    expect(faults(set, bundle(`${here}/Observation/1`, 'Patient/1', elsewhere))).toEqual([]);
  });

  it('that lead in circles', async () => {
    const own = profile('Own', 'Patient', [
      { path: 'Patient.active', min: 1 },
      { path: 'Patient.link.other', type: target(`${OWN}/Own`) },
    ]);
    const set = await profileSet([own]);
    const patient = (id: string, other: string, active: boolean): JsonObject => ({
      fullUrl: `http://x.example/Patient/${id}`,
      resource: claiming('Own', {
        resourceType: 'Patient',
        id,
        ...(active ? { active } : {}),
        link: [{ type: 'seealso', other: { reference: `Patient/${other}` } }],
      }),
    });
    const bundle = (isActive: boolean): JsonObject => ({
      resourceType: 'Bundle',
      type: 'collection',
      entry: [patient('1', '2', true), patient('2', '3', true), patient('3', '1', isActive)],
    });
    expect(faults(set, bundle(true))).toEqual([]);
    const lines = faults(set, bundle(false));
    expect(lines.map((line) => line.replace(/:.*/, ''))).toContain('Bundle.entry[2].resource.active');
    expect(lines.length).toBeLessThanOrEqual(4);
  });

  it('by whether they are contained, bundled or elsewhere', async () => {
    const type = [{ code: 'Reference', targetProfile: [`${BASE}/Patient`], aggregation: ['contained'] }];
    const check = await checker('Observation', [{ path: 'Observation.subject', type }]);
    const contained = [{ resourceType: 'Patient', id: 'p' }];
    expect(check({ contained, subject: { reference: '#p' } })).toEqual([]);
    expect(check({ subject: { reference: 'Patient/1' } })).toEqual([
      'Observation.subject: The target of the reference is referenced; it must be contained',
    ]);
  });
});

describe('Several profiles', () => {
  it('on one resource are all checked, each with its own findings', async () => {
    const set = await profileSet([
      profile('One', 'Patient', [{ path: 'Patient.name', min: 1 }]),
      profile('Two', 'Patient', [{ path: 'Patient.name', min: 1 }]),
    ]);
    const resource = {
      resourceType: 'Patient',
      meta: { profile: [`${OWN}/One`, `${OWN}/Two`, `${OWN}/One`] },
    };
    expect(runClaims(set, resource).findings.map(({ diagnostics }) => diagnostics)).toEqual([
      `Patient.name is missing; at least 1 must be there (the profile ${OWN}/One)`,
      `Patient.name is missing; at least 1 must be there (the profile ${OWN}/Two)`,
    ]);
  });

  it('on resources inside a resource are checked at their places', async () => {
    const set = await profileSet([
      profile('Named', 'Patient', [
        {
          path: 'Patient',
          constraint: [{ key: 'own-1', severity: 'error', human: 'Itself', expression: '%resource.id = id' }],
        },
        { path: 'Patient.name', min: 1 },
      ]),
    ]);
    const patient = (): JsonObject => claiming('Named', { resourceType: 'Patient', id: 'p' });
    const observation = { resourceType: 'Observation', contained: [patient()] };
    const bundle = { resourceType: 'Bundle', type: 'collection', entry: [{ resource: observation }] };
    const parameters: JsonObject = {
      resourceType: 'Parameters',
      parameter: [
        { name: 'a', part: [{ name: 'b', resource: bundle }] },
        { name: 'c', resource: patient() },
      ],
    };
    const missing = 'Patient.name is missing; at least 1 must be there';
    expect(faults(set, parameters)).toEqual([
      `Parameters.parameter[0].part[0].resource.entry[0].resource.contained[0].name: ${missing}`,
      `Parameters.parameter[1].resource.name: ${missing}`,
    ]);
  });
});

it('A finding about a profile names the profile by its whole url', async () => {
  const set = await profileSet([profile('Own', 'Patient', [{ path: 'Patient.name', min: 1 }])]);
  const [finding] = runClaims(set, claiming('Own', { resourceType: 'Patient' })).findings;
  expect(finding).toEqual({
    rule: 'profile',
    severity: 'error',
    diagnostics: `Patient.name is missing; at least 1 must be there (the profile ${OWN}/Own)`,
    expression: 'Patient.name',
  });
  expect(finding && toLine(finding)).toBe('Patient.name: Patient.name is missing; at least 1 must be there');
});
