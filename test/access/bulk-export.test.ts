/** Exports have what their client may read, when they are made and when a file is fetched, and belong to that client. */
import { administerWell, createClient, type MadeClient } from '../support/access';
import { ASYNC, exportData, idsOf, readFiles, waitForExport } from '../support/bulk';
import { openSharedServer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
let root: string;
let all: MadeClient;

const as = ({ basic }: MadeClient): { readonly authorization: string } => ({ authorization: basic });
const asynchronous = (client: MadeClient): Record<string, string> => ({ ...ASYNC, ...as(client) });
const make = (details: object): Promise<MadeClient> => createClient(server, 'hospital', { ...details });
const policyAt = (name: string): string => `/tenants/${server.tenant('hospital')}/policies/${name}`;

beforeAll(async () => {
  server = await openSharedServer('audited');
  await server.createTenant('hospital');
  await server.createTenant('other');
  root = server.path('hospital', 'r4');
  all = await make({ auditor: true });
  const put = async (resource: { readonly resourceType: string; readonly id: string }): Promise<void> => {
    const { status, text } = await server.request(
      'PUT',
      `${root}/${resource.resourceType}/${resource.id}`,
      resource,
      as(all),
    );
    if (status !== 201) throw new Error(text);
  };
  for (const id of ['ann', 'bob']) {
    await put({ resourceType: 'Patient', id, name: [{ family: id }], gender: 'female' } as never);
    for (const status of ['final', 'preliminary'])
      await put({
        ...{ resourceType: 'Observation', id: `${id}-${status}`, status, code: { text: 'a' } },
        subject: { reference: `Patient/${id}` },
      } as never);
  }
  await put({
    ...{ resourceType: 'Group', id: 'ward', type: 'person', actual: true },
    member: [{ entity: { reference: 'Patient/ann' } }],
  } as never);
});
afterAll(() => server.close());

it('an export, its state and its files need the client that has made it', async () => {
  const other = await make({});
  const elsewhere = await createClient(server, 'other', {});
  const { path, manifest } = await exportData(server, `${root}/$export`, { headers: as(all) });
  expect(manifest.json.requiresAccessToken).toBe(true);
  const file = new URL(manifest.json.output[0].url).pathname;
  for (const address of [path, file]) {
    const statuses = [];
    for (const client of [undefined, other, elsewhere]) {
      const { status, json } = await server.request(
        'GET',
        address,
        undefined,
        client === undefined ? {} : as(client),
      );
      expect(json.resourceType).toBe('OperationOutcome');
      statuses.push(status);
    }
    expect(statuses).toEqual([401, 404, 401]);
    const inOther = address.replace(server.tenant('hospital'), server.tenant('other'));
    expect((await server.request('GET', inOther, undefined, as(elsewhere))).status).toBe(404);
  }
  expect((await server.request('DELETE', path, undefined, as(other))).status).toBe(404);
  expect((await server.request('GET', `${root}/$export`, undefined, ASYNC)).status).toBe(401);
  expect((await server.request('GET', path, undefined, as(all))).status).toBe(200);
});

it('a client exports the types that it may read and search', async () => {
  const reader = await make({ scopes: ['system/Patient.rs', 'system/Observation.s', 'system/Group.r'] });
  const found = await exportData(server, `${root}/$export`, { headers: as(reader) });
  expect([...found.resources.keys()]).toEqual(['Patient']);
  const refused = await server.request(
    'GET',
    `${root}/$export?_type=Observation`,
    undefined,
    asynchronous(reader),
  );
  expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([
    403,
    expect.stringContaining('Observation.r'),
  ]);
  const nothing = await make({ scopes: [] });
  expect((await server.request('GET', `${root}/$export`, undefined, asynchronous(nothing))).status).toBe(403);
  const group = await exportData(server, `${root}/Group/ward/$export`, { headers: as(reader) });
  expect(idsOf(group, 'Patient')).toEqual(['ann']);
  const without = await make({ scopes: ['system/Patient.rs'] });
  expect(
    (await server.request('GET', `${root}/Group/ward/$export`, undefined, asynchronous(without))).status,
  ).toBe(403);
});

it('conditions of scopes and policies, and hidden elements, hold in exports', async () => {
  await administerWell(server, 'PUT', policyAt('final-only'), {
    rules: [{ types: ['Observation', 'Patient'], interactions: 'rs' }],
    hidden: ['Patient.gender'],
    operations: ['export'],
  });
  const ward = await make({
    scopes: ['system/Observation.rs?status=final', 'system/Patient.rs'],
    policies: ['final-only'],
  });
  const found = await exportData(server, `${root}/Patient/$export`, { headers: as(ward) });
  expect(idsOf(found, 'Observation')).toEqual(['ann-final', 'bob-final']);
  expect(found.resources.get('Patient')?.map(({ gender }) => gender)).toEqual([undefined, undefined]);
  await administerWell(server, 'PUT', policyAt('no-operations'), {
    rules: [{ types: ['*'], interactions: 'rs' }],
    operations: [],
  });
  const none = await make({ policies: ['no-operations'] });
  expect((await server.request('GET', `${root}/$export`, undefined, asynchronous(none))).status).toBe(403);
});

it('what is no longer allowed is left out when a file is fetched, and the manifest tells how many', async () => {
  await administerWell(server, 'PUT', policyAt('changing'), {
    rules: [{ types: ['*'], interactions: 'rs' }],
  });
  const client = await make({ policies: ['changing'] });
  const { path, manifest } = await exportData(server, `${root}/$export?_type=Observation`, {
    headers: as(client),
  });
  expect(manifest.json).toMatchObject({ output: [{ count: 4 }], error: [] });
  await administerWell(server, 'PUT', policyAt('changing'), {
    rules: [{ types: ['Observation'], interactions: 'rs', criteria: ['status=final'] }],
  });
  const read = async (): Promise<readonly { readonly id: string }[]> =>
    (await readFiles(server, manifest.json.output, as(client))).get('Observation') ?? [];
  let lines = await read();
  while (lines.length === 4) lines = await read();
  expect(lines.map(({ id }) => id).sort()).toEqual(['ann-final', 'bob-final']);
  const later = await waitForExport(server, path, as(client));
  expect(later.json.output).toMatchObject([{ count: 4 }]);
  const outcomes = (await readFiles(server, later.json.error, as(client))).get('OperationOutcome');
  expect(outcomes).toMatchObject([
    { issue: [{ diagnostics: expect.stringMatching(/^2 of the resources may not be read/) }] },
  ]);
  expect(JSON.stringify(outcomes)).not.toContain('preliminary');
});

it('the kick-off, each file and the end leave an AuditEvent', async () => {
  const client = await make({});
  const { path, manifest } = await exportData(server, `${root}/Patient/$export?_type=Patient`, {
    headers: as(client),
  });
  await server.request('DELETE', path, undefined, as(client));
  const job = path.split('/').at(-1) ?? '';
  expect(manifest.json.output).toHaveLength(1);
  const { json } = await server.request(
    'GET',
    `${root}/AuditEvent?altid=${client.id}&_count=50`,
    undefined,
    as(all),
  );
  const queries = (json.entry ?? []).flatMap(
    ({ resource }: { resource: { entity?: { query?: string }[] } }) =>
      (resource.entity ?? []).flatMap(({ query }) =>
        query === undefined ? [] : Buffer.from(query, 'base64').toString(),
      ),
  );
  expect(queries.sort()).toEqual(
    [`$export?_cancel=${job}`, `$export?_file=${job}/1`, 'Patient/$export?_type=Patient'].sort(),
  );
});

it('$everything of a Group has what its client may read and search', async () => {
  const member = ['ann', 'bob'].map((id) => ({ entity: { reference: `Patient/${id}` } }));
  const both = { resourceType: 'Group', id: 'both', type: 'person', actual: true, member };
  expect((await server.request('PUT', `${root}/Group/both`, both, as(all))).status).toBe(201);
  const find = async (scopes: readonly string[]): Promise<readonly [number, readonly string[]]> => {
    const { status, json } = await server.request(
      ...(['GET', `${root}/Group/both/$everything`, undefined, as(await make({ scopes }))] as const),
    );
    const entries = (json.entry ?? []) as readonly { resource: { resourceType: string; id: string } }[];
    return [status, entries.map(({ resource: { resourceType, id } }) => `${resourceType}/${id}`).sort()];
  };
  const some = ['system/Group.rs', 'system/Patient.rs?_id=ann', 'system/Observation.rs?status=final'];
  expect(await find(some)).toEqual([
    200,
    ['Group/both', 'Group/ward', 'Observation/ann-final', 'Observation/bob-final', 'Patient/ann'],
  ]);
  expect(await find(['system/Group.r', 'system/Observation.s'])).toEqual([200, []]);
  expect((await find(['system/Patient.rs']))[0]).toBe(403);
});
