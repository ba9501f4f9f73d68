#!/usr/bin/env node
/**
 * `npm run bench:graphql`: a query of three levels in one snapshot, and in batched statements (GRAPHQL_SNAPSHOT_MS=0). Two
 * servers over one database run in turn, without the search result cache. The table goes to docs/bench/graphql.md. Build
 * first: the bench runs dist.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { driveRound } from './drive.mjs';
import { loadGenerated, provideData, readGenerated } from './load.mjs';
import { startPostgres } from './postgres.mjs';
import { repository, runBench } from './processes.mjs';
import { median } from './report.mjs';
import { startAndironServer, startRedis } from './servers.mjs';
import { makeGraphqlWorkloads } from './graphql-workloads.mjs';

/** The size of a run whose table is written into the page; `--write` also writes that of a smaller one. */
const WHOLE = { patients: 100, rounds: 3, seconds: 3 };
const { values: options } = parseArgs({
  options: {
    patients: { type: 'string', default: String(WHOLE.patients) },
    rounds: { type: 'string', default: String(WHOLE.rounds) },
    seconds: { type: 'string', default: String(WHOLE.seconds) },
    write: { type: 'boolean', default: false },
  },
});
const isPartial = Object.entries(WHOLE).some(([name, whole]) => Number(options[name]) < whole);
const SIDES = [
  ['one snapshot', {}],
  ['shared statements', { GRAPHQL_SNAPSHOT_MS: '0' }],
];
const CLIENTS = [1, 8];
const HEAD = ['| | clients | requests/s | ms of the server | ms of PostgreSQL |', '|---|---|---|---|---|'];
/** The marks around the table in the page. */
const MARKS = ['<!-- made by npm run bench:graphql -->', '<!-- end of what bench:graphql made -->'];
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
      environment: { SEARCH_CACHE_MB: '0', ...environment },
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
  const lines = [describeRun(bench.postgres.version), '', ...(await describeCosts(sides, nested)), ...HEAD];
  const ratios = [];
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
      lines.push(`| ${title} | ${clients} | ${cells.join(' | ')} |`);
    }
    const [snapshot, shared] = [...rounds.values()].map((results) => median(results.map(({ rate }) => rate)));
    ratios.push(
      `${(snapshot / shared).toFixed(2)} with ${clients === 1 ? 'one client' : `${clients} clients`}`,
    );
  }
  lines.push('', `One snapshot has ${ratios.join(', ')} of the rate of shared statements (medians).`);
  publish(lines.join('\n'));
}

function describeRun(postgresVersion) {
  const git = (...args) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
  const processor = `${os.availableParallelism()} cores of ${os.cpus()[0]?.model ?? 'unknown'}`;
  return (
    `${new Date().toISOString().slice(0, 16)}Z, commit ${git('rev-parse', '--short=10', 'HEAD')}, Node.js ${process.versions.node}, ` +
    `PostgreSQL ${postgresVersion}, ${processor}; ${options.patients} patients, rounds of ${options.seconds} s, one figure for each round.`
  );
}

/** Returns the database usage of the query, as each side reports it. */
async function describeCosts(sides, nested) {
  const lines = [];
  for (const { client, title } of sides) {
    const request = nested.andiron();
    const body = JSON.stringify({ ...JSON.parse(request.body), extensions: { cost: true } });
    const { text } = await client.send({ ...request, body }, true);
    const { statements, rows } = JSON.parse(text).extensions.cost;
    lines.push(`${title}: ${statements} statements, ${rows} rows.`);
  }
  return [lines.join(' '), ''];
}

/** Prints the table; that of a whole run replaces the one in the page. */
function publish(table) {
  console.log(table);
  const file = path.join(repository, 'docs', 'bench', 'graphql.md');
  if (isPartial && !options.write) {
    console.log(`a partial run: ${path.relative(repository, file)} left as it is (--write writes it)`);
    return;
  }
  const page = fs.readFileSync(file, 'utf8');
  const [start, end] = MARKS.map((mark) => page.indexOf(mark));
  if (start < 0 || end < start) throw new Error(`${file} has no place for the table`);
  fs.writeFileSync(file, `${page.slice(0, start + MARKS[0].length)}\n\n${table}\n\n${page.slice(end)}`);
}

function pickFrom(list) {
  return list[Math.floor(Math.random() * list.length)];
}
