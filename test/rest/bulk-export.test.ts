import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { ASYNC, exportData, idsOf, pathOf, waitForExport } from '../support/bulk';

let server: SharedServer;
let root: string;

const put = async (resource: { readonly resourceType: string; readonly id: string }): Promise<void> => {
  const { status, text } = await server.request(
    'PUT',
    `${root}/${resource.resourceType}/${resource.id}`,
    resource,
  );
  if (status > 201) throw new Error(text);
};

beforeAll(async () => {
  server = await openSharedServer('open');
  root = server.path('system', 'r4');
  const observation = (id: string, patient: string, status = 'final'): object => ({
    ...{ resourceType: 'Observation', id, status, code: { text: 'weight' } },
    subject: { reference: `Patient/${patient}` },
  });
  await put({ resourceType: 'Organization', id: 'hospital', name: 'Hospital' } as never);
  for (const id of ['ann', 'bob', 'cid'])
    await put({
      resourceType: 'Patient',
      id,
      name: [{ family: id }],
      managingOrganization: { reference: 'Organization/hospital' },
    } as never);
  for (const [id, patient] of [
    ['a1', 'ann'],
    ['a2', 'ann'],
    ['b1', 'bob'],
    ['c1', 'cid'],
  ] as const)
    await put(observation(id, patient) as never);
  await put(observation('a3', 'ann', 'preliminary') as never);
  await put({ resourceType: 'Basic', id: 'nobodys', code: { text: 'a' } } as never);
  await put({
    ...{ resourceType: 'Group', id: 'ward', type: 'person', actual: true },
    member: [
      { entity: { reference: 'Patient/ann' } },
      { entity: { reference: 'Patient/bob' }, inactive: true },
    ],
  } as never);
});
afterAll(() => server.close());

it('an export of the system has all resources, once', async () => {
  const found = await exportData(server, `${root}/$export`);
  const { manifest } = found;
  expect(manifest.headers['content-type']).toMatch(/^application\/json/);
  expect(manifest.json).toMatchObject({
    request: `${server.base}${root}/$export`,
    requiresAccessToken: false,
    error: [],
  });
  expect(idsOf(found, 'Patient')).toEqual(['ann', 'bob', 'cid']);
  expect(idsOf(found, 'Observation')).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  expect(idsOf(found, 'Basic')).toEqual(['nobodys']);
});

it('an export of all Patients has their records and what those refer to', async () => {
  const found = await exportData(server, `${root}/Patient/$export`);
  expect([...found.resources.keys()].sort()).toEqual(['Group', 'Observation', 'Organization', 'Patient']);
  expect(idsOf(found, 'Observation')).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
});

it('an export of a Group has the records of its active members', async () => {
  const found = await exportData(server, `${root}/Group/ward/$export`);
  expect(idsOf(found, 'Patient')).toEqual(['ann']);
  expect(idsOf(found, 'Observation')).toEqual(['a1', 'a2', 'a3']);
  expect(idsOf(found, 'Organization')).toEqual(['hospital']);
});

it('an export that was deleted is gone', async () => {
  const accepted = await server.request('GET', `${root}/$export?_type=Patient`, undefined, ASYNC);
  expect(accepted.status).toBe(202);
  const path = pathOf(accepted);
  const { json } = await waitForExport(server, path);
  expect((await server.request('DELETE', path)).status).toBe(202);
  for (const gone of [path, new URL(json.output[0].url).pathname]) {
    const { status, json: outcome } = await server.request('GET', gone);
    expect([status, outcome.resourceType]).toEqual([404, 'OperationOutcome']);
  }
});

it('a tenant whose clients do not read its files does not keep others from theirs', async () => {
  // More than the buffers of a connection take.
  const data = Buffer.alloc(8_000_000, 1).toString('base64');
  for (const id of ['one', 'two', 'three'])
    await put({ resourceType: 'Binary', id, contentType: 'image/tiff', data } as never);
  await server.createTenant('other');
  const other = server.path('other', 'r4');
  await server.request('PUT', `${other}/Patient/ann`, { resourceType: 'Patient', id: 'ann' });
  const { json } = await waitForExport(
    server,
    pathOf(await server.request('GET', `${root}/$export?_type=Binary`, undefined, ASYNC)),
  );
  const { url } = json.output[0];
  const requests: ClientRequest[] = [];
  const answered = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      requests.push(get(url, resolve).on('error', reject));
    });
  try {
    for (let count = 0; count < 4; count++) expect((await answered()).statusCode).toBe(200);
    expect((await answered()).statusCode).toBe(429);
    const found = await exportData(server, `${other}/$export`);
    expect(idsOf(found, 'Patient')).toEqual(['ann']);
  } finally {
    for (const request of requests) request.destroy();
  }
});
