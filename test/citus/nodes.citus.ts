/** A database is distributed, and its nodes are shown. */
import { spawn } from 'node:child_process';
import { andiron, createCitusDatabase, type CitusDatabase } from '../support/citus';
import { runHere } from '../support/command-here';
import { toEnvironment } from '../support/environment';
import { eventually } from '../support/eventually';
import { CLI } from '../support/run-command';
import { runOnServer, withClient } from '../support/services';

/** The least number of shard groups that the command takes: each makes the tables of a group. */
const GROUPS = '32';

const countsOf = (database: CitusDatabase): Promise<unknown> =>
  withClient(database.settings, async (client) => {
    const { rows } = await client.query(
      `select (select count(*)::int from andiron.resource) as resources,
              (select count(*)::int from andiron.token_index) as tokens,
              (select count(*)::int from andiron.change_counter) as counters,
              (select count(*)::int from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
               where c.relnamespace = 'andiron'::regnamespace) as distributed`,
    );
    return rows[0];
  });

describe('andiron distribute', () => {
  let database: CitusDatabase;
  beforeAll(async () => {
    database = await createCitusDatabase({ tenants: ['acme'], hasNodes: false });
  });
  afterAll(() => database.drop());

  const refusal = async (...words: readonly string[]): Promise<string> => {
    const { code, output, errors } = await runHere(['distribute', ...words], {
      environment: toEnvironment(database),
    });
    expect({ code, output }).toEqual({ code: 1, output: '' });
    return errors;
  };

  it('says that the database has no worker node', async () => {
    expect(await refusal()).toBe(
      "andiron: The database has no worker node: run on the coordinator select citus_add_node('HOST', PORT) for each\n",
    );
  });

  it('says which node does not answer', async () => {
    for (const { address } of database.nodes)
      await runOnServer(database.settings, `select citus_add_node('127.0.0.1', ${address.split(':')[1]})`);
    const [, second] = database.nodes;
    await second?.stop();
    try {
      expect(await refusal()).toContain(
        `The node ${second?.address} cannot be used with the user and password`,
      );
    } finally {
      await second?.start();
    }
  });

  it('refuses while a server process runs', async () => {
    await runOnServer(
      database.settings,
      `insert into andiron.server_process (id, beat, forgotten) values ('running', now(), 0)`,
    );
    expect(await refusal()).toBe(
      'andiron: 1 server processes use the database: stop all, and try again after 15 seconds\n',
    );
    await runOnServer(database.settings, `delete from andiron.server_process where id = 'running'`);
  });

  it('refuses large content of a tenant with old numbers in a bucket', async () => {
    await runOnServer(
      database.settings,
      `insert into andiron.content (space, id, store)
       select s.number, gen_random_uuid(), 'bucket' from andiron.space s join andiron.tenant t on t.number = s.tenant
       where t.name = 'system' limit 1`,
    );
    expect(await refusal()).toBe(
      'andiron: Large content of system is in a folder or bucket under old numbers: export, delete and import these tenants first\n',
    );
    await runOnServer(database.settings, `delete from andiron.content; delete from andiron.content_removal`);
  });

  it('leaves the database as it was when it is killed', async () => {
    const before = await countsOf(database);
    const child = spawn(process.execPath, [CLI, 'distribute', '--shards', GROUPS], {
      env: { PATH: process.env['PATH'], ...toEnvironment(database) },
      stdio: 'ignore',
    });
    // A transaction has begun to make shards.
    const isAtWork = (): Promise<boolean> =>
      withClient(database.settings, async (client) => {
        const { rows } = await client.query<{ found: boolean }>(
          `select exists (select from pg_stat_activity where datname = current_database()
             and query like '%create_distributed_table(%' and pid <> pg_backend_pid()) as found`,
        );
        return rows[0]?.found === true;
      });
    await eventually(isAtWork);
    child.kill('SIGKILL');
    // The session ends with its next answer to the command.
    await eventually(async () => !(await isAtWork()), 300_000);
    expect(await countsOf(database)).toEqual(before);
    expect(before).toMatchObject({ distributed: 0 });
  });

  it('distributes all tables, with as many rows as before, and only once', async () => {
    const before = await countsOf(database);
    const output = await andiron(database, ['distribute', '--shards', GROUPS]);
    expect(output).toMatch(
      /^Distributed \d+ tables into 32 shard groups in [\d.]+ s: each has as many rows as before, \d+ in all\n$/,
    );
    const after = await countsOf(database);
    expect(after).toEqual({ ...(before as object), distributed: expect.any(Number) });
    expect(await refusal()).toBe(
      'andiron: The database is distributed already: npx --no-install andiron nodes shows its nodes\n',
    );
    const tenants = await andiron(database, ['tenant', 'list']);
    for (const line of tenants.trimEnd().split('\n'))
      expect(database.nodes.some(({ address }) => line.endsWith(`  ${address}`))).toBe(true);
  });

  it('lists the nodes with what each has', async () => {
    const { nodes } = JSON.parse(await andiron(database, ['nodes', '--json']));
    expect(nodes.map(({ role, groups }: { role: string; groups: number }) => [role, groups])).toEqual([
      ['coordinator', 0],
      ['worker', 16],
      ['worker', 16],
    ]);
    expect(nodes[1].tenants + nodes[2].tenants).toBe(2);
  });

  it('starts with an untested Citus only where the setting allows it', async () => {
    const { database: name } = database.settings;
    // Else Citus itself refuses a version that is not its own.
    await runOnServer(database.settings, `alter database "${name}" set citus.enable_version_checks = off`);
    const setVersion = (version: string): Promise<void> =>
      runOnServer(
        database.settings,
        `update pg_extension set extversion = '${version}' where extname = 'citus'`,
      );
    await setVersion('99.1-1');
    const environment = toEnvironment(database);
    const refused = await runHere(['tenant', 'list'], { environment });
    expect(refused.errors).toBe(
      'andiron: Citus 99.1 was not tried with this version of Andiron: it needs 13.2; ALLOW_UNTESTED_CITUS=true starts all the same\n',
    );
    const allowed = await runHere(['tenant', 'list'], {
      environment: { ...environment, ALLOW_UNTESTED_CITUS: 'true' },
    });
    expect(allowed).toMatchObject({ code: 0, errors: '' });
    await setVersion('13.2-1');
  });

  it('moves nothing while a node does not wait for the disk, because the last writes would be lost', async () => {
    const environment = toEnvironment(database);
    const [first, second] = database.nodes;
    const change = async (to: string): Promise<void> => {
      const statement = `alter database "${database.settings.database}" ${to}`;
      for (const { settings } of database.nodes)
        await runOnServer(settings, `set citus.enable_ddl_propagation = off; ${statement}`);
    };
    await change('set synchronous_commit = off');
    const lacking = /has synchronous_commit=off: a move of a tenant would lose what was written/;
    for (const words of [
      ...[first, second].map((node) => ['tenant', 'move', 'acme', '--to', node?.address ?? '']),
      ['nodes', '--rebalance'],
    ]) {
      const { output, errors } = await runHere(words, { environment });
      // The tenant is on one of the nodes already.
      if (!output.includes('already')) expect(errors).toMatch(lacking);
    }
    await change('reset synchronous_commit');
  });

  it('refuses to move unknown tenants and to unknown nodes', async () => {
    const environment = toEnvironment(database);
    const move = async (name: string, to: string): Promise<string> =>
      (await runHere(['tenant', 'move', name, '--to', to], { environment })).errors;
    expect(await move('amce', '127.0.0.1:1')).toBe(
      "andiron: The tenant 'amce' does not exist; did you mean acme?\n",
    );
    expect(await move('acme', '127.0.0.1:1')).toBe(
      `andiron: No node has the address 127.0.0.1:1: choose one of ${database.nodes.map(({ address }) => address).join(', ')}\n`,
    );
  });
});
