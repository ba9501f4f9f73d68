/**
 * Copies all data of a space, so that a million resources need not be sent. Each copy has its own keys, sequences and
 * identifiers and the same names, codes and values; its dates are some minutes later. Resources must have ids that the server made:
 * those are made from keys, so that the copies can be read. Only the texts contain the ids of the original.
 */
import { requireBuilt } from './processes.mjs';

/** Distance at which the keys of two copies never collide: the milliseconds of a key are above 22 bits. */
const KEY_STEP = 2n ** 22n * 86_400_000n;
const DATE_STEP = 60_000;
/** More than the versions of the original. */
const SEQUENCE_STEP = 1_000_000;

/**
 * Makes `copies - 1` copies of a space with one release R4. Indexes are dropped and created again afterwards, which takes a tenth
 * of the time.
 * @param {(text: string) => Promise<any[]>} query on the database of the server, as its owner; in one session or several
 * @param {{ space: number, copies: number }} options
 */
export async function multiply(query, { space, copies }) {
  const rules = toRules(await readIdentifiers());
  const columns = await readColumns(query);
  for (const [table, changed] of Object.entries(rules))
    for (const name of Object.keys(changed))
      if (!columns.get(table)?.includes(name)) throw new Error(`there is no column andiron.${table}.${name}`);
  const indexes = await query(
    "select indexname as name, indexdef as definition from pg_indexes where schemaname = 'andiron' and (tablename like '%\\_index' or indexname in ('resource_by_last_updated', 'resource_version_by_sequence'))",
  );
  for (const { name } of indexes) await query(`drop index andiron.${name}`);
  for (const [table, names] of columns) {
    const changed = { ...KEYS, ...rules[table] };
    await query(
      `create table bench_source_${table} as select * from andiron.${table} where space = ${space}`,
    );
    await query(`insert into andiron.${table} (${names.join(', ')})
      select ${names.map((name) => changed[name] ?? `t.${name}`).join(', ')}
      from bench_source_${table} t, generate_series(1, ${copies - 1}) c (copy)`);
  }
  for (const { definition } of indexes) await query(`set maintenance_work_mem = '512MB'; ${definition}`);
  await query(`update andiron.change_counter c
    set last_sequence = k.last_sequence, resources = c.resources + k.resources * ${copies - 1},
        bytes = c.bytes + k.bytes * ${copies - 1}
    from (select (select max(sequence) from andiron.resource_version where space = ${space}) as last_sequence,
                 (select count(*) from bench_source_resource where not deleted) as resources,
                 (select coalesce(sum(octet_length(body)), 0) from bench_source_resource_version) as bytes) k
    where c.tenant = (select counter from andiron.space where number = ${space})`);
  for (const table of columns.keys()) await query(`drop table bench_source_${table}`);
  await query('vacuum (analyze)');
}

/** The columns of each table of resources and of index rows, by the catalogue: those of a later migration are copied too. */
async function readColumns(query) {
  const rows = await query(`
    select c.relname as table, array_agg(quote_ident(a.attname) order by a.attnum) as names
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'andiron'::regnamespace and c.relkind = 'r'
      and (c.relname in ('resource', 'resource_version') or c.relname like '%\\_index')
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname`);
  return new Map(rows.map(({ table, names }) => [table, names]));
}

/** Numbers of the parameters of which each copy has its own values. */
async function readIdentifiers() {
  const definitions = await requireBuilt('core/fhir/definitions.js').loadDefinitions('r4');
  return definitions.resourceTypes.flatMap((type) => {
    const parameter = definitions.searchParameters(type).get('identifier');
    return parameter === undefined ? [] : [parameter.number];
  });
}

const toKey = (key) => `case when ${key} < 0 then ${key} + c.copy else ${key} + c.copy * ${KEY_STEP} end`;
const KEYS = { resource_key: toKey('t.resource_key') };

/** Expressions for the columns in which a copy differs from the original. */
function toRules(identifiers) {
  const sortDate = `case when t.sort_date = -9223372036854775808 then t.sort_date else t.sort_date + c.copy * ${DATE_STEP} end`;
  const isDate = 'abs(t.low) > 1e10 and abs(t.low) < 1e15';
  const toBound = (name) => `case when ${isDate} then t.${name} + c.copy * ${DATE_STEP} else t.${name} end`;
  return {
    resource: {
      last_updated: 't.last_updated + c.copy * 1000',
      sort_date: sortDate,
      target_keys: `array(select ${toKey('k')} from unnest(t.target_keys) k)`,
    },
    resource_version: {
      last_updated: 't.last_updated + c.copy * 1000',
      sequence: `t.sequence + c.copy * ${SEQUENCE_STEP}`,
    },
    token_index: {
      value_hash: `t.value_hash + case when t.parameter in (${identifiers.join(', ')}) then c.copy else 0 end`,
      sort_date: sortDate,
    },
    reference_index: { target_key: toKey('t.target_key'), sort_date: sortDate },
    range_index: { low: toBound('low'), high: toBound('high') },
  };
}
