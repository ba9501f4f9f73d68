/** Statements with the names of a shard group. */
import { sql } from 'kysely';
import { bind, defineStatement, template } from '../../../../src/core/storage/connection/statement';
import { ShardNames } from '../../../../src/core/storage/nodes/shard-names';

const names = new ShardNames(
  new Map([
    ['resource', 'resource_102010'],
    ['space', 'space_102001'],
    ['store_versions', 'store_versions_g4'],
  ]),
);

it('tables and functions get the names of the group, written with quotes or without', () => {
  expect(names.in('select 1 from andiron.resource r join "andiron"."space" s on true')).toBe(
    'select 1 from andiron.resource_102010 r join "andiron"."space_102001" s on true',
  );
  expect(names.in('select andiron.store_versions(p_space => $1)')).toBe(
    'select andiron.store_versions_g4(p_space => $1)',
  );
});

it('other tables, longer names and settings stay', () => {
  for (const text of [
    'select 1 from andiron.job',
    'select 1 from andiron.resource_version',
    `select set_config('andiron.space', $1, false)`,
    `select current_setting('andiron.space', true)`,
  ])
    expect(names.in(text)).toBe(text);
});

it('a prepared statement has another name in each group, and the same values', () => {
  const statement = defineStatement(
    template(sql`select 1 from andiron.resource r where r.space = ${bind('space')}`),
  );
  const [first, second] = ['resource_1', 'resource_2'].map((name) =>
    new ShardNames(new Map([['resource', name]])).of(statement),
  );
  expect(first?.text).toBe('select 1 from andiron.resource_1 r where r.space = $1');
  expect(new Set([statement.name, first?.name, second?.name]).size).toBe(3);
  expect(second?.values({ space: 7 })).toEqual([7]);
});

it('a statement that is prepared after a few uses is prepared on its node too', () => {
  const text = template(sql`select 1 from andiron.resource r where r.space = ${bind('space')}`);
  const ofGroup = new ShardNames(new Map([['resource', 'resource_1']]));
  expect(ofGroup.of(defineStatement(text, { named: false })).name).toBeUndefined();
  expect(ofGroup.of(defineStatement(text)).name).toMatch(/^a/);
  expect(ofGroup.of(defineStatement(text, { named: false })).name).toBeUndefined();
});

it('a node does not change its copy of a table that each node has whole', () => {
  const ofNode = new ShardNames(new Map([['tenant', 'tenant_5']]), new Set(['tenant']));
  const change = defineStatement(template(sql`update andiron.tenant t set status = 'active'`));
  expect(() => ofNode.of(change)).toThrow('a node would change its copy of the table tenant alone');
  const read = defineStatement(template(sql`select t.name from andiron.tenant t limit 1`));
  expect(ofNode.of(read).text).toBe('select t.name from andiron.tenant_5 t limit 1');
});
