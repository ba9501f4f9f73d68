/** Tenants over HTTP: no tenant sees data of another; administration from this machine. */
import type { Release } from '../../src/core';
import { type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
const JSON_TYPE = { 'content-type': 'application/json' };

beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const administer = (method: string, body?: unknown, headers: Record<string, string> = JSON_TYPE) =>
  server.request(method, '/w/system/api/v1/tenants', body, headers);

describe('tenant administration', () => {
  it('makes a tenant once, and lists it', async () => {
    const made = await administer('POST', { name: server.tenant('acme') });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ name: server.tenant('acme'), status: 'active' });
    expect((await administer('POST', { name: server.tenant('acme') })).status).toBe(409);
    const { json } = await administer('GET');
    expect(json.tenants.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([server.tenant('acme'), 'system']),
    );
  });

  it.each([['A'], ['a b'], ['ä'], [''], ['a/b'], ['x'.repeat(64)], [7], [null]])(
    'refuses the name %j',
    async (name) => {
      const { status, json } = await administer('POST', { name });
      expect(status).toBe(400);
      expect(json.resourceType).toBe('OperationOutcome');
    },
  );

  it('refuses a body that is no JSON, or of another type', async () => {
    expect((await administer('POST', '{')).status).toBe(400);
    expect((await administer('POST', '[]')).status).toBe(400);
    expect((await administer('POST', 'name=acme', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await administer('DELETE')).status).toBe(405);
  });

  it('refuses a setting that is not among the settings, and creates no tenant', async () => {
    const { status, json } = await administer('POST', { name: 'misplaced', validation: 'structure' });
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining("'validation'")]);
    expect((await server.request('GET', '/w/system/api/v1/tenants/misplaced')).status).toBe(404);
  });

  it('says to the operator which tenant does not exist, and which one was probably meant', async () => {
    const name = server.tenant('acme');
    for (const rest of ['', '/clients', '/users']) {
      const { status, json } = await server.request('GET', `/w/system/api/v1/tenants/${name}x${rest}`);
      expect([status, json.issue[0].diagnostics]).toEqual([
        404,
        `The tenant '${name}x' does not exist here, or is disabled; did you mean ${name}?`,
      ]);
    }
  });

  it('accepts no more than 64 kB', async () => {
    const name = (length: number): string => JSON.stringify({ name: 'x'.repeat(length) });
    expect((await administer('POST', name(64_000))).status).toBe(400);
    const { status, json } = await administer('POST', name(66_000));
    expect([status, json.issue[0].code]).toEqual([413, 'too-long']);
    const settings = { settings: { validation: 'x'.repeat(66_000) } };
    const changed = await server.request('PATCH', '/w/system/api/v1/tenants/system', settings, JSON_TYPE);
    expect(changed.status).toBe(413);
  });

  it('is closed to requests through a proxy or under another name', async () => {
    const ways: readonly [number, Record<string, string>][] = [
      [403, { 'x-forwarded-for': '203.0.113.7' }],
      [403, { forwarded: 'for=203.0.113.7' }],
      [421, { host: 'evil.example' }],
    ];
    for (const [status, headers] of ways) {
      expect((await administer('GET', undefined, { ...JSON_TYPE, ...headers })).status).toBe(status);
    }
  });
});

describe('two tenants and two releases', () => {
  const spaces: readonly [string, Release][] = [
    ['system', 'r4'],
    ['system', 'r4b'],
    ['globex', 'r4'],
    ['globex', 'r4b'],
  ];
  const ids = new Map<string, string>();
  const send = (tenant: string, release: Release, method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path(tenant, release)}${rest}`, body);

  beforeAll(async () => {
    expect((await administer('POST', { name: server.tenant('globex') })).status).toBe(201);
    for (const [tenant, release] of spaces) {
      const body = { resourceType: 'Patient', name: [{ family: `${tenant}${release}` }] };
      const { status, json } = await send(tenant, release, 'POST', '/Patient', body);
      expect(status).toBe(201);
      ids.set(`${tenant} ${release}`, json.id);
    }
  });

  it.each(spaces)('%s under %s sees its own patient and none of the others', async (tenant, release) => {
    for (const [owner, id] of ids) {
      const isOwn = owner === `${tenant} ${release}`;
      const status = isOwn ? 200 : 404;
      expect((await send(tenant, release, 'GET', `/Patient/${id}`)).status).toBe(status);
      expect((await send(tenant, release, 'GET', `/Patient/${id}/_history`)).status).toBe(status);
      expect((await send(tenant, release, 'GET', `/Patient/${id}/_history/1`)).status).toBe(status);
      expect((await send(tenant, release, 'GET', `/Patient/${id}/$meta`)).status).toBe(status);
      const found = await send(tenant, release, 'GET', `/Patient?_id=${id}`);
      expect(found.json.entry?.length ?? 0).toBe(isOwn ? 1 : 0);
      if (!isOwn) {
        const patch = [{ op: 'add', path: '/active', value: true }];
        expect((await send(tenant, release, 'PATCH', `/Patient/${id}`, patch)).status).toBe(404);
        expect((await send(tenant, release, 'GET', `/Patient/${id}`, patch)).status).toBe(404);
        await send(tenant, release, 'DELETE', `/Patient/${id}`);
      }
    }
    const { json } = await send(tenant, release, 'GET', '/Patient');
    expect(json.entry).toHaveLength(1);
    expect(json.entry[0].resource.name[0].family).toBe(`${tenant}${release}`);
  });
});
