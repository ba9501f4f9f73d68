#!/usr/bin/env node
/**
 * `npm run bench:access`: the cost of tokens, scopes and audit. The same server runs in several modes, each over a copy of
 * one database. The driver sends requests to them in turn; the other processes are stopped meanwhile. It measures the
 * processor time of the server and of PostgreSQL for each request. The AuditEvent that a request of `audited` makes later is
 * measured at the end. `again` is `open` once more and shows the difference between equal modes. `audited@FOLDER` is a mode
 * of another built checkout. With `--one-process` all modes are servers of one process, because processes of the same
 * program differ by more than the measured effects. Build first: the bench runs dist.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { URLSearchParams } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { connectProfiler, summariseProfile } from './profile.mjs';
import { createClient } from './drive.mjs';
import { loadGenerated, provideData, readGenerated, readImports } from './load.mjs';
import { startPostgres } from './postgres.mjs';
import { findFreePort, pause, readDatabaseCpuMs, readTreeCpuMs, repository, runBench } from './processes.mjs';
import { ROOT, startAndironServer, startAndironServersInOne, startRedis } from './servers.mjs';
import { makeWorkloads } from './workloads.mjs';

const { values: options } = parseArgs({
  options: {
    modes: { type: 'string', default: 'open,again,enforced,writes,audited' },
    // The first two for each mode and test, the last for a turn.
    each: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '1.5' },
    'at-once': { type: 'boolean', default: false },
    'one-process': { type: 'boolean', default: false },
    'warm-up': { type: 'string', default: '4' },
    clients: { type: 'string', default: '8' },
    patients: { type: 'string', default: '60' },
    only: { type: 'string', default: 'read,search-subject,create-observation,update,patch,graphql' },
    profile: { type: 'boolean', default: false },
  },
});
const clients = Number(options.clients);
const isOneProcess = options['one-process'];
const OPEN = { AUTH_MODE: 'open', AUDIT: 'off' };
const MODES = {
  open: OPEN,
  again: OPEN,
  enforced: { AUTH_MODE: 'enforced', AUDIT: 'off' },
  writes: { AUTH_MODE: 'enforced', AUDIT: 'writes' },
  audited: { AUTH_MODE: 'enforced', AUDIT: 'on' },
};
/** Time in which records arrive. */
const BEHIND_MS = 15;
const SCOPES = 'user/Practitioner.rs system/*.cruds';
let started = 0;
await runBench('access', run);

async function run(folder) {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const parts = { folder, postgres, redisPort: redis?.port ?? (await findFreePort()) };
  const makeLoaded = await load(parts);
  const modes = options.modes.split(',');
  const sides = isOneProcess ? await startModesInOne(modes, parts, makeLoaded) : [];
  if (!isOneProcess) for (const mode of modes) sides.push(await startMode(mode, parts, makeLoaded));

  for (const side of sides) rest(side);
  console.log(
    '| test | mode | requests/s | by turns | server ms | PostgreSQL ms | together | against the first |\n|---|---|---|---|---|---|---|---|',
  );
  for (const name of options.only.split(',')) await measure(name, sides);
  const audited = sides.find(({ mode }) => mode === 'audited');
  if (audited !== undefined) await measureEvents(audited, postgres);
  for (const side of sides) wake(side);
}

/** Fills a database that is copied for all sides. @returns a function that makes the workloads for one more client */
async function load(parts) {
  const dataFolder = provideData();
  const generated = readGenerated(dataFolder, Number(options.patients));
  const imports = readImports(dataFolder);
  const loader = await startSide({ ...parts, name: 'loaded', mode: 'open' });
  const { patientIds } = await loadGenerated(loader.client, generated, clients);
  await loader.child.stop('SIGTERM', 8000);
  await parts.postgres.query('loaded', 'vacuum (freeze, analyze)');
  const { patients } = generated;
  return () => makeWorkloads({ patients, andironIds: patientIds, limitIds: [], clients, imports });
}

/** @param {string} wanted a mode, or mode@folder of another checkout */
async function startMode(wanted, parts, makeLoaded) {
  const [mode, checkout = repository] = wanted.split('@');
  if (MODES[mode] === undefined) throw new Error(`no mode is named ${mode}`);
  const database = `side_${++started}`;
  const side = await startSide({
    ...parts,
    ...{ name: database, mode, template: 'loaded' },
    checkout: path.resolve(checkout),
  });
  return { ...side, name: wanted, mode, database, workloads: makeLoaded() };
}

/** Does the same as `startMode` for each mode, in one process. */
async function startModesInOne(modes, { folder, postgres, redisPort }, makeLoaded) {
  const given = modes.map((mode) => {
    if (MODES[mode] === undefined) throw new Error(`no mode is named ${mode}`);
    const environment = { ACCESS_TOKEN_SECONDS: '3600', ...MODES[mode] };
    return { name: `side_${++started}`, template: 'loaded', environment };
  });
  const nodeArguments = options.profile ? ['--inspect=127.0.0.1:0'] : [];
  const servers = await startAndironServersInOne({ folder, postgres, clients }, given, {
    redisPort,
    nodeArguments,
  });
  const sides = [];
  for (const [place, server] of servers.entries()) {
    const mode = modes[place];
    const client = await clientOf(server, mode, postgres);
    sides.push({ ...server, client, name: mode, mode, workloads: makeLoaded() });
  }
  return sides;
}

/** Stops the process of a side that gets no requests, unless it shares the process with others. */
function rest({ serverPid }) {
  if (!isOneProcess) process.kill(serverPid, 'SIGSTOP');
}

function wake({ serverPid }) {
  if (!isOneProcess) process.kill(serverPid, 'SIGCONT');
}

/**
 * Runs the sides in turn, forwards and backwards; with `--at-once` all at the same time, so that other load of the machine
 * affects all of them. The processor time is that of all turns of a side; a stopped side needs none. A warm-up before lets
 * the compiler finish.
 */
async function measure(test, sides) {
  const seconds = Number(options.seconds);
  const groups = options['at-once'] ? [sides] : sides.map((side) => [side]);
  for (const side of sides) side.totals = { requests: 0, rates: [], server: 0, postgres: 0 };
  const each = async (inOrder, run) => {
    for (const group of inOrder) await Promise.all(group.map(run));
  };
  await each(groups, (side) => take(test, side, Number(options['warm-up'])));
  for (let turn = 0; turn * seconds < Number(options.each); turn++)
    await each(inTurn(groups, turn), async (side) => {
      const before = readUsage(side);
      const { requests, took } = await take(test, side, seconds);
      // In one process, work of this server after its responses would count for the next one.
      if (isOneProcess) await pause(BEHIND_MS);
      const after = readUsage(side);
      side.totals.requests += requests;
      side.totals.rates.push((1000 * requests) / took);
      side.totals.server += after.server - before.server;
      // Less than before: a connection has ended in this turn, and its processor time is lost.
      side.totals.postgres += after.postgres < before.postgres ? NaN : after.postgres - before.postgres;
    });
  for (const side of sides) {
    const { requests, server, postgres } = side.totals;
    side.cost = { server: server / requests, postgres: postgres / requests };
  }
  if (options.profile) for (const side of sides) await profile(test, side);
  const [first] = sides;
  const format = (value) => (Number.isNaN(value) ? 'unknown' : value.toFixed(4));
  const against = (value) => (Number.isNaN(value) ? 'unknown' : `${((value - 1) * 100).toFixed(1)} %`);
  const together = ({ cost }) => cost.server + cost.postgres;
  for (const side of sides) {
    const rates = side.totals.rates.map((rate, turn) => rate / first.totals.rates[turn]);
    const cells = [
      median(side.totals.rates).toFixed(0),
      against(median(rates)),
      format(side.cost.server),
      format(side.cost.postgres),
      format(together(side)),
      against(together(side) / together(first)),
    ];
    console.log(`| ${test} | ${side.name} | ${cells.join(' | ')} |`);
  }
}

/** Forwards, backwards, and beginning with another side each time, so that no side always comes after a change. */
function inTurn(groups, turn) {
  const from = Math.floor(turn / 2) % groups.length;
  const rotated = [...groups.slice(from), ...groups.slice(0, from)];
  return turn % 2 === 0 ? rotated : rotated.reverse();
}

/** Sends requests to one side for some seconds, and stops it after the last response. @returns requests, and their milliseconds */
async function take(test, side, seconds) {
  const workload = side.workloads.find(({ name }) => name === test);
  if (workload === undefined) throw new Error(`no test is named ${test}`);
  wake(side);
  await workload.prepare?.(side.client, seconds);
  let requests = 0;
  const start = performance.now();
  const end = start + 1000 * seconds;
  const work = async (worker) => {
    while (performance.now() < end) {
      const request = workload.andiron(worker);
      const { status, text } = await side.client.send(request);
      if (status !== request.expected) throw new Error(`${test} ${side.name}: ${status} ${text}`);
      requests++;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, worker) => work(worker)));
  const took = performance.now() - start;
  rest(side);
  return { requests, took };
}

function readUsage({ serverPid, postgresPid, database }) {
  return { server: readTreeCpuMs(serverPid), postgres: readDatabaseCpuMs(postgresPid, database) };
}

async function profile(test, side) {
  wake(side);
  const profiler = await connectProfiler(side.logFile);
  await profiler.start();
  const { requests } = await take(test, side, Number(options.each) / 4);
  wake(side);
  const recorded = await profiler.stop();
  rest(side);
  const file = path.join(os.tmpdir(), `access-${test}-${side.mode}.cpuprofile`);
  fs.writeFileSync(file, JSON.stringify(recorded));
  console.log(`${test} ${side.name} (${file})\n${summariseProfile(recorded, requests)}\n`);
}

/** Measures the creation of the waiting AuditEvents, without requests. */
async function measureEvents(side, postgres) {
  const waiting = async () => {
    const [{ count }] = await postgres.query(
      side.database,
      'select coalesce(sum(records), 0)::int as count from andiron.access_record',
    );
    return count;
  };
  const before = await waiting();
  const cpu = () => readTreeCpuMs(side.serverPid) + readTreeCpuMs(side.postgresPid);
  const started = cpu();
  wake(side);
  await pause(6_000);
  const made = before - (await waiting());
  rest(side);
  console.log(
    `\nAn AuditEvent, made when there is time: ${((cpu() - started) / made).toFixed(3)} ms (${made} made, ${before} waited)`,
  );
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Starts a server in one of the modes over a database of that name, with a client of the driver. */
async function startSide({ name, mode, checkout, template, folder, postgres, redisPort }) {
  const environment = MODES[mode];
  const side = await startAndironServer(
    { folder, postgres, clients },
    {
      name,
      template,
      checkout,
      redisPort,
      nodeArguments: options.profile ? ['--inspect=127.0.0.1:0'] : [],
      environment: { ACCESS_TOKEN_SECONDS: '3600', ...environment },
    },
  );
  return { ...side, client: await clientOf({ ...side, name }, mode, postgres) };
}

/** Makes a client of the driver; with a token where one is needed. */
async function clientOf({ base, client, name }, mode, postgres) {
  if (MODES[mode].AUTH_MODE === 'open') return client;
  const authorization = await makeToken(postgres, name, base);
  return createClient(`${base}${ROOT}`, clients, authorization);
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
