/**
 * Two processes on three machines with Patroni, set up as docs/run/failover.md prints it: the primary is killed, hangs and is
 * switched, and a standby hangs. No acknowledged write is lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { openCore } from '../support/core';
import { eventually } from '../support/eventually';
import { closedAtEnd } from '../support/left-open';
import { startPatroni, type Machine, type PatroniCluster } from '../support/patroni';
import { startTestRedis, type TestRedis } from '../support/redis';
import { runOnServer, withClient } from '../support/services';
import { startMeasured, type MeasuredServer } from './two-servers';

jest.setTimeout(1_800_000);

const WRITERS = 6;
/** Versions of each resource. */
const VERSIONS = 5;
/** A replica that is no standby is asked again after 30 s at most. */
const USED_AGAIN_MS = 90_000;
/** Patroni's ttl and loop_wait, and what a promotion takes on a busy machine. */
const FAILOVER_MS = 180_000;

let cluster: PatroniCluster;
let redis: TestRedis;
let servers: readonly [MeasuredServer, MeasuredServer];
/** The text of each acknowledged version, by its address below the root. */
const acknowledged = new Map<string, string>();
let loads = 0;
let searches = 0;

beforeAll(async () => {
  cluster = await startPatroni();
  redis = await startTestRedis();
  const environment = { REDIS_HOST: redis.host, REDIS_PORT: String(redis.port), AUDIT: 'off' };
  const first = await startMeasured(cluster.database, environment);
  servers = [first, await startMeasured(cluster.database, environment)];
  await runOnServer(cluster.superuser, 'create table probe (name text)');
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await redis.stop();
  await cluster.close();
});

const rootOf = (server: MeasuredServer): string => server.path('system', 'r4');

interface Load {
  readonly count: () => number;
  /** Answers that are no success and no 503 of the database. */
  readonly wrong: readonly string[];
  stop(): Promise<void>;
}

/** Clients that each write by one process, and then read and search by the other. */
function load(): Load {
  let isStopped = false;
  let count = 0;
  const wrong: string[] = [];
  const name = `load${++loads}`;
  const isRefused = ({ status, text }: { readonly status: number; readonly text: string }): boolean =>
    status === 503 && text.includes('OperationOutcome') && !/127\.|ECONN|57P0|select /.test(text);
  async function one(client: number, step: number): Promise<void> {
    const [writer, reader] = (client + step) % 2 === 0 ? servers : [servers[1], servers[0]];
    const id = `${name}-${client}-${step - (step % VERSIONS)}`;
    const family = `${name}-${client}-${step}`;
    const body = { resourceType: 'Patient', id, name: [{ family }] };
    const put = await writer.request('PUT', `${rootOf(writer)}/Patient/${id}`, body);
    if (put.status !== 200 && put.status !== 201) {
      if (!isRefused(put)) wrong.push(`PUT: ${put.status} ${put.text}`);
      return;
    }
    count += 1;
    acknowledged.set(`Patient/${id}/_history/${/\d+/.exec(put.headers.etag ?? '')?.[0]}`, put.text);
    for (const path of [id, `?family=${family}`, `?family=${family}&_total=accurate&_include=Patient:link`]) {
      const answer = await reader.request('GET', `${rootOf(reader)}/Patient${path === id ? '/' : ''}${path}`);
      if (answer.status === 200 ? !answer.text.includes(`"${family}"`) : !isRefused(answer))
        wrong.push(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
  }
  const clients = Array.from({ length: WRITERS }, async (_, client) => {
    for (let step = 0; !isStopped; step++) {
      await one(client, step);
      // Clients look at what they got before they ask again.
      await delay(20);
    }
  });
  return {
    count: () => count,
    wrong,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}

/** Resolves when two standbys stream, of which one is synchronous. */
const isWhole = (): Promise<void> =>
  eventually(async () => {
    const standbys = await cluster.standbys();
    return standbys.length === 2 && standbys.some(({ isSynchronous }) => isSynchronous);
  }, FAILOVER_MS);

interface Fault {
  /** Chosen among the members before it; default: the primary. */
  readonly choose?: () => Promise<Machine | undefined>;
  readonly fail: (machine: Machine) => Promise<unknown>;
  readonly recover?: (machine: Machine) => Promise<unknown>;
}

/** Writes while a machine fails, another takes its place, and it comes back; nothing is lost, and searches use standbys again. */
async function survives({ choose = () => cluster.primary(), fail, recover }: Fault): Promise<void> {
  await isWhole();
  const primary = await cluster.primary();
  const machine = await choose();
  if (machine === undefined) throw new Error('there is no such member');
  const clients = load();
  const writesGoOn = async (): Promise<void> => {
    const before = clients.count();
    await eventually(() => clients.count() > before + 100, FAILOVER_MS);
  };
  await writesGoOn();
  await fail(machine);
  if (machine === primary)
    await eventually(async () => {
      const now = await cluster.primary();
      return now !== undefined && now !== machine;
    }, FAILOVER_MS);
  await writesGoOn();
  await recover?.(machine);
  await isWhole();
  await writesGoOn();
  await clients.stop();
  expect(clients.wrong).toEqual([]);
  expect(await cluster.runPrinted('What is checked')).toMatch(
    /Sync Standby[^]*Leader|Leader[^]*Sync Standby/,
  );
  await nothingIsLost();
  await standbysAreRead();
}

async function nothingIsLost(): Promise<void> {
  const ids = new Set<string>();
  for (const [address, text] of acknowledged) {
    const answers = await Promise.all(
      servers.map((server) => server.request('GET', `${rootOf(server)}/${address}`)),
    );
    for (const answer of answers) expect([address, answer.text]).toEqual([address, text]);
    ids.add(address.replace(/\/_history.*/, ''));
  }
  for (const id of ids) {
    const { json } = await servers[0].request('GET', `${rootOf(servers[0])}/${id}/_history?_count=100`);
    const families = json.entry.map(
      (entry: { resource: { name: [{ family: string }] } }) => entry.resource.name[0].family,
    );
    expect(new Set(families).size).toBe(families.length);
  }
  const opened = await openCore({ database: cluster.database });
  expect(await opened.differences('system')).toEqual([]);
  await opened.close();
}

/** Resolves when both processes are ready without a notice, and have searches answered by standbys. */
async function standbysAreRead(): Promise<void> {
  // Restartpoints of the new timeline, which else come within five minutes.
  for (const { machine } of await cluster.standbys()) await runOnServer(machine.settings, 'checkpoint');
  for (const server of servers) {
    const answered = (): Promise<number> => server.metric('andiron_replica_reads_total{outcome="answered"}');
    const before = await answered();
    await eventually(async () => {
      // Another one each time, because results are cached.
      const search = await server.request('GET', `${rootOf(server)}/Patient?family=none-${++searches}`);
      expect([search.status, search.json.entry]).toEqual([200, undefined]);
      const { status, json } = await server.request('GET', '/health/ready');
      return status === 200 && json.notices.length === 0 && (await answered()) > before;
    }, USED_AGAIN_MS);
  }
}

it('nothing is lost when the machine of the primary is killed', () =>
  survives({ fail: (machine) => machine.signal('SIGKILL'), recover: (machine) => machine.start() }));

it('nothing is lost when the machine of the primary hangs, and a commit there when it goes on is no success', async () => {
  let commit: Promise<string> | undefined;
  await survives({
    async fail(machine) {
      const client = new Client(machine.settings);
      client.on('error', () => undefined);
      closedAtEnd(() => client.end());
      await client.connect();
      await machine.signal('SIGSTOP');
      // The kernel takes it, and the former primary reads it when it goes on.
      commit = client.query("insert into probe values ('late')").then(
        () => 'committed',
        () => 'failed',
      );
    },
    recover: (machine) => machine.signal('SIGCONT'),
  });
  expect(await commit).toBe('failed');
  const rows = await withClient(cluster.superuser, async (one) => (await one.query('table probe')).rows);
  expect(rows).toEqual([]);
});

it('nothing is lost in a planned switchover', () =>
  survives({ fail: () => cluster.runPrinted('A planned switchover') }));

it('nothing is lost when the synchronous standby hangs, and writes go on with the other one', () =>
  survives({
    choose: async () => (await cluster.standbys()).find(({ isSynchronous }) => isSynchronous)?.machine,
    fail: (machine) => machine.signal('SIGSTOP'),
    recover: (machine) => machine.signal('SIGCONT'),
  }));
