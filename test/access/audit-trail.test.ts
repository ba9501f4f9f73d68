/** The audit trail of a tenant for its administrators: names, filters, alike events, CSV (docs/run/audit.md). */
import { create, createClient, type MadeClient } from '../support/access';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const PASSWORD = 'correct horse battery';

let server: SharedServer;
let tenant: string;
let administrator: MadeClient;
let ward: MadeClient;

beforeAll(async () => {
  server = await openSharedServer('audited');
  for (const name of ['trail', 'beside']) await server.createTenant(name);
  tenant = server.tenant('trail');
  // Without scopes: the trail is not data.
  administrator = await createClient(server, 'trail', { administrator: true, scopes: [] });
  ward = await createClient(server, 'trail', { name: '=Ward, "north"' });
  for (const id of ['a', 'b']) {
    const { status } = await fhir('PUT', `Patient/${id}`, { resourceType: 'Patient', id });
    expect(status).toBe(201);
  }
});
afterAll(() => server.close());

function fhir(method: string, path: string, body?: object, headers: object = {}): Promise<Answer> {
  const sent = { authorization: ward.basic, 'content-type': 'application/fhir+json', ...headers };
  return server.request(method, `/w/${tenant}/api/v1/fhir/r4/${path}`, body, sent);
}

const trailOf = (query: string, by = administrator, at = tenant): Promise<Answer> =>
  server.request('GET', `/w/${at}/api/v1/audit${query}`, undefined, { authorization: by.basic });

type Event = Readonly<Record<string, never>>;
async function events(query: string): Promise<readonly Answer['json'][]> {
  const { status, json, text } = await trailOf(query);
  if (status !== 200) throw new Error(text);
  return json.events;
}

it('names the client and the person beside their ids, and what was done, when, from where', async () => {
  const before = new Date().toISOString();
  await fhir('GET', 'Patient/a', undefined, { 'x-request-id': 'trail-read' });
  const [event, ...others] = await events('?request=trail-read');
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    ...{ action: 'R', interaction: 'read', outcome: 'success', request: 'trail-read', times: 1, isOfServer: true },
    ...{ patients: ['Patient/a'], resources: ['Patient/a/_history/1'], more: 0, address: '127.0.0.1' },
    client: { id: ward.id, name: '=Ward, "north"' },
  });
  expect(event.recorded >= before).toBe(true);
  // Somebody who signs in is named by the account.
  await create(server, `/tenants/${tenant}/users`, { name: 'dora', display: 'Dora Doe', password: PASSWORD });
  const [invited] = await events('?who=dora');
  expect(invited).toBeUndefined();
}); // prettier-ignore

it('is filtered by who, action, what, outcome and time, each and together', async () => {
  await fhir('GET', 'Patient/b', undefined, { 'x-request-id': 'trail-b' });
  await fhir('GET', 'Patient/none', undefined, { 'x-request-id': 'trail-none' });
  const requests = async (query: string): Promise<unknown[]> =>
    (await events(query)).map(({ interaction, outcome }) => `${interaction} ${outcome}`);
  const who = encodeURIComponent('=ward, "NORTH"');
  expect(await requests(`?who=${who}&what=Patient/b&each=true`)).toEqual(['read success', 'update success']);
  expect(await requests(`?who=${ward.id}&what=Patient/b&action=R`)).toEqual(['read success']);
  expect(await requests(`?who=${ward.id}&outcome=refused`)).toEqual(['read refused']);
  expect(await requests('?who=nobody')).toEqual([]);
  expect(await requests('?who=Practitioner/none')).toEqual([]);
  expect(await requests(`?who=${ward.id}&until=2020-01-01`)).toEqual([]);
  expect(await requests('?kind=sign-ins')).toEqual([]);
  for (const [query, reason] of <const>[
    ['?action=X', '"action" must be C, R, U, D or E'],
    ['?what=Patient', '"what" must be the type and id'],
    ['?since=yesterday', 'date'],
    ['?page=x', '_cursor'],
    ['?who=a&who=b', '"who"'],
    ['?nothing=1', 'not allowed'],
  ]) {
    const { status, json } = await trailOf(query);
    expect([query, status, json.issue[0].diagnostics]).toEqual([query, 400, expect.stringContaining(reason)]);
  }
}); // prettier-ignore

it('shows alike events as one row with their number, and each of them on request', async () => {
  for (let time = 0; time < 12; time++) await fhir('GET', 'Observation?code=a', undefined, { 'x-request-id': `poll-${time}` });
  await fhir('GET', 'Observation?code=b');
  const polled = (await events(`?who=${ward.id}`)).filter(({ query }) => query?.startsWith('Observation'));
  expect(polled.map(({ query, times }) => [query, times])).toEqual([
    ['Observation?code=b', 1],
    ['Observation?code=a', 12],
  ]);
  expect(polled[1].first < polled[1].recorded).toBe(true);
  const each = (await events(`?who=${ward.id}&each=true`)).filter(({ query }) => query === 'Observation?code=a');
  expect(each.map(({ request }) => request)).toEqual(Array.from({ length: 12 }, (_, time) => `poll-${11 - time}`));
}); // prettier-ignore

it('is read page by page, without a gap', async () => {
  const bundle = {
    ...{ resourceType: 'Bundle', type: 'batch' },
    entry: Array.from({ length: 260 }, (_, id) => ({ request: { method: 'GET', url: `Basic/n${id}` } })),
  };
  await server.request('POST', `/w/${tenant}/api/v1/fhir/r4`, bundle, {
    ...{ authorization: ward.basic, 'content-type': 'application/fhir+json', 'x-request-id': 'trail-many' },
  });
  const seen: string[] = [];
  let pages = 0;
  for (let page: string | undefined = ''; page !== undefined; pages++) {
    const { json } = await trailOf(`?request=trail-many&each=true${page === '' ? '' : `&page=${encodeURIComponent(page)}`}`);
    seen.push(...json.events.map(({ id }: Event) => id));
    page = json.next;
  }
  expect([pages, seen.length, new Set(seen).size]).toEqual([2, 260, 260]);
}); // prettier-ignore

it('is exported as CSV, whose cells are no formulas', async () => {
  await fhir('GET', 'Patient/a', undefined, { 'x-request-id': 'trail-csv' });
  const { status, headers, text } = await server.request('GET', `/w/${tenant}/api/v1/audit.csv?who=${ward.id}`, undefined, {
    authorization: administrator.basic,
  });
  expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
    ...[200, 'text/csv; charset=utf-8'],
    `attachment; filename="${tenant}-audit.csv"`,
  ]);
  const [titles, ...lines] = text.split('\r\n');
  expect(titles).toMatch(/^recorded,outcome,reason,action,interaction,client,client name,person/);
  expect(lines.at(-1)).toBe('');
  const line = lines.find((each) => each.includes('trail-csv'));
  expect(line).toContain(`,success,,R,read,${ward.id},"'=Ward, ""north""",,,127.0.0.1,Patient/a,Patient/a/_history/1,,,trail-csv,server,`);
  expect(lines.length - 1).toBe((await allOf(`?who=${ward.id}&each=true`)).length);
}); // prettier-ignore

it('is exported for all tenants at the same time', async () => {
  const names = ['trail', 'beside', 'first-beside', 'second-beside'];
  for (const name of names.slice(2)) await server.createTenant(name);
  const administrators = await Promise.all(
    names.map((name) => createClient(server, name, { administrator: true, scopes: [] })),
  );
  const answers = await Promise.all(
    administrators.map(({ basic: authorization }, index) =>
      server.request('GET', `/w/${server.tenant(names[index]!)}/api/v1/audit.csv`, undefined, {
        authorization,
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

async function allOf(query: string): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const { json } = await trailOf(`${query}${next === '' ? '' : `&page=${encodeURIComponent(next)}`}`);
    all.push(...json.events);
    next = json.next;
  }
  return all;
}

it('is that of the own tenant only, and the operator is no more than the operator in it', async () => {
  const other = await createClient(server, 'beside', { administrator: true });
  // Its secret is none of this tenant.
  expect((await trailOf('', other)).status).toBe(401);
  expect((await trailOf(`?who=${ward.id}`, other, server.tenant('beside'))).json.events).toEqual([]);
  expect((await trailOf('', ward)).status).toBe(403);
  const asked = `?who=${ward.id}&request=trail-read`;
  const { status, json } = await server.administer('GET', `/tenants/${tenant}/audit${asked}`);
  expect([status, json.events.length]).toEqual([200, 1]);
  const [looked] = await events('?who=operator');
  expect(looked).toMatchObject({ client: { id: 'operator' }, query: expect.stringContaining('AuditEvent?') });
  expect(looked.person).toBeUndefined();
  await server.administer('GET', `/tenants/${tenant}/packages`, undefined, {
    'x-request-id': 'trail-operator',
  });
  expect((await events('?request=trail-operator')).map(({ client }) => client.id)).toEqual(['operator']);
});

it('says of an event that a client has recorded that it is the client’s', async () => {
  const event = {
    resourceType: 'AuditEvent',
    type: { code: 'rest' },
    recorded: '2026-11-28T09:00:00Z',
    outcome: '8',
    agent: [{ requestor: true, name: 'Somebody', who: { reference: 'Practitioner/1' } }],
    source: { observer: { display: 'Elsewhere' } },
    entity: [{ what: { identifier: { value: 'trail-own' } } }],
  };
  expect((await fhir('POST', 'AuditEvent', event)).status).toBe(201);
  expect(await events('?request=trail-own')).toMatchObject([
    {
      isOfServer: false,
      outcome: 'failed',
      person: { id: 'Practitioner/1', name: 'Somebody' },
      patients: [],
    },
  ]);
});

it('a question about access to a record is a read of it, with the policy that was tried', async () => {
  const policy = { name: 'tried', definition: { rules: [{ types: ['Patient'], interactions: 'r', criteria: ['_id=b'] }] } };
  const ask = async (body: object, requestId: string): Promise<number> => {
    const headers = { authorization: administrator.basic, 'content-type': 'application/json', 'x-request-id': requestId };
    return (await server.request('POST', `/w/${tenant}/api/v1/access`, body, headers)).status;
  };
  expect(await ask({ policy, type: 'Patient', id: 'b' }, 'asked-b')).toBe(200);
  const [event, ...others] = await events('?what=Patient/b&request=asked-b');
  expect(others).toEqual([]);
  expect(event).toMatchObject({ patients: ['Patient/b'], resources: ['Patient/b/_history/1'], outcome: 'success', client: { id: administrator.id } });
  expect(decodeURIComponent(event.query)).toContain('"criteria":["_id=b"]');
  // By the operator it is in the trail of the tenant too.
  const sent = { 'x-request-id': 'asked-by-operator' };
  expect((await server.administer('POST', `/tenants/${tenant}/access`, { policy, type: 'Patient', id: 'b' }, sent)).status).toBe(200);
  expect((await events('?what=Patient/b&request=asked-by-operator')).map(({ client }) => client.id)).toEqual(['operator']);
  // A question about a type reads nothing.
  expect(await ask({ policy, type: 'Patient' }, 'asked-type')).toBe(200);
  expect((await events('?request=asked-type')).map(({ query }) => query)).toEqual(['POST access']);
}); // prettier-ignore

it('says in its first page that nothing is recorded, and how to record, where the audit is off', async () => {
  const off = await openSharedServer('enforced');
  await off.createTenant('unseen');
  const { status, json } = await off.administer('GET', `/tenants/${off.tenant('unseen')}/audit`);
  expect([status, json.events]).toEqual([200, []]);
  expect(json.notes).toEqual([
    expect.stringMatching(/^Nothing is recorded, because AUDIT is off\. Start the server with AUDIT=on/),
  ]);
  // Here it is on.
  expect((await trailOf('')).json.notes).not.toContainEqual(expect.stringContaining('AUDIT'));
  await off.close();
});
