/** What an export has of changes before, during and after it. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { ASYNC, exportData, idsOf, pathOf, readFiles, waitForExport } from '../support/bulk';

let server: SharedServer;
let root: string;

const put = async (resource: object): Promise<void> => {
  const { resourceType, id } = resource as { readonly resourceType: string; readonly id: string };
  const { status, text } = await server.request('PUT', `${root}/${resourceType}/${id}`, resource);
  if (status > 201) throw new Error(text);
};
const patient = (id: string, more: object = {}): object => ({ resourceType: 'Patient', id, ...more });
const basic = (id: string, of = 'a'): object => ({
  ...{ resourceType: 'Basic', id, code: { text: 'note' } },
  subject: { reference: `Patient/${of}` },
});
const sequenceOf = (manifest: { readonly extension: readonly { readonly valueInteger: number }[] }): number =>
  manifest.extension[0]?.valueInteger ?? -1;

/** The requests of the files with deletions. */
async function deletionsOf(manifest: { readonly deleted?: readonly never[] }): Promise<readonly string[]> {
  const lines = (await readFiles(server, manifest.deleted ?? [])).get('Bundle') ?? [];
  expect(lines.every(({ type }) => type === 'transaction')).toBe(true);
  return lines
    .flatMap(({ entry }) =>
      entry.map(
        ({ request }: { request: { method: string; url: string } }) => `${request.method} ${request.url}`,
      ),
    )
    .sort();
}

beforeEach(async () => {
  server = await openSharedServer('open');
  root = server.path('system', 'r4');
});
afterEach(() => server.close());

it('what was changed and deleted after an export is in it as it was, and in the next one once', async () => {
  for (const id of ['a', 'b', 'c']) await put(patient(id));
  for (const id of ['a1', 'a2', 'a3']) await put(basic(id));
  const first = await exportData(server, `${root}/Patient/$export`);
  const { transactionTime } = first.manifest.json;
  expect(first.manifest.json.deleted).toBeUndefined();
  await put(patient('b', { active: true }));
  await put(patient('d'));
  await server.request('DELETE', `${root}/Basic/a1`);
  await server.request('DELETE', `${root}/Basic/a2`);
  await put(basic('a2'));
  const again = await readFiles(server, first.manifest.json.output);
  expect(again.get('Patient')?.map(({ active }) => active)).toEqual([undefined, undefined, undefined]);
  expect(again.get('Basic')).toHaveLength(3);
  const since = [
    `_since=${encodeURIComponent(transactionTime)}`,
    `_since-version=${sequenceOf(first.manifest.json)}`,
  ];
  for (const query of since) {
    const next = await exportData(server, `${root}/Patient/$export?${query}`);
    expect(idsOf(next, 'Patient')).toEqual(['b', 'd']);
    expect(idsOf(next, 'Basic')).toEqual(['a2']);
    expect(await deletionsOf(next.manifest.json)).toEqual(['DELETE Basic/a1']);
    const last = await exportData(
      server,
      `${root}/Patient/$export?_since=${encodeURIComponent(next.manifest.json.transactionTime)}`,
    );
    expect([last.manifest.json.output, last.manifest.json.deleted]).toEqual([[], undefined]);
  }
  const until = await exportData(server, `${root}/$export?_until=${encodeURIComponent(transactionTime)}`);
  expect(idsOf(until, 'Patient')).toEqual(['a', 'c']);
});

it('incremental exports of concurrent writes miss no change and repeat none', async () => {
  const seen: string[] = [];
  let isWriting = true;
  const write = async (name: string): Promise<number> => {
    let written = 0;
    for (; isWriting; written++) await put(basic(`${name}-${written}`));
    return written;
  };
  const writers = ['x', 'y', 'z'].map(write);
  let query = '';
  const collect = async (): Promise<void> => {
    const found = await exportData(server, `${root}/$export?_type=Basic${query}`);
    seen.push(...idsOf(found, 'Basic'));
    query = `&_since-version=${sequenceOf(found.manifest.json)}`;
  };
  for (let round = 0; round < 4; round++) await collect();
  isWriting = false;
  const written = await Promise.all(writers);
  await collect();
  const expected = ['x', 'y', 'z'].flatMap((name, place) =>
    Array.from({ length: written[place] ?? 0 }, (_none, number) => `${name}-${number}`),
  );
  expect([...seen].sort()).toEqual(expected.sort());
});

it('what was erased is left out, and the manifest tells how many', async () => {
  for (const id of ['a', 'b']) await put(patient(id));
  const { path, manifest } = await exportData(server, `${root}/$export?_type=Patient`);
  const purged = await server.request('POST', `${root}/Patient/b/$purge`);
  expect(purged.status).toBe(200);
  const lines = (await readFiles(server, manifest.json.output)).get('Patient');
  expect(lines?.map(({ id }) => id)).toEqual(['a']);
  const later = (await waitForExport(server, path)).json;
  expect(later.output).toMatchObject([{ count: 2 }]);
  const outcomes = (await readFiles(server, later.error)).get('OperationOutcome');
  expect(outcomes).toMatchObject([
    { issue: [{ diagnostics: expect.stringMatching(/^1 of the resources were erased/) }] },
  ]);
  expect(JSON.stringify(outcomes)).not.toContain('Patient/b');
});

it('members of a Group are persons who are active now, also those of Groups in it', async () => {
  for (const id of ['a', 'b', 'past', 'future', 'inner', 'deep']) {
    await put(patient(id));
    await put(basic(`of-${id}`, id));
  }
  const group = (id: string, members: readonly object[], type = 'person'): object => ({
    ...{ resourceType: 'Group', id, type, actual: true },
    member: members,
  });
  const member = (reference: string, more: object = {}): object => ({ entity: { reference }, ...more });
  await put(group('deepest', [member('Patient/deep'), member('Group/all')]));
  await put(group('within', [member('Patient/inner'), member('Group/deepest')]));
  await put(group('devices', [member('Device/x')], 'device'));
  await put(
    group('all', [
      member('Patient/a', { period: { start: '2000-01-01' } }),
      member('Patient/b', { inactive: true }),
      member('Patient/past', { period: { end: '2001-01' } }),
      member('Patient/future', { period: { start: '2999' } }),
      member('Patient/nobody'),
      member('Group/within'),
    ]),
  );
  const found = await exportData(server, `${root}/Group/all/$export`);
  expect(idsOf(found, 'Patient')).toEqual(['a', 'deep', 'inner']);
  expect(idsOf(found, 'Basic')).toEqual(['of-a', 'of-deep', 'of-inner']);
  const none = await exportData(server, `${root}/Group/devices/$export`);
  expect(none.manifest.json.output).toEqual([]);
});

it('$everything of Patients has all resources on lines, page by page, where the client accepts them', async () => {
  for (const id of ['a', 'b']) await put(patient(id));
  for (let note = 0; note < 5; note++) await put(basic(`a${note}`));
  await put(basic('b0', 'b'));
  const lines = async (address: string): Promise<readonly string[]> => {
    const accept = { accept: 'application/fhir+ndjson' };
    const { status, headers, text } = await server.request('GET', `${root}/${address}`, undefined, accept);
    expect([status, headers['content-type']]).toEqual([
      200,
      expect.stringMatching(/^application\/fhir\+ndjson/),
    ]);
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id)
      .sort();
  };
  const ofA = ['a', 'a0', 'a1', 'a2', 'a3', 'a4'];
  expect(await lines('Patient/a/$everything?_count=2')).toEqual(ofA);
  expect(await lines('Patient/$everything?_count=3')).toEqual([...ofA, 'b', 'b0'].sort());
  const absent = await server.request('GET', `${root}/Patient/nobody/$everything`, undefined, {
    accept: 'application/fhir+ndjson',
  });
  expect([absent.status, absent.json.resourceType]).toEqual([404, 'OperationOutcome']);
});

it('the address of a Binary is absolute, and digits stay as they are', async () => {
  await put(patient('a'));
  await put({ resourceType: 'Binary', id: 'letter', contentType: 'text/plain', data: 'SGVsbG8=' });
  await put({
    ...{ resourceType: 'DocumentReference', id: 'd', status: 'current' },
    subject: { reference: 'Patient/a' },
    content: [{ attachment: { contentType: 'text/plain', url: 'Binary/letter' } }],
  });
  const weight =
    '{"resourceType":"Observation","id":"w","status":"final","code":{"text":"w"},"subject":{"reference":"Patient/a"},"valueQuantity":{"value":70.00}}';
  expect((await server.request('PUT', `${root}/Observation/w`, weight)).status).toBe(201);
  const found = await exportData(server, `${root}/Patient/$export`);
  expect(found.resources.has('Binary')).toBe(false);
  const url = found.resources.get('DocumentReference')?.[0].content[0].attachment.url;
  expect(url).toBe(`${server.base}${root}/Binary/letter`);
  const file = found.manifest.json.output.find(({ type }: { type: string }) => type === 'Observation');
  const { text, headers } = await server.request('GET', new URL(file.url).pathname);
  expect(headers['content-type']).toMatch(/^application\/fhir\+ndjson/);
  expect(text).toContain('"value":70.00');
  const gzipped = await server.request('GET', new URL(file.url).pathname, undefined, {
    'accept-encoding': 'gzip',
  });
  expect(gzipped.headers['content-encoding']).toBe('gzip');
});

it('a client has two exports at a time, and a tenant four; and asks for the state now and then', async () => {
  await put(patient('a'));
  const database = new Client(server.database.settings);
  await database.connect();
  const pretend = async (client: string): Promise<void> => {
    await database.query(
      `with s as (select s.number, s.tenant from andiron.space s join andiron.tenant t on t.number = s.tenant
                  where t.name = $1 and s.release = 'r4' and s.kind = 'data'),
            j as (insert into andiron.job (space, id, tenant, kind, state, worker, beat)
                  select s.number, $3, s.tenant, 'export/' || $3, 'running', 'somebody', now() + interval '1 hour' from s
                  returning space, id)
       insert into andiron.job_content (space, id, request)
       select j.space, j.id, jsonb_build_object('client', $2::text) from j`,
      [server.tenant('system'), client, randomUUID()],
    );
  };
  for (let open = 0; open < 2; open++) await pretend('anonymous');
  const ofClient = await server.request('GET', `${root}/$export`, undefined, ASYNC);
  expect([ofClient.status, ofClient.json.issue[0].diagnostics]).toEqual([
    429,
    expect.stringContaining('This client has 2 exports'),
  ]);
  await database.query(
    `update andiron.job_content c set request = '{"client": "other"}'
     from andiron.job j join andiron.tenant t on t.number = j.tenant
     where t.name = $1 and c.space = j.space and c.id = j.id`,
    [server.tenant('system')],
  );
  for (let open = 0; open < 2; open++) await pretend('another');
  const ofTenant = await server.request('GET', `${root}/$export`, undefined, ASYNC);
  expect([ofTenant.status, ofTenant.json.issue[0].diagnostics]).toEqual([
    429,
    expect.stringContaining('This tenant has 4 exports'),
  ]);
  await database.query(
    `delete from andiron.job j using andiron.tenant t where t.number = j.tenant and t.name = $1`,
    [server.tenant('system')],
  );
  await database.end();
  const path = pathOf(await server.request('GET', `${root}/$export`, undefined, ASYNC));
  await waitForExport(server, path);
  const polls = await Promise.all(Array.from({ length: 70 }, () => server.request('GET', path)));
  const refused = polls.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(5);
  expect(refused[0]?.headers['retry-after']).toBeDefined();
});
