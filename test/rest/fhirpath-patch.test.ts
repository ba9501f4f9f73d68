/** FHIRPath Patch over HTTP: https://hl7.org/fhir/R4/fhirpatch.html. JSON Patch is in patch.test.ts. */
import type { Release } from '../../src/core';
import {
  add,
  insert,
  move,
  parts,
  remove,
  replace,
  toParameters,
  type PatchStep,
} from '../support/fhirpath-patch';
import { type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('clinic');
});
afterAll(() => server.close());

const patient = {
  resourceType: 'Patient',
  text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Peter Chalmers</div>' },
  active: true,
  name: [{ family: 'Chalmers', given: ['Peter'] }],
  extension: [{ url: 'http://example.org/weight', valueDecimal: 0 }],
};
const rename = replace('Patient.name[0].family', { valueString: 'Windsor' });

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'clinic'],
])('a FHIRPath Patch under %s of the tenant %s', (release, tenant) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path(tenant, release)}${rest}`, body, headers);
  const patch = (id: string, steps: readonly PatchStep[], headers: Record<string, string> = {}) =>
    send('PATCH', `/Patient/${id}`, toParameters(...steps), {
      'content-type': 'application/fhir+json',
      ...headers,
    });

  async function create(): Promise<string> {
    const text = JSON.stringify(patient).replace('"valueDecimal":0', '"valueDecimal":1.00');
    const { status, json } = await send('POST', '/Patient', text);
    expect(status).toBe(201);
    return json.id;
  }

  async function expectUnchanged(id: string): Promise<void> {
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"1"');
  }

  // prettier-ignore
  it.each(['application/fhir+json', 'application/json', 'application/fhir+json; charset=utf-8'])(
    'as %s makes a new version, and unchanged elements stay to the last digit',
    async (type) => {
      const id = await create();
      const { status, headers, json, text } = await patch(
        id,
        [rename, add('Patient', 'birthDate', { valueDate: '1974-12-25' }), remove('Patient.active')],
        { 'content-type': type },
      );
      expect(status).toBe(200);
      expect(json).toMatchObject({
        name: [{ family: 'Windsor', given: ['Peter'] }],
        birthDate: '1974-12-25',
      });
      expect(json.active).toBeUndefined();
      expect(headers.etag).toBe('W/"2"');
      expect(text).toContain('1.00');
      expect((await send('GET', `/Patient/${id}`)).text).toBe(text);
    },
  );

  it('removes an outdated generated narrative, and keeps one that it writes itself', async () => {
    const id = await create();
    expect((await patch(id, [rename])).json.text).toBeUndefined();
    const other = await create();
    const div = '<div xmlns="http://www.w3.org/1999/xhtml">Peter Windsor</div>';
    const { json } = await patch(other, [rename, replace('Patient.text.div', { valueString: div })]);
    expect(json.text).toEqual({ status: 'generated', div });
  });

  it('adds, inserts, deletes, replaces and moves, each on the result of the operation before', async () => {
    const id = await create();
    const { status, json } = await patch(id, [
      add('Patient', 'name', { valueHumanName: { text: 'second' } }),
      insert('Patient.name', 0, { valueHumanName: { text: 'first' } }),
      insert('Patient.name[1].given', 1, { valueString: 'James' }),
      move('Patient.name', 2, 1),
      remove('Patient.name.where(text = \'first\')'),
      replace('Patient.name[0].text', { valueString: 'zeroth' }),
      add('Patient', 'contact', parts(['gender', { valueCode: 'female' }], ['name', { valueHumanName: { text: 'Ann' } }])),
      remove('Patient.birthDate'),
    ]);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: [{ text: 'zeroth' }, { family: 'Chalmers', given: ['Peter', 'James'] }],
      contact: [{ gender: 'female', name: { text: 'Ann' } }],
    });
  }); // prettier-ignore

  it.each<[title: string, step: PatchStep, deceased: object]>([
    ['by its name', add('Patient', 'deceased', { valueDateTime: '2026-01-01' }), { deceasedDateTime: '2026-01-01' }],
    ['by the name of its definition', add('Patient', 'deceased[x]', { valueBoolean: true }), { deceasedBoolean: true }],
    ['by the name of its member', add('Patient', 'deceasedBoolean', { valueBoolean: true }), { deceasedBoolean: true }],
  ])('names a choice of types %s', async (_title, step, deceased) => {
    const id = await create();
    expect(await patch(id, [step])).toMatchObject({ status: 200, json: deceased });
    const other = replace('Patient.deceased', { valueDateTime: '2020' });
    const { json } = await patch(id, [other]);
    expect([json.deceasedDateTime, json.deceasedBoolean]).toEqual(['2020', undefined]);
    expect((await patch(id, [remove('Patient.deceased')])).json.deceasedDateTime).toBeUndefined();
  }); // prettier-ignore

  it('without operations creates a version like an update with the same content', async () => {
    const id = await create();
    for (const body of [{ resourceType: 'Parameters' }, { resourceType: 'Parameters', parameter: [] }]) {
      expect((await send('PATCH', `/Patient/${id}`, body)).status).toBe(200);
    }
    const { extension: _weight, ...members } = patient;
    expect((await send('GET', `/Patient/${id}`)).json).toMatchObject({
      ...members,
      meta: { versionId: '3' },
    });
  });

  // prettier-ignore
  it.each<[title: string, step: PatchStep, status: number, expression: string]>([
    ['a path to nothing', replace('Patient.gender', { valueCode: 'male' }), 422, 'Parameters.parameter[1].part[1].value'],
    ['the id', replace('Patient.id', { valueId: 'other' }), 422, 'Parameters.parameter[1].part[1].value'],
    ['the version', replace('Patient.meta.versionId', { valueId: '9' }), 422, 'Parameters.parameter[1].part[1].value'],
    ['a value of a wrong type', replace('Patient.active', { valueString: 'yes' }), 422, 'Parameters.parameter[1].part[2].value'],
    ['a code that is none', add('Patient', 'gender', { valueCode: 'none' }), 422, 'Patient.gender'],
    ['what breaks an invariant', add('Patient', 'contact', parts(['gender', { valueCode: 'male' }])), 422, 'Patient.contact[0]'],
    ['a malformed value', replace('Patient.active', { valueBoolean: 'yes' }), 400, 'Parameters.parameter[1].part[2].value.ofType(boolean)'],
    ['a value without a type', replace('Patient.active', { value: true }), 400, 'Parameters.parameter[1].part[2].value'],
    ['a path that is no FHIRPath', remove('Patient.name['), 400, 'Parameters.parameter[1].part[1].value'],
    ['an operation that is none', { type: 'copy', path: 'Patient.name' }, 400, 'Parameters.parameter[1].part[0].value'],
    ['a reference to another tenant', add('Patient', 'managingOrganization', { valueReference: { reference: 'https://fhir.example/w/other/api/v1/fhir/r4/Organization/1' } }), 422, 'Patient.managingOrganization.reference'],
    ['several elements in the place of one', remove('Patient.name.given | Patient.name.family'), 422, 'Parameters.parameter[1].part[1].value'],
    ['an element that is there and does not repeat', add('Patient', 'active', { valueBoolean: false }), 422, 'Parameters.parameter[1].part[2].value'],
    ['an index beyond the end', insert('Patient.name', 2, { valueHumanName: { text: 'x' } }), 422, 'Parameters.parameter[1].part[2].value'],
    ['a move from beyond the end', move('Patient.name', 1, 0), 422, 'Parameters.parameter[1].part[2].value'],
    ['the tag SUBSETTED', add('Patient.meta', 'tag', { valueCoding: { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' } }), 422, 'Patient.meta.tag[0]'],
  ])('with %s changes nothing of it', async (_title, step, expected, expression) => {
    const id = await create();
    const { status, json } = await patch(id, [rename, step]);
    expect(status).toBe(expected);
    expect(json.resourceType).toBe('OperationOutcome');
    expect(json.issue[0].expression).toEqual([expression]);
    await expectUnchanged(id);
  });

  it('changes no other resource, though a path may lead there', async () => {
    const { json: clinic } = await send('POST', '/Organization', { resourceType: 'Organization', name: 'Clinic' });
    const id = await create();
    const reference = `Organization/${clinic.id}`;
    const { status, json } = await patch(id, [
      add('Patient', 'managingOrganization', { valueReference: { reference } }),
      replace('Patient.managingOrganization.resolve().name', { valueString: 'Mine' }),
    ]);
    expect([status, json.issue[0].expression]).toEqual([422, ['Parameters.parameter[1].part[1].value']]);
    await expectUnchanged(id);
    expect((await send('GET', `/${reference}`)).json).toEqual(clinic);
  }); // prettier-ignore

  it('requires If-Match', async () => {
    const id = await create();
    expect((await patch(id, [rename], { 'if-match': 'W/"1"' })).status).toBe(200);
    expect((await patch(id, [rename], { 'if-match': 'W/"1"' })).status).toBe(412);
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"2"');
  });

  it('to a missing resource is 404, to a deleted one 410, and by GET 400', async () => {
    expect((await patch('not-there', [rename])).status).toBe(404);
    const id = await create();
    const byGet = await send('GET', `/Patient/${id}`, toParameters(rename));
    expect(byGet.status).toBe(400);
    await send('DELETE', `/Patient/${id}`);
    expect((await patch(id, [rename])).status).toBe(410);
  });

  it('may have 1,000 operations; 1,001 are 413', async () => {
    const id = await create();
    const steps = (count: number): PatchStep[] =>
      Array.from({ length: count }, (_unused, index) =>
        add('Patient', 'telecom', { valueContactPoint: { system: 'phone', value: String(index) } }),
      );
    expect((await patch(id, steps(1001))).status).toBe(413);
    await expectUnchanged(id);
    const { status, json } = await patch(id, steps(1000));
    expect(status).toBe(200);
    expect(json.telecom).toHaveLength(1000);
  });

  it('changes the match of criteria: none is 404, one 200, two 412', async () => {
    const identifier = { system: 'http://example.org/fhirpath-patch', value: release };
    const where = `/Patient?identifier=${identifier.system}|${identifier.value}`;
    const change = () =>
      send('PATCH', where, toParameters(rename), { 'content-type': 'application/fhir+json' });
    expect((await change()).status).toBe(404);
    await send('POST', '/Patient', { ...patient, identifier: [identifier] });
    const { status, json } = await change();
    expect([status, json.name[0].family]).toEqual([200, 'Windsor']);
    await send('POST', '/Patient', { ...patient, identifier: [identifier] });
    expect((await change()).status).toBe(412);
  });

  it('is an entry of a transaction, and refers to resources of other entries', async () => {
    const id = await create();
    const organization = {
      fullUrl: 'urn:uuid:9f1ab5d1-7d0f-4f0e-a3b5-7c6b6c6b7f10',
      resource: { resourceType: 'Organization', name: 'Acme' },
      request: { method: 'POST', url: 'Organization' },
    };
    const manage = add('Patient', 'managingOrganization', {
      valueReference: { reference: organization.fullUrl },
    });
    const transaction = (...steps: PatchStep[]): object => ({
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        organization,
        { resource: toParameters(...steps), request: { method: 'PATCH', url: `Patient/${id}` } },
      ],
    });
    const refused = await send(
      'POST',
      '',
      transaction(manage, replace('Patient.gender', { valueCode: 'male' })),
    );
    expect(refused.status).toBe(422);
    expect(refused.json.issue[0].expression).toEqual(['Bundle.entry[1].resource.parameter[1].part[1].value']);
    await expectUnchanged(id);
    const { status, json } = await send('POST', '', transaction(manage, rename));
    expect(status).toBe(200);
    const [made] = json.entry;
    const { json: patched, text } = await send('GET', `/Patient/${id}`);
    expect(patched.managingOrganization.reference).toBe(`Organization/${made.resource.id}`);
    expect(patched.name[0].family).toBe('Windsor');
    expect(text).toContain('1.00');
  });

  it('is listed by the CapabilityStatement', async () => {
    const { json } = await send('GET', '/metadata');
    expect(json.patchFormat).toEqual(['application/json-patch+json', 'application/fhir+json']);
  });
});

it.each([
  [60, 200],
  [1500, 422],
])(
  'a FHIRPath Patch that goes through each of %d names for each of them is answered %d',
  async (count, expected) => {
    const path = server.path('system', 'r4');
    const name = Array.from({ length: count }, (_unused, index) => ({ text: `n${index}` }));
    const { json } = await server.request('POST', `${path}/Patient`, { resourceType: 'Patient', name });
    // Each name is compared with each: the second takes longer than one evaluation may, in any thread.
    const costly = "Patient.name.where($this.combine(%resource.name).where(text = 'n1').count() = 0)";
    const answer = await server.request('PATCH', `${path}/Patient/${json.id}`, toParameters(remove(costly)));
    expect(answer.status).toBe(expected);
    if (expected === 422) expect(answer.json.issue[0].code).toBe('too-costly');
  },
);
