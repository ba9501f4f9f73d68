/** Tenants are moved between nodes while clients write: nothing that was acknowledged is lost. */
import { moveTenant } from '../../src/core';
import { createCitusDatabase, type CitusDatabase } from '../support/citus';
import { OPEN } from '../support/environment';
import { startProcess, type ServerProcess } from '../support/process';
import { withClient } from '../support/services';

const MOVES = Number(process.env['CITUS_MOVES'] ?? 20);
const WRITERS = 4;
/** Few are enough to lose writes without the guard. */
const UNGUARDED_MOVES = Math.min(MOVES, 4);

interface Written {
  /** The last acknowledged version of each resource, by id. */
  readonly versions: Map<string, number>;
  writes: number;
  /** Resources of which an acknowledged version is lost. */
  readonly lost: Set<string>;
  readonly refused: Map<number, number>;
}

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

/** Creates a resource and updates it, again and again, until `isOver`. */
async function write(path: string, written: Written, isOver: () => boolean): Promise<void> {
  let id: string | undefined;
  while (!isOver()) {
    const body = { resourceType: 'Basic', code: { text: `write ${written.writes}` } };
    const { status, json, headers } = await (id === undefined
      ? server.request('POST', `${path}/Basic`, body)
      : server.request('PUT', `${path}/Basic/${id}`, { ...body, id }));
    if (status !== 200 && status !== 201) {
      written.refused.set(status, (written.refused.get(status) ?? 0) + 1);
      continue;
    }
    written.writes += 1;
    const [, version = '0'] = /^W\/"(\d+)"$/.exec(String(headers['etag'])) ?? [];
    const made = String(json.id);
    const before = written.versions.get(made) ?? 0;
    // Another node made it anew, which does not have what was acknowledged.
    if (Number(version) <= before) written.lost.add(made);
    written.versions.set(made, Math.max(before, Number(version)));
    id = Number(version) >= 5 ? undefined : made;
  }
}

/** Moves `acme` under writers; returns how many of its resources are lost, or older than acknowledged. */
async function moveUnderWriters(
  moves: number,
): Promise<{ readonly lost: number; readonly written: Written }> {
  const written: Written = { versions: new Map(), writes: 0, lost: new Set(), refused: new Map() };
  const path = server.path('acme', 'r4');
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, () => write(path, written, () => isOver));
  const times: number[] = [];
  try {
    for (let count = 0; count < moves; count++) times.push((await move()).milliseconds);
  } finally {
    isOver = true;
    await Promise.allSettled(writers);
  }
  await Promise.all(writers);
  for (const [id, version] of written.versions) {
    const answer = await server.request('GET', `${path}/Basic/${id}`);
    if (answer.status !== 200 || Number(answer.json.meta.versionId) < version) written.lost.add(id);
  }
  const lost = written.lost.size;
  process.stdout.write(
    `${moves} moves in ${times.join(', ')} ms; ${written.writes} writes of ${written.versions.size} resources acknowledged, ${lost} resources lost, refused ${JSON.stringify([...written.refused])}\n`,
  );
  return { lost, written };
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
  const { lost, written } = await moveUnderWriters(MOVES);
  expect(lost).toBe(0);
  expect(written.writes).toBeGreaterThan(MOVES);
  expect([...written.refused.keys()].filter((status) => status !== 503)).toEqual([]);
  // Each version was stored once, on one node.
  const { rows } = await withClient(database.settings, (client) =>
    client.query<{ versions: number; sequences: number }>(
      `select count(*)::int as versions, count(distinct v.sequence)::int as sequences from andiron.resource_version v
       join andiron.space s on s.number = v.space join andiron.tenant t on t.number = s.tenant
       where t.name = 'acme' and s.kind = 'data' and s.release = 'r4'`,
    ),
  );
  expect(rows[0]?.versions).toBe(rows[0]?.sequences);
  expect(rows[0]?.versions).toBeGreaterThanOrEqual(written.writes);
});

it('without the guard the same moves lose writes', async () => {
  await removeGuards();
  const { lost } = await moveUnderWriters(UNGUARDED_MOVES);
  expect(lost).toBeGreaterThan(0);
});
