/** `$validate` over HTTP: https://hl7.org/fhir/R4/resource-operation-validate.html. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const patient = {
  resourceType: 'Patient',
  text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Peter Chalmers</div>' },
  name: [{ family: 'Chalmers', given: ['Peter', 'James'] }],
  gender: 'male',
  birthDate: '1974-12-25',
};
const broken = { ...patient, name: [{ family: ['Chalmers'] }], birthDate: '1974-02-30', nonsense: 1 };

interface Issue {
  readonly severity: string;
  readonly code: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

describe.each(TESTED_RELEASES)('$validate under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}${rest}`, body);
  const parameters = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });
  const wrapped = (resource: object, ...more: object[]) =>
    parameters({ name: 'resource', resource }, ...more);
  const mode = (valueCode: string) => ({ name: 'mode', valueCode });

  /** The issues of the outcome, which is 200. */
  async function validate(rest: string, body?: unknown): Promise<Issue[]> {
    const { status, json } = await send('POST', rest, body);
    expect([status, json.resourceType]).toEqual([200, 'OperationOutcome']);
    return json.issue;
  }

  const errorsOf = (issues: readonly Issue[]) => issues.filter(({ severity }) => severity === 'error');

  it.each([['/$validate'], ['/Patient/$validate']])(
    '%s accepts the resource wrapped and bare, and reports no faults',
    async (rest) => {
      for (const body of [patient, wrapped(patient)]) {
        expect(await validate(rest, body)).toEqual([
          { severity: 'information', code: 'informational', diagnostics: 'No faults were found' },
        ]);
      }
    },
  );

  it.each([['/$validate'], ['/Patient/$validate'], ['/Patient/p1/$validate']])(
    '%s reports all faults at once, with places in the resource and not in its wrapping',
    async (rest) => {
      for (const body of [broken, wrapped(broken)]) {
        const errors = errorsOf(await validate(rest, body));
        expect(errors.map(({ expression }) => expression).sort()).toEqual([
          ['Patient.birthDate'],
          ['Patient.name[0].family'],
          ['Patient.nonsense'],
        ]);
      }
    },
  );

  it('without a resource it is an error', async () => {
    for (const rest of ['/$validate', '/Patient/$validate']) {
      for (const body of [undefined, parameters(), parameters(mode('create'))]) {
        const { status, json } = await send('POST', rest, body);
        expect([status, json.issue[0].severity]).toEqual([400, 'error']);
      }
    }
  });

  it('validates input that is hardly a resource, and refuses input that is none', async () => {
    for (const body of [{}, { resourceType: 'Pateint' }, { resourceType: 7 }, { name: [] }]) {
      for (const sent of [body, wrapped(body)])
        expect(errorsOf(await validate('/Patient/$validate', sent)).length).toBeGreaterThan(0);
    }
    for (const body of ['{', '[]', '7', '{"resourceType":"Patient","gender":"male","gender":"male"}'])
      expect((await send('POST', '/Patient/$validate', body)).status).toBe(400);
  });

  it('reports that a resource of another type does not belong at the address', async () => {
    const basic = { resourceType: 'Basic', code: { text: 'x' } };
    expect(errorsOf(await validate('/Patient/$validate', basic))).toMatchObject([
      { expression: ['Patient.resourceType'] },
    ]);
    expect(errorsOf(await validate('/$validate', basic))).toEqual([]);
  });

  it('warns of faults that a write allows: extensible bindings and best practices', async () => {
    const issues = await validate('/$validate', {
      ...patient,
      text: undefined,
      maritalStatus: { coding: [{ system: 'http://example.org/status', code: 'x' }] },
    });
    expect(errorsOf(issues)).toEqual([]);
    expect(issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          severity: 'warning',
          expression: ['Patient.maritalStatus.coding[0].code'],
        }),
        expect.objectContaining({
          severity: 'warning',
          code: 'invariant',
          diagnostics: expect.stringContaining('dom-6'),
        }),
      ]),
    );
  });

  it('validates codes of required bindings', async () => {
    const issues = await validate('/$validate', { ...patient, gender: 'masculine' });
    expect(errorsOf(issues)).toMatchObject([{ code: 'code-invalid', expression: ['Patient.gender'] }]);
  });

  it('validates a stored resource at its address, by POST and by GET', async () => {
    const { json } = await send('POST', '/Patient', patient);
    for (const method of ['POST', 'GET']) {
      const answer = await send(method, `/Patient/${json.id}/$validate`);
      expect([answer.status, answer.json.issue[0].severity]).toEqual([200, 'information']);
    }
    expect((await send('POST', '/Patient/nobody-here/$validate')).status).toBe(404);
    await send('DELETE', `/Patient/${json.id}`);
    expect((await send('GET', `/Patient/${json.id}/$validate`)).status).toBe(410);
  });

  it('mode create: a resource that could not be stored is reported', async () => {
    expect(await validate('/Patient/$validate', wrapped(patient, mode('create')))).toMatchObject([
      { severity: 'information' },
    ]);
    const subsetted = {
      ...patient,
      meta: {
        tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }],
      },
    };
    expect(errorsOf(await validate('/Patient/$validate', subsetted))).toEqual([]);
    expect(errorsOf(await validate('/Patient/$validate', wrapped(subsetted, mode('create'))))).toMatchObject([
      { expression: ['Patient.meta.tag[0]'] },
    ]);
    const stranger = {
      ...patient,
      managingOrganization: { reference: `${server.root('other', release)}/Organization/1` },
    };
    const { status } = await send('POST', '/Patient', stranger);
    const errors = errorsOf(await validate('/Patient/$validate', wrapped(stranger, mode('create'))));
    expect(errors.length > 0).toBe(status !== 201);
  });

  it('mode update: the id must be that of the address, and an absent resource is reported', async () => {
    const update = (id: string, resource: object) =>
      validate(`/Patient/${id}/$validate`, wrapped(resource, mode('update')));
    await send('PUT', '/Patient/up', { ...patient, id: 'up' });
    expect(await update('up', { ...patient, id: 'up' })).toMatchObject([{ severity: 'information' }]);
    for (const resource of [patient, { ...patient, id: 'other' }])
      expect(errorsOf(await update('up', resource))).toMatchObject([{ expression: ['Patient.id'] }]);
    expect(await update('new', { ...patient, id: 'new' })).toMatchObject([
      { severity: 'warning', code: 'not-found' },
    ]);
    expect((await send('GET', '/Patient/new')).status).toBe(404);
    expect((await send('GET', '/Patient/up')).json.meta.versionId).toBe('1');
  });

  it('mode delete: the content does not matter, the address does', async () => {
    await send('PUT', '/Patient/gone', { ...patient, id: 'gone' });
    const remove = (address: string) => validate(`/${address}/$validate`, parameters(mode('delete')));
    expect(await remove('Patient/gone')).toMatchObject([{ severity: 'information' }]);
    expect(await validate('/Patient/gone/$validate', wrapped(broken, mode('delete')))).toMatchObject([
      { severity: 'information' },
    ]);
    expect(await remove('Patient/never')).toMatchObject([{ severity: 'warning' }]);
    expect(errorsOf(await remove('ValueSet/administrative-gender'))).toHaveLength(1);
    expect((await send('GET', '/Patient/gone')).status).toBe(200);
  });

  it('refuses an invalid request: 400 with its place', async () => {
    const wrong: [string, object, string][] = [
      ['/Patient/$validate', wrapped(patient, mode('destroy')), 'Parameters.parameter[1].valueCode'],
      ['/Patient/$validate', wrapped(patient, mode('update')), 'Parameters.parameter[1].valueCode'],
      ['/Patient/$validate', parameters(mode('delete')), 'Parameters.parameter[0].valueCode'],
      ['/Patient/x/$validate', wrapped(patient, mode('profile')), 'Parameters.parameter'],
      ['/Patient/$validate', wrapped(patient, { name: 'what' }), 'Parameters.parameter[1].name'],
      ['/Patient/$validate', { ...wrapped(patient), id: 'not an id' }, 'Parameters.id'],
    ];
    for (const [rest, body, expression] of wrong) {
      const { status, json } = await send('POST', rest, body);
      expect([status, json.issue[0].expression]).toEqual([400, [expression]]);
    }
  });

  it('a profile that does not exist is an error', async () => {
    const profile = {
      name: 'profile',
      [release === 'r4' ? 'valueUri' : 'valueCanonical']: 'http://example.org/StructureDefinition/nowhere',
    };
    const errors = errorsOf(await validate('/Patient/$validate', wrapped(patient, profile)));
    expect(errors).toMatchObject([{ code: 'not-found' }]);
    await send('PUT', '/Patient/profiled', { ...patient, id: 'profiled' });
    const stored = await validate('/Patient/profiled/$validate', parameters(mode('profile'), profile));
    expect(errorsOf(stored)).toMatchObject([{ code: 'not-found' }]);
  });

  it('passes a long body to the worker thread, with the same answer', async () => {
    const name = Array.from({ length: 10_000 }, (_, index) => ({ family: `Chalmers ${index}` }));
    const long = { ...patient, name: [...name, { family: 7 }] };
    for (const body of [long, wrapped(long, mode('create'))]) {
      expect(errorsOf(await validate('/Patient/$validate', body))).toMatchObject([
        { expression: ['Patient.name[10000].family'] },
      ]);
    }
  });

  it('stores nothing', async () => {
    const before = await send('GET', '/Patient?_summary=count');
    await validate('/Patient/$validate', wrapped(patient, mode('create')));
    const after = await send('GET', '/Patient?_summary=count');
    expect(after.json.total).toBe(before.json.total);
  });

  it('exists at all three levels', async () => {
    const { json } = await send('GET', '/metadata');
    const [rest] = json.rest;
    const named = expect.objectContaining({ name: 'validate' });
    expect(rest.operation).toEqual(expect.arrayContaining([named]));
    expect(rest.resource.find(({ type }: { type: string }) => type === 'Patient').operation).toEqual(
      expect.arrayContaining([named]),
    );
  });
});

describe.each(TESTED_RELEASES)('the input of every operation under %s', (release) => {
  const send = (rest: string, body: unknown) =>
    server.request('POST', `${server.path('system', release)}${rest}`, body);

  it('is validated: 400 or 422 with the place in the input', async () => {
    const valueSet = { resourceType: 'ValueSet', status: 'active', compose: { include: [] } };
    const wrapped = (resource: object) => ({
      resourceType: 'Parameters',
      parameter: [{ name: 'valueSet', resource }],
    });
    const shape = { ...valueSet, compose: { include: [{ system: 'http://loinc.org', nothing: 1 }] } };
    const include = [{ system: 'http://hl7.org/fhir/administrative-gender' }];
    const code = { ...valueSet, status: 'living', compose: { include } };
    const cases: [object, number, string][] = [
      [shape, 400, 'ValueSet.compose.include[0].nothing'],
      [wrapped(shape), 400, 'Parameters.parameter[0].resource.compose.include[0].nothing'],
      [code, 422, 'ValueSet.status'],
      [wrapped(code), 422, 'Parameters.parameter[0].resource.status'],
    ];
    for (const [body, status, expression] of cases) {
      const answer = await send('/ValueSet/$expand', body);
      expect(answer.status).toBe(status);
      expect(answer.json.issue.flatMap((issue: Issue) => issue.expression)).toContain(expression);
    }
    const fine = { ...code, status: 'active' };
    expect((await send('/ValueSet/$expand', wrapped(fine))).status).toBe(200);
  });

  it('may be a list of no parameters', async () => {
    const answer = await send('/ValueSet/administrative-gender/$expand', {
      resourceType: 'Parameters',
      parameter: [],
    });
    expect(answer.status).toBe(200);
  });
});
