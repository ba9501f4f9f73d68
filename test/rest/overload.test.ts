/**
 * Limits of a server under load, which are settings (docs/reference/configuration.md): requests beyond them are refused, and
 * others are not affected.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../support/eventually';
import { startProcess } from '../support/process';
import { startServer, type Answer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

/** Characters, more than the buffers of a connection take. */
const LONG_ANSWER = 14_000_000;

/**
 * Does `work` while no resource can be written, nor be read where the lock is `access exclusive`. What it receives waits until
 * a statement waits for the lock.
 */
async function whileLocked(
  { settings }: TestServer['database'],
  mode: 'exclusive' | 'access exclusive',
  work: (isWaitedFor: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const owner = new Client(settings);
  await owner.connect();
  await owner.query('begin');
  await owner.query(`lock table andiron.resource in ${mode} mode`);
  try {
    await work(async () => {
      for (;;) {
        const { rowCount } = await owner.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        if (rowCount !== 0) return;
        await delay(10);
      }
    });
  } finally {
    await owner.query('rollback');
    await owner.end();
  }
}

it.each(TESTED_RELEASES)(
  'writes of %s beyond the queue are 503 at once, and the others are done',
  async (release) => {
    const server = await startServer({ because: 'MAX_WRITE_QUEUE', environment: { MAX_WRITE_QUEUE: '3' } });
    const root = server.path('system', release);
    const write = (id: string): Promise<Answer> =>
      server.request('PUT', `${root}/Basic/${id}`, { resourceType: 'Basic', id, code: { text: id } });
    const sent: Promise<Answer>[] = [];
    const atOnce: Answer[] = [];
    await whileLocked(server.database, 'exclusive', async () => {
      while (atOnce.length < 3) {
        const answer = write(`b${sent.length}`);
        sent.push(answer);
        void answer.then((one) => atOnce.push(one));
        await delay(10);
      }
    });
    for (const { status, headers, json } of atOnce.slice(0, 3)) {
      expect([status, json.issue[0].code]).toEqual([503, 'throttled']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    const answers = await Promise.all(sent);
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThanOrEqual(3);
    expect(made.length + answers.filter(({ status }) => status === 503).length).toBe(answers.length);
    const { json } = await server.request('GET', `${root}/Basic?_summary=count`);
    expect(json.total).toBe(made.length);
    // The waiting writes are done: there is space in the queue again.
    expect((await write('later')).status).toBe(201);
    await server.close();
  },
);

it('an asynchronous request has a time limit of its own', async () => {
  const server = await startServer({ because: 'ASYNC_TIMEOUT_MS', environment: { ASYNC_TIMEOUT_MS: '1000' } });
  const path = `${server.path('system', 'r4')}/Basic`;
  await whileLocked(server.database, 'access exclusive', async () => {
    const accepted = await server.request('GET', path, undefined, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const place = new URL(String(accepted.headers['content-location'])).pathname;
    let answer = await server.request('GET', place);
    for (; answer.status === 202; answer = await server.request('GET', place)) await delay(50);
    expect([answer.status, answer.json.issue[0].code]).toEqual([503, 'timeout']);
  });
  await server.close();
}); // prettier-ignore

it('a server that stops waits no longer than its timeout for requests under way', async () => {
  const server = await startProcess({
    because: 'it is stopped',
    environment: { SHUTDOWN_TIMEOUT_MS: '1000' },
  });
  await whileLocked(server.database, 'access exclusive', async (isWaitedFor) => {
    const path = `${server.path('system', 'r4')}/Basic`;
    const lost = server.request('GET', path).then(
      ({ status }) => status,
      () => 0,
    );
    await isWaitedFor();
    expect(await server.terminate()).toBe('with code 1');
    expect(await lost).toBe(0);
  });
  expect(await server.output()).toContain('stopped before all requests were answered');
  await server.close();
});

it('a server that stops sends a long answer to its end, also to a client that reads late', async () => {
  const server = await startServer({ because: 'it is closed' });
  const address = `${server.path('system', 'r4')}/Binary/long`;
  const binary = {
    resourceType: 'Binary',
    id: 'long',
    contentType: 'text/plain',
    data: 'A'.repeat(LONG_ANSWER),
  };
  expect((await server.request('PUT', address, binary)).status).toBe(201);
  const headers = { accept: 'application/fhir+json' };
  const [response] = (await once(get(server.base + address, { agent: false, headers }), 'response')) as [
    IncomingMessage,
  ];
  const closed = server.close();
  await eventually(() =>
    server.request('GET', '/health/live', undefined, { connection: 'close' }).then(
      () => false,
      () => true,
    ),
  );
  let length = 0;
  for await (const part of response) length += (part as Buffer).length;
  expect(length).toBeGreaterThan(LONG_ANSWER);
  await closed;
});

it('limits of requests hold for tenants that have none of their own', async () => {
  const server = await startServer({
    because: 'RATE_LIMIT_TENANT and MAX_REQUESTS_TENANT',
    environment: { RATE_LIMIT_TENANT: '50/m', MAX_REQUESTS_TENANT: '7' },
  });
  const { headers } = await server.request('GET', `${server.path('system', 'r4')}/Basic`);
  expect(String(headers['ratelimit-policy']).split(', ').sort()).toEqual([
    '"tenant-concurrent";q=7;qu="concurrent-requests"',
    '"tenant-minute";q=50;w=60',
  ]);
  await server.close();
});

describe('the rate limits that clients see, by every kind of request', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  let server: TestServer;
  let made = 0;
  beforeAll(async () => {
    server = await startServer({
      because: 'RATE_LIMIT_CLIENT',
      environment: { RATE_LIMIT_CLIENT: '4/m', CORS_ORIGINS: '*' },
    });
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

  it.each(WAYS)(
    '%s beyond the limit is 429, with the time of a retry, and does nothing',
    async (_way, sendRequest) => {
      const tenant = await makeTenant();
      const answers: Answer[] = [];
      for (let sent = 0; sent < 5; sent++) answers.push(await sendRequest(tenant));
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
      const [issue] = (json.errors?.[0].extensions.resource ?? json).issue;
      expect(issue).toMatchObject({ severity: 'error', code: 'throttled' });
      expect(issue.diagnostics).toBe(
        `This client may send 4 requests a minute and has sent them: try again in ${seconds} s`,
      );
    },
  );

  it('the limits of one tenant do not affect another, and both releases share them', async () => {
    const [busy, quiet] = [await makeTenant(), await makeTenant()];
    const statusOf = async (tenant: string, release: 'r4' | 'r4b'): Promise<number> =>
      (await server.request('GET', `${server.path(tenant, release)}/Patient`)).status;
    const statuses = [];
    for (const release of ['r4', 'r4b', 'r4', 'r4b', 'r4', 'r4b'] as const)
      statuses.push(await statusOf(busy, release));
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect(await statusOf(quiet, 'r4')).toBe(200);
  });

  it('scripts of web pages may read the remaining requests', async () => {
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

  const leftOf = ({ headers }: Answer): string | undefined =>
    /"tenant-minute";r=(\d+);/.exec(String(headers['ratelimit']))?.[1];

  async function makeTenantWith(settings: Readonly<Record<string, string>>): Promise<string> {
    const name = `limited-${made++}`;
    await server.app.core.tenants.create(name, { 'rate-limit-client': 'off', ...settings });
    return name;
  }

  it('each entry of a batch or transaction and each change of a GraphQL request is a request', async () => {
    const tenant = await makeTenantWith({ 'rate-limit': '20/m' });
    const root = server.path(tenant, 'r4');
    const send = (type: string, entries: number): Promise<Answer> =>
      server.request('POST', root, {
        resourceType: 'Bundle',
        type,
        entry: Array.from({ length: entries }, () => ({ request: { method: 'GET', url: 'Basic?_count=0' } })),
      });
    const graphql = (query: string): Promise<Answer> =>
      server.request('POST', `/w/${tenant}/api/v1/graphql/r4`, { query }, JSON_TYPE);
    const make = 'create(resource: {resourceType: "Basic", code: {text: "x"}}) { versionId }';
    expect(leftOf(await send('batch', 8))).toBe('12');
    expect(leftOf(await graphql(`mutation { a: ${make} b: ${make} c: ${make} }`))).toBe('9');
    expect(leftOf(await graphql(`mutation @atomic { a: ${make} b: ${make} }`))).toBe('7');
    // Requests that fail later were counted all the same.
    expect(leftOf(await send('transaction', 3))).toBe('4');
    const last = await send('batch', 15);
    expect([last.status, leftOf(last)]).toEqual([200, '0']);
    const refused = await server.request('GET', `${root}/Basic`);
    expect(refused.status).toBe(429);
    // 11 are owed, and one is needed: one comes in 3 s.
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(36);
  });

  it('a tenant at its limit of concurrent requests is refused at once, and no other waits for it', async () => {
    const tenant = await makeTenantWith({ 'max-requests': '2' });
    const quiet = await makeTenantWith({ 'max-requests': '2' });
    const owner = new Client(server.database.settings);
    await owner.connect();
    await owner.query(
      'begin; lock table andiron.resource, andiron.resource_version in access exclusive mode',
    );
    const sendRequest = (of: string): Promise<Answer> =>
      server.request('GET', `${server.path(of, 'r4')}/Basic?_summary=count`);
    const graphql = server.request(
      'POST',
      `/w/${tenant}/api/v1/graphql/r4`,
      { query: '{ search(type: Basic) { total } }' },
      JSON_TYPE,
    );
    const all = [graphql, ...Array.from({ length: 5 }, () => sendRequest(tenant))];
    const atOnce: Answer[] = [];
    for (const answer of all) void answer.then((one) => atOnce.push(one));
    // Four of the six are refused while nothing can be answered.
    while (atOnce.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
    const others = sendRequest(quiet);
    await owner.query('rollback');
    await owner.end();
    expect((await others).status).toBe(200);
    const answers = await Promise.all(all);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429]);
    for (const { status, headers, text } of answers) {
      expect(headers['ratelimit-policy']).toBe('"tenant-concurrent";q=2;qu="concurrent-requests"');
      if (status !== 429) continue;
      expect(headers).toMatchObject({ 'retry-after': '1', ratelimit: '"tenant-concurrent";r=0' });
      expect(text).toContain('throttled');
    }
    // Answered requests are not under way any more.
    expect((await sendRequest(tenant)).headers['ratelimit']).toBe('"tenant-concurrent";r=1');
  });

  it('refusals that repeat are delayed, and delay no other client', async () => {
    const [busy, quiet] = [await makeTenant(), await makeTenant()];
    const sendRequest = async (tenant: string): Promise<{ status: number; milliseconds: number }> => {
      const began = performance.now();
      const { status } = await server.request('POST', `${server.path(tenant, 'r4')}/Basic`, basic);
      return { status, milliseconds: performance.now() - began };
    };
    for (let sent = 0; sent < 4 + 9; sent++) await sendRequest(busy);
    const late = [sendRequest(busy), sendRequest(busy), sendRequest(busy)];
    const order: string[] = [];
    for (const each of late) void each.then(() => order.push('busy'));
    await sendRequest(quiet).then(() => order.push('quiet'));
    const times = await Promise.all(late);
    expect(times.map(({ status }) => status)).toEqual([429, 429, 429]);
    // A timer may be a millisecond early.
    for (const [index, { milliseconds }] of times.entries())
      expect(milliseconds).toBeGreaterThanOrEqual(98 + index * 100);
    expect(order.at(-1)).toBe('busy');
  });
});
