/**
 * Two PostgreSQL servers that look like nodes of Citus: each has the shards of one group, and the tables that say where they are.
 * Citus itself is not there: the first server is the coordinator too, and its own tables have no rows of tenants.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { rowsOf } from '../../src/core/storage/nodes/cluster';
import { TABLES, WHOLE, type DistributedTable } from '../../src/core/storage/nodes/distribute';
import { LEAST_NUMBER } from '../../src/core/storage/tenants/slot-numbers';
import { runHere } from './command-here';
import type { TestDatabase } from './database';
import { toEnvironment } from './environment';
import { closedAtEnd } from './left-open';
import { PREPARED_TEMPLATE } from './make-template';
import { startPreparedPostgres } from './prepared-cluster';
import { runOnServer, withClient, type Connection } from './services';
import { openStoppableAddress, type StoppableAddress } from './stoppable-address';
import { toAddress } from './template';

/** One of the two groups: all numbers with a negative hash are of the first. */
export interface StubGroup {
  /** The number behind the names of its tables. */
  readonly shard: number;
  readonly least: number;
  readonly most: number;
}

export interface StubNode extends StoppableAddress {
  /** The database there, without the address in between. */
  readonly settings: Connection;
}

export interface StubNodes extends TestDatabase {
  readonly nodes: readonly [StubNode, StubNode];
  readonly groups: readonly [StubGroup, StubGroup];
  /** Says on both nodes that a group is on one of them, which gets its rows if it has had none of them. */
  place(group: StubGroup, node: 0 | 1): Promise<void>;
}

const GROUPS: StubNodes['groups'] = [
  { shard: 1, least: -(2 ** 31), most: -1 },
  { shard: 2, least: 0, most: 2 ** 31 - 1 },
];
/** The number behind the names of tables that each node has whole. */
const WHOLE_SHARD = 9;

/** What Citus keeps in its catalogue, as far as Andiron reads it. */
const CATALOGUE = `
  set allow_system_table_mods = on;
  create table pg_catalog.pg_dist_partition (logicalrelid regclass);
  create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text, shardmaxvalue text);
  create table pg_catalog.pg_dist_placement (shardid bigint, shardstate int, groupid int);
  create table pg_catalog.pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
  create table pg_catalog.pg_dist_local_group (groupid int);
  create function pg_catalog.lock_shard_metadata(mode int, shards bigint[]) returns void language plpgsql as $stub$
    declare
      v_shard bigint;
    begin
      foreach v_shard in array shards loop
        if not exists (select 1 from pg_catalog.pg_dist_shard s where s.shardid = v_shard) then
          raise exception 'could not find valid entry for shard %', v_shard using errcode = 'internal_error';
        end if;
        perform pg_advisory_xact_lock_shared(v_shard);
      end loop;
    end $stub$;
  grant select on pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_placement,
    pg_catalog.pg_dist_node, pg_catalog.pg_dist_local_group to public;`;

/** The name of a table of a group. */
const inGroup = (table: string, shard: number): string => `andiron.${table}_${shard}`;

/** Makes the table of a group on a node, with its keys, indexes and policies. */
async function makeShard(client: Client, table: string, shard: number): Promise<void> {
  await client.query(`create table ${inGroup(table, shard)} (like andiron.${table} including all)`);
  const { rows } = await client.query<{ text: string }>(
    `select format('create policy %I on %s for %s to %s', policyname, $2::text, cmd, array_to_string(roles, ', '))
              || coalesce(' using (' || qual || ')', '') || coalesce(' with check (' || with_check || ')', '') as text
     from pg_policies where schemaname = 'andiron' and tablename = $1`,
    [table, inGroup(table, shard)],
  );
  for (const { text } of rows) await client.query(text);
  if (rows.length > 0) await client.query(`alter table ${inGroup(table, shard)} enable row level security`);
}

/** Copies rows between databases, or tables of one; they pass through this process as JSON. */
async function copyRows(
  from: Client,
  to: Client,
  {
    source,
    target,
    where = 'true',
  }: { readonly source: string; readonly target: string; readonly where?: string },
): Promise<void> {
  const { rows } = await from.query<{ row: string }>(
    `select to_jsonb(t)::text as row from ${source} t where ${where}`,
  );
  await to.query(
    `insert into ${target} overriding system value
     select x.* from unnest($1::jsonb[]) as row, jsonb_populate_record(null::${target}, row) as x`,
    [rows.map(({ row }) => row)],
  );
}

/** Puts the rows of a migrated database into the shards of its two nodes. */
async function distributeRows(first: Client, second: Client): Promise<readonly DistributedTable[]> {
  const tables = await rowsOf<DistributedTable>(first, TABLES);
  for (const [index, node] of [first, second].entries()) {
    const { shard, least, most } = GROUPS[index === 0 ? 0 : 1];
    for (const { name, column } of tables) {
      await makeShard(node, name, shard);
      const where = `hashint4(t.${column}) between ${least} and ${most}`;
      await copyRows(first, node, { source: `andiron.${name}`, target: inGroup(name, shard), where });
    }
  }
  for (const table of WHOLE) {
    // The coordinator changes its own table, and the node there reads it by the name of its shard.
    await first.query(
      `create view ${inGroup(table, WHOLE_SHARD)} with (security_barrier) as table andiron.${table}`,
    );
    await makeShard(second, table, WHOLE_SHARD);
    await copyRows(first, second, { source: `andiron.${table}`, target: inGroup(table, WHOLE_SHARD) });
  }
  // A statement of a tenant that is sent to the coordinator by mistake finds nothing; the base resources stay, as a start looks there.
  await first.query('set session_replication_role = replica');
  for (const { name, column } of tables)
    await first.query(`delete from andiron.${name} where ${column} >= ${LEAST_NUMBER}`);
  await first.query('reset session_replication_role');
  return tables;
}

async function fillCatalogue(
  client: Client,
  own: number,
  nodes: readonly StoppableAddress[],
  tables: readonly DistributedTable[],
): Promise<void> {
  await client.query(CATALOGUE);
  await client.query('insert into pg_dist_local_group values ($1)', [own]);
  for (const [index, { port }] of nodes.entries())
    await client.query(`insert into pg_dist_node values ($1, '127.0.0.1', $2, 'primary')`, [index + 1, port]);
  for (const [index, { shard }] of GROUPS.entries())
    await client.query('insert into pg_dist_placement values ($1, 1, $2)', [shard, index + 1]);
  await client.query('insert into pg_dist_placement values ($1, 1, 1), ($1, 1, 2)', [WHOLE_SHARD]);
  for (const name of [...tables.map((table) => table.name), ...WHOLE])
    await client.query(`insert into pg_dist_partition values ($1::regclass)`, [`andiron.${name}`]);
  for (const { name } of tables)
    for (const { shard, least, most } of GROUPS)
      await client.query('insert into pg_dist_shard values ($1::regclass, $2, $3, $4)', [
        ...[`andiron.${name}`, shard, String(least), String(most)],
      ]);
  for (const table of WHOLE)
    await client.query('insert into pg_dist_shard values ($1::regclass, $2, null, null)', [
      ...[`andiron.${table}`, WHOLE_SHARD],
    ]);
}

/** Two nodes with some tenants. Cost: two servers, some seconds. */
export async function startStubNodes(tenants: readonly string[]): Promise<StubNodes> {
  const servers = await Promise.all([startPreparedPostgres(false), startPreparedPostgres(false)]);
  const name = `andiron_nodes_${process.pid}_${randomBytes(4).toString('hex')}`;
  for (const { server } of servers)
    await runOnServer(server, `create database "${name}" template "${PREPARED_TEMPLATE}"`);
  const [first, second] = await Promise.all(
    servers.map(async ({ server }): Promise<StubNode> => ({
      ...(await openStoppableAddress(server)),
      settings: { ...server, database: name },
    })),
  );
  if (first === undefined || second === undefined) throw new Error('two servers were started');
  const nodes = [first, second] as const;
  const database: TestDatabase = {
    ...toAddress(first.settings),
    drop: closedAtEnd(async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      await Promise.all(servers.map((server) => server.stop()));
    }),
  };
  const { code, errors } = await runHere(['tenant', 'create', ...tenants], {
    environment: toEnvironment(database),
  });
  if (code !== 0) throw new Error(errors);
  const tables = await onBoth(nodes, async (one, other) => {
    const distributed = await distributeRows(one, other);
    await fillCatalogue(one, 1, nodes, distributed);
    await fillCatalogue(other, 2, nodes, distributed);
    return distributed;
  });
  return {
    ...database,
    nodes,
    groups: GROUPS,
    place: ({ shard }, node) =>
      onBoth(nodes, async (...clients) => {
        const { rowCount } = await clients[node].query('select where to_regclass($1) is null', [
          inGroup('resource', shard),
        ]);
        if (rowCount === 1)
          for (const { name: table } of tables) {
            await makeShard(clients[node], table, shard);
            const both = { source: inGroup(table, shard), target: inGroup(table, shard) };
            await copyRows(clients[node === 0 ? 1 : 0], clients[node], both);
          }
        for (const client of clients)
          await client.query('update pg_dist_placement set groupid = $2 where shardid = $1', [
            shard,
            node + 1,
          ]);
      }),
  };
}

function onBoth<T>(
  [first, second]: StubNodes['nodes'],
  work: (one: Client, other: Client) => Promise<T>,
): Promise<T> {
  return withClient(first.settings, (one) => withClient(second.settings, (other) => work(one, other)));
}
