#!/usr/bin/env node
/**
 * `npm run bench:access`: what tokens, scopes and audit cost. The same server in three modes, each over a database of its own
 * with the same data, asked by the driver of the bench in turn; the processes that are not asked are stopped meanwhile, so
 * that none works at the cost of another. Processor time of the server and of PostgreSQL for each request; a request of `audited` also makes an
 * AuditEvent when there is time for it, which is measured at the end, by itself. Build first: the bench runs dist.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { URLSearchParams } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { connectProfiler, summariseProfile } from './profile.mjs';
import { createClient, driveRound } from './drive.mjs';
import { generate } from './generate.mjs';
import { loadGenerated, readGenerated, readImports } from './load.mjs';
import { startPostgres } from './postgres.mjs';
import {
  findFreePort,
  pause,
  readTreeCpuMs,
  repository,
  requireBuilt,
  startNode,
  stopAll,
  stopAtEnd,
  waitUntilReady,
} from './processes.mjs';
import { makeWorkloads } from './workloads.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '1.5' },
    clients: { type: 'string', default: '8' },
    patients: { type: 'string', default: '60' },
    only: { type: 'string', default: 'read,search-name,search-subject,create-observation' },
    profile: { type: 'boolean', default: false },
  },
});
const clients = Number(options.clients);
const MODES = [
  ['open', { AUTH_MODE: 'open', AUDIT: 'off' }],
  ['enforced', { AUTH_MODE: 'enforced', AUDIT: 'off' }],
  ['writes', { AUTH_MODE: 'enforced', AUDIT: 'writes' }],
  ['audited', { AUTH_MODE: 'enforced', AUDIT: 'on' }],
];
const SCOPES = 'user/Practitioner.rs system/*.cruds';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'andiron-bench-access-'));

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => finish(1));
try {
  await run();
  await finish(0);
} catch (error) {
  console.error(error);
  await finish(1);
}

async function finish(code) {
  await stopAll();
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

async function run() {
  const postgres = await startPostgres();
  const { findProgram, startEmbeddedRedis } = requireBuilt('embedded/redis.js');
  const program = await findProgram('redis-server');
  const redis = program && (await stopAtEnd(startEmbeddedRedis(program), (started) => started.stop()));
  const redisPort = redis?.port ?? (await findFreePort());
  const sides = [];
  for (const [name, environment] of MODES)
    sides.push(await startSide({ name, environment, postgres, redisPort }));

  const dataFolder = path.join(repository, 'bench', 'data');
  if (!fs.existsSync(path.join(dataFolder, 'patients.ndjson'))) generate({ folder: dataFolder });
  const generated = readGenerated(dataFolder, Number(options.patients));
  const imports = readImports(dataFolder);
  for (const side of sides) {
    const { patientIds } = await loadGenerated(side.client, generated, clients);
    await postgres.query(side.name, 'vacuum (analyze)');
    const { patients } = generated;
    side.workloads = makeWorkloads({ patients, andironIds: patientIds, limitIds: [], clients, imports });
  }

  for (const side of sides) process.kill(side.serverPid, 'SIGSTOP');
  console.log(
    '| test | mode | requests/s | server ms | PostgreSQL ms | together | against open |\n|---|---|---|---|---|---|---|',
  );
  for (const name of options.only.split(',')) await measure(name, sides);
  await measureEvents(sides.at(-1), postgres);
  for (const side of sides) process.kill(side.serverPid, 'SIGCONT');
}

/** The sides in turn; the first round of each is for the compiler. */
async function measure(test, sides) {
  const rounds = new Map(sides.map(({ name }) => [name, []]));
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const side of sides) {
      const workload = side.workloads.find(({ name }) => name === test);
      if (workload === undefined) throw new Error(`no test is named ${test}`);
      process.kill(side.serverPid, 'SIGCONT');
      const shape = { clients, warmupSeconds: 0.3, seconds: Number(options.seconds) };
      const profiler =
        options.profile && round === Number(options.rounds)
          ? await connectProfiler(path.join(folder, `${side.name}.log`))
          : undefined;
      await profiler?.start();
      const result = await driveRound(side, workload.andiron, shape);
      if (profiler !== undefined)
        console.log(`${test} ${side.name}\n${summariseProfile(await profiler.stop(), result.requests)}\n`);
      // What reads leave is on its way for 50 ms.
      await pause(150);
      process.kill(side.serverPid, 'SIGSTOP');
      if (result.errors > 0) throw new Error(`${test} ${side.name}: ${JSON.stringify(result.failures)}`);
      if (round > 0) rounds.get(side.name).push(result);
    }
  }
  const together = ({ serverCpuMs, postgresCpuMs }) => serverCpuMs + postgresCpuMs;
  const base = median(rounds.get('open').map(together));
  for (const { name } of sides) {
    const of = rounds.get(name);
    const cost = median(of.map(together));
    const cells = [
      median(of.map(({ rate }) => rate)).toFixed(0),
      median(of.map(({ serverCpuMs }) => serverCpuMs)).toFixed(3),
      median(of.map(({ postgresCpuMs }) => postgresCpuMs)).toFixed(3),
      cost.toFixed(3),
      `${((cost / base - 1) * 100).toFixed(1)} %`,
    ];
    console.log(`| ${test} | ${name} | ${cells.join(' | ')} |`);
  }
}

/** The making of AuditEvents of what waits, when nobody asks for anything. */
async function measureEvents(side, postgres) {
  const waiting = async () => {
    const [{ count }] = await postgres.query(
      side.name,
      'select coalesce(sum(records), 0)::int as count from andiron.access_record',
    );
    return count;
  };
  const before = await waiting();
  const cpu = () => readTreeCpuMs(side.serverPid) + readTreeCpuMs(side.postgresPid);
  const started = cpu();
  process.kill(side.serverPid, 'SIGCONT');
  await pause(6_000);
  const made = before - (await waiting());
  process.kill(side.serverPid, 'SIGSTOP');
  console.log(
    `\nAn AuditEvent, made when there is time: ${((cpu() - started) / made).toFixed(3)} ms (${made} made, ${before} waited)`,
  );
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** A server in one of the modes, with a client of its driver. */
async function startSide({ name, environment, postgres, redisPort }) {
  await postgres.createDatabase(name);
  const port = await findFreePort();
  const child = await startNode({
    name,
    args: [
      ...(options.profile ? ['--inspect=127.0.0.1:0'] : []),
      path.join(repository, 'dist', 'src', 'main.js'),
    ],
    folder,
    logName: `${name}.log`,
    env: {
      ...databaseEnvironment(postgres, name),
      REDIS_HOST: '127.0.0.1',
      REDIS_PORT: String(redisPort),
      PORT: String(port),
      METRICS_ADDRESS: 'off',
      ACCESS_TOKEN_SECONDS: '3600',
      ...environment,
    },
  });
  const base = `http://127.0.0.1:${port}`;
  const root = `${base}/w/system/api/v1/fhir/r4`;
  await waitUntilReady(child, async () => (await fetch(`${root}/metadata`)).ok, 120_000);
  const authorization = environment.AUTH_MODE === 'open' ? undefined : await makeToken(postgres, name, base);
  const client = createClient(root, clients, authorization);
  return { name, client, serverPid: child.processId, postgresPid: postgres.processId };
}

async function makeToken(postgres, database, base) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['dist/src/cli.js', 'client', 'create', '--tenant', 'system', '--name', 'Bench', '--scopes', SCOPES],
    { cwd: repository, env: { ...process.env, ...databaseEnvironment(postgres, database) } },
  );
  const [, id] = /^client_id=(.+)$/m.exec(stdout) ?? [];
  const [, secret] = /^client_secret=(.+)$/m.exec(stdout) ?? [];
  const answer = await fetch(`${base}/w/system/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  });
  const { access_token: token } = await answer.json();
  if (token === undefined) throw new Error(`no token: ${answer.status}`);
  return `Bearer ${token}`;
}

function databaseEnvironment(postgres, database) {
  return {
    FHIR_DATABASE_HOST: '127.0.0.1',
    FHIR_DATABASE_PORT: String(postgres.port),
    FHIR_DATABASE_NAME: database,
    FHIR_DATABASE_USERNAME: 'postgres',
    FHIR_DATABASE_PASSWORD: postgres.password,
  };
}
