/** What clients are told of limits of requests, by every way in. */
import { startServer, type Answer, type TestServer } from '../support/server';

const JSON_TYPE = { 'content-type': 'application/json' };
let server: TestServer;
let made = 0;
beforeAll(async () => {
  server = await startServer({ environment: { RATE_LIMIT_CLIENT: '4/m', CORS_ORIGINS: '*' } });
});
afterAll(() => server.close());

async function makeTenant(): Promise<string> {
  const name = `limited-${made++}`;
  await server.createTenant(name);
  return name;
}

const WAYS: readonly (readonly [way: string, ask: (tenant: string) => Promise<Answer>])[] = [
  ['a read', (tenant) => server.request('GET', `${server.path(tenant, 'r4')}/Patient/nobody`)],
  ['a search', (tenant) => server.request('GET', `${server.path(tenant, 'r4b')}/Patient?name=x`)],
  ['a create', (tenant) => server.request('POST', `${server.path(tenant, 'r4')}/Basic`, basic)],
  ['an operation', (tenant) => server.request('GET', `${server.path(tenant, 'r4')}/CodeSystem/$lookup`)],
  ['metadata', (tenant) => server.request('GET', `${server.path(tenant, 'r4')}/metadata`)],
  [
    'GraphQL',
    (tenant) =>
      server.request('POST', `/w/${tenant}/api/v1/graphql/r4`, { query: '{ __typename }' }, JSON_TYPE),
  ],
  [
    "HL7's GraphQL",
    (tenant) => server.request('GET', `${server.path(tenant, 'r4')}/$graphql?query=%7B__typename%7D`),
  ],
];
const basic = { resourceType: 'Basic', code: { text: 'x' } };

it.each(WAYS)('%s beyond the limit is 429, says when to come again, and does nothing', async (_way, ask) => {
  const tenant = await makeTenant();
  const answers: Answer[] = [];
  for (let sent = 0; sent < 5; sent++) answers.push(await ask(tenant));
  expect(answers.slice(0, 4).map(({ status }) => status)).not.toContain(429);
  for (const { headers } of answers) expect(headers['ratelimit-policy']).toBe('"client-minute";q=4;w=60');
  expect(answers.map(({ headers }) => /;r=(\d+);/.exec(String(headers['ratelimit']))?.[1])).toEqual([
    ...['3', '2', '1', '0', '0'],
  ]);
  const refused = answers[4];
  const seconds = Number(refused?.headers['retry-after']);
  expect(refused?.status).toBe(429);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(15);
  const { json } = refused ?? { json: undefined };
  const [issue] = (json.errors?.[0].extensions.outcome ?? json).issue;
  expect(issue).toMatchObject({ severity: 'error', code: 'throttled' });
  expect(issue.diagnostics).toBe(
    `This client may send 4 requests a minute and has sent them: try again in ${seconds} s`,
  );
});

it('the limits of one tenant are no matter to another, and both releases share them', async () => {
  const [busy, quiet] = [await makeTenant(), await makeTenant()];
  const statusOf = async (tenant: string, release: 'r4' | 'r4b'): Promise<number> =>
    (await server.request('GET', `${server.path(tenant, release)}/Patient`)).status;
  const statuses = [];
  for (const release of ['r4', 'r4b', 'r4', 'r4b', 'r4', 'r4b'] as const)
    statuses.push(await statusOf(busy, release));
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  expect(await statusOf(quiet, 'r4')).toBe(200);
});

it('scripts of web pages may read what is left', async () => {
  const { headers } = await server.request(
    'GET',
    `${server.path(await makeTenant(), 'r4')}/metadata`,
    undefined,
    { origin: 'https://app.example.org' },
  );
  expect(String(headers['access-control-expose-headers'])).toMatch(/RateLimit, RateLimit-Policy/);
});

it('health and the administration of tenants are not counted', async () => {
  for (let sent = 0; sent < 6; sent++) {
    expect((await server.request('GET', '/health/ready')).status).toBe(200);
    expect((await server.request('GET', '/w/system/api/v1/tenants')).headers['ratelimit']).toBeUndefined();
  }
});
