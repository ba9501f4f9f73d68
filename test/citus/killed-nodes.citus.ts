/** A node of Citus is killed while clients write: its tenants wait for it, all others do not notice, and nothing acknowledged is lost. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { moveTenant } from '../../src/core';
import { andiron, createCitusDatabase, type CitusDatabase, type CitusNode } from '../support/citus';
import { countVersions, describeWritten, writeDuring, type Written } from '../support/citus-writers';
import { OPEN } from '../support/environment';
import { eventually } from '../support/eventually';
import { rounds } from '../support/rounds';
import { startProcess, type ServerProcess } from '../support/process';

const KILLS = rounds(3, 10);
/** Writes that each tenant must have made before a kill, so that some are under way. */
const WRITES = 50;

let database: CitusDatabase;
let server: ServerProcess;
let ofAcme: CitusNode;

beforeAll(async () => {
  database = await createCitusDatabase({ tenants: ['acme', 'nord'], shards: 1 });
  const { nodes } = JSON.parse(await andiron(database, ['nodes', '--json']));
  const [own] = nodes.filter(({ groups }: { groups: number }) => groups === 1);
  const other = database.nodes.find(({ address }) => address !== own.address);
  if (other === undefined) throw new Error('the cluster has one node');
  ofAcme = other;
  await moveTenant({
    ...{ database: database.settings, tenant: 'acme', to: other.address },
    told: () => undefined,
  });
  server = await startProcess({ database, environment: OPEN });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

/** Runs a command of the environment for the server behind a node, which it finds in `PORT`. */
async function runFor({ settings }: CitusNode, variable: 'CITUS_KILL' | 'CITUS_START'): Promise<void> {
  const command = process.env[variable];
  if (command === undefined) throw new Error(`${variable} is not set (CONTRIBUTING.md)`);
  await promisify(execFile)('sh', ['-c', command], {
    env: { PATH: process.env['PATH'], PORT: String(settings.port) },
  });
}

it('a killed node takes its tenants away until it runs again, and loses nothing that was acknowledged', async () => {
  const path = (tenant: string): string => server.path(tenant, 'r4');
  const write = (tenant: string, work: (written: Written) => Promise<void>): Promise<Written> =>
    writeDuring({ path: path(tenant), to: () => server }, work);
  const read = (tenant: string): ReturnType<ServerProcess['request']> =>
    server.request('GET', `${path(tenant)}/Basic?_count=1`);
  const ofNord: Written[] = [];
  const written = await write('acme', async (acme) => {
    for (let kill = 0; kill < KILLS; kill++) {
      const others = await write('nord', async (nord) => {
        const before = acme.writes;
        await eventually(() => Promise.resolve(acme.writes >= before + WRITES && nord.writes >= WRITES));
        await runFor(ofAcme, 'CITUS_KILL');
        await eventually(async () => (await read('acme')).status === 503);
        const { json } = await read('acme');
        expect(json).toMatchObject({
          resourceType: 'OperationOutcome',
          issue: [
            {
              code: 'transient',
              diagnostics: expect.stringMatching(/^The database (cannot be reached|is stopping or starting)/),
            },
          ],
        });
        const during = nord.writes;
        await eventually(() => Promise.resolve(nord.writes >= during + WRITES));
        expect((await read('nord')).status).toBe(200);
        const ready = await server.request('GET', '/health/ready');
        expect(ready.status).toBe(200);
        expect(ready.text).toContain(
          `The node ${ofAcme.address} cannot be reached: its tenants are answered by 503`,
        );
        await runFor(ofAcme, 'CITUS_START');
        const after = acme.writes;
        await eventually(() => Promise.resolve(acme.writes >= after + WRITES), 60_000);
        expect((await read('acme')).status).toBe(200);
      });
      ofNord.push(others);
    }
  });
  process.stdout.write(
    `${KILLS} kills; ${describeWritten(written)}; beside it ${ofNord.map(describeWritten).join(', ')}\n`,
  );
  expect(written.lost).toEqual(new Set());
  expect([...written.refused.keys()]).toEqual([503]);
  for (const { lost, refused } of ofNord) {
    expect(lost).toEqual(new Set());
    expect([...refused]).toEqual([]);
  }
  const { versions, sequences } = await countVersions(database, 'acme');
  expect(versions).toBe(sequences);
  expect(versions).toBeGreaterThanOrEqual(written.writes);
  const ready = await server.request('GET', '/health/ready');
  expect(ready.text).not.toContain('cannot be reached: its tenants');
});
