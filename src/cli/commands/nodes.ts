import { loadSettings } from '../../config';
import type { DatabaseOptions, NodeState } from '../../core';
import type { Arguments, Command } from '../command';
import { JSON_OPTION, print } from '../output';
import { createStatusLine } from '../status-line';

const NOT_DISTRIBUTED =
  'The database is not distributed: npx --no-install andiron distribute does that where it has Citus';

const MEGABYTE = 1024 ** 2;

export const nodes: Command = {
  name: 'nodes',
  usage: '',
  summary:
    'Show the nodes of a distributed database, or let Citus even out their bytes; code 1 if one is away.',
  options: {
    rebalance: { type: 'boolean', help: 'move shard groups until the nodes have about as many bytes' },
    ...JSON_OPTION,
  },
  examples: [
    { line: 'andiron nodes', does: 'Print a line for each node: what it has, and whether it answers.' },
    { line: 'andiron nodes --json', does: 'Print them for a program.' },
    {
      line: 'andiron nodes --rebalance',
      does: 'Use a new node, after select citus_add_node on the coordinator.',
    },
  ],
  async run(given) {
    const { databaseOptions } = await import('../../app.js');
    const database = databaseOptions(loadSettings(process.env));
    if (given.options['rebalance'] === true) await rebalance(database, given);
    await show(database, given);
  },
};

async function rebalance(database: DatabaseOptions, given: Arguments): Promise<void> {
  const core = await import('../../core/index.js');
  const isJson = given.options['json'] === true;
  const isStarted = await core.startRebalance(database);
  if (isStarted === undefined) throw new Error(NOT_DISTRIBUTED);
  if (!isStarted) {
    if (!isJson) process.stdout.write('The nodes are even: no shard group is moved\n');
    return;
  }
  const status = createStatusLine(process.stdout, !isJson);
  const began = performance.now();
  let moved = 0;
  const state = await core.followRebalance(database, (progress) => {
    moved = progress.moved;
    const [copied, bytes] = [progress.copied, progress.bytes].map((each) => Math.round(each / MEGABYTE));
    status.show(
      `${moved} of ${progress.moves} shard groups moved; ${copied} of ${bytes} MB of the next ones`,
    );
  });
  status.clear();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (state !== 'finished')
    throw new Error(
      `The rebalancing is ${state} after ${moved} moves: select * from citus_rebalance_status() on the coordinator says why`,
    );
  if (!isJson) process.stdout.write(`Moved ${moved} shard groups in ${seconds} s\n`);
}

async function show(database: DatabaseOptions, given: Arguments): Promise<void> {
  const { listNodes } = await import('../../core/index.js');
  const all = await listNodes(database);
  if (all === undefined) throw new Error(NOT_DISTRIBUTED);
  print(given, { nodes: all.map(toDocument) }, toTable(all));
  if (all.some(({ fault }) => fault !== undefined)) process.exitCode = 1;
}

function toDocument({ address, role, groups, tenants, bytes, fault }: NodeState): object {
  return { address, role, groups, tenants, bytes, fault };
}

const HEAD = ['node', 'role', 'groups', 'tenants', 'MB', 'state'];

function toTable(all: readonly NodeState[]): readonly string[] {
  const rows = [
    HEAD,
    ...all.map(({ address, role, groups, tenants, bytes, fault }) => [
      ...[address, role, String(groups), String(tenants)],
      bytes === undefined ? '-' : String(Math.round(bytes / MEGABYTE)),
      fault === undefined ? 'answers' : `away: ${fault}`,
    ]),
  ];
  const widths = HEAD.map((_name, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
