#!/usr/bin/env node
/**
 * `npm run bench:graphql`: the query of three levels by one snapshot and by shared statements (GRAPHQL_SNAPSHOT_MS=0), two
 * servers over one database in turn, nothing remembered of searches. See docs/bench/graphql.md. Build first: the bench runs dist.
 */
import { parseArgs } from 'node:util';
import { driveRound } from './drive.mjs';
import { loadGenerated, provideData, readGenerated } from './load.mjs';
import { startPostgres } from './postgres.mjs';
import { runBench } from './processes.mjs';
import { startAndironServer, startRedis } from './servers.mjs';
import { makeGraphqlWorkloads } from './graphql-workloads.mjs';

const { values: options } = parseArgs({
  options: {
    patients: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
  },
});
const SIDES = [
  ['one snapshot', {}],
  ['shared statements', { GRAPHQL_SNAPSHOT_MS: '0' }],
];
const CLIENTS = [1, 8];
await runBench('graphql', run);

async function run(folder) {
  const data = provideData();
  const bench = { folder, postgres: await startPostgres(), clients: Math.max(...CLIENTS) };
  const redis = await startRedis();
  const sides = [];
  for (const [index, [title, environment]] of SIDES.entries()) {
    const started = await startAndironServer(bench, {
      name: `andiron${index}`,
      database: 'andiron',
      redisPort: redis?.port,
      environment: { SEARCH_MEMORY_MB: '0', ...environment },
    });
    sides.push({ ...started, title });
  }
  const [{ client }] = sides;
  const { patientIds } = await loadGenerated(
    client,
    readGenerated(data, Number(options.patients)),
    bench.clients,
  );
  await bench.postgres.query('andiron', 'vacuum (analyze)');
  const nested = makeGraphqlWorkloads({ patientIds, families: [], pickFrom }).find(
    ({ name }) => name === 'graphql-nested',
  );
  await nested.verify(client);
  console.log('| | clients | requests/s | ms of the server | ms of PostgreSQL |\n|---|---|---|---|---|');
  for (const clients of CLIENTS) {
    const rounds = new Map(sides.map(({ title }) => [title, []]));
    for (let round = 0; round < Number(options.rounds); round++)
      for (const side of sides) {
        const shape = { clients, warmupSeconds: 0.5, seconds: Number(options.seconds) };
        const result = await driveRound(side, nested.andiron, shape);
        if (result.errors > 0) throw new Error(JSON.stringify(result.failures));
        rounds.get(side.title).push(result);
      }
    for (const [title, results] of rounds) {
      const listed = (of, digits) => results.map((result) => of(result).toFixed(digits)).join(', ');
      const cells = [
        listed(({ rate }) => rate, 0),
        listed(({ serverCpuMs }) => serverCpuMs, 1),
        listed(({ postgresCpuMs }) => postgresCpuMs, 1),
      ];
      console.log(`| ${title} | ${clients} | ${cells.join(' | ')} |`);
    }
  }
}

function pickFrom(list) {
  return list[Math.floor(Math.random() * list.length)];
}
