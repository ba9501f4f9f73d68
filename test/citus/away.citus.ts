/** A node is away: its tenants are answered 503, and all others are served, also by a server that starts then. */
import { moveTenant } from '../../src/core';
import { andiron, createCitusDatabase, type CitusDatabase, type CitusNode } from '../support/citus';
import { runHere } from '../support/command-here';
import { OPEN, toEnvironment } from '../support/environment';
import { eventually } from '../support/eventually';
import { startProcess, type ServerProcess } from '../support/process';

let database: CitusDatabase;
/** The node with the tenant `nord` and the base resources, and that with the tenant `acme`. */
let ofNord: CitusNode;
let ofAcme: CitusNode;

beforeAll(async () => {
  database = await createCitusDatabase({ tenants: ['acme', 'nord'], shards: 1 });
  const { nodes } = JSON.parse(await andiron(database, ['nodes', '--json']));
  const { address } = nodes.find(({ groups }: { groups: number }) => groups === 1);
  const find = (hasAll: boolean): CitusNode => {
    const found = database.nodes.find((node) => (node.address === address) === hasAll);
    if (found === undefined) throw new Error('the cluster has one node');
    return found;
  };
  [ofNord, ofAcme] = [find(true), find(false)];
  await moveTenant({
    ...{ database: database.settings, tenant: 'acme', to: ofAcme.address },
    told: () => undefined,
  });
});
afterAll(() => database.drop());

async function create(server: ServerProcess, tenant: string): Promise<number> {
  const body = { resourceType: 'Basic', code: { text: 'one' } };
  return (await server.request('POST', `${server.path(tenant, 'r4')}/Basic`, body)).status;
}
async function search(server: ServerProcess, tenant: string): Promise<number> {
  return (await server.request('GET', `${server.path(tenant, 'r4')}/Basic?_count=1`)).status;
}
const noticeOf = ({ address }: CitusNode): string =>
  `The node ${address} cannot be reached: its tenants are answered by 503`;

it('takes its tenants away, and no others', async () => {
  const server = await startProcess({ database, environment: OPEN });
  expect([await create(server, 'acme'), await create(server, 'nord')]).toEqual([201, 201]);

  await ofAcme.stop();
  expect([await create(server, 'acme'), await search(server, 'acme')]).toEqual([503, 503]);
  expect([await create(server, 'nord'), await search(server, 'nord')]).toEqual([201, 200]);
  const ready = await server.request('GET', '/health/ready');
  expect(ready.status).toBe(200);
  expect(ready.text).toContain(noticeOf(ofAcme));
  const listed = await runHere(['nodes'], { environment: toEnvironment(database) });
  expect(listed.code).toBe(1);
  expect(listed.output).toContain(`${ofAcme.address}  worker`);
  expect(listed.output).toContain('away: ');

  await ofAcme.start();
  await eventually(async () => (await create(server, 'acme')) === 201);
  const again = await server.request('GET', '/health/ready');
  expect(again.text).not.toContain('cannot be reached: its tenants');
  await server.close();
});

it.each([
  ['acme', 'nord'],
  // Its node has the base resources too.
  ['nord', 'acme'],
])(
  'a server that starts while the node of %s is away serves %s at once, and both once it is back',
  async (missing, served) => {
    const node = missing === 'acme' ? ofAcme : ofNord;
    await node.stop();
    const server = await startProcess({ database, environment: OPEN });
    const ready = await server.request('GET', '/health/ready');
    expect(ready.status).toBe(200);
    expect(ready.text).toContain(noticeOf(node));
    expect([await create(server, served), await search(server, served)]).toEqual([201, 200]);
    expect([await create(server, missing), await search(server, missing)]).toEqual([503, 503]);

    await node.start();
    await eventually(async () => (await create(server, missing)) === 201);
    expect(await search(server, missing)).toBe(200);
    const patient = await server.request('GET', `${server.path(served, 'r4')}/StructureDefinition/Patient`);
    expect(patient.status).toBe(200);
    await server.close();
  },
);
