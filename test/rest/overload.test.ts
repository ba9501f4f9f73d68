/**
 * Limits of a server under load, which are settings (docs/reference/configuration.md): requests beyond them are refused, and
 * others are not affected.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { startProcess } from '../support/process';
import { startServer, type Answer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

/** Does `work` while no resource can be written, nor be read where the lock is `access exclusive`. */
async function whileLocked(
  { settings }: TestServer['database'],
  mode: 'exclusive' | 'access exclusive',
  work: () => Promise<void>,
): Promise<void> {
  const owner = new Client(settings);
  await owner.connect();
  await owner.query('begin');
  await owner.query(`lock table andiron.resource in ${mode} mode`);
  try {
    await work();
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
  const server = await startServer({ because: 'ASYNC_TIMEOUT_MS', environment: { ASYNC_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '60000' } });
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
  await whileLocked(server.database, 'access exclusive', async () => {
    const path = `${server.path('system', 'r4')}/Basic`;
    const lost = server.request('GET', path).then(
      ({ status }) => status,
      () => 0,
    );
    await delay(300);
    expect(await server.terminate()).toBe('with code 1');
    expect(await lost).toBe(0);
  });
  expect(await server.output()).toContain('stopped before all requests were answered');
  await server.close();
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
