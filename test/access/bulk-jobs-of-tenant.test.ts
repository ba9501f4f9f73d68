/** Exports and imports of all clients of a tenant, as its administrators and the operator see them (docs/use/bulk-data.md). */
import { createClient, type MadeClient } from '../support/access';
import { ASYNC, exportData, pathOf, waitForExport } from '../support/bulk';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
let root: string;
let ours: MadeClient;
let administrator: MadeClient;

const as = ({ basic }: MadeClient): { readonly authorization: string } => ({ authorization: basic });
const administer = (client: MadeClient, method: string, address: string): Promise<Answer> =>
  server.request(method, `/w/${server.tenant('hospital')}/api/v1${address}`, undefined, as(client));
const idIn = (path: string): string => path.split('/').at(-1) ?? '';

beforeAll(async () => {
  server = await openSharedServer('audited');
  await server.createTenant('hospital');
  await server.createTenant('other');
  root = server.path('hospital', 'r4b');
  ours = await createClient(server, 'hospital', {});
  administrator = await createClient(server, 'hospital', { administrator: true });
  const ann = { resourceType: 'Patient', id: 'ann', name: [{ family: 'Muster' }] };
  await server.request('PUT', `${root}/Patient/ann`, ann, as(ours));
});
afterAll(() => server.close());

const exportOurs = () =>
  exportData(server, `${root}/Patient/$export?_type=Patient&_typeFilter=Patient%3Ffamily%3Dmuster`, {
    headers: as(ours),
  });

it('an administrator sees the export of another client without its filters and files', async () => {
  const { path } = await exportOurs();
  const { status, json } = await administer(administrator, 'GET', '/jobs');
  expect(status).toBe(200);
  const job = json.jobs.find(({ id }: { id: string }) => id === idIn(path));
  expect(job).toMatchObject({
    ...{ kind: 'export', state: 'done', cancelling: false, by: { client: ours.id } },
    request: { release: 'r4b', level: 'patient', types: ['Patient'], filters: 1 },
    result: { files: 1, lines: 1 },
  });
  expect(Object.keys(job.by)).toEqual(['client']);
  expect(JSON.stringify(job)).not.toMatch(/muster/i);
  expect((await administer(administrator, 'GET', `/jobs/${idIn(path)}`)).json).toEqual(job);
  const forOperator = await server.administer('GET', `/tenants/${server.tenant('hospital')}/jobs`);
  expect(forOperator.json.jobs).toContainEqual(job);
  // Its files belong to the client.
  expect((await server.request('GET', `${path}/1`, undefined, as(administrator))).status).toBe(404);
});

it('an import is seen with its counts, and names of files without the query of their addresses', async () => {
  const lines = '{"resourceType":"Location","id":"a"}\n{"resourceType":"Location","id":"b","status":"gone"}';
  const sent = { ...ASYNC, ...as(ours), 'content-type': 'application/fhir+ndjson' };
  const path = pathOf(await server.request('POST', `${root}/$import`, lines, sent));
  expect((await waitForExport(server, path, as(ours))).status).toBe(200);
  expect((await administer(administrator, 'GET', `/jobs/${idIn(path)}`)).json).toMatchObject({
    ...{ kind: 'import', state: 'done', by: { client: ours.id } },
    request: { release: 'r4b', files: 1, names: ['body'] },
    result: { files: 1, received: 1, lines: 2, written: 1, refused: 1 },
  });
  const refused = {
    inputFormat: 'application/fhir+ndjson',
    input: [{ type: 'Patient', url: 'https://files.invalid/p.ndjson?token=secret' }],
  };
  const begun = await server.request('POST', `${root}/$import`, refused, { ...ASYNC, ...as(ours) });
  expect(begun.status).toBe(202);
  const { json } = await administer(administrator, 'GET', `/jobs/${idIn(pathOf(begun))}`);
  expect(json.request).toEqual({ release: 'r4b', files: 1, names: ['https://files.invalid/p.ndjson'] });
  expect((await server.request('DELETE', pathOf(begun), undefined, as(ours))).status).toBe(202);
});

it('an administrator removes an export of another client, for which it then does not exist', async () => {
  const { path } = await exportOurs();
  const begun = pathOf(await server.request('GET', `${root}/$export`, undefined, { ...ASYNC, ...as(ours) }));
  for (const each of [path, begun]) {
    const removed = await administer(administrator, 'DELETE', `/jobs/${idIn(each)}`);
    expect([removed.status, removed.json]).toEqual([200, { removed: idIn(each) }]);
    expect((await server.request('GET', each, undefined, as(ours))).status).toBe(404);
    expect((await administer(administrator, 'DELETE', `/jobs/${idIn(each)}`)).status).toBe(404);
  }
});

it('other clients, and administrators of another tenant, neither see nor remove it', async () => {
  const { path } = await exportOurs();
  const elsewhere = await createClient(server, 'other', { administrator: true });
  const at = `/jobs/${idIn(path)}`;
  for (const method of ['GET', 'DELETE']) {
    expect((await administer(ours, method, at)).status).toBe(403);
    expect((await administer(elsewhere, method, at)).status).toBe(401);
    const inOther = `/w/${server.tenant('other')}/api/v1${at}`;
    expect((await server.request(method, inOther, undefined, as(elsewhere))).status).toBe(404);
  }
  expect((await server.request('GET', path, undefined, as(ours))).status).toBe(200);
});
