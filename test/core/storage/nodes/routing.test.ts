/** Statements of a space run on the node that has its rows, and all others at the coordinator. */
import { toResourceInput, type RequestContext, type StoredVersion } from '../../../../src/core';
import { guardFunction, MOVED } from '../../../../src/core/storage/nodes/guard';
import { hashOf } from '../../../../src/core/storage/tenants/slot-numbers';
import { openCore, type OpenedCore } from '../../../support/core';
import { eventually } from '../../../support/eventually';
import { withClient } from '../../../support/services';
import { startStubNodes, type StubNodes } from '../../../support/stub-nodes';

/** Their numbers are random: one of each node is among so many, but once in 32,000 runs. */
const NAMES = Array.from({ length: 16 }, (_, index) => `clinic${index}`);

let stub: StubNodes;
let opened: OpenedCore;
/** A tenant of each node. */
let contexts: readonly [RequestContext, RequestContext];
beforeAll(async () => {
  stub = await startStubNodes(NAMES);
  opened = await openCore({ database: stub, environment: { VALIDATION: 'structure' } });
  const all = await Promise.all(NAMES.map((name) => opened.context(name, 'r4')));
  const onNode = (isFirst: boolean): RequestContext => {
    const found = all.find(({ space }) => (hashOf(space.number) | 0) < 0 === isFirst);
    if (found === undefined) throw new Error('all tenants are on one node');
    return found;
  };
  contexts = [onNode(true), onNode(false)];
});
afterAll(async () => {
  await opened.close();
  await stub.drop();
});

const create = async (context: RequestContext, family: string): Promise<StoredVersion> => {
  const patient = JSON.stringify({ resourceType: 'Patient', name: [{ family }] });
  const input = toResourceInput(patient, { maxDepth: 64 });
  return (await opened.core.interactions.create(context, 'Patient', input)).version;
};
const find = async (context: RequestContext, family: string): Promise<number> => {
  const parameters = [['family', family]] as const;
  return (await opened.core.interactions.search(context, { type: 'Patient', parameters })).matches.length;
};
/** The number of resources of a tenant that a node has in the tables of a group. */
const rowsOn = (node: 0 | 1, { space }: RequestContext, group: 0 | 1): Promise<number> =>
  withClient(stub.nodes[node].settings, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from andiron.resource_${stub.groups[group].shard} where space = $1`,
      [space.number],
    );
    return rows[0]?.count ?? 0;
  });

it('a tenant writes to its node, and is read, searched and listed there', async () => {
  for (const [index, context] of contexts.entries()) {
    const node = index === 0 ? 0 : 1;
    const before = await rowsOn(node, context, node);
    const { id } = await create(context, 'Abel');
    expect(await rowsOn(node, context, node)).toBe(before + 1);
    expect(await find(context, 'abel')).toBe(1);
    expect((await opened.core.interactions.read(context, 'Patient', id)).versionId).toBe(1);
    const { versions } = await opened.core.interactions.history(context, { type: 'Patient', id });
    expect(versions).toHaveLength(1);
  }
});

it('references to base resources, which are on one node, have their target for tenants of each', async () => {
  for (const context of contexts) {
    const { space } = context;
    const settings = { ...space.settings, referentialIntegrity: 'on-write' as const };
    const strict = { ...context, space: { ...space, settings } };
    const about = (reference: string): Promise<unknown> => {
      const basic = JSON.stringify({ resourceType: 'Basic', code: { text: 'x' }, subject: { reference } });
      const input = toResourceInput(basic, { maxDepth: 64 });
      return opened.core.interactions.create(strict, 'Basic', input);
    };
    await expect(about('StructureDefinition/Patient')).resolves.toBeDefined();
    await expect(about('StructureDefinition/Nothing')).rejects.toMatchObject({ key: 'brokenReference' });
  }
});

it('a node that is away takes its tenants away, and no others', async () => {
  const [first, second] = contexts;
  const [, node] = stub.nodes;
  await node.stop();
  await expect(create(second, 'Away')).rejects.toMatchObject({ status: 503 });
  await expect(find(second, 'away')).rejects.toMatchObject({ status: 503 });
  expect((await create(first, 'Here')).versionId).toBe(1);
  const { ready, notices } = await opened.core.health.readiness();
  expect(ready).toBe(true);
  expect(notices).toContain(`The node ${node.address} cannot be reached: its tenants are answered by 503`);
  await node.start();
  await eventually(() =>
    create(second, 'Back').then(
      () => true,
      () => false,
    ),
  );
});

it('a write that comes to a node which its tenant has left is stored on the other one, once', async () => {
  const [, second] = contexts;
  const [, group] = stub.groups;
  const before = await rowsOn(1, second, 1);
  await stub.place(group, 0);
  // The process does not know of the move: the guard of the old node says so.
  expect((await create(second, 'Moved')).versionId).toBe(1);
  expect([await rowsOn(0, second, 1), await rowsOn(1, second, 1)]).toEqual([before + 1, before]);
  expect(await find(second, 'moved')).toBe(1);
  await stub.place(group, 1);
  // The tables that it has left behind answer no read.
  expect(await find(second, 'moved')).toBe(0);
});

it('a write that comes to a group which was divided is told that the group is gone', async () => {
  const undividedShard = '77';
  await withClient(stub.nodes[0].settings, async (client) => {
    await client.query(guardFunction('require_divided', undividedShard));
    for (const isChange of [true, false])
      await expect(client.query('select andiron.require_divided($1)', [isChange])).rejects.toMatchObject({
        code: MOVED,
      });
  });
});

it('a start with read replicas is refused, because each node would need its own', async () => {
  const environment = { FHIR_DATABASE_REPLICAS: '127.0.0.1:1' };
  await expect(openCore({ database: stub, environment })).rejects.toThrow(
    'FHIR_DATABASE_REPLICAS must be empty for a database that is distributed by Citus',
  );
});
