/**
 * Copies all data of a tenant, so that a million resources need not be sent. Each copy has its own keys, sequences and
 * identifiers and the same names, codes and values; its dates are some minutes later. Ids are made from keys, so that the
 * copies can be read; only the texts contain the ids of the original.
 */

/** Distance at which the keys of two copies never collide: the milliseconds of a key are above 22 bits. */
const KEY_STEP = 2n ** 22n * 86_400_000n;
const DATE_STEP = 60_000;

/**
 * @param {(text: string) => Promise<any[]>} query on the database of the server
 * @param {{ space: number, from: number, to: number, identifiers: number[] }} options copies `from` up to and without
 *   `to`; `identifiers`: numbers of parameters of which each copy has its own values
 */
export async function multiply(query, { space, from, to, identifiers }) {
  const source = async (table, columns) => {
    const selected = columns.map(([, expression]) => expression).join(', ');
    const names = columns.map(([name]) => name).join(', ');
    await query(`insert into andiron.${table} (space, ${names})
      select t.space, ${selected} from bench_source_${table} t, generate_series(${from}, ${to - 1}) c (copy)`);
  };
  const key = (column) =>
    `case when t.${column} < 0 then t.${column} + c.copy else t.${column} + c.copy * ${KEY_STEP} end`;
  const date = `case when t.sort_date = -9223372036854775808 then t.sort_date else t.sort_date + c.copy * ${DATE_STEP} end`;
  const plain = (...names) => names.map((name) => [name, `t.${name}`]);
  for (const table of [
    'resource',
    'resource_version',
    'token_index',
    'reference_index',
    'range_index',
    'string_index',
    'uri_index',
  ]) {
    await query(
      `create table if not exists bench_source_${table} as select * from andiron.${table} where space = ${space}`,
    );
  }
  await source('resource', [
    ...plain('resource_type', 'deleted', 'version', 'id', 'presence'),
    ['resource_key', key('resource_key')],
    ['last_updated', 't.last_updated + c.copy * 1000'],
    ['sort_date', date],
    ['target_keys', `array(select ${key('k').replaceAll('t.k', 'k')} from unnest(t.target_keys) k)`],
  ]);
  await source('resource_version', [
    ...plain('version', 'meta_offset', 'resource_type', 'change', 'id', 'author', 'body'),
    ['resource_key', key('resource_key')],
    ['last_updated', 't.last_updated + c.copy * 1000'],
    ['sequence', 't.sequence + c.copy * 1000000'],
  ]);
  await source('token_index', [
    ...plain('parameter', 'system_hash'),
    [
      'value_hash',
      `t.value_hash + case when t.parameter in (${identifiers.join(', ')}) then c.copy else 0 end`,
    ],
    ['sort_date', date],
    ['resource_key', key('resource_key')],
  ]);
  await source('reference_index', [
    ...plain('parameter', 'target_type'),
    ['target_key', key('target_key')],
    ['sort_date', date],
    ['resource_key', key('resource_key')],
  ]);
  const isDate = 'abs(t.low) > 1e10 and abs(t.low) < 1e15';
  await source('range_index', [
    ...plain('parameter', 'qualifier', 'unit_system', 'unit_code', 'unit_name', 'extremes'),
    ['low', `case when ${isDate} then t.low + c.copy * ${DATE_STEP} else t.low end`],
    ['high', `case when ${isDate} then t.high + c.copy * ${DATE_STEP} else t.high end`],
    ['resource_key', key('resource_key')],
  ]);
  await source('string_index', [
    ...plain('parameter', 'exact_hash', 'extremes', 'value'),
    ['resource_key', key('resource_key')],
  ]);
  await source('uri_index', [
    ...plain('parameter', 'value', 'version'),
    ['resource_key', key('resource_key')],
  ]);
}
