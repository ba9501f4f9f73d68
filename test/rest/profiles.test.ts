/** Resources that claim profiles, over HTTP. */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('clinic');
  await server.createTenant('ward');
});
afterAll(() => server.close());

const BASE = 'http://hl7.org/fhir/StructureDefinition';
const OWN = 'http://clinic.example/fhir/StructureDefinition';

interface Issue {
  readonly severity: string;
  readonly code: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

const profile = (name: string, type: string, elements: readonly object[], more: object = {}) => ({
  resourceType: 'StructureDefinition',
  id: name,
  url: `${OWN}/${name}`,
  name,
  status: 'active',
  kind: 'resource',
  abstract: false,
  type,
  baseDefinition: `${BASE}/${type}`,
  derivation: 'constraint',
  differential: { element: elements },
  ...more,
});
const text = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">P</div>' };
const patient = (name: string, more: object = {}) => ({
  resourceType: 'Patient',
  meta: { profile: [name.includes(':') ? name : `${OWN}/${name}`] },
  text,
  ...more,
});
const named = [{ family: 'Chalmers' }];

const placesOf = (issues: readonly Issue[]) =>
  issues
    .filter(({ severity }) => severity === 'error')
    .map(({ expression }) => expression?.[0])
    .sort();

describe.each(TESTED_RELEASES)('Profiles under %s', (release) => {
  const root = (tenant = 'clinic') => server.path(tenant, release);
  const send = (method: string, rest: string, body?: unknown) => server.request(method, root() + rest, body);
  async function store(structure: { readonly id: string }): Promise<void> {
    const { status } = await send('PUT', `/StructureDefinition/${structure.id}`, structure);
    expect([200, 201]).toContain(status);
  }
  async function validate(body: object, parameters: readonly object[] = []): Promise<Issue[]> {
    const parameter = [{ name: 'resource', resource: body }, ...parameters];
    const { status, json } = await send('POST', '/$validate', { resourceType: 'Parameters', parameter });
    expect([status, json.resourceType]).toEqual([200, 'OperationOutcome']);
    return json.issue;
  }

  beforeAll(async () => {
    await store(profile('Named', 'Patient', [{ id: 'Patient.name', path: 'Patient.name', min: 1 }]));
    await store(
      profile(
        'Born',
        'Patient',
        [
          { id: 'Patient.birthDate', path: 'Patient.birthDate', min: 1 },
          {
            id: 'Patient.contact',
            path: 'Patient.contact',
            constraint: [
              { key: 'own-1', severity: 'error', human: 'A contact has a name', expression: 'name.exists()' },
            ],
          },
        ],
        { baseDefinition: `${OWN}/Named` },
      ),
    );
  });

  it('refuse invalid resources with all errors on create, update and patch', async () => {
    const broken = patient('Born', { contact: [{ gender: 'male' }] });
    const refused = await send('POST', '/Patient', broken);
    const places = ['Patient.birthDate', 'Patient.contact[0]', 'Patient.name'];
    expect(refused.status).toBe(422);
    expect(placesOf(refused.json.issue)).toEqual(expect.arrayContaining(places));
    const right = { ...patient('Born', { name: named, birthDate: '1970' }), id: `born-${release}` };
    expect((await send('PUT', `/Patient/born-${release}`, right)).status).toBe(201);
    expect((await send('PUT', `/Patient/born-${release}`, { ...broken, id: `born-${release}` })).status).toBe(
      422,
    );
    const patched = await server.request(
      'PATCH',
      `${root()}/Patient/born-${release}`,
      [{ op: 'remove', path: '/birthDate' }],
      { 'content-type': 'application/json-patch+json' },
    );
    expect([patched.status, placesOf(patched.json.issue)]).toEqual([422, ['Patient.birthDate']]);
    expect((await send('GET', `/Patient/born-${release}`)).json.meta.versionId).toBe('1');
  });

  it('apply in Bundles, in contained resources and in long bodies, which a worker thread checks', async () => {
    const inner = { ...patient('Named'), id: 'p' };
    const bundle = { resourceType: 'Bundle', type: 'collection', entry: [{ resource: inner }] };
    const refused = await send('POST', '/Bundle', bundle);
    expect([refused.status, placesOf(refused.json.issue)]).toEqual([422, ['Bundle.entry[0].resource.name']]);
    const long = {
      ...bundle,
      entry: Array.from({ length: 2_000 }, () => ({ resource: patient('Named', { name: named }) })),
    };
    expect(JSON.stringify(long).length).toBeGreaterThan(300_000);
    expect((await send('POST', '/Bundle', long)).status).toBe(201);
    long.entry[1_999] = { resource: patient('Named') };
    const refusedLong = await send('POST', '/Bundle', long);
    expect([refusedLong.status, placesOf(refusedLong.json.issue)]).toEqual([
      422,
      ['Bundle.entry[1999].resource.name'],
    ]);
  });

  it('from the specification are available to all tenants', async () => {
    const observation = {
      resourceType: 'Observation',
      meta: { profile: [`${BASE}/bodyweight`] },
      text,
      status: 'final',
      code: { text: 'Weight' },
    };
    const { status, json } = await send('POST', '/Observation', observation);
    expect(status).toBe(422);
    expect(placesOf(json.issue)).toEqual(
      expect.arrayContaining(['Observation.category', 'Observation.subject', 'Observation.code.coding']),
    );
  });

  it('with slices that differ by the codes of a value set use terminology', async () => {
    const codes = ['35200-5', '35217-9', '2085-9', '18262-6'];
    const report = {
      resourceType: 'DiagnosticReport',
      meta: { profile: [`${BASE}/lipidprofile`] },
      text,
      contained: codes.map((code) => ({
        resourceType: 'Observation',
        id: code,
        status: 'final',
        code: { coding: [{ system: 'http://loinc.org', code }] },
      })),
      status: 'final',
      code: { text: 'Lipids' },
      result: codes.map((code) => ({ reference: `#${code}` })),
    };
    const issues = await validate(report);
    expect(issues.filter(({ diagnostics }) => diagnostics.includes('slices of'))).toEqual([]);
    // The others are fixed with a display that these codes do not have; that of LDL is one of a value set.
    const foreign = issues.filter(({ diagnostics }) => diagnostics.includes('in no slice'));
    expect(placesOf(foreign)).toEqual([0, 1, 2].map((index) => `DiagnosticReport.result[${index}]`));
  });

  it('that do not exist are a warning, on a write and for $validate', async () => {
    const unknown = patient('http://nowhere.example/fhir/StructureDefinition/x', { name: named });
    const written = await server.request('POST', `${root()}/Patient`, unknown, {
      prefer: 'return=OperationOutcome',
    });
    expect(written.status).toBe(201);
    const issue = {
      code: 'not-found',
      diagnostics: expect.stringContaining('was not checked'),
      expression: ['Patient.meta.profile[0]'],
    };
    expect(written.json.issue).toContainEqual({ severity: 'warning', ...issue });
    expect(await validate(unknown)).toContainEqual({ severity: 'warning', ...issue });
  });

  it('named in a call of $validate are checked even if the resource does not claim them', async () => {
    const profileParameter = {
      name: 'profile',
      [release === 'r4' ? 'valueUri' : 'valueCanonical']: `${OWN}/Named`,
    };
    const issues = await validate({ resourceType: 'Patient', text, active: true }, [profileParameter]);
    expect(placesOf(issues)).toEqual(['Patient.name']);
  });

  it('on extensions are checked by $validate at any place', async () => {
    const extended = {
      resourceType: 'Patient',
      text,
      name: named,
      birthDate: '1970',
      _birthDate: { extension: [{ url: `${BASE}/patient-birthTime`, valueDate: '1970-01-01' }] },
    };
    expect(placesOf(await validate(extended))).toEqual(['Patient.birthDate.extension[0].value.ofType(date)']);
  });

  it('of one tenant do not apply to another', async () => {
    expect((await send('POST', '/Patient', patient('Named'))).status).toBe(422);
    expect((await server.request('POST', `${root('ward')}/Patient`, patient('Named'))).status).toBe(201);
  });

  it('of a tenant replace those of the specification for that tenant only', async () => {
    const url = `${BASE}/actualgroup`;
    const group = {
      resourceType: 'Group',
      meta: { profile: [url] },
      text,
      type: 'person',
      actual: false,
      ...(release === 'r4' ? {} : { active: true }),
    };
    expect((await send('POST', '/Group', group)).status).toBe(422);
    const own = profile('actualgroup', 'Group', [{ id: 'Group', path: 'Group' }], { url });
    await store(own);
    expect((await send('POST', '/Group', group)).status).toBe(201);
    expect((await server.request('POST', `${root('ward')}/Group`, group)).status).toBe(422);
    await send('DELETE', '/StructureDefinition/actualgroup');
    expect((await send('POST', '/Group', group)).status).toBe(422);
  });
});

describe('With VALIDATION=structure', () => {
  it('profiles are not validated', async () => {
    const lenient = await openSharedServer('structure');
    try {
      const root = lenient.path('system', 'r4');
      const named = profile('Named', 'Patient', [{ id: 'Patient.name', path: 'Patient.name', min: 1 }]);
      expect((await lenient.request('PUT', `${root}/StructureDefinition/Named`, named)).status).toBe(201);
      expect((await lenient.request('POST', `${root}/Patient`, patient('Named'))).status).toBe(201);
    } finally {
      await lenient.close();
    }
  });
});
