#!/usr/bin/env node
/**
 * `node bench/export.mjs`: one export of many resources, its rate beside `COPY` of the same rows by psql, the memory of the server, and
 * the times of reads beside it. See docs/understand/benchmark.md. Build first: the bench runs dist.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { round } from './drive.mjs';
import { loadGenerated, provideData, readGenerated } from './load.mjs';
import { multiply } from './multiply.mjs';
import { startPostgres } from './postgres.mjs';
import { runBench } from './processes.mjs';
import { ROOT, startAndironServer, startRedis } from './servers.mjs';

const USAGE = `node bench/export.mjs [options]
  --patients N   patients to load (500 = 32,291 resources)
  --copies N     the database then holds the same N times over (37 = 1.2 million resources)
  --address A    what is exported ($export; or Patient/$export)
  --minutes M    give up after so long (60)
  psql must be on the PATH.`;
const { values } = parseArgs({
  options: {
    patients: { type: 'string', default: '500' },
    copies: { type: 'string', default: '37' },
    address: { type: 'string', default: '$export' },
    minutes: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const [patients, copies] = [values.patients, values.copies].map(Number);
const CLIENTS = 16;
const SPACE_OF =
  "select s.number from andiron.space s join andiron.tenant t on t.number = s.tenant where t.name = 'system' and s.release = 'r4' and s.kind = 'data'";
await runBench('export', run, Number(values.minutes));

async function run(folder) {
  const generated = readGenerated(provideData(), patients);
  const postgres = await startPostgres();
  const redis = await startRedis();
  const bench = { folder, postgres, clients: CLIENTS };
  let andiron = await startAndironServer(bench, { redisPort: redis?.port });
  const loaded = await loadGenerated(andiron.client, generated, CLIENTS);
  const [{ number: space }] = await postgres.query('andiron', SPACE_OF);
  if (copies > 1) await multiply((text) => postgres.query('andiron', text), { space, copies });
  await andiron.child.stop('SIGTERM', 8000);
  andiron = await startAndironServer(bench, { redisPort: redis?.port });

  const quiet = await timeReads(andiron.client, loaded.patientIds, { seconds: 5 });
  const copied = await timeCopy(postgres.url('andiron'), space);
  console.log(
    `COPY: ${copied.rows} rows, ${round(copied.bytes / 1e6, 0)} MB in ${round(copied.seconds, 1)} s`,
  );
  const end = { isOver: false };
  const beside = timeReads(andiron.client, loaded.patientIds, { end });
  const exported = await timeExport(andiron.base);
  end.isOver = true;
  const { rows, bytes, firstPass, seconds } = exported;
  console.log(
    `export: first pass ${round(firstPass, 1)} s, ${rows} lines, ${round(bytes / 1e6, 0)} MB, ${round(seconds, 1)} s in all`,
  );
  const rate = (measured) => measured.rows / measured.seconds;
  console.log(`rate beside COPY: ${round(rate(exported) / rate(copied), 3)}`);
  console.log(`reads: p99 ${quiet.p99} ms alone, ${(await beside).p99} ms beside the export`);
  console.log(`memory of the server at most ${peakMegabytes(andiron.serverPid)} MB`);
  return rows === copied.rows;
}

/** Copies the current versions as psql writes them. */
async function timeCopy(url, space) {
  const query = `copy (select v.body from andiron.resource h join andiron.resource_version v
    on v.space = h.space and v.resource_type = h.resource_type and v.resource_key = h.resource_key and v.version = h.version
    where h.space = ${space} and not h.deleted) to stdout`;
  const begun = performance.now();
  const psql = spawn('psql', [url, '-qXc', query], { stdio: ['ignore', 'pipe', 'inherit'] });
  const measured = await countLines(psql.stdout);
  return { ...measured, seconds: (performance.now() - begun) / 1000 };
}

/** Makes an export and reads its files one after the other. */
async function timeExport(base) {
  const begun = performance.now();
  const headers = { prefer: 'respond-async' };
  const { headers: accepted } = await fetch(`${base}${ROOT}/${values.address}`, { headers });
  const job = accepted.get('content-location');
  let answer = await fetch(job);
  while (answer.status === 202 || answer.status === 429) {
    await answer.arrayBuffer();
    await setTimeout(1000);
    answer = await fetch(job);
  }
  const firstPass = (performance.now() - begun) / 1000;
  const total = { rows: 0, bytes: 0 };
  for (const { url, count } of (await answer.json()).output) {
    const { rows, bytes } = await countLines(await open(url));
    if (rows !== count) throw new Error(`${url} has ${rows} lines instead of ${count}`);
    total.rows += rows;
    total.bytes += bytes;
  }
  return { ...total, firstPass, seconds: (performance.now() - begun) / 1000 };
}

/** The body of an answer, as it arrives: `fetch` would copy each piece. */
function open(url) {
  return new Promise((resolve, reject) => get(url, resolve).once('error', reject));
}

async function countLines(stream) {
  let [rows, bytes] = [0, 0];
  for await (const chunk of stream) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++;
  }
  return { rows, bytes };
}

/** One client reads Patients, for some seconds or until the end. */
async function timeReads(client, ids, { seconds = Infinity, end = { isOver: false } }) {
  const took = [];
  const last = performance.now() + seconds * 1000;
  while (!end.isOver && performance.now() < last) {
    const begun = performance.now();
    const id = ids[Math.floor(Math.random() * ids.length)];
    const { status } = await client.send({ method: 'GET', path: `/Patient/${id}` }, true);
    if (status !== 200) throw new Error(`a read is answered ${status}`);
    took.push(performance.now() - begun);
    await setTimeout(2);
  }
  took.sort((a, b) => a - b);
  return { p99: round(took[Math.floor(took.length * 0.99)] ?? NaN, 2) };
}

/** The most memory that the process has had, on Linux. */
function peakMegabytes(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}
