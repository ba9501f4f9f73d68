/** PostgreSQL goes away and comes back: 503 meanwhile, nothing is lost, and no restart of ours is needed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres';
import { openCore } from '../support/core';
import type { TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { closedAtEnd } from '../support/left-open';
import { runOnServer } from '../support/services';
import { startForwarder, type Forwarder } from './forwarder';
import { eventually } from '../support/eventually';

let folder: string;
let postgres: EmbeddedPostgres;
let forwarder: Forwarder;
let database: TestDatabase;
let server: ServerProcess;
const NAME = 'andiron_faults';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-faults-'));
  forwarder = await startForwarder();
  await startPostgres();
  closedAtEnd(() => postgres.stop());
  const { user, password } = postgres;
  const settings = {
    host: '127.0.0.1',
    port: forwarder.port,
    user,
    password,
    database: NAME,
    ssl: false as const,
  };
  await runOnServer({ ...settings, database: 'postgres' }, `create database ${NAME}`);
  database = {
    settings,
    environment: {
      FHIR_DATABASE_HOST: settings.host,
      FHIR_DATABASE_PORT: String(settings.port),
      FHIR_DATABASE_USERNAME: user,
      FHIR_DATABASE_PASSWORD: password,
      FHIR_DATABASE_NAME: NAME,
    },
    drop: async () => undefined,
  };
  server = await startProcess({ database });
});
afterAll(async () => {
  await server.close();
  await postgres.stop();
  await forwarder.close();
  await rm(folder, { recursive: true, force: true });
});

async function startPostgres(): Promise<void> {
  postgres = await startEmbeddedPostgres({ folder, durable: true, temporary: false });
  forwarder.point(postgres.port);
}

interface Client {
  readonly statuses: Map<number, number>;
  /** Version by version, the text that was acknowledged. */
  readonly acknowledged: Map<number, string>;
  readonly id: string;
}

describe.each([
  ['is stopped', 'stop'],
  ['is killed', 'kill'],
] as const)('while PostgreSQL %s under load', (_words, manner) => {
  it('requests are answered with 503, and afterwards everything acknowledged is stored', async () => {
    const root = server.path('system', 'r4');
    let isLoaded = true;
    const clients = Array.from({ length: 8 }, (_, number): Client => ({
      statuses: new Map(),
      acknowledged: new Map(),
      id: `${manner}-${number}`,
    }));
    const load = clients.map(async ({ statuses, acknowledged, id }) => {
      for (let step = 0; isLoaded; step++) {
        const body = {
          resourceType: 'Patient',
          id,
          name: [{ family: `Step${step}` }],
          birthDate: '1970-01-01',
        };
        const put = await server.request('PUT', `${root}/Patient/${id}`, body);
        const read = await server.request('GET', `${root}/Patient/${id}`);
        const search = await server.request('GET', `${root}/Patient?name=step${step}&_id=${id}`);
        for (const { status, text, headers } of [put, read, search]) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status !== 503) continue;
          expect(headers['retry-after']).toBeDefined();
          expect(text).toContain('OperationOutcome');
          expect(text).not.toMatch(/127\.0\.0\.1|ECONN|57P0|select /);
        }
        if (put.status === 200 || put.status === 201) {
          acknowledged.set(Number(/\d+/.exec(put.headers.etag ?? '')?.[0]), put.text);
        }
      }
    });
    const loaded = Promise.all(load);
    await eventually(
      () => Promise.resolve(clients.every(({ acknowledged }) => acknowledged.size > 5)),
      30_000,
    );
    forwarder.point(undefined);
    if (manner === 'kill') process.kill(postgres.processId, 'SIGQUIT');
    await postgres.stop();
    await eventually(async () => (await server.request('GET', '/health/ready')).status === 503, 5_000);
    expect((await server.request('GET', '/health/live')).status).toBe(200);
    const away = await server.request('GET', `${root}/Patient/anyone`);
    expect(away.status).toBe(503);
    await delay(1_000);
    await startPostgres();
    const began = performance.now();
    await eventually(async () => (await server.request('GET', '/health/ready')).status === 200, 10_000);
    expect(performance.now() - began).toBeLessThan(5_000);
    await delay(1_000);
    isLoaded = false;
    await loaded;
    expect(server.isRunning()).toBe(true);

    const seen = new Set(clients.flatMap(({ statuses }) => [...statuses.keys()]));
    expect([...seen].filter((status) => ![200, 201, 404, 503].includes(status))).toEqual([]);
    expect(seen).toContain(503);
    for (const { id, acknowledged } of clients) {
      for (const [version, text] of acknowledged) {
        expect((await server.request('GET', `${root}/Patient/${id}/_history/${version}`)).text).toBe(text);
      }
      const put = await server.request('PUT', `${root}/Patient/${id}`, { resourceType: 'Patient', id });
      expect(put.status).toBe(200);
    }
    const opened = await openCore({ database });
    expect(await opened.differences('system')).toEqual([]);
    await opened.close();
  });
});
