/**
 * Tenants and policies restrict REST and GraphQL alike. The matrix of rights is in matrix.test.ts, attacks across tenants
 * are in test/security/crossing.test.ts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientChanges, type Release } from '../../src/core';
import { administerWell, createClient, type MadeClient } from '../support/access';
import { getToken } from '../support/credentials';
import { toGatewayAnswer } from '../graphql/gateway-client';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const JSON_TYPE = { 'content-type': 'application/json' };

let server: SharedServer;
let all: Readonly<Record<'alice' | 'bob', MadeClient>>;
beforeAll(async () => {
  server = await openSharedServer('enforced');
  for (const name of ['alice', 'bob']) await server.createTenant(name);
  all = { alice: await client('alice'), bob: await client('bob') };
});
afterAll(() => server.close());

type Tenant = keyof typeof all;

const client = (tenant: Tenant, details: ClientChanges = {}): Promise<MadeClient> =>
  createClient(server, tenant, { ...details });

describe.each(TESTED_RELEASES)('in %s', (release: Release) => {
  const at = (tenant: Tenant): string => server.path(tenant, release);
  const send = (madeClient: MadeClient, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    server.request(method, path, body, { authorization: madeClient.basic, ...headers });
  const query = async (madeClient: MadeClient, tenant: Tenant, text: string): Promise<Answer> =>
    toGatewayAnswer(
      await send(madeClient, 'POST', `/w/${server.tenant(tenant)}/api/v1/graphql/${release}`, { query: text }, JSON_TYPE),
    );
  async function put(tenant: Tenant, ...resources: readonly { resourceType: string; id: string }[]): Promise<void> {
    for (const resource of resources) {
      const { resourceType, id } = resource;
      const { status, text } = await send(all[tenant], 'PUT', `${at(tenant)}/${resourceType}/${id}`, resource);
      if (status > 201) throw new Error(text);
    }
  }
  const patient = (id: string, members: object = {}) => ({ resourceType: 'Patient', id, ...members });
  const observation = (id: string, status: string, subject: string, members: object = {}) => ({
    ...{ resourceType: 'Observation', id, status, code: { text: 'x' } },
    ...{ subject: { reference: `Patient/${subject}` }, ...members },
  });

  it('a policy hides the same in GraphQL as in REST: an element, a resource, data of another tenant', async () => {
    await put('alice', patient('seen', { birthDate: '1970-01-01', gender: 'male' }), observation('open', 'final', 'seen'), observation('closed', 'amended', 'seen'));
    await put('bob', patient('theirs'));
    await administerWell(server, 'PUT', `/tenants/${server.tenant('alice')}/policies/desk`, {
      rules: [
        { types: ['Patient'], interactions: 'rs' },
        { types: ['Observation'], interactions: 'rs', criteria: ['status=final'] },
      ],
      hidden: ['Patient.birthDate'],
    });
    const desk = await client('alice', { policies: ['desk'] });
    const rest = await send(desk, 'GET', `${at('alice')}/Patient/seen`);
    expect([rest.json.gender, rest.json.birthDate]).toEqual(['male', undefined]);
    for (const id of ['Observation/closed', 'Patient/theirs', 'Patient/nobody'])
      expect([id, (await send(desk, 'GET', `${at('alice')}/${id}`)).status]).toEqual([id, 404]);
    const found = await send(desk, 'GET', `${at('alice')}/Observation?_total=accurate`);
    expect(found.json.total).toBe(1);
    const queried = await query(desk, 'alice', `{
      Patient(id: "seen") { gender birthDate json ObservationList(_reference: subject) { id } }
      closed: Observation(id: "closed") { id }
      theirs: Patient(id: "theirs") { id }
      nobody: Patient(id: "nobody") { id }
      ObservationConnection { count edges { resource { id } } }
      ObservationAggregate { count }
    }`);
    expect([queried.status, queried.json]).toEqual([200, {
      data: {
        Patient: { gender: 'male', birthDate: null, json: rest.json, ObservationList: [{ id: 'open' }] },
        closed: null,
        theirs: null,
        nobody: null,
        ObservationConnection: { count: 1, edges: [{ resource: { id: 'open' } }] },
        ObservationAggregate: { count: 1 },
      },
    }]);
  });

  it('who may read a resource sees the name of the application that wrote it, and whoever may not sees none', async () => {
    const writer = await client('alice', { name: 'Ward app' });
    await send(writer, 'PUT', `${at('alice')}/Patient/named`, patient('named'));
    await send(writer, 'PUT', `${at('alice')}/Patient/named`, patient('named', { gender: 'male' }));
    await send(all.alice, 'PUT', `${at('alice')}/Patient/named`, patient('named', { gender: 'female' }));
    const text = `{
      Patient(id: "named") { meta { authorName } }
      PatientList(_id: "named") { meta { authorName } }
      history(type: Patient, id: "named") { versions { author authorName resource { meta { authorName } } } }
    }`;
    const reader = await client('alice', { scopes: ['system/Patient.rs'] });
    const { json } = await query(reader, 'alice', text);
    const version = ({ id }: MadeClient, name: string) => ({
      ...{ author: `ClientApplication/${id}`, authorName: name, resource: { meta: { authorName: name } } },
    });
    expect([json.errors, json.data.Patient.meta.authorName, json.data.PatientList]).toEqual([
      undefined, 'Ward round', [{ meta: { authorName: 'Ward round' } }],
    ]);
    expect(json.data.history.versions).toEqual([
      version(all.alice, 'Ward round'), version(writer, 'Ward app'), version(writer, 'Ward app'),
    ]);
    // What was not read names nobody, in this tenant and from another.
    const other = await client('alice', { scopes: ['system/Observation.rs'] });
    const seen = [await query(other, 'alice', text), await query(all.bob, 'bob', text)];
    for (const answer of seen) expect(answer.text).not.toMatch(/Ward/);
  });

  it('a resource inside another one has no name of an author', async () => {
    const contained = [{ resourceType: 'Organization', id: 'o', name: 'Inner' }];
    await put('alice', patient('holder', { contained, managingOrganization: { reference: '#o' } }));
    const { json } = await query(all.alice, 'alice', `{
      Patient(id: "holder") { meta { authorName } managingOrganization { resource { ... on Organization { name meta { authorName } } } } }
    }`);
    expect(json.data.Patient.managingOrganization.resource).toEqual({ name: 'Inner', meta: null });
    expect(json.data.Patient.meta.authorName).not.toBeNull();
  });

  it.each([
    ['c', 'POST', 'Patient', 'mutation { create(resource: {resourceType: "Patient"}) { created } }'],
    ['r', 'GET', 'Patient/scoped', '{ read(type: Patient, id: "scoped") { id } }'],
    ['u', 'PUT', 'Patient/scoped', 'mutation { update(resource: {resourceType: "Patient", id: "scoped"}) { created } }'],
    ['d', 'DELETE', 'Patient/nobody', 'mutation { delete(type: Patient, id: "nobody") { deleted } }'],
    ['s', 'GET', 'Patient?_count=1', '{ search(type: Patient, first: 1) { resources { id } } }'],
  ] as const)('without %s in its scope a client is refused, and with it alone admitted', async (letter, method, path, text) => {
    await put('alice', patient('scoped'));
    const body = method === 'POST' ? { resourceType: 'Patient' } : method === 'PUT' ? patient('scoped') : undefined;
    const without = await client('alice', { scopes: [`system/Patient.${'cruds'.replace(letter, '')}`] });
    const withIt = await client('alice', { scopes: [`system/Patient.${letter}`] });
    const statuses = async (madeClient: MadeClient): Promise<readonly number[]> => [
      (await send(madeClient, method, `${at('alice')}/${path}`, body)).status,
      (await query(madeClient, 'alice', text)).status,
    ];
    expect(await statuses(without)).toEqual([403, 403]);
    for (const status of await statuses(withIt)) expect([200, 201]).toContain(status);
  });

  it('finds nothing of another tenant, by any parameter', async () => {
    const meta = { source: 'urn:source:bob', tag: [{ system: 'urn:tags', code: 'of-bob' }] };
    await put(
      'bob',
      patient('bob-1', { meta, name: [{ family: 'Bobson' }] }),
      observation('bob-2', 'preliminary', 'bob-1', { meta }),
      { resourceType: 'List', id: 'bob-3', status: 'current', mode: 'working', meta, entry: [{ item: { reference: 'Patient/bob-1' } }] } as { resourceType: string; id: string },
    );
    // Refers to a patient that Bob has and Alice does not have.
    await put('alice', observation('dangling', 'final', 'bob-1'));
    const searches = [
      'Patient?_id=bob-1',
      'Patient?_source=urn:source:bob',
      'Patient?_tag=urn:tags%7Cof-bob',
      'Patient?_list=bob-3',
      'Observation?subject:Patient.family=bobson',
      'Patient?_has:Observation:subject:_tag=of-bob',
      'Patient?_has:Observation:subject:status=preliminary',
    ];
    const ids = ({ json }: Answer): string[] =>
      (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id).sort();
    for (const search of searches) {
      const own = ids(await send(all.bob, 'GET', `${at('bob')}/${search}`));
      expect([search, own]).toEqual([search, [search.startsWith('O') ? 'bob-2' : 'bob-1']]);
      const answer = await send(all.alice, 'GET', `${at('alice')}/${search}`);
      expect([search, answer.status, ids(answer)]).toEqual([search, 200, []]);
    }
    const included = 'Observation?_id=bob-2,dangling&_include=Observation:subject';
    expect(ids(await send(all.bob, 'GET', `${at('bob')}/${included}`))).toEqual(['bob-1', 'bob-2']);
    expect(ids(await send(all.alice, 'GET', `${at('alice')}/${included}`))).toEqual(['dangling']);
    for (const path of ['Patient/bob-1/_history', 'Patient/bob-1/_history/1', 'Patient/bob-1/$everything', 'Patient/bob-1']) {
      expect([path, (await send(all.bob, 'GET', `${at('bob')}/${path}`)).status]).toEqual([path, 200]);
      expect([path, (await send(all.alice, 'GET', `${at('alice')}/${path}`)).status]).toEqual([path, 404]);
    }
    for (const path of ['_history', 'Patient/_history', 'Patient/$everything', ''])
      expect((await send(all.alice, 'GET', `${at('alice')}/${path}`)).text).not.toMatch(/bob-[23]|Bobson|of-bob/);
    const everything = `{
      Patient(id: "bob-1") { id }
      PatientList(_tag: "of-bob") { id }
      PatientConnection(where: {_has: {Observation: {subject: {status: {eq: preliminary}}}}}) { count }
      Observation(id: "dangling") { subject { resource(optional: true) { id } } }
      ObservationAggregate(_tag: "of-bob") { count }
      past: PatientList(_tag: "of-bob", asOf: "2999-01-01T00:00:00Z") { id }
      asOf: Patient(id: "bob-1", asOf: "2999-01-01T00:00:00Z") { id }
      diff(type: Patient, id: "bob-1", from: "1", to: "1")
    }`;
    expect((await query(all.bob, 'bob', everything.replace('dangling', 'bob-2'))).json.data).toEqual({
      ...{ Patient: { id: 'bob-1' }, PatientList: [{ id: 'bob-1' }], PatientConnection: { count: 1 } },
      ...{ Observation: { subject: { resource: { id: 'bob-1' } } }, ObservationAggregate: { count: 1 } },
      ...{ past: [{ id: 'bob-1' }], asOf: { id: 'bob-1' }, diff: [] },
    });
    expect((await query(all.alice, 'alice', everything)).json.data).toEqual({
      ...{ Patient: null, PatientList: [], PatientConnection: { count: 0 } },
      ...{ Observation: { subject: { resource: null } }, ObservationAggregate: { count: 0 } },
      ...{ past: [], asOf: null, diff: null },
    });
  });

  it('addresses of pages, of asynchronous answers and of content are invalid for another tenant', async () => {
    for (const tenant of ['alice', 'bob'] as const)
      await put(tenant, patient(`${tenant}-a`), patient(`${tenant}-b`));
    const binary = { resourceType: 'Binary', id: 'content', contentType: 'text/plain', data: 'c2VjcmV0' };
    await put('alice', binary);
    const later = await send(all.alice, 'GET', `${at('alice')}/Patient`, undefined, { prefer: 'respond-async' });
    const pathOf = (address: unknown): string => new URL(String(address)).pathname + new URL(String(address)).search;
    const job = pathOf(later.headers['content-location']);
    const first = await send(all.alice, 'GET', `${at('alice')}/Patient?_count=1&_sort=_id`);
    const [next] = first.json.link.filter(({ relation }: { relation: string }) => relation === 'next');
    const page = pathOf(next.url);
    while ((await send(all.alice, 'GET', job)).status === 202) await delay(5);
    // By a token: each time that a secret is sent to another tenant is a guess.
    const tokenOfBob = { ...all.bob, basic: `Bearer ${await getToken(server, server.tenant('bob'), all.bob)}` };
    for (const [path, elsewhere] of [
      [job, 404],
      [`${at('alice')}/Binary/content`, 404],
      // Like one that was changed on its way: the answer does not disclose that it is valid elsewhere.
      [page, 400],
    ] as const) {
      expect([path, (await send(all.alice, 'GET', path)).status]).toEqual([path, 200]);
      expect([path, (await send(tokenOfBob, 'GET', path)).status]).toEqual([path, 403]);
      const moved = await send(all.bob, 'GET', path.replace(at('alice'), at('bob')));
      expect([path, moved.status]).toEqual([path, elsewhere]);
      expect(moved.text).not.toMatch(/alice|secret|c2VjcmV0/);
    }
    const changed = await send(all.bob, 'GET', page.replace(at('alice'), at('bob')).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    const foreign = await send(all.bob, 'GET', page.replace(at('alice'), at('bob')));
    expect([changed.status, changed.json.issue]).toEqual([400, foreign.json.issue]);
  });
}); // prettier-ignore
