/** Moves of a tenant are killed, and so are the servers that write: nothing that was acknowledged is lost or stored twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { readPlacement } from '../../src/core/storage/nodes/nodes';
import { createCitusDatabase, type CitusDatabase } from '../support/citus';
import { countVersions, describeWritten, writeDuring } from '../support/citus-writers';
import { OPEN, toEnvironment } from '../support/environment';
import { eventually } from '../support/eventually';
import { startProcess, type ServerProcess } from '../support/process';
import { CLI } from '../support/run-command';
import { withClient } from '../support/services';

const MOVES = Number(process.env['CITUS_MOVES'] ?? 20);
/** What is killed, in turn: the command, its transaction at the coordinator, a server, and nothing. */
const VICTIMS = ['command', 'coordinator', 'server', 'nothing'] as const;
/** Milliseconds after which a kill comes, at random up to this: a move of few rows takes about as long. */
const LATEST_KILL_MS = 10_000;

let database: CitusDatabase;
let servers: [ServerProcess, ServerProcess];

beforeAll(async () => {
  // Each tenant may have a group of its own, or share one with others.
  database = await createCitusDatabase({ tenants: ['acme', 'nord'], shards: 4 });
  servers = [
    await startProcess({ database, environment: OPEN }),
    await startProcess({ database, environment: OPEN }),
  ];
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await database.drop();
});

/** The address of the node that has the tenant, as Citus says. */
async function whereIs(tenant: string): Promise<string> {
  const placement = await readPlacement(database.settings);
  const { rows } = await withClient(database.settings, (client) =>
    client.query<{ number: number }>('select number from andiron.tenant where name = $1', [tenant]),
  );
  const node = placement?.groupOf(rows[0]?.number ?? 0).node;
  return `${node?.host}:${node?.port}`;
}

/** Kills the transaction of the move at the coordinator. */
async function killAtCoordinator(): Promise<void> {
  await withClient(database.settings, (client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query ~ 'citus_(move|split)_shard'`,
    ),
  );
}

/** Begins a move to the other node and kills something meanwhile; returns true if the tenant has moved. */
async function moveAndKill(victim: (typeof VICTIMS)[number]): Promise<boolean> {
  const from = await whereIs('acme');
  const to = database.nodes.find(({ address }) => address !== from)?.address ?? '';
  const command = spawn(process.execPath, [CLI, 'tenant', 'move', 'acme', '--to', to], {
    env: { PATH: process.env['PATH'], ...toEnvironment(database) },
    stdio: 'ignore',
  });
  const ended = once(command, 'exit');
  await Promise.race([ended, delay(Math.random() * LATEST_KILL_MS)]);
  if (victim === 'command') command.kill('SIGKILL');
  if (victim === 'coordinator') await killAtCoordinator();
  if (victim === 'server') {
    await servers[0].kill();
    await servers[0].close();
    servers[0] = await startProcess({ database, environment: OPEN });
  }
  await ended;
  // Citus goes on with what a killed command has begun, or gives it up.
  await eventually(
    () =>
      withClient(database.settings, async (client) => {
        const { rowCount } = await client.query(
          `select 1 from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and query ~ 'citus_(move|split)_shard' and state = 'active'`,
        );
        return rowCount === 0;
      }),
    300_000,
  );
  return (await whereIs('acme')) !== from;
}

it('killed moves under writers lose nothing that was acknowledged, and store nothing twice', async () => {
  const outcomes: string[] = [];
  let turn = 0;
  const target = {
    path: servers[0].path('acme', 'r4'),
    to: (): ServerProcess => servers[turn++ % 2 === 0 ? 0 : 1],
  };
  const written = await writeDuring(target, async () => {
    for (let count = 0; count < MOVES; count++) {
      const victim = VICTIMS[count % VICTIMS.length] ?? 'nothing';
      outcomes.push(`${victim} ${(await moveAndKill(victim)) ? 'moved' : 'stayed'}`);
    }
  });
  process.stdout.write(`${outcomes.join(', ')}; ${describeWritten(written)}\n`);
  expect(written.lost).toEqual(new Set());
  expect(written.writes).toBeGreaterThan(MOVES);
  // 0: a server was killed.
  expect([...written.refused.keys()].filter((status) => status !== 503 && status !== 0)).toEqual([]);
  // Those that were not killed have moved.
  expect(outcomes).toContain('nothing moved');
  expect(outcomes).not.toContain('nothing stayed');
  const { versions, sequences } = await countVersions(database, 'acme');
  expect(versions).toBe(sequences);
  expect(versions).toBeGreaterThanOrEqual(written.writes);
  // Both servers answer the same.
  for (const id of [...written.versions.keys()].slice(-20)) {
    const [one, other] = await Promise.all(
      servers.map((server) => server.request('GET', `${target.path}/Basic/${id}`)),
    );
    expect(one?.json).toEqual(other?.json);
  }
});
