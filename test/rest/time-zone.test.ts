/** Dates without a time zone have the zone of the tenant, which is fixed at its creation (docs/use/search-reference.md, Date). */
import { reindex } from '../support/reindex';
import { type SharedServer, openSharedServer } from '../support/shared-server';

const TENANTS = '/w/system/api/v1/tenants';
const JSON_TYPE = { 'content-type': 'application/json' };

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('copenhagen', { 'time-zone': 'Europe/Copenhagen' });
  for (const tenant of ['copenhagen', 'system']) {
    for (const [id, effectiveDateTime] of Object.entries(TIMES)) {
      const body = { ...OBSERVATION, id, effectiveDateTime };
      const { status, text } = await server.request(
        'PUT',
        `${server.path(tenant, 'r4')}/Observation/${id}`,
        JSON.stringify(body),
      );
      if (status !== 201) throw new Error(text);
    }
  }
});
afterAll(() => server.close());

const OBSERVATION = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'urn:codes', code: 'c' }], text: 'c' },
};
const TIMES = {
  // In Copenhagen from 22:00 UTC of the day before.
  day: '2020-06-01',
  // Half past midnight there.
  night: '2020-05-31T22:30:00Z',
  evening: '2020-05-31T21:30:00Z',
  winter: '2020-12-01',
};

async function find(tenant: string, query: string): Promise<string[]> {
  const { status, json } = await server.request('GET', `${server.path(tenant, 'r4')}/Observation?${query}`);
  expect(status).toBe(200);
  const entries = (json.entry ?? []) as { readonly resource: { readonly id: string } }[];
  return entries.map(({ resource }) => resource.id);
}

it.each([
  ['date=2020-06-01', ['day', 'night'], ['day']],
  ['date=2020-05-31', ['evening'], ['evening', 'night']],
  ['date=sa2020-05-31T21:59:59Z', ['day', 'night', 'winter'], ['day', 'night', 'winter']],
  ['date=sa2020-11-30T22:59:59Z', ['winter'], ['winter']],
  ['date=sa2020-11-30T23:00:00Z', [], ['winter']],
  ['code-value-date=c$2020-06-01', [], []],
])('%s finds %j in Copenhagen and %j in UTC', async (query, there, inUtc) => {
  expect((await find('copenhagen', query)).sort()).toEqual(there);
  expect((await find('system', query)).sort()).toEqual(inUtc);
});

it.each(['date', 'date,_id'])('_sort=%s uses the same zone', async (sort) => {
  expect(await find('copenhagen', `_sort=${sort}`)).toEqual(['evening', 'day', 'night', 'winter']);
  expect(await find('system', `_sort=${sort}`)).toEqual(['evening', 'night', 'day', 'winter']);
});

it('a reindex would make the same rows', async () => {
  expect(await reindex(server, 'copenhagen', 'r4')).toMatchObject({
    compared: 4,
    repaired: 0,
    added: 0,
    removed: 0,
  });
});

it('the zone is shown, and cannot be changed', async () => {
  const described = await server.request('GET', `${TENANTS}/${server.tenant('copenhagen')}`);
  expect(described.json.settings['time-zone']).toBe('Europe/Copenhagen');
  const changes = { settings: { 'time-zone': 'UTC' } };
  const changed = await server.request(
    'PATCH',
    `${TENANTS}/${server.tenant('copenhagen')}`,
    changes,
    JSON_TYPE,
  );
  expect([changed.status, changed.json.issue[0].diagnostics]).toEqual([
    400,
    expect.stringContaining('fixed when a tenant is made'),
  ]);
});

it.each([['Europe/Atlantis'], ['+2'], [7]])('a tenant in the zone %j cannot be made', async (zone) => {
  const body = { name: 'nowhere', settings: { 'time-zone': zone } };
  const { status } = await server.request('POST', TENANTS, body, JSON_TYPE);
  expect(status).toBe(400);
  expect((await server.request('GET', `${TENANTS}/nowhere`)).status).toBe(404);
});
