/** SMART's client for JavaScript (https://docs.smarthealthit.org/client-js), as a backend without a launch uses it. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import smart from 'fhirclient';
import { APP, Browser, toReturned } from '../support/sign-in';
import { toParameters } from '../support/fhirpath-patch';
import { startServer, type TestServer } from '../support/server';
import { chalmers, family, transaction } from './example';
import { TESTED_RELEASES } from '../support/releases';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

interface Named {
  readonly id: string;
  readonly name: { readonly given: string[] }[];
}

/** With the resource in the place of the reference. */
interface Referring {
  readonly subject: object;
}

describe.each(TESTED_RELEASES)('fhirclient under %s', (release) => {
  function open() {
    const request = new IncomingMessage(new Socket());
    return smart(request, new ServerResponse(request)).client(server.root('system', release));
  }

  it('finds out the version of FHIR', async () => {
    expect(await open().getFhirVersion()).toBe(release === 'r4' ? '4.0.1' : '4.3.0');
  });

  it('creates, reads, updates and deletes', async () => {
    const client = open();
    const created = await client.create<Named>(chalmers);
    expect(await client.request(`Patient/${created.id}`)).toMatchObject(chalmers);
    expect(await client.update({ ...chalmers, id: created.id, gender: 'other' })).toMatchObject({
      gender: 'other',
      meta: { versionId: '2' },
    });
    await client.delete(`Patient/${created.id}`);
    await expect(client.request(`Patient/${created.id}`)).rejects.toThrow(/410|Gone|deleted/i);
  });

  it('searches, and goes through the pages and their resources', async () => {
    const client = open();
    for (const patient of family('Smart', 5)) await client.create(patient);
    const sizes: (number | undefined)[] = [];
    for await (const page of client.pages('Patient?family=Smart&_count=2&_sort=given')) {
      sizes.push(page.entry?.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
    const given: (string | undefined)[] = [];
    for await (const resource of client.resources('Patient?family=Smart&_count=2&_sort=-given')) {
      given.push((resource as unknown as Named).name[0]?.given[0]);
    }
    expect(given).toEqual(['4', '3', '2', '1', '0']);
  });

  it('patches by JSON Patch, and by FHIRPath Patch', async () => {
    const client = open();
    const { id } = await client.create<Named>(chalmers);
    const operations = [{ op: 'replace', path: '/gender', value: 'other' } as const];
    expect(await client.patch(`Patient/${id}`, operations)).toMatchObject({ gender: 'other' });
    const patched = await client.request({
      url: `Patient/${id}`,
      method: 'PATCH',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(toParameters({ type: 'delete', path: 'Patient.gender' })),
    });
    expect(patched).not.toHaveProperty('gender');
  });

  it('sends a transaction, and resolves the references of the created resources', async () => {
    const client = open();
    const answer = await client.request({
      url: '',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(transaction('SmartTransaction')),
    });
    expect(answer).toMatchObject({ type: 'transaction-response' });
    const [observation] = await client.request<Referring[]>(
      'Observation?subject:Patient.family=SmartTransaction',
      { flat: true, resolveReferences: ['subject'] },
    );
    expect(observation?.subject).toMatchObject({ name: [{ family: 'SmartTransaction' }] });
  });

  it('collects all pages into one list, and reads a version and the history', async () => {
    const client = open();
    for (const patient of family('SmartFlat', 5)) await client.create(patient);
    const all = await client.request<Named[]>('Patient?family=SmartFlat&_count=2&_sort=given', {
      pageLimit: 0,
      flat: true,
    });
    expect(all.map(({ name }) => name[0]?.given[0])).toEqual(['0', '1', '2', '3', '4']);
    const id = String(all[0]?.id);
    await client.update({ ...chalmers, id, gender: 'other' });
    expect(await client.request(`Patient/${id}/_history/1`)).toMatchObject({ gender: 'male' });
    expect(await client.request(`Patient/${id}/_history`)).toMatchObject({ type: 'history', total: 2 });
    const answer = await client.request({
      url: `Patient/${id}`,
      includeResponse: true,
      headers: { 'if-none-match': 'W/"1"' },
    });
    expect(answer.response.headers.get('etag')).toBe('W/"2"');
  });
});

describe('an app of fhirclient with a signed-in user', () => {
  const PASSWORD = 'correct horse battery';
  const SCOPE = 'openid fhirUser launch/patient patient/*.rs offline_access';
  let clientId: string;
  beforeAll(async () => {
    const { core } = server.app;
    await core.tenants.create('acme');
    await server.request('PUT', `${server.path('acme', 'r4')}/Patient/ann`, {
      ...{ resourceType: 'Patient', id: 'ann' },
      name: [{ family: 'Archer' }],
    });
    await core.tenants.users.create('acme', { name: 'ann', fhirUser: 'Patient/ann', password: PASSWORD });
    ({ id: clientId } = await core.tenants.clients.create('acme', {
      ...{ name: 'Growth chart', scopes: SCOPE.split(' '), redirectUris: [APP], isPublic: true },
    }));
  });

  /** The app under one of its addresses, with the state of a visitor between two of them. */
  function makeApp() {
    const stored = new Map<string, unknown>();
    const storage = {
      get: async (key: string) => stored.get(key),
      set: async (key: string, value: unknown) => stored.set(key, value).get(key),
      unset: async (key: string) => stored.delete(key),
    };
    return (address: string) => {
      const request = new IncomingMessage(new Socket());
      request.url = address;
      request.headers = { host: new URL(APP).host, 'x-forwarded-proto': 'https' };
      return smart(request, new ServerResponse(request), storage);
    };
  }

  it('launches by itself, reads the record and the identity of the user, and refreshes', async () => {
    const app = makeApp();
    const authorized = await app('/launch').authorize({
      ...{ iss: server.root('acme', 'r4'), clientId, scope: SCOPE, redirectUri: APP },
      ...{ noRedirect: true, pkceMode: 'required' },
    });
    const { pathname, search } = new URL(String(authorized));
    const browser = new Browser(server);
    const page = await browser.signIn(pathname + search, 'ann', PASSWORD);
    const { to, answer } = toReturned(await browser.send(page, { step: 'allow' }));
    expect(to).toBe(APP);
    const client = await app(`/back?${new URLSearchParams(answer).toString()}`).ready();
    expect(client.patient.id).toBe('ann');
    expect(await client.patient.read()).toMatchObject({ id: 'ann', name: [{ family: 'Archer' }] });
    expect(await client.user.read()).toMatchObject({ id: 'ann' });
    const before = client.state.tokenResponse?.refresh_token;
    await client.refresh();
    expect([typeof before, client.state.tokenResponse?.refresh_token === before]).toEqual(['string', false]);
    expect(await client.patient.read()).toMatchObject({ id: 'ann' });
  });

  it('gets an error when the user has not allowed it', async () => {
    const app = makeApp();
    const authorized = await app('/launch').authorize({
      ...{ iss: server.root('acme', 'r4'), clientId, scope: SCOPE, redirectUri: APP, noRedirect: true },
    });
    const { pathname, search } = new URL(String(authorized));
    const browser = new Browser(server);
    const page = await browser.signIn(pathname + search, 'ann', PASSWORD);
    const { answer } = toReturned(await browser.send(page, { step: 'deny' }));
    const back = app(`/back?${new URLSearchParams(answer).toString()}`);
    await expect(back.ready()).rejects.toThrow('The person has not allowed it');
  });
});
