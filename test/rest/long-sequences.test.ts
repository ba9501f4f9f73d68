/** Version-sequences beyond 2^31 (docs/reference/behaviour.md, Versions): a tenant whose counter stands just below a bound writes on. */
import type { Release } from '../../src/core';
import { createSender } from '../graphql/gateway-client';
import { subscribeByEvents } from '../graphql/live/subscriber';
import { exportData } from '../support/bulk';
import { eventually } from '../support/eventually';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { connectTo, type SharedDatabase } from '../support/shared-database';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
let database: SharedDatabase;
beforeAll(async () => {
  server = await openSharedServer();
  database = await connectTo(server);
});
afterAll(() => server.close());

const BASE = 'https://andiron.example/fhir/StructureDefinition';
const LARGEST_INTEGER = 2 ** 31 - 1;

/** The extension that has a version-sequence. */
const sequenceOf = ({ meta }: ReturnType<typeof JSON.parse>): object =>
  meta.extension.filter(({ url }: { readonly url: string }) => url.startsWith(`${BASE}/version-sequence`));
const integer = (valueInteger: number): object[] => [{ url: `${BASE}/version-sequence`, valueInteger }];
const long = (valueString: string): object[] => [{ url: `${BASE}/version-sequence-long`, valueString }];

/** Makes a tenant that has made `last` changes. */
async function tenantAt(name: string, last: number): Promise<void> {
  await server.createTenant(name);
  await database.query('update andiron.change_counter set last_sequence = $2 where tenant = $1', [
    await database.tenantNumber(name),
    last,
  ]);
}

interface TestTenant {
  send(method: string, path: string, body?: object): ReturnType<SharedServer['request']>;
  put(id: string, family: string): Promise<ReturnType<typeof JSON.parse>>;
  readonly root: string;
}

function requestsOf(name: string, release: Release): TestTenant {
  const root = server.path(name, release);
  const send: TestTenant['send'] = (method, path, body) => server.request(method, root + path, body);
  return {
    root,
    send,
    async put(id, family) {
      const { status, json } = await send('PUT', `/Patient/${id}`, {
        ...{ resourceType: 'Patient', id, name: [{ family }] },
      });
      expect([200, 201]).toContain(status);
      return json;
    },
  };
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  it('the extension is version-sequence up to 2^31 - 1, and version-sequence-long with a string beyond', async () => {
    const name = `over-${release}`;
    await tenantAt(name, LARGEST_INTEGER - 1);
    const { send, put } = requestsOf(name, release);
    const first = await put('a', 'Abel');
    expect(sequenceOf(first)).toEqual(integer(LARGEST_INTEGER));
    const second = await put('a', 'Bell');
    expect(sequenceOf(second)).toEqual(long('2147483648'));
    // A client's copies of the server's extensions are replaced.
    const { status, json: third } = await send('PUT', '/Patient/a', { ...second, active: true });
    expect([status, sequenceOf(third)]).toEqual([200, long('2147483649')]);
    const { json: made } = await send('POST', '/Patient', { resourceType: 'Patient' });
    expect(sequenceOf(made)).toEqual(long('2147483650'));
    // Read twice: the second time from what the process has cached.
    for (const _ of [1, 2]) {
      expect((await send('GET', '/Patient/a')).json).toEqual(third);
      const { json } = await send('GET', '/Patient?_sort=-_lastUpdated');
      expect(json.entry.map(({ resource }: { resource: object }) => resource)).toEqual([made, third]);
      const sorted = await send('GET', '/Patient?family=bell&_sort=_lastUpdated');
      expect(sorted.json.entry.map(({ resource }: { resource: object }) => resource)).toEqual([third]);
    }
    expect((await send('GET', '/Patient/a/_history/1')).json).toEqual(first);
    expect((await send('GET', '/Patient/a/_history/2')).json).toEqual(second);
    expect((await send('DELETE', '/Patient/a')).status).toBe(200);
    expect((await send('GET', '/Patient/a')).status).toBe(410);
  });

  it('histories page, filter and count across the bound', async () => {
    const name = `history-${release}`;
    await tenantAt(name, LARGEST_INTEGER - 2);
    const { send, put, root } = requestsOf(name, release);
    const before = new Date().toISOString();
    for (const family of ['A', 'B', 'C', 'D']) await put('p', family);
    await send('PUT', '/Basic/b', { resourceType: 'Basic', id: 'b', code: { text: 'x' } });
    const names = ['Basic/b/1', 'Patient/p/4', 'Patient/p/3', 'Patient/p/2', 'Patient/p/1'];
    const read = async (query: string): Promise<string[]> => {
      const found: string[] = [];
      for (let next: string | undefined = `${root}${query}`; next !== undefined;) {
        const { status, json } = await server.request('GET', next);
        expect(status).toBe(200);
        for (const { resource } of json.entry ?? [])
          found.push(`${resource.resourceType}/${resource.id}/${resource.meta.versionId}`);
        const link = json.link.find(({ relation }: { relation: string }) => relation === 'next');
        next = link === undefined ? undefined : String(link.url).slice(server.base.length);
      }
      return found;
    };
    expect(await read('/_history?_count=1')).toEqual(names);
    expect(await read('/Patient/_history?_count=2')).toEqual(names.slice(1));
    expect(await read(`/_history?_count=2&_since=${before}`)).toEqual(names);
    expect(await read(`/_history?_since-version=${LARGEST_INTEGER}`)).toEqual(names.slice(0, 3));
    expect(await read(`/Patient/p/_history?_since-version=${LARGEST_INTEGER + 1}`)).toEqual(['Patient/p/4']);
    expect(await read(`/_history?_at=${before.slice(0, 10)}`)).toEqual(names);
    expect((await send('GET', '/_history')).json.total).toBe(5);
    const { status, json } = await send('GET', '/_history?_since-version=9007199254740993');
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('_since-version')]);
  });

  it('GraphQL has the numbers as SafeInt: in queries, changes and live queries that resume', async () => {
    const name = `graphql-${release}`;
    await tenantAt(name, LARGEST_INTEGER - 1);
    const { put } = requestsOf(name, release);
    const query = createSender(server, name, release);
    const created = await query(
      'mutation($r: ResourceInput!) { create(resource: $r) { resource { ... on Patient { meta { versionSequence } } } } }',
      { r: { resourceType: 'Patient', name: [{ family: 'Abel' }] } },
    );
    expect(created.errors).toEqual([]);
    expect(created.found.create.resource.meta).toEqual({ versionSequence: LARGEST_INTEGER });
    await put('a', 'Bell');
    const found = await query(
      'query { versionSequence Patient(id: "a") { meta { versionSequence } } history(type: Patient, id: "a") { versions { versionSequence } } }',
    );
    expect(found.errors).toEqual([]);
    expect(found.found).toEqual({
      versionSequence: LARGEST_INTEGER + 1,
      Patient: { meta: { versionSequence: LARGEST_INTEGER + 1 } },
      history: { versions: [{ versionSequence: LARGEST_INTEGER + 1 }] },
    });
    const subscriber = await subscribeByEvents({
      ...{ base: server.base, tenant: server.tenant(name), release },
      variables: { after: LARGEST_INTEGER },
    });
    await put('a', 'Coll');
    const changes = await subscriber.received(2);
    subscriber.close();
    expect(changes.map(({ sequence }) => sequence)).toEqual([LARGEST_INTEGER + 1, LARGEST_INTEGER + 2]);
    const refused = await query('subscription { resourceChanged(after: 9007199254740993) { id } }');
    expect(refused.errors[0]?.message).toContain('SafeInt');
  });

  it('an export of bulk data has what changed since a number, and says how far it reaches', async () => {
    const name = `bulk-${release}`;
    await tenantAt(name, LARGEST_INTEGER - 1);
    const { put, send, root } = requestsOf(name, release);
    for (const id of ['a', 'b', 'c']) await put(id, id);
    const all = await exportData(server, `${root}/$export`);
    expect(all.manifest.json.extension).toEqual(long('2147483649'));
    expect(all.resources.get('Patient')?.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    await send('DELETE', '/Patient/b');
    await put('c', 'changed');
    const since = await exportData(
      server,
      `${root}/$export?_since-version=2147483649&_typeFilter=Patient?_id=b,c`,
    );
    expect(since.resources.get('Patient')?.map(({ id }) => id)).toEqual(['c']);
    expect(since.manifest.json.deleted).toHaveLength(1);
    const next = await exportData(server, `${root}/$export?_since-version=2147483651`);
    expect(next.resources.size).toBe(0);
  });
});

it('a tenant is exported and imported with its numbers, and goes on behind them', async () => {
  await tenantAt('moves', LARGEST_INTEGER - 1);
  const { put, send } = requestsOf('moves', 'r4');
  await put('a', 'Abel');
  const last = await put('a', 'Bell');
  const { text } = await server.administer('GET', `/tenants/${server.tenant('moves')}/export`);
  const headers = { 'content-type': 'application/x-ndjson' };
  const imported = await server.administer(
    'POST',
    `/tenants/${server.tenant('moved')}/import`,
    text,
    headers,
  );
  expect(imported.status).toBeLessThan(300);
  const moved = requestsOf('moved', 'r4');
  await eventually(async () => (await moved.send('GET', '/Patient/a')).status === 200);
  expect((await moved.send('GET', '/Patient/a')).json).toEqual(last);
  expect(sequenceOf(await moved.put('a', 'Coll'))).toEqual(long('2147483649'));
  expect((await send('POST', '/Patient/a/$purge')).status).toBe(200);
  expect(sequenceOf(await put('b', 'Dill'))).toEqual(long('2147483649'));
});

it('numbers go up to 9007199254740990, and a change beyond is refused', async () => {
  const last = Number.MAX_SAFE_INTEGER - 1;
  await tenantAt('last', last - 2);
  const { put, send } = requestsOf('last', 'r4');
  await put('a', 'Abel');
  const second = await put('a', 'Bell');
  expect(sequenceOf(second)).toEqual(long(String(last)));
  for (const _ of [1, 2]) {
    expect((await send('GET', '/Patient/a')).json).toEqual(second);
    expect((await send('GET', '/Patient')).json.entry[0].resource).toEqual(second);
  }
  const { json } = await send('GET', `/_history?_since-version=${last - 1}`);
  expect(json.entry.map(({ resource }: { resource: object }) => resource)).toEqual([second]);
  const refused = await send('PUT', '/Patient/a', { resourceType: 'Patient', id: 'a' });
  expect([refused.status, refused.json.issue[0].code]).toEqual([503, 'no-store']);
});
