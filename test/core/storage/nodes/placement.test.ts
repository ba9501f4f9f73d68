/** Where the rows of spaces and tenants are, as Citus says. */
import { Placement } from '../../../../src/core/storage/nodes/placement';
import { chooseNumbers, hashOf } from '../../../../src/core/storage/tenants/slot-numbers';

const END = 2 ** 31;

/** Rows for `groups` of equal size, in turn on two nodes, of the tables `resource` and `change_counter`; `tenant` is whole on each. */
function placementOf(groups: number): Placement {
  const size = 2 ** 32 / groups;
  const ofGroups = Array.from({ length: groups }, (_, index) =>
    ['resource', 'change_counter'].map((table, place) => [
      ...[table, String(1000 + groups * place + index), -END + index * size, -END + (index + 1) * size - 1],
      ...[1 + (index % 2), `node-${1 + (index % 2)}`, 5432],
    ]),
  ).flat();
  const ofWhole = [1, 2].map((node) => ['tenant', '999', null, null, node, `node-${node}`, 5432]);
  return Placement.of([...ofGroups, ...ofWhole]);
}

it('each number has the group of its hash', () => {
  const placement = placementOf(32);
  expect(placement.groups).toHaveLength(32);
  for (const number of [100, 101, 2 ** 31 - 1, ...chooseNumbers(5)]) {
    const { least, most, shards } = placement.groupOf(number);
    const hash = hashOf(number) | 0;
    expect(hash).toBeGreaterThanOrEqual(least);
    expect(hash).toBeLessThanOrEqual(most);
    expect([...shards.keys()].sort()).toEqual(['change_counter', 'resource', 'tenant']);
    expect(shards.get('tenant')).toBe('tenant_999');
  }
});

it('all numbers of a tenant have one group', () => {
  const placement = placementOf(64);
  expect(new Set(chooseNumbers(5).map((number) => placement.groupOf(number))).size).toBe(1);
});

it('shards of the same numbers on two nodes are refused', () => {
  const row = (table: string, node: number): readonly unknown[] => [
    ...[table, '1', -END, END - 1],
    ...[node, `node-${node}`, 5432],
  ];
  expect(() => Placement.of([row('resource', 1), row('change_counter', 2)])).toThrow(
    'the shard change_counter_1 is not with the other shards of its numbers',
  );
});
