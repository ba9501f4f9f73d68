/** Tenants are moved between nodes while clients write: nothing that was acknowledged is lost. */
import { moveTenant } from '../../src/core';
import { createCitusDatabase, type CitusDatabase } from '../support/citus';
import { OPEN } from '../support/environment';
import { startProcess, type ServerProcess } from '../support/process';
import { withClient } from '../support/services';
import { countVersions, describeWritten, writeDuring, type Written } from '../support/citus-writers';

const MOVES = Number(process.env['CITUS_MOVES'] ?? 20);
/** Few are enough to lose writes without the guard. */
const UNGUARDED_MOVES = Math.min(MOVES, 4);

let database: CitusDatabase;
let server: ServerProcess;
/** The node that has the tenant. */
let at = 0;

beforeAll(async () => {
  // One shard group for all: the first move has to split it.
  database = await createCitusDatabase({ tenants: ['acme', 'nord'], shards: 1 });
  server = await startProcess({ database, environment: OPEN });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const addressOf = (index: number): string => database.nodes[index]?.address ?? '';

async function move(): Promise<{ readonly isSplit: boolean; readonly milliseconds: number }> {
  const began = performance.now();
  const to = 1 - at;
  const moved = await moveTenant({
    ...{ database: database.settings, tenant: 'acme', to: addressOf(to) },
    told: () => undefined,
  });
  expect(moved).toMatchObject({ from: addressOf(at), isMoved: true });
  at = to;
  return { isSplit: moved?.isSplit === true, milliseconds: Math.round(performance.now() - began) };
}

/** Moves `acme` under writers. */
async function moveUnderWriters(moves: number): Promise<Written> {
  const times: number[] = [];
  const written = await writeDuring({ path: server.path('acme', 'r4'), to: () => server }, async () => {
    for (let count = 0; count < moves; count++) times.push((await move()).milliseconds);
  });
  process.stdout.write(`${moves} moves in ${times.join(', ')} ms; ${describeWritten(written)}\n`);
  return written;
}

/** Takes the guard out, on the nodes that have one for the group of `acme`. */
async function removeGuards(): Promise<void> {
  for (const { settings } of database.nodes)
    await withClient(settings, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select p.proname as name from pg_proc p
         where p.pronamespace = 'andiron'::regnamespace and p.proname like 'require\\_group\\_%'`,
      );
      await client.query('set citus.enable_ddl_propagation = off');
      for (const { name } of rows)
        await client.query(
          `create or replace function andiron.${name}(p_change boolean) returns void language plpgsql as 'begin end'`,
        );
    });
}

it('a move of one of several tenants of a shard group leaves the others where they are', async () => {
  const { rows } = await withClient(database.settings, (client) =>
    client.query<{ port: number }>(
      `select n.nodeport as port from pg_dist_shard s join pg_dist_placement p using (shardid) join pg_dist_node n using (groupid)
       where s.logicalrelid = 'andiron.resource'::regclass`,
    ),
  );
  at = database.nodes.findIndex(({ address }) => address.endsWith(`:${rows[0]?.port}`));
  const before = addressOf(at);
  const body = { resourceType: 'Basic', code: { text: 'before' } };
  const made = await server.request('POST', `${server.path('acme', 'r4')}/Basic`, body);
  expect(made.status).toBe(201);
  expect((await move()).isSplit).toBe(true);
  const read = await server.request('GET', `${server.path('acme', 'r4')}/Basic/${made.json.id}`);
  expect(read.json).toEqual(made.json);
  expect((await server.request('POST', `${server.path('nord', 'r4')}/Basic`, body)).status).toBe(201);
  const { rows: groups } = await withClient(database.settings, (client) =>
    client.query<{ port: number }>(
      `select n.nodeport as port from pg_dist_shard s join pg_dist_placement p using (shardid) join pg_dist_node n using (groupid)
       where s.logicalrelid = 'andiron.resource'::regclass order by s.shardminvalue::int`,
    ),
  );
  expect(groups.map(({ port }) => before.endsWith(`:${port}`))).toEqual([true, false, true]);
});

it('moves under writers lose nothing that was acknowledged', async () => {
  const written = await moveUnderWriters(MOVES);
  expect(written.lost).toEqual(new Set());
  expect(written.writes).toBeGreaterThan(MOVES);
  expect([...written.refused.keys()].filter((status) => status !== 503)).toEqual([]);
  const { versions, sequences } = await countVersions(database, 'acme');
  expect(versions).toBe(sequences);
  expect(versions).toBeGreaterThanOrEqual(written.writes);
});

it('without the guard the same moves lose writes', async () => {
  await removeGuards();
  const { lost } = await moveUnderWriters(UNGUARDED_MOVES);
  expect(lost.size).toBeGreaterThan(0);
});
