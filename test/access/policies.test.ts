/** Policies that administrators put over HTTP apply in every process; asynchronous requests belong to their owners. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientChanges } from '../../src/core';
import { subscribeByEvents } from '../graphql/live/subscriber';
import { makeClient, type MadeClient } from '../support/access';
import { makeParameter } from '../support/search-parameters';
import { startServer, type Answer, type TestServer } from '../support/server';

const JSON_TYPE = { 'content-type': 'application/json' };
const POLICIES = '/w/system/api/v1/tenants/acme/policies';
const ROOT = '/w/acme/api/v1/fhir/r4';

let server: TestServer;
let other: TestServer;
let administrator: MadeClient;

beforeAll(async () => {
  const because = 'a second process on its database';
  server = await startServer({ because, environment: { AUTH_MODE: 'enforced', VALIDATION: 'structure' } });
  other = await startServer({ database: server.database, environment: { AUTH_MODE: 'enforced' } });
  await server.app.core.tenants.create('acme');
  administrator = await makeClient(server.app.core, 'system', { isAdministrator: true });
});
afterAll(async () => {
  await other.close();
  await server.close();
});

const send = (
  method: string,
  path: string,
  client: MadeClient,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  server.request(method, path, body, { ...JSON_TYPE, ...headers, authorization: client.basic });
const make = (details: ClientChanges): Promise<MadeClient> =>
  makeClient(server.app.core, 'acme', { scopes: ['system/*.cruds'], ...details });

/** Until it is so. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}

const WARD = { rules: [{ types: ['Observation'], interactions: 'rs', criteria: ['status=final'] }] };

describe('an administrator', () => {
  it('lists, puts and deletes policies, each change guarded by the tag of the policy', async () => {
    const path = `${POLICIES}/ward`;
    expect((await send('GET', POLICIES, administrator)).json).toEqual({ policies: [] });
    expect((await send('GET', path, administrator)).status).toBe(404);
    const unless = { 'if-none-match': '*' };
    const made = await send('PUT', path, administrator, WARD, unless);
    expect([made.status, made.json]).toEqual([201, WARD]);
    const tag = String(made.headers['etag']);
    expect((await send('PUT', path, administrator, WARD, unless)).status).toBe(412);
    const read = await send('GET', path, administrator);
    expect([read.json, read.headers['etag']]).toEqual([WARD, tag]);
    const head = await send('HEAD', path, administrator);
    expect([head.status, head.headers['etag'], head.text]).toEqual([200, tag, '']);
    const wider = { ...WARD, hidden: ['Observation.note'] };
    const changed = await send('PUT', path, administrator, wider, { 'if-match': tag });
    expect([changed.status, changed.json]).toEqual([200, wider]);
    const stale = await send('PUT', path, administrator, WARD, { 'if-match': tag });
    expect([stale.status, stale.json.issue[0].code]).toEqual([412, 'conflict']);
    expect((await send('DELETE', path, administrator, undefined, { 'if-match': tag })).status).toBe(412);
    expect((await send('GET', POLICIES, administrator)).json).toEqual({
      policies: [{ name: 'ward', ...wider }],
    });
    const last = { 'if-match': String(changed.headers['etag']) };
    expect((await send('DELETE', path, administrator, undefined, last)).status).toBe(200);
    expect((await send('DELETE', path, administrator)).status).toBe(404);
    expect((await send('POST', path, administrator, WARD)).headers['allow']).toBe('GET, HEAD, PUT, DELETE');
    expect((await send('GET', POLICIES.replace('acme', 'nobody'), administrator)).status).toBe(404);
  });

  it('of two concurrent creations of a policy, one fails because it exists', async () => {
    const put = (): Promise<Answer> =>
      send('PUT', `${POLICIES}/race`, administrator, WARD, { 'if-none-match': '*' });
    const statuses = (await Promise.all([put(), put(), put()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 412, 412]);
    await send('DELETE', `${POLICIES}/race`, administrator);
  });

  const rule = (more: object): object => ({ rules: [{ types: ['Patient'], interactions: 'r', ...more }] });
  // prettier-ignore
  it.each<[string, unknown, string | undefined]>([
    ['a type that there is not', rule({ types: ['Patient', 'Patiant'] }), 'rules[0].types[1]'],
    ['letters in another order', rule({ interactions: 'sr' }), 'rules[0].interactions'],
    ['a criterion that the type has not', rule({ criteria: ['active=true', 'x=1'] }), 'rules[0].criteria[1]'],
    ['a value that the criterion cannot have', rule({ criteria: ['birthdate=yesterday'] }), 'rules[0].criteria[0]'],
    ['a criterion that no type has', rule({ types: ['*'], criteria: ['x=1'] }), 'rules[0].criteria[0]'],
    ['an element that there is not', { rules: [], hidden: ['Patient.nam'] }, 'hidden[0]'],
    ['the id', { rules: [], readOnly: ['Patient.name', 'Patient.id'] }, 'readOnly[1]'],
    ['an operation that there is not', { rules: [], operations: ['$everything', '$all'] }, 'operations[1]'],
    ['a member that there is not', { rules: [], hide: [] }, undefined],
    ['a rule that is none', { rules: ['all'] }, 'rules[0]'],
    ['a list', [], undefined],
  ])('gets an error with the place for %s', async (_what, body, place) => {
    const { status, json } = await send('PUT', `${POLICIES}/bad`, administrator, body);
    expect([status, json.resourceType, json.issue[0].code]).toEqual([400, 'OperationOutcome', 'value']);
    expect(json.issue[0].expression).toEqual(place === undefined ? undefined : [place]);
    expect((await send('GET', `${POLICIES}/bad`, administrator)).status).toBe(404);
  });

  it.each([
    ['a type', rule({ types: ['Patiant'] }), /; did you mean Patient\?$/],
    [
      'a criterion',
      rule({ criteria: ['birthdat=2000'] }),
      /not a valid search of Patient: .*; did you mean birthdate\?/,
    ],
    [
      'an element',
      { rules: [], hidden: ['Patient.birthDat'] },
      /birthDat does not exist; did you mean birthDate\?$/,
    ],
    ['a part', { rules: [], hidden: ['Patient.contact.nam'] }, /nam does not exist; did you mean name\?$/],
    ['the type of an element', { rules: [], hidden: ['Patiant.name'] }, /; did you mean Patient\?$/],
  ])('gets the name that was probably meant for %s', async (_what, body, expected) => {
    const { status, json } = await send('PUT', `${POLICIES}/bad`, administrator, body);
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringMatching(expected)]);
  });

  it('is the only one with the right', async () => {
    const ours = await make({ isAdministrator: true });
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await send(method, `${POLICIES}/ward`, ours, WARD)).status).toBe(401);
    expect((await server.request('GET', POLICIES)).status).toBe(401);
  });
});

describe('a policy that is stored', () => {
  it('applies at once where it was stored, and soon in every other process and live query', async () => {
    const writer = await make({});
    const ward = await make({ policies: ['desk'] });
    let count = 0;
    const put = (status: string): Promise<Answer> =>
      send('PUT', `${POLICIES}/desk`, administrator, {
        rules: [{ types: ['Observation'], interactions: 'rs', criteria: [`status=${status}`] }],
      });
    await put('final');
    const write = (status: string): Promise<Answer> =>
      send('PUT', `${ROOT}/Observation/${status}`, writer, {
        ...{ resourceType: 'Observation', id: status, status, code: { text: status + count++ } },
      });
    for (const status of ['final', 'amended']) await write(status);
    const found = async (at: TestServer): Promise<string[]> => {
      const { json } = await at.request('GET', `${ROOT}/Observation`, undefined, {
        authorization: ward.basic,
      });
      return (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id);
    };
    const subscriber = await subscribeByEvents({
      ...{ base: server.base, tenant: 'acme', variables: { type: 'Observation' } },
      headers: { authorization: ward.basic },
    });
    expect([await found(server), await found(other)]).toEqual([['final'], ['final']]);
    await put('amended');
    expect(await found(server)).toEqual(['amended']);
    for (const id of ['final', 'amended', 'final']) await write(id);
    await write('amended');
    const changes = await subscriber.received(2);
    expect(changes.map(({ id }) => id)).toEqual(['amended', 'amended']);
    await until(async () => (await found(other))[0] === 'amended');
    // Its changes were selected by its access at the beginning.
    await server.app.core.tenants.clients.change('acme', ward.id, { scopes: ['system/Observation.rs'] });
    await write('amended');
    await until(async () => subscriber.isOver);
    expect([subscriber.changes.length, subscriber.errors.map(({ message }) => message)]).toEqual([
      2,
      ['The access of this client has changed: subscribe again'],
    ]);
    await send('DELETE', `${POLICIES}/desk`, administrator);
    const refused = await send('GET', `${ROOT}/Observation`, ward);
    expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([
      403,
      'The policies of this client do not allow system/Observation.s: the tenant has no policy desk',
    ]);
  });
});

describe('a policy with a criterion on a failed search parameter', () => {
  const EACH = "select(iif(url = 'x', $this, %resource.extension))";
  const basic = (id: string, extensions: number): object => ({
    ...{ resourceType: 'Basic', id, code: { text: 'x' } },
    extension: Array.from({ length: extensions }, (_, index) => {
      return { url: `http://example.org/${index}`, valueString: 'mine' };
    }),
  });

  it('allows nothing any more, in every process', async () => {
    const write = (id: string, body: object): Promise<Answer> =>
      send('PUT', `${ROOT}/${id}`, administratorOfAcme, body);
    const administratorOfAcme = await make({ isAdministrator: true });
    const expression = `Basic.extension.${EACH}.${EACH}.where(url != 'x').value.ofType(string)`;
    const parameter = makeParameter('costly', { type: 'string', base: ['Basic'], expression });
    expect((await write('SearchParameter/costly', parameter)).status).toBe(201);
    expect((await write('Basic/small', basic('small', 1))).status).toBe(201);
    const search = `${ROOT}/Basic?costly=mine`;
    await until(async () => (await send('GET', search, administratorOfAcme)).json.total === 1);
    const rules = [{ types: ['Basic'], interactions: 'rs', criteria: ['costly=mine'] }];
    expect((await send('PUT', `${POLICIES}/costly`, administrator, { rules })).status).toBe(201);
    const reader = await make({ policies: ['costly'] });
    const read = (from: TestServer): Promise<Answer> =>
      from.request('GET', `${ROOT}/Basic/small`, undefined, { authorization: reader.basic });
    const found = async (from: TestServer): Promise<unknown> =>
      (await from.request('GET', `${ROOT}/Basic`, undefined, { authorization: reader.basic })).json.entry;
    for (const one of [server, other]) {
      await until(async () => (await read(one)).status === 200);
      await until(async () => Array.isArray(await found(one)));
    }

    expect((await write('Basic/large', basic('large', 60))).status).toBe(201);
    for (const one of [server, other]) {
      await until(async () => (await read(one)).status !== 200);
      expect((await read(one)).status).toBe(403);
      expect(await found(one)).toBeUndefined();
    }
  });
});

describe('an asynchronous request', () => {
  const later = { prefer: 'respond-async' };
  const place = (answer: Answer): string => new URL(String(answer.headers['content-location'])).pathname;

  it('is visible to the client that began it and to administrators, who may cancel it, and to no others', async () => {
    const [owner, stranger, ours] = [await make({}), await make({}), await make({ isAdministrator: true })];
    const accepted = await send('GET', `${ROOT}/Patient`, owner, undefined, later);
    expect(accepted.status).toBe(202);
    const at = place(accepted);
    for (const method of ['GET', 'DELETE']) expect((await send(method, at, stranger)).status).toBe(404);
    await until(async () => (await send('GET', at, owner)).status === 200);
    expect((await send('GET', at, stranger)).status).toBe(404);
    expect((await send('GET', at, ours)).json.resourceType).toBe('Bundle');
    expect((await send('DELETE', at, ours)).status).toBe(202);
    expect((await send('GET', at, owner)).status).toBe(404);
  });

  it('is executed with the current rights of its owner', async () => {
    const { core } = server.app;
    const owner = await make({ scopes: ['system/Observation.rs'] });
    const denied = await send('GET', `${ROOT}/Patient`, owner, undefined, later);
    await until(async () => (await send('GET', place(denied), owner)).status !== 202);
    expect((await send('GET', place(denied), owner)).status).toBe(403);
    const space = await core.access.findSpace('acme', 'r4');
    if (space === undefined) throw new Error('acme is not there');
    const { basic: authorization } = owner;
    const caller = await core.access.identify({ tenant: 'acme', space, authorization, address: '::1' });
    await core.tenants.clients.change('acme', owner.id, { scopes: ['system/Patient.rs'] });
    expect((await core.access.renewCaller(space, caller)).access?.scopes).toEqual([]);
    await core.tenants.clients.change('acme', owner.id, { isDisabled: true });
    await expect(core.access.renewCaller(space, caller)).rejects.toMatchObject({ status: 401 });
    await expect(core.access.renewCaller(space, { actor: 'anonymous' })).rejects.toMatchObject({
      status: 401,
    });
  });
});
