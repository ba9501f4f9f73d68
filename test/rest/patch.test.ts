/** JSON Patch by PATCH and by GET with a body (docs/reference/behaviour.md, Patch). */
import type { Release } from '../../src/core';
import { type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const patient = {
  resourceType: 'Patient',
  active: true,
  name: [{ family: 'Chalmers', given: ['Peter'] }],
  extension: [{ url: 'http://example.org/weight', valueDecimal: 0 }],
};

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('a patch under %s of the tenant %s', (release, tenant) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path(tenant, release)}${rest}`, body, headers);

  async function create(): Promise<string> {
    const text = JSON.stringify(patient).replace('"valueDecimal":0', '"valueDecimal":1.00');
    const { status, json } = await send('POST', '/Patient', text);
    expect(status).toBe(201);
    return json.id;
  }

  const rename = [{ op: 'replace', path: '/name/0/family', value: 'Windsor' }];

  async function makesNewVersion(method: string, type: string): Promise<void> {
    const id = await create();
    const { status, headers, json, text } = await send(method, `/Patient/${id}`, rename, {
      'content-type': type,
    });
    expect(status).toBe(200);
    expect(json.name[0].family).toBe('Windsor');
    expect(json.meta.versionId).toBe('2');
    expect(headers.etag).toBe('W/"2"');
    expect(headers['cache-control']).toBe('no-store');
    expect(text).toContain('1.00');
    expect((await send('GET', `/Patient/${id}`)).text).toBe(text);
  }

  it('by PATCH as application/json-patch+json creates a new version', () =>
    makesNewVersion('PATCH', 'application/json-patch+json'));

  it.each(['application/json', 'application/fhir+json'])('by PATCH as %s creates a new version', (type) =>
    makesNewVersion('PATCH', type),
  );

  const tests = [{ op: 'test', path: '/active', value: true }];

  it.each([
    ['a test', tests],
    ['no operation', []],
  ])('with only %s answers with the current version and makes none', async (_, operations) => {
    const id = await create();
    const headers = { 'content-type': 'application/json-patch+json' };
    const answer = await send('PATCH', `/Patient/${id}`, operations, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).toBe('W/"1"');
    expect(answer.text).toBe((await send('GET', `/Patient/${id}`)).text);
    expect((await send('GET', `/Patient/${id}/_history`)).json.total).toBe(1);
    const outcome = { ...headers, prefer: 'return=OperationOutcome' };
    const { json } = await send('PATCH', `/Patient/${id}`, operations, outcome);
    expect(json.issue[0].diagnostics).toBe(`The patch only tests; Patient/${id} is unchanged in version 1`);
    const guarded = { ...headers, 'if-match': 'W/"2"' };
    expect((await send('PATCH', `/Patient/${id}`, operations, guarded)).status).toBe(412);
  });

  it.each(['batch', 'transaction'])('with only a test makes no version in a %s either', async (type) => {
    const id = await create();
    const data = Buffer.from(JSON.stringify(tests)).toString('base64');
    const resource = { resourceType: 'Binary', contentType: 'application/json-patch+json', data };
    const { status, json } = await send('POST', '', {
      resourceType: 'Bundle',
      type,
      entry: [
        { resource, request: { method: 'PATCH', url: `Patient/${id}` } },
        { resource: patient, request: { method: 'POST', url: 'Patient' } },
      ],
    });
    expect(status).toBe(200);
    expect(json.entry[0].response).toMatchObject({ status: '200 OK', etag: 'W/"1"' });
    expect(json.entry[0].resource.id).toBe(id);
    expect(json.entry[1].response.status).toBe('201 Created');
    expect((await send('GET', `/Patient/${id}/_history`)).json.total).toBe(1);
  });

  it.each(['application/json', 'application/json-patch+json; charset=utf-8'])(
    'by GET with a body of %s makes a new version',
    (type) => makesNewVersion('GET', type),
  );

  it('by GET ignores If-None-Match, and a GET without a body stays a read', async () => {
    const id = await create();
    const patched = await send('GET', `/Patient/${id}`, rename, {
      'content-type': 'application/json',
      'if-none-match': 'W/"1"',
    });
    expect(patched.status).toBe(200);
    expect(patched.headers.etag).toBe('W/"2"');
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"2"');
  });

  it.each([
    ['a failed test', [{ op: 'test', path: '/active', value: false }, ...rename], 422],
    ['a missing path', [{ op: 'remove', path: '/birthDate' }], 422],
    ['the id', [{ op: 'replace', path: '/id', value: 'other' }], 422],
    ['the type', [{ op: 'replace', path: '/resourceType', value: 'Person' }], 422],
    ['the version', [{ op: 'replace', path: '/meta/versionId', value: '9' }], 422],
    ['the time', [{ op: 'add', path: '/meta/lastUpdated', value: '2001-01-01T00:00:00Z' }], 422],
    ['an id that is taken away', [{ op: 'remove', path: '/id' }], 422],
    ['an id that is moved', [{ op: 'move', from: '/id', path: '/language' }], 422],
    ['an id that is copied onto', [{ op: 'copy', from: '/name/0/family', path: '/id' }], 422],
    ['another root', [{ op: 'replace', path: '', value: { resourceType: 'Person' } }], 422],
    ['nothing at all', [{ op: 'remove', path: '' }], 422],
    ['not a patch', [{ op: 'jump', path: '/active' }], 400],
    ['no array', { op: 'remove', path: '/active' }, 400],
    [
      '1,001 operations',
      Array.from({ length: 1001 }, () => ({ op: 'test', path: '/active', value: true })),
      413,
    ],
  ])('%s changes nothing', async (_title, body, expected) => {
    const id = await create();
    const { status, json } = await send('PATCH', `/Patient/${id}`, body);
    expect(status).toBe(expected);
    expect(json.resourceType).toBe('OperationOutcome');
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"1"');
  });

  it.each<[string, object, number, string]>([
    ['a member that there is not', { op: 'add', path: '/nickname', value: 'Jim' }, 400, 'Patient.nickname'],
    ['a wrong datatype', { op: 'replace', path: '/active', value: 'yes' }, 400, 'Patient.active'],
    [
      'a date that there is not',
      { op: 'add', path: '/birthDate', value: '2023-02-29' },
      400,
      'Patient.birthDate',
    ],
    ['a code that is none', { op: 'add', path: '/gender', value: 'none' }, 422, 'Patient.gender'],
    [
      'a broken invariant',
      { op: 'add', path: '/contact', value: [{ gender: 'male' }] },
      422,
      'Patient.contact[0]',
    ],
  ])(
    'that would leave %s changes nothing, with the place',
    async (_title, operation, expected, expression) => {
      const id = await create();
      const { status, json } = await send('PATCH', `/Patient/${id}`, [...rename, operation]);
      expect([status, json.resourceType, json.issue[0].expression]).toEqual([
        expected,
        'OperationOutcome',
        [expect.stringContaining(expression)],
      ]);
      const { headers, json: left } = await send('GET', `/Patient/${id}`);
      expect([headers.etag, left.name[0].family]).toEqual(['W/"1"', 'Chalmers']);
    },
  );

  it('that replaces the root keeps type and id', async () => {
    const id = await create();
    const { status, json } = await send('PATCH', `/Patient/${id}`, [
      { op: 'replace', path: '', value: { active: false } },
    ]);
    expect([status, json.resourceType, json.id, json.active]).toEqual([200, 'Patient', id, false]);
    expect(json.meta.versionId).toBe('2');
    expect(json.name).toBeUndefined();
  });

  it.each([
    [[{ op: 'add', path: '/__proto__/polluted', value: true }]],
    [[{ op: 'add', path: '/constructor/prototype/polluted', value: true }]],
    ['[{"op":"add","path":"/contact","value":[{"__proto__":{"polluted":true}}]}]'],
  ])('cannot pollute a prototype', async (body) => {
    const id = await create();
    expect([400, 422]).toContain((await send('PATCH', `/Patient/${id}`, body)).status);
    expect('polluted' in {}).toBe(false);
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"1"');
  });

  it('may have 1,000 operations and a value of 10 MB, but no longer value and no unlimited growth', async () => {
    const id = await create();
    const telecom = { op: 'add', path: '/telecom', value: [{ system: 'phone', value: '0' }] };
    const phones = Array.from({ length: 999 }, (_, index) => ({ op: 'copy', from: '/telecom/0', path: `/telecom/${index}` }));
    expect((await send('PATCH', `/Patient/${id}`, [telecom, ...phones])).json.telecom).toHaveLength(1000);
    const { etag } = (await send('GET', `/Patient/${id}`)).headers;
    const value = (length: number) => [{ url: 'http://example.org/long', valueString: 'x'.repeat(length) }];
    const long = { op: 'add', path: '/photo', value: [{ contentType: 'image/png', data: 'QUJD'.repeat(2_500_000) }] };
    const copies = (path: string, from: string, count: number) =>
      Array.from({ length: count }, () => ({ op: 'copy', from, path }));
    for (const patch of [
      [long, ...copies('/photo/-', '/photo/0', 3)],
      [long, ...copies('/photo/-', '/photo/0', 999)],
      [{ op: 'add', path: '/extension', value: value(17_000_000) }],
      // Each copy holds all that was copied before: twice as much.
      [{ op: 'add', path: '/contact', value: [{ name: { text: 'x'.repeat(1000) } }] }, ...copies('/contact/-', '/contact', 30)],
      Array.from({ length: 30 }, (_, index) => ({ op: 'copy', from: '', path: `/b${index}` })),
    ]) {
      const { status, json } = await send('PATCH', `/Patient/${id}`, patch);
      expect([413, 422]).toContain(status);
      expect(json.issue[0].severity).toBe('error');
    }
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe(etag);
    const accepted = await send('PATCH', `/Patient/${id}`, [long], { prefer: 'return=minimal' });
    expect(accepted.status).toBe(200);
  }); // prettier-ignore

  it('with an outdated If-Match is 412', async () => {
    const id = await create();
    expect((await send('PATCH', `/Patient/${id}`, rename, { 'if-match': 'W/"1"' })).status).toBe(200);
    expect((await send('PATCH', `/Patient/${id}`, rename, { 'if-match': 'W/"1"' })).status).toBe(412);
    expect((await send('GET', `/Patient/${id}`, rename, { 'if-match': 'W/"1"' })).status).toBe(412);
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"2"');
  });

  it('to an unknown resource is 404, and with another media type 415', async () => {
    expect((await send('PATCH', '/Patient/not-there', rename)).status).toBe(404);
    const refused = await send('PATCH', '/Patient/not-there', '<diff/>', {
      'content-type': 'application/xml-patch+xml',
    });
    expect(refused.status).toBe(415);
    expect(refused.headers['accept-patch']).toContain('application/json-patch+json');
  });
});
