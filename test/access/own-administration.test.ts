/** The administrators of a tenant administer it themselves (docs/run/own-administration.md); who is admitted is in administration-grid.test.ts. */
import { readFile } from 'node:fs/promises';
import { makeFolder, packResources } from '../packages/make-package';
import { createClient, create, type MadeClient } from '../support/access';
import { eventually } from '../support/eventually';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
let tenant: string;
let administrator: MadeClient;
let auditor: MadeClient;

beforeAll(async () => {
  server = await openSharedServer('audited');
  for (const name of ['clinic', 'ward']) await server.createTenant(name);
  tenant = server.tenant('clinic');
  administrator = await createClient(server, 'clinic', { administrator: true });
  auditor = await createClient(server, 'clinic', { auditor: true });
});
afterAll(() => server.close());

/** Sends a request of the administrator to the address of a tenant. */
function send(
  method: string,
  path: string,
  body?: unknown,
  { id, by = administrator, at = tenant }: { readonly id?: string; readonly by?: MadeClient; readonly at?: string } = {},
): Promise<Answer> {
  return server.request(method, `/w/${at}/api/v1${path}`, body, {
    'content-type': 'application/json',
    authorization: by.basic,
    ...(id === undefined ? {} : { 'x-request-id': id }),
  });
} // prettier-ignore

describe('settings', () => {
  const asShown = async (): Promise<unknown> => (await server.administer('GET', `/tenants/${tenant}`)).json;

  it('say which of them the administrators of a tenant may change', async () => {
    const { json } = await send('GET', '/settings');
    const names = json.settings.flatMap((each: { name: string; operator: boolean }) => (each.operator ? [] : each.name));
    expect(names.sort()).toEqual(['conditional-delete', 'record-opens', 'referential-integrity', 'search-unknown', 'second-factor', 'validation']);
    for (const { name, operator, fixed, default: value } of json.settings) {
      const { status } = await send('PATCH', '/tenant', { settings: { [name]: value } });
      expect([name, status]).toEqual([name, fixed ? 400 : operator ? 403 : 200]);
    }
  }); // prettier-ignore

  it.each([
    ['a limit of one client', { settings: { 'rate-limit-client.abc': '1000/s' } }],
    ['a limit among others', { settings: { validation: 'structure', 'notification-hosts': 'off' } }],
    ['the default of a limit', { display: 'Ours', settings: { 'max-requests': null } }],
    ['the status', { display: 'Ours', settings: { validation: 'structure' }, status: 'disabled' }],
    ['the same status', { status: 'active' }],
  ])('of the operator are refused before any change: %s', async (_what, body) => {
    const before = await asShown();
    const { status, json } = await send('PATCH', '/tenant', body);
    expect([status, json.issue[0].diagnostics]).toEqual([403, expect.stringMatching(/^Only the operator of the server/)]);
    expect(await asShown()).toEqual(before);
  }); // prettier-ignore

  it.each([
    ['a display name', { settings: { validation: 'structure' }, display: '' }],
    ['a setting', { display: 'Ours', settings: { validation: 'some' } }],
  ])('are not changed with %s that is not allowed', async (_what, body) => {
    const before = await asShown();
    expect((await send('PATCH', '/tenant', body)).status).toBe(400);
    expect(await asShown()).toEqual(before);
  });

  it('are in force once they are changed', async () => {
    const { status, json } = await send('PATCH', '/tenant', { settings: { 'search-unknown': 'lenient' }, display: 'Clinic' });
    expect([status, json.name, json.display, json.settings['search-unknown']]).toEqual([200, tenant, 'Clinic', 'lenient']);
    const { status: found } = await send('GET', '/fhir/r4/Patient?nothing=1');
    expect(found).toBe(200);
  }); // prettier-ignore
});

describe('requests', () => {
  const eventsOf = async (id: string): Promise<unknown[]> => {
    const { json } = await send('GET', `/fhir/r4/AuditEvent?entity:identifier=|${id}`, undefined, { by: auditor });
    return (json.entry ?? []).map(({ resource: { outcomeDesc, agent, entity } }: Answer['json']) => [
      outcomeDesc,
      agent[0].altId,
      ...entity.flatMap(({ query }: { query?: string }) => (query === undefined ? [] : Buffer.from(query, 'base64').toString())),
    ]);
  }; // prettier-ignore

  it('are in the audit record of the tenant, reads and refusals too, and in no other', async () => {
    const app = await createClient(server, 'clinic');
    const all: readonly [string, string, string, unknown, MadeClient][] = [
      ['own-read', 'GET', '/clients?x=1', undefined, administrator],
      ['own-change', 'POST', '/clients', { name: 'Lab' }, administrator],
      ['own-wrong', 'POST', '/clients', {}, administrator],
      ['own-limit', 'PATCH', '/tenant', { status: 'disabled' }, administrator],
      ['own-other-method', 'DELETE', '/users', undefined, administrator],
      ['own-without-right', 'DELETE', '/policies/p', undefined, app],
    ];
    const statuses: number[] = [];
    for (const [id, method, path, body, by] of all)
      statuses.push((await send(method, path, body, { id, by })).status);
    expect(statuses).toEqual([200, 201, 400, 403, 405, 403]);
    expect(await Promise.all(all.map(([id]) => eventsOf(id)))).toEqual([
      [[undefined, administrator.id, 'GET clients?x=1']],
      [[undefined, administrator.id, 'POST clients']],
      [['HTTP 400', administrator.id, 'POST clients']],
      [['HTTP 403', administrator.id, 'PATCH tenant']],
      [['HTTP 405', administrator.id, 'DELETE users']],
      [['HTTP 403', app.id, 'DELETE policies/p']],
    ]);
    const operator = await create(server, '/tenants/system/clients', { name: 'Audit', auditor: true });
    const { secret } = operator['secret'] as { secret: string };
    const inSystem = await server.request('GET', '/w/system/api/v1/fhir/r4/AuditEvent?entity:identifier=|own-change', undefined, {
      authorization: `Basic ${Buffer.from(`${operator.id}:${secret}`).toString('base64')}`,
    });
    expect([inSystem.status, inSystem.json.entry ?? []]).toEqual([200, []]);
  }); // prettier-ignore

  it('count as requests of the tenant', async () => {
    await server.createTenant('slow', { 'rate-limit': '2/m' });
    const by = await createClient(server, 'slow', { administrator: true });
    const at = server.tenant('slow');
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) statuses.push((await send('GET', '/users', undefined, { by, at })).status);
    expect(statuses).toEqual([200, 200, 429]);
  }); // prettier-ignore
});

it('a job of another tenant does not exist', async () => {
  const other = await createClient(server, 'ward', { administrator: true });
  const at = server.tenant('ward');
  const { status, headers, json } = await send('POST', '/reindex', { release: 'r4' });
  expect([status, String(headers['location'])]).toEqual([202, `${server.base}/w/${tenant}/api/v1/jobs/${json.id}`]);
  expect((await send('GET', `/jobs/${json.id}`)).status).toBe(200);
  for (const method of ['GET', 'DELETE'])
    expect((await send(method, `/jobs/${json.id}`, undefined, { by: other, at })).status).toBe(404);
  expect((await send('GET', `/jobs/${json.id}`)).status).toBe(200);
}); // prettier-ignore

describe('the import of a package', () => {
  const valueSet = {
    resourceType: 'ValueSet',
    id: 'wards',
    url: 'http://clinic.example/wards',
    status: 'active',
  };
  const packed = async (patient: object): Promise<Buffer> => {
    const { folder, remove } = await makeFolder();
    const manifest = { name: 'clinic.example', version: '1.0.0', fhirVersions: ['4.0.1'] };
    const file = await packResources(folder, manifest, { 'ValueSet-wards.json': valueSet, 'example/Patient-ana.json': patient });
    const content = await readFile(file);
    await remove();
    return content;
  }; // prettier-ignore
  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    server.request(method, `/w/${tenant}/api/v1${path}`, body, {
      authorization: auditorAndAdministrator.basic,
      ...headers,
    });
  let auditorAndAdministrator: MadeClient;
  beforeAll(async () => {
    auditorAndAdministrator = await createClient(server, 'clinic', { administrator: true, auditor: true });
  });

  async function importOnce(patient: object, requestId: string): Promise<Answer['json']> {
    const headers = { 'content-type': 'application/gzip', 'x-request-id': requestId };
    const begun = await send('POST', '/packages?examples=true', await packed(patient), headers);
    expect(begun.status).toBe(202);
    let job: Answer['json'];
    await eventually(async () => {
      ({ json: job } = await send('GET', `/jobs/${begun.json.id}`));
      return !['queued', 'running'].includes(job.state);
    });
    return job;
  }
  const authorOf = ({ meta }: Answer['json']): unknown =>
    meta.extension.find(({ url }: { url: string }) => url.endsWith('/author')).valueReference.reference;

  it('is a write of the administrator who has begun it: in the job, the versions and the audit record', async () => {
    const { id } = auditorAndAdministrator;
    const job = await importOnce({ resourceType: 'Patient', id: 'ana' }, 'own-import');
    expect(job).toMatchObject({ state: 'done', by: { client: id }, request: { examples: true } });
    expect(job.request).not.toHaveProperty('by');
    for (const address of ['ValueSet/wards', 'Patient/ana'])
      expect(authorOf((await send('GET', `/fhir/r4/${address}`)).json)).toBe(`ClientApplication/${id}`);
    const { json } = await send('GET', '/fhir/r4/AuditEvent?entity:identifier=|own-import&action=U,C');
    const written = (json.entry ?? []).filter(
      ({ resource }: Answer['json']) => resource.agent[0].altId === id,
    );
    const names = written.flatMap(({ resource }: Answer['json']) =>
      resource.entity.flatMap(({ what }: { what?: { reference?: string } }) => what?.reference ?? []),
    );
    expect(names).toEqual(expect.arrayContaining(['ValueSet/wards/_history/1', 'Patient/ana/_history/1']));
  });

  it('replaces what an import has written, and never what a client has changed since', async () => {
    const named = (family: string) => ({ resourceType: 'Patient', id: 'ana', name: [{ family }] });
    const [again, next] = [await importOnce(named('Muster'), 'a'), await importOnce(named('Muster'), 'b')];
    expect(again.result.packages[0]).toMatchObject({ stored: 1, unchanged: 1, renamed: [], refused: [] });
    expect(next.result.packages[0]).toMatchObject({ stored: 0, unchanged: 2, replaced: [] });
    const { json: ana } = await send('GET', '/fhir/r4/Patient/ana');
    const ours = { ...ana, gender: 'female' };
    expect((await send('PUT', '/fhir/r4/Patient/ana', ours, { 'content-type': 'application/json' })).status).toBe(200);
    const last = await importOnce(named('Other'), 'c');
    expect(last.result.packages[0]).toMatchObject({ stored: 1, renamed: [{ file: 'example/Patient-ana.json' }], refused: [] });
    expect((await send('GET', '/fhir/r4/Patient/ana')).json).toMatchObject({ gender: 'female', name: [{ family: 'Muster' }] });
  }); // prettier-ignore

  it('or another job names nobody where the operator has begun it', async () => {
    const { json: begun } = await server.administer('POST', `/tenants/${tenant}/reindex`, { release: 'r4b' });
    await eventually(async () => (await server.administer('GET', `/tenants/${tenant}/jobs/${begun.id}`)).json.state === 'done');
    expect((await send('GET', `/jobs/${begun.id}`)).json).not.toHaveProperty('by');
  }); // prettier-ignore
});

it('clients, secrets and people of another tenant do not exist', async () => {
  const other = await createClient(server, 'ward', { administrator: true });
  const at = server.tenant('ward');
  const client = `/clients/${auditor.id}`;
  const user = `/users/${(await create(server, `/tenants/${tenant}/users`, { name: 'ann', password: 'correct horse battery' })).id}`;
  const [secret] = (await send('GET', client)).json.secrets;
  const attempts: readonly [string, string, unknown?][] = [
    ['GET', client],
    ['PATCH', client, { disabled: true }],
    ['POST', `${client}/secrets`, {}],
    ['DELETE', `${client}/secrets/${secret.id}`],
    ['GET', user],
    ['PATCH', user, { administrator: true }],
    ['DELETE', user],
  ];
  for (const [method, path, body] of attempts)
    expect([path, (await send(method, path, body, { by: other, at })).status]).toEqual([path, 404]);
  expect((await send('GET', client)).json).toMatchObject({ disabled: false, secrets: [secret] });
  expect((await send('GET', user)).json).toMatchObject({ administrator: false });
}); // prettier-ignore

it.each(['%61', 'A', '%2e%2e%2f', '..%2f', '%00'])(
  'a name of a tenant that is spelled otherwise is none: %s',
  async (start) => {
    const { status } = await send('GET', '/users', undefined, { at: `${start}${tenant.slice(1)}` });
    expect([401, 404]).toContain(status);
  },
);

it('an export has no passwords: all of the tenant is for the operator, its current resources for both', async () => {
  const user = { name: 'exported', password: 'correct horse battery' };
  expect((await send('POST', '/users', user)).status).toBe(201);
  const { status, json } = await send('GET', '/export');
  expect([status, json.issue[0].diagnostics]).toEqual([403, expect.stringContaining('current=true')]);
  const current = await send('GET', '/export?current=true');
  expect([current.status, current.text.includes('exported')]).toEqual([200, false]);
  expect((await server.administer('GET', `/tenants/${tenant}/export`)).text).toContain('exported');
});

it('exports of other tenants do not count against that of a tenant', async () => {
  const names = ['exporting-1', 'exporting-2', 'exporting-3', 'exporting-4'];
  const [text, method, url] = [{ status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${'x '.repeat(20_000)}</div>` }, 'POST', 'Patient'];
  // So much that the exports are under way at the same time.
  const entry = Array.from({ length: 60 }, () => ({ resource: { resourceType: 'Patient', text }, request: { method, url } }));
  const administrators = await Promise.all(names.map(async (name) => {
    await server.createTenant(name);
    const by = await createClient(server, name, { administrator: true, scopes: ['system/*.cruds'] });
    expect((await send('POST', '/fhir/r4', { resourceType: 'Bundle', type: 'batch', entry }, { by, at: server.tenant(name) })).status).toBe(200);
    return { by, at: server.tenant(name) };
  }));
  const answers = await Promise.all(administrators.map((of) => send('GET', '/export?current=true', undefined, of)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
}); // prettier-ignore

it('HEAD answers as GET does, and other methods are not allowed', async () => {
  expect((await send('HEAD', '/users')).status).toBe(200);
  expect((await send('PROPFIND', '/users')).status).toBe(405);
});

it('a client that is disabled, or loses the right, is refused with its secret', async () => {
  const by = await createClient(server, 'clinic', { administrator: true });
  expect((await send('GET', '/users', undefined, { by })).status).toBe(200);
  expect((await send('PATCH', `/clients/${by.id}`, { administrator: false })).status).toBe(200);
  expect((await send('GET', '/users', undefined, { by })).status).toBe(403);
  expect((await send('PATCH', `/clients/${by.id}`, { disabled: true })).status).toBe(200);
  expect((await send('GET', '/users', undefined, { by })).status).toBe(401);
});
