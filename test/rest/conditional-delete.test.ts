/** One DELETE for all that meets its criteria, where the tenant allows it: https://hl7.org/fhir/R4/http.html#cdelete. */
import type { Answer } from '../support/http';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('broom', { 'conditional-delete': 'multiple' });
  await server.createTenant('keeper', {
    'conditional-delete': 'multiple',
    'referential-integrity': 'on-write-and-delete',
  });
  await server.createTenant('other', { 'conditional-delete': 'multiple' });
});
afterAll(() => server.close());

const patient = (value: string): object => ({ resourceType: 'Patient', identifier: [{ value }] });

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (
    tenant: string,
    method: string,
    rest: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => server.request(method, `${server.path(tenant, release)}${rest}`, body, headers);
  const total = async (tenant: string, query: string): Promise<number> =>
    (await send(tenant, 'GET', `${query}&_summary=count`)).json.total;
  async function store(tenant: string, many: number, value: string): Promise<void> {
    const entry = Array.from({ length: many }, () => ({
      resource: patient(value),
      request: { method: 'POST', url: 'Patient' },
    }));
    const { status } = await send(tenant, 'POST', '', { resourceType: 'Bundle', type: 'transaction', entry });
    expect(status).toBe(200);
  }

  it('deletes all matches and nothing else, and metadata lists the setting', async () => {
    for (const tenant of ['broom', 'other']) await store(tenant, 3, 'swept');
    const remaining = await send('broom', 'POST', '/Patient', patient('kept'));
    const found = await send('broom', 'GET', '/Patient?identifier=swept');
    const { status, json, headers } = await send('broom', 'DELETE', '/Patient?identifier=swept');
    expect(status).toBe(200);
    expect(json.issue[0].diagnostics).toBe('3 resources of the type Patient are deleted');
    expect(headers.etag).toBeUndefined();
    for (const { resource } of found.json.entry) {
      expect((await send('broom', 'GET', `/Patient/${resource.id}`)).status).toBe(410);
      const history = await send('broom', 'GET', `/Patient/${resource.id}/_history`);
      expect(
        history.json.entry.map(({ request }: { request: { method: string } }) => request.method),
      ).toEqual(['DELETE', 'POST']);
    }
    expect((await send('broom', 'GET', `/Patient/${remaining.json.id}`)).status).toBe(200);
    expect(await total('other', '/Patient?identifier=swept')).toBe(3);
    const metadata = await send('broom', 'GET', '/metadata');
    expect(metadata.json.rest[0].resource[0].conditionalDelete).toBe('multiple');
  });

  it('deletes one at most where a version is named, because only one can have it', async () => {
    await store('broom', 2, 'guarded');
    const guarded = await send('broom', 'DELETE', '/Patient?identifier=guarded', undefined, {
      'if-match': 'W/"1"',
    });
    expect(guarded.status).toBe(412);
    expect(await total('broom', '/Patient?identifier=guarded')).toBe(2);
  });

  it('deletes 1,000 and refuses more, unchanged: 422', async () => {
    await store('broom', 1001, 'many');
    const refused = await send('broom', 'DELETE', '/Patient?identifier=many');
    expect([refused.status, refused.json.issue[0].code]).toEqual([422, 'too-costly']);
    expect(await total('broom', '/Patient?identifier=many')).toBe(1001);
    const { json } = await send('broom', 'GET', '/Patient?identifier=many&_count=1');
    await send('broom', 'DELETE', `/Patient/${json.entry[0].resource.id}`);
    expect((await send('broom', 'DELETE', '/Patient?identifier=many')).status).toBe(200);
    expect(await total('broom', '/Patient?identifier=many')).toBe(0);
  });

  it('deletes nothing where others refer to one of them, unless those are deleted too', async () => {
    const { json } = await send('keeper', 'POST', '/Patient', patient('whole'));
    const link = [{ other: { reference: `Patient/${json.id}` }, type: 'refer' }];
    const referring = await send('keeper', 'POST', '/Patient', { ...patient('whole'), link });
    expect(referring.status).toBe(201);
    const observation = await send('keeper', 'POST', '/Observation', {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'pulse' },
      subject: { reference: `Patient/${json.id}` },
    });
    const refused = await send('keeper', 'DELETE', '/Patient?identifier=whole');
    expect(refused.status).toBe(409);
    expect(refused.json.issue[0].diagnostics).toContain(`Observation/${observation.json.id}`);
    expect(await total('keeper', '/Patient?identifier=whole')).toBe(2);
    await send('keeper', 'DELETE', `/Observation/${observation.json.id}`);
    expect((await send('keeper', 'DELETE', '/Patient?identifier=whole')).status).toBe(200);
    expect(await total('keeper', '/Patient?identifier=whole')).toBe(0);
  });

  it('stores the Provenance of its header with each deletion', async () => {
    await store('broom', 2, 'traced');
    const provenance = {
      resourceType: 'Provenance',
      target: [{ display: 'what goes' }],
      recorded: '2026-11-22T03:00:00Z',
      agent: [{ who: { display: 'the records office' } }],
    };
    const { status } = await send('broom', 'DELETE', '/Patient?identifier=traced', undefined, {
      'x-provenance': JSON.stringify(provenance),
    });
    expect(status).toBe(200);
    expect(await total('broom', '/Provenance?_id:missing=false')).toBe(2);
  });

  it('and updates at once leave each resource either changed before or deleted', async () => {
    await store('broom', 30, 'raced');
    const found = await send('broom', 'GET', '/Patient?identifier=raced');
    const ids: string[] = found.json.entry.map(({ resource }: { resource: { id: string } }) => resource.id);
    const [swept, ...updates] = await Promise.all([
      send('broom', 'DELETE', '/Patient?identifier=raced'),
      ...ids.map((id) => send('broom', 'PUT', `/Patient/${id}`, { ...patient('moved'), id })),
    ]);
    expect(swept.status).toBe(200);
    for (const { status } of updates) expect([200, 201]).toContain(status);
    expect(await total('broom', '/Patient?identifier=raced')).toBe(0);
    expect(await total('broom', '/Patient?identifier=moved')).toBe(30);
  });
});
