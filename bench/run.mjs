#!/usr/bin/env node
/**
 * `npm run bench`: compares Andiron with the limit server, on one PostgreSQL, with the same data and the same driver.
 * See docs/understand/benchmark.md. Build first: the bench runs dist.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createClient, driveRound } from './drive.mjs';
import { loadGenerated, provideData, readGenerated, readImports } from './load.mjs';
import { startPostgres } from './postgres.mjs';
import {
  findFreePort,
  isBenchEnding,
  pause,
  readResidentMegabytes,
  repository,
  runBench,
} from './processes.mjs';
import { connectProfiler, summariseHeap, summariseProfile } from './profile.mjs';
import { formatReport, summariseTest } from './report.mjs';
import { startAndironServer, startLimitServer, startRedis } from './servers.mjs';
import { makeWorkloads } from './workloads.mjs';

const USAGE = `node bench/run.mjs [options]
  --rounds N      rounds per test and server (5)
  --seconds S     length of a round (10), after --warmup S (1)
  --quick         3 rounds of 3 s, warm-up 0.5 s
  --only a,b      only these tests: read search-name search-identifier search-subject search-code-sorted metadata graphql
                  create-patient create-observation update patch delete import; or a prefix such as search
  --clients N     concurrent clients (16)
  --workers N     worker processes of Andiron (1)
  --patients N    patients to load (500 = 32,191 resources)
  --log-ready     2.5 GB of PostgreSQL's log go into files that are there already, as where it has written for a while
  --profile name  one test, one round, with a CPU profile of the server
  --kept name     one test, one round: objects of the server that outlive V8's young generation, by allocation site
  --target URL    drive this FHIR base address instead of a server of our own; 'limit': a second limit server
  --minutes M     give up after so long (60)
  --write         write docs/bench also for a partial run (--quick, --only, --target …)`;

const options = readOptions();
await runBench('whole', run, options.minutes);

async function run(folder) {
  const environment = describeEnvironment();
  const dataFolder = provideData();
  const generated = readGenerated(dataFolder, options.patients);

  const postgres = await startPostgres();
  environment.postgres = postgres.version;
  const redis = options.target ? undefined : await startRedis();
  environment.hasRedis = redis !== undefined;
  console.log(
    `PostgreSQL ${postgres.version}, Redis ${redis ? 'running' : 'absent'}, Node ${process.version}`,
  );

  const bench = { folder, postgres, clients: options.clients };
  const andiron = await startAndiron(bench, redis);
  const memory = { startMs: andiron.startMs };
  if (andiron.serverPid) {
    await pause(3000);
    memory.idleMegabytes = Math.round(readResidentMegabytes(andiron.serverPid));
    console.log(`Andiron ready after ${andiron.startMs} ms, ${memory.idleMegabytes} MB`);
  }
  const metadataFile = path.join(folder, 'metadata.json');
  const metadata = await andiron.client.send({ method: 'GET', path: '/metadata' }, true);
  if (metadata.status !== 200) throw new Error(`metadata: ${metadata.status} ${metadata.text}`);
  fs.writeFileSync(metadataFile, metadata.text);
  const limit = await startLimitServer(bench, { metadataFile });

  const { load, size, patientIds, limitIds } = await loadBoth({ andiron, limit, generated, postgres });
  const workloads = makeWorkloads({
    patients: generated.patients,
    andironIds: patientIds,
    limitIds,
    clients: options.clients,
    imports: readImports(dataFolder),
  });
  const chosen = workloads.filter(
    ({ name }) => options.only.length === 0 || options.only.some((only) => name.startsWith(only)),
  );
  if (chosen.length === 0) throw new Error(`no test is named ${options.only}\n${USAGE}`);
  // The texts of the load are not needed any more; a small heap keeps the driver's pauses short.
  generated.bundles = [];

  if (options.isInspected) {
    await inspectTest(andiron, chosen[0]);
    return true;
  }
  const tests = [];
  for (const workload of chosen) tests.push(await runTest(workload, { limit, andiron }));
  memory.peakMegabytes = Math.max(0, ...tests.map((test) => test.andiron?.peakMegabytes ?? 0));
  const result = { environment, memory, size, load, tests };
  const notes = [
    ...(options.target ? [`The part of Andiron was played by ${options.target}.`] : []),
    ...(options.isLogReady ? ['The files of the log were there before the rounds (--log-ready).'] : []),
  ];
  if (notes.length > 0) result.note = notes.join(' ');
  publish(result);
  return tests.every((test) => !test.failed && test.andiron.errors === 0 && test.limit.errors === 0);
}

/** The server under test as a side for the driver. */
async function startAndiron(bench, redis) {
  const { postgres } = bench;
  const nodeArguments = options.isInspected ? ['--inspect=127.0.0.1:0'] : [];
  if (options.target === 'limit') return startLimitServer(bench, { database: 'andiron', nodeArguments });
  if (options.target) {
    const client = createClient(options.target, options.clients);
    return { name: 'andiron', client, postgresPid: postgres.processId };
  }
  requireMain();
  const environment = {
    METRICS_ADDRESS: `127.0.0.1:${await findFreePort()}`,
    WORKERS: String(options.workers),
  };
  return startAndironServer(bench, { redisPort: redis?.port, nodeArguments, environment });
}

/** The program that is measured is the built one. */
function requireMain() {
  const main = path.join(repository, 'dist', 'src', 'main.js');
  if (!fs.existsSync(main)) throw new Error(`there is no ${main}: run npm run build first`);
  const isNewer = fs
    .readdirSync(path.join(repository, 'src'), { recursive: true, withFileTypes: true })
    .some(
      (entry) =>
        entry.isFile() &&
        fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs >
          fs.statSync(main).mtimeMs,
    );
  if (isNewer) console.log('warning: src is newer than dist; npm run build?');
}

/** Fills both databases and measures the growth of Andiron's, without the base conformance resources. */
async function loadBoth({ andiron, limit, generated, postgres }) {
  const measure = async () => {
    if (!andiron.database) return undefined;
    await postgres.query(andiron.database, 'vacuum (analyze)');
    return {
      bytes: await readDatabaseBytes(postgres, andiron.database),
      relations: await readRelationBytes(postgres, andiron.database),
    };
  };
  const before = await measure();
  const loadLimit = await loadGenerated(limit.client, generated, options.clients);
  const loaded = await loadGenerated(andiron.client, generated, options.clients);
  const after = await measure();
  await postgres.query('limit_bench', 'vacuum (analyze)');
  if (options.isLogReady) await postgres.readyLog();
  else await postgres.query('postgres', 'checkpoint');
  const load = {
    count: loaded.count,
    sentBytes: loaded.sentBytes,
    seconds: loaded.seconds,
    limitSeconds: loadLimit.seconds,
  };
  let size;
  if (after) {
    const earlier = new Map(before.relations.map(({ name, bytes }) => [name, bytes]));
    const grown = after.relations.map(({ name, bytes }) => ({
      name,
      bytes: bytes - (earlier.get(name) ?? 0),
    }));
    size = {
      baseBytes: before.bytes,
      loadedBytes: after.bytes,
      bytesPerResource: Math.round((after.bytes - before.bytes) / loaded.count),
      relations: grown.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes),
    };
  }
  const perSecond = (seconds) => Math.round(loaded.count / seconds);
  console.log(
    `loaded ${loaded.count} resources: Andiron ${perSecond(loaded.seconds)}/s, limit ${perSecond(loadLimit.seconds)}/s` +
      (size ? `; ${size.bytesPerResource} bytes of database each` : ''),
  );
  return { load, size, patientIds: loaded.patientIds, limitIds: loadLimit.patientIds };
}

async function readDatabaseBytes(postgres, database) {
  const [{ bytes }] = await postgres.query(database, 'select pg_database_size(current_database()) as bytes');
  return Number(bytes);
}

/** Returns the size of every table (its heap and TOAST) and index, without system catalogues. */
async function readRelationBytes(postgres, database) {
  const rows = await postgres.query(
    database,
    `select c.relname as name, case when c.relkind = 'i' then pg_relation_size(c.oid) else pg_table_size(c.oid) end as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'i', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}

/** Runs all rounds of one test, limit server and Andiron in turn. A wrong sample response fails the test before its rounds. */
async function runTest(workload, sides) {
  const { name, title, target, beside } = workload;
  const shape = {
    clients: options.clients,
    warmupSeconds: options.warmup,
    seconds: options.seconds,
  };
  try {
    await workload.verify?.(sides.andiron.client);
    const rounds = { limit: [], andiron: [] };
    for (let round = 0; round < options.rounds; round++) {
      const beside = workload.isBesideItself ? sides.andiron : sides.limit;
      rounds.limit.push(await driveRound(beside, workload.limit, shape));
      await workload.prepare?.(sides.andiron.client, options.warmup + options.seconds);
      const { clients = shape.clients } = workload;
      rounds.andiron.push(await driveRound(sides.andiron, workload.andiron, { ...shape, clients }));
    }
    const failures = [...rounds.limit, ...rounds.andiron].flatMap((round) => round.failures);
    const test = { ...summariseTest(workload, rounds), failures: mergeFailures(failures), rounds };
    console.log(
      `${name.padEnd(20)} ratio ${String(test.ratio).padEnd(6)} target ${String(target).padEnd(5)} ` +
        `${test.isReached ? 'reached' : 'NOT reached'}  ${test.andiron.rate}/s of ${test.limit.rate}/s  ` +
        `p50 ${test.andiron.p50} p99 ${test.andiron.p99} ms  CPU ${test.andiron.serverCpuMs} + ${test.andiron.postgresCpuMs} ms ` +
        `(limit ${test.limit.serverCpuMs} + ${test.limit.postgresCpuMs})`,
    );
    for (const failure of test.failures) {
      console.log(`    ${failure.kind} × ${failure.count}: ${failure.sample}`);
    }
    return test;
  } catch (error) {
    if (isBenchEnding()) throw error;
    console.log(`${name.padEnd(20)} FAILED ${error.message}`);
    return { name, title, target, beside, failed: error.message };
  }
}

function mergeFailures(failures) {
  const merged = new Map();
  for (const failure of failures) {
    const found = merged.get(failure.kind);
    if (found) found.count += failure.count;
    else merged.set(failure.kind, { ...failure });
  }
  return [...merged.values()];
}

async function inspectTest(andiron, workload) {
  if (!andiron.logFile) throw new Error('--profile and --kept need a server started by the bench');
  await workload.verify?.(andiron.client);
  await workload.prepare?.(andiron.client, options.warmup + options.seconds);
  const profiler = await connectProfiler(andiron.logFile);
  const shape = { clients: options.clients, seconds: options.seconds };
  if (workload.name !== 'delete') {
    await driveRound(andiron, workload.andiron, { ...shape, warmupSeconds: 0, seconds: options.warmup });
  }
  const measure = () => driveRound(andiron, workload.andiron, { ...shape, warmupSeconds: 0 });
  if (options.kept) {
    await profiler.startHeap();
    const { requests, rate, errors } = await measure();
    console.log(
      `${workload.title}: ${rate}/s under the profiler, ${errors} errors; bytes per request that outlive the young generation:\n`,
    );
    console.log(summariseHeap(await profiler.stopHeap(), requests));
    return;
  }
  await profiler.start();
  const round = await measure();
  const profile = await profiler.stop();
  const file = path.join(repository, 'bench', 'data', `${workload.name}.cpuprofile`);
  fs.writeFileSync(file, JSON.stringify(profile));
  console.log(
    `${workload.title}: ${round.rate}/s under the profiler, ${round.errors} errors; profile in ${file}\n`,
  );
  console.log(summariseProfile(profile, round.requests));
}

/** Prints the page; a full run is also written to docs/bench. */
function publish(result) {
  const page = formatReport(result);
  console.log(`\n${page}`);
  const { environment } = result;
  if (environment.isPartial && !options.write) {
    console.log('a partial run: docs/bench left as it is (--write writes it)');
    return;
  }
  const target = path.join(repository, 'docs', 'bench');
  fs.mkdirSync(target, { recursive: true });
  const file = path.join(target, `${environment.startedAt.slice(0, 10)}-${environment.commit}.json`);
  fs.writeFileSync(file, JSON.stringify(result, null, 1) + '\n');
  fs.writeFileSync(path.join(target, 'latest.md'), page);
  console.log(`raw results in ${path.relative(repository, file)}`);
}

function describeEnvironment() {
  const git = (...args) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
  const watched = ['src', 'migrations', 'definitions', 'bench', 'package-lock.json'];
  return {
    startedAt: new Date().toISOString(),
    commit: git('rev-parse', '--short=10', 'HEAD'),
    isDirty: git('status', '--porcelain', '--', ...watched) !== '',
    isPartial: options.isPartial,
    node: process.version,
    cores: os.cpus().length,
    processor: os.cpus()[0]?.model ?? 'unknown',
    memoryMegabytes: Math.round(os.totalmem() / 2 ** 20),
    loadAverage: os.loadavg(),
    clients: options.clients,
    rounds: options.rounds,
    seconds: options.seconds,
    warmupSeconds: options.warmup,
    patients: options.patients,
  };
}

function readOptions() {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        ...{
          rounds: text,
          seconds: text,
          warmup: text,
          clients: text,
          patients: text,
          minutes: text,
          workers: text,
        },
        ...{ only: text, profile: text, kept: text, target: text },
        ...{ quick: flag, write: flag, help: flag, 'log-ready': flag },
      },
    }));
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(1);
  }
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const count = (name, fallback) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (value > 0) return value;
    console.error(`--${name} must be a number above 0\n${USAGE}`);
    return process.exit(1);
  };
  const only = values.profile ?? values.kept ?? values.only;
  return {
    rounds: count('rounds', values.quick ? 3 : 5),
    seconds: count('seconds', values.quick ? 3 : 10),
    warmup: count('warmup', values.quick ? 0.5 : 1),
    clients: count('clients', 16),
    workers: count('workers', 1),
    patients: count('patients', 500),
    minutes: count('minutes', 60),
    only: only ? only.split(',') : [],
    kept: values.kept,
    isInspected: values.profile !== undefined || values.kept !== undefined,
    target: values.target,
    isLogReady: values['log-ready'] === true,
    write: values.write === true,
    isPartial: [
      'quick',
      'only',
      'profile',
      'kept',
      'target',
      'rounds',
      'seconds',
      'clients',
      'patients',
      'log-ready',
    ].some((name) => values[name] !== undefined),
  };
}
