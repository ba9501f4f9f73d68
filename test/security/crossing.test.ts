/** The possible paths across the border between tenants: ids, references, cursors, caches, names. */
import type { Release } from '../../src/core';
import { gatewayPath } from '../graphql/gateway-client';
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';

const SPACES: readonly (readonly [string, Release])[] = [
  ['alice', 'r4'],
  ['alice', 'r4b'],
  ['mallory', 'r4'],
  ['mallory', 'r4b'],
];

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['alice', 'mallory']) await server.createTenant(name);
});
afterAll(() => server.close());

const send = (
  tenant: string,
  release: Release,
  method: string,
  rest: string,
  body?: unknown,
  headers?: Record<string, string>,
) => server.request(method, `${server.path(tenant, release)}${rest}`, body, headers);
const familyOf = (tenant: string, release: Release): string => `Family-of-${tenant}-${release}`;

it('the same client-chosen id names four patients, each with its own versions, history and deletion', async () => {
  for (const [tenant, release] of SPACES) {
    const body = { resourceType: 'Patient', id: 'abc', name: [{ family: familyOf(tenant, release) }] };
    expect((await send(tenant, release, 'PUT', '/Patient/abc', body)).status).toBe(201);
  }
  const patch = [{ op: 'add', path: '/active', value: true }];
  const type = { 'content-type': 'application/json-patch+json' };
  expect((await send('alice', 'r4', 'PATCH', '/Patient/abc', patch, type)).headers.etag).toBe('W/"2"');
  expect((await send('alice', 'r4b', 'DELETE', '/Patient/abc')).status).toBe(200);
  for (const [tenant, release] of SPACES) {
    const { status, json, headers } = await send(tenant, release, 'GET', '/Patient/abc');
    if (tenant === 'alice' && release === 'r4b') {
      expect(status).toBe(410);
      continue;
    }
    expect(json.name[0].family).toBe(familyOf(tenant, release));
    expect(headers.etag).toBe(tenant === 'alice' ? 'W/"2"' : 'W/"1"');
    const search = await send(tenant, release, 'GET', `/Patient?family=family-of`);
    expect(search.json.total).toBe(1);
    const history = await send(tenant, release, 'GET', '/Patient/abc/_history');
    expect(history.json.entry).toHaveLength(tenant === 'alice' ? 2 : 1);
  }
});

it('the same id of the server can be put elsewhere, and is another resource', async () => {
  const made = await send('alice', 'r4', 'POST', '/Patient', { resourceType: 'Patient', gender: 'female' });
  const { id } = made.json;
  const put = await send('mallory', 'r4', 'PUT', `/Patient/${id}`, {
    resourceType: 'Patient',
    id,
    gender: 'male',
  });
  expect(put.status).toBe(201);
  expect((await send('alice', 'r4', 'GET', `/Patient/${id}`)).json.gender).toBe('female');
  expect((await send('mallory', 'r4', 'GET', `/Patient/${id}`)).json.gender).toBe('male');
});

describe("a reference under one of the server's public addresses", () => {
  const observation = (reference: string): Record<string, unknown> => ({
    resourceType: 'Observation',
    id: 'crossing',
    status: 'final',
    code: { text: 'x' },
    subject: { reference },
  });
  type Foreign = readonly [release: Release, tenant: string, of: Release, rest: string];
  const foreign = (['r4', 'r4b'] as const).flatMap((release): Foreign[] => [
    [release, 'alice', release, 'Patient/abc'],
    [release, 'nobody', release, 'Patient/abc'],
    [release, 'mallory', release === 'r4' ? 'r4b' : 'r4', 'Patient/abc'],
    [release, 'alice', release, 'Patient/abc/_history/1'],
  ]);

  it.each(foreign)(
    'under %s to %s, %s, %s is refused on every way of writing',
    async (release, tenant, of, rest) => {
      const reference = `${PUBLIC_ADDRESS}${server.path(tenant, of)}/${rest}`;
      const body = observation(reference);
      const own = observation('Patient/abc');
      await send('mallory', release, 'PUT', '/Observation/crossing', own);
      const patch = [{ op: 'replace', path: '/subject/reference', value: reference }];
      const gateway = gatewayPath(server.tenant('mallory'), release);
      const graphql = {
        query: 'mutation($r: ResourceInput!) { update(resource: $r) { versionId } }',
        variables: { r: body },
      };
      const answers = [
        await send('mallory', release, 'POST', '/Observation', body),
        await send('mallory', release, 'PUT', '/Observation/crossing', body),
        await send('mallory', release, 'PUT', '/Observation/fresh', { ...body, id: 'fresh' }),
        await send('mallory', release, 'PATCH', '/Observation/crossing', patch, {
          'content-type': 'application/json-patch+json',
        }),
        await send('mallory', release, 'GET', '/Observation/crossing', patch, {
          'content-type': 'application/json',
        }),
      ];
      for (const { status, json } of answers) {
        expect(status).toBe(422);
        expect(json.issue[0].expression).toEqual(['Observation.subject.reference']);
      }
      const { json } = await server.request('POST', gateway, graphql, { 'content-type': 'application/json' });
      expect(json.errors[0].extensions.status).toBe(422);
      expect(json.errors[0].extensions.resource.issue[0].expression).toEqual([
        'Observation.subject.reference',
      ]);
      expect((await send('mallory', release, 'GET', '/Observation/crossing')).json.subject.reference).toBe(
        'Patient/abc',
      );
      expect((await send('mallory', release, 'GET', '/Observation/fresh')).status).toBe(404);
      await send('mallory', release, 'DELETE', '/Observation/crossing');
    },
  );

  it('is refused with the same message whether or not that tenant exists', async () => {
    const words = await Promise.all(
      ['alice', 'nobody'].map(async (tenant) => {
        const body = observation(`${PUBLIC_ADDRESS}${server.path(tenant, 'r4')}/Patient/abc`);
        return (await send('mallory', 'r4', 'POST', '/Observation', body)).text.replaceAll(
          server.tenant(tenant),
          'TENANT',
        );
      }),
    );
    expect(words[0]).toBe(words[1]);
  });

  it('to another type of spelling of a foreign tenant never finds the foreign resource', async () => {
    const foreign = `${server.path('alice', 'r4')}/Patient/abc`;
    for (const reference of [
      `${PUBLIC_ADDRESS}:443${foreign}`,
      PUBLIC_ADDRESS.toUpperCase() + foreign,
      PUBLIC_ADDRESS + foreign.replace('/alice', '/%61lice'),
      PUBLIC_ADDRESS + foreign.replace('/alice', `/${server.tenant('mallory')}/../alice`),
    ]) {
      const { status } = await send('mallory', 'r4', 'PUT', '/Observation/crossing', observation(reference));
      expect([200, 201, 422]).toContain(status);
      const found = await send('alice', 'r4', 'GET', '/Observation?subject=Patient/abc');
      expect(found.json.total).toBe(0);
    }
  });

  it('to its own space is the same as a relative one', async () => {
    await send(
      'mallory',
      'r4',
      'PUT',
      '/Observation/crossing',
      observation(`${PUBLIC_ADDRESS}${server.path('mallory', 'r4')}/Patient/abc`),
    );
    const found = await send('mallory', 'r4', 'GET', '/Observation?subject=Patient/abc');
    expect(found.json.total).toBe(1);
    expect((await send('mallory', 'r4b', 'GET', '/Observation?subject=Patient/abc')).json.total).toBe(0);
  });
});

describe('a page link', () => {
  const nextOf = (json: { link: { relation: string; url: string }[] }): string => {
    const link = json.link.find(({ relation }) => relation === 'next');
    if (link === undefined) throw new Error('there is no next page');
    return new URL(link.url, PUBLIC_ADDRESS).search;
  };
  beforeAll(async () => {
    for (const [tenant, release] of SPACES) {
      for (const id of ['p1', 'p2', 'p3']) {
        const body = { resourceType: 'Practitioner', id, name: [{ family: familyOf(tenant, release) }] };
        for (let version = 1; version <= 3; version++)
          await send(tenant, release, 'PUT', `/Practitioner/${id}`, body);
      }
    }
  });

  it.each([
    '/Practitioner?_count=1',
    '/Practitioner?_count=1&_sort=-_lastUpdated',
    '/Practitioner?family=family&_count=1&_sort=family',
  ])('for %s is invalid in another space', async (query) => {
    const { json } = await send('alice', 'r4', 'GET', query);
    const next = nextOf(json);
    expect((await send('alice', 'r4', 'GET', `/Practitioner${next}`)).json.entry).toHaveLength(1);
    for (const [tenant, release] of SPACES.slice(1)) {
      const { status, text } = await send(tenant, release, 'GET', `/Practitioner${next}`);
      expect(status).toBe(400);
      expect(text).not.toContain('alice');
    }
  });

  it('for a history is invalid in another space and for another resource', async () => {
    const { json } = await send('alice', 'r4', 'GET', '/Practitioner/p1/_history?_count=1');
    const next = nextOf(json);
    expect((await send('alice', 'r4', 'GET', `/Practitioner/p1/_history${next}`)).status).toBe(200);
    expect((await send('alice', 'r4', 'GET', `/Practitioner/p2/_history${next}`)).status).toBe(400);
    for (const [tenant, release] of SPACES.slice(1)) {
      expect((await send(tenant, release, 'GET', `/Practitioner/p1/_history${next}`)).status).toBe(400);
    }
  });
});

it('each tenant’s value set of the same url has its own expansion, repeatedly', async () => {
  for (const [tenant, release] of SPACES) {
    const code = `code-of-${tenant}-${release}`;
    const body = {
      resourceType: 'ValueSet',
      id: 'shared-url',
      url: 'http://example.org/shared',
      status: 'active',
      compose: { include: [{ system: 'http://example.org/codes', concept: [{ code }] }] },
    };
    expect((await send(tenant, release, 'PUT', '/ValueSet/shared-url', body)).status).toBe(201);
  }
  for (let round = 0; round < 3; round++) {
    for (const [tenant, release] of SPACES) {
      const { json } = await send(tenant, release, 'GET', '/ValueSet/$expand?url=http://example.org/shared');
      expect(json.expansion.contains).toEqual([
        expect.objectContaining({ code: `code-of-${tenant}-${release}` }),
      ]);
    }
  }
});

it('a tenant’s own version of a base resource is visible to that tenant alone', async () => {
  const base = await send('mallory', 'r4', 'GET', '/ValueSet/administrative-gender');
  expect(base.status).toBe(200);
  const own = { ...base.json, title: 'alice only', description: 'alice only' };
  expect((await send('alice', 'r4', 'PUT', '/ValueSet/administrative-gender', own)).status).toBe(201);
  expect((await send('alice', 'r4', 'GET', '/ValueSet/administrative-gender')).text).toContain('alice only');
  for (const [tenant, release] of SPACES.slice(1)) {
    expect((await send(tenant, release, 'GET', '/ValueSet/administrative-gender')).text).not.toContain(
      'alice only',
    );
    expect(
      (await send(tenant, release, 'GET', '/ValueSet?url=http://hl7.org/fhir/ValueSet/administrative-gender'))
        .text,
    ).not.toContain('alice only');
  }
  expect((await send('alice', 'r4', 'DELETE', '/ValueSet/administrative-gender')).status).toBe(200);
  expect((await send('alice', 'r4', 'GET', '/ValueSet/administrative-gender')).text).not.toContain(
    'alice only',
  );
});

it.each([
  '..',
  '%2e%2e',
  'ALICE',
  'alicе',
  '',
  'a'.repeat(10_000),
  'alice%00',
  'alice/',
  'alice%2f',
  ' alice',
  "alice'--",
  '*',
])('the tenant name %j gives no access', async (form) => {
  const alice = server.tenant('alice');
  const name = form
    .replace('alice', alice)
    .replace('ALICE', alice.toUpperCase())
    .replace('alicе', alice.replace('e', 'е'));
  const path = `/w/${encodeURI(name).replaceAll('%25', '%')}/api/v1/fhir/r4/Patient/abc`;
  const { status, text } = await server.request('GET', path);
  expect([400, 404]).toContain(status);
  expect(text).not.toContain('Family-of');
});

it('a disabled tenant answers no requests, and its data stay', async () => {
  await server.createTenant('leaving');
  await send('leaving', 'r4', 'PUT', '/Patient/abc', { resourceType: 'Patient', id: 'abc' });
  expect((await send('leaving', 'r4', 'GET', '/Patient/abc')).status).toBe(200);
  const disabled = await server.administer('PATCH', `/tenants/${server.tenant('leaving')}`, {
    status: 'disabled',
  });
  expect(disabled.status).toBe(200);
  const gone = await send('leaving', 'r4', 'GET', '/Patient/abc');
  const never = await send('nobody', 'r4', 'GET', '/Patient/abc');
  expect(gone.status).toBe(404);
  // Nothing but the name that was asked for.
  expect(gone.text).toBe(never.text.replaceAll(server.tenant('nobody'), server.tenant('leaving')));
  const gateway = await server.request(
    'POST',
    gatewayPath(server.tenant('leaving'), 'r4'),
    { query: '{ __typename }' },
    { 'content-type': 'application/json' },
  );
  expect(gateway.status).toBe(404);
});
