/** Nodes that have unlike parts of the tenants become even while clients write, also one that was added later. */
import { moveTenant } from '../../src/core';
import { distributeTables } from '../../src/core/storage/nodes/distribute';
import { andiron, createCitusDatabase, type CitusDatabase } from '../support/citus';
import { countVersions, describeWritten, writeDuring, type Written } from '../support/citus-writers';
import { OPEN } from '../support/environment';
import { startProcess, type ServerProcess } from '../support/process';
import { runOnServer, withClient } from '../support/services';

const GROUPS = 8;
const TENANTS = ['acme', 'nord', 'east', 'west', 'south', 'hill'];

let database: CitusDatabase;
let server: ServerProcess;
beforeAll(async () => {
  database = await createCitusDatabase({ tenants: TENANTS, hasNodes: false });
  await addNode(0);
  await withClient(database.settings, (client) =>
    distributeTables(client, { shards: GROUPS, told: () => undefined }),
  );
  server = await startProcess({ database, environment: OPEN });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

/** Groups and tenants of the two nodes, as `andiron nodes` shows them. */
async function parts(): Promise<readonly { readonly groups: number; readonly tenants: number }[]> {
  const { nodes } = JSON.parse(await andiron(database, ['nodes', '--json']));
  return nodes
    .slice(1)
    .map(({ groups, tenants }: { groups: number; tenants: number }) => ({ groups, tenants }));
}

const addNode = (index: number): Promise<void> =>
  runOnServer(database.settings, `select citus_add_node('127.0.0.1', ${database.nodes[index]?.port})`);

it('a node that was added later gets its part of the groups under writers, and nothing is lost', async () => {
  const write = (tenant: string, work: () => Promise<void>): Promise<Written> =>
    writeDuring({ path: server.path(tenant, 'r4'), to: () => server }, work);
  await addNode(1);
  const [, second] = database.nodes;
  await moveTenant({
    ...{ database: database.settings, tenant: 'acme', to: second?.address ?? '' },
    told: () => undefined,
  });
  const [many, few] = await parts();
  expect(few?.groups).toBe(1);
  expect(many?.groups).toBeGreaterThanOrEqual(GROUPS - 1);

  const all: Written[] = [];
  const writeToAll = async (
    [tenant, ...others]: readonly string[],
    work: () => Promise<void>,
  ): Promise<void> => {
    if (tenant === undefined) return work();
    all.push(await write(tenant, () => writeToAll(others, work)));
  };
  let output = '';
  await writeToAll(['acme', 'nord', 'east'], async () => {
    // While groups grow, Citus may find one more that is worth a move.
    do output += await andiron(database, ['nodes', '--rebalance']);
    while (!output.includes('The nodes are even: no shard group is moved'));
  });
  process.stdout.write(`${output}${all.map(describeWritten).join('\n')}\n`);
  const after = await parts();
  // Citus may leave a difference of two: one move more would gain less than half of what it moves.
  const [one, other] = after.map(({ groups }) => groups);
  expect(Math.abs((one ?? 0) - (other ?? 0))).toBeLessThanOrEqual(2);
  expect(after.reduce((sum, { tenants }) => sum + tenants, 0)).toBe(TENANTS.length + 1);
  for (const [index, written] of all.entries()) {
    expect(written.lost).toEqual(new Set());
    expect([...written.refused.keys()].filter((status) => status !== 503)).toEqual([]);
    const { versions, sequences } = await countVersions(database, ['east', 'nord', 'acme'][index] ?? '');
    expect(versions).toBe(sequences);
    expect(versions).toBeGreaterThanOrEqual(written.writes);
  }
  // Each tenant is served where it is now.
  for (const tenant of TENANTS) {
    const body = { resourceType: 'Basic', code: { text: 'after' } };
    expect((await server.request('POST', `${server.path(tenant, 'r4')}/Basic`, body)).status).toBe(201);
  }
});
