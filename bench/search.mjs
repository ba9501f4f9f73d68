#!/usr/bin/env node
/**
 * `npm run bench:search`: each shape of search by itself, and a blended mix compared with the limit server, with the loaded
 * patients and with copies of them. See docs/understand/benchmark.md. Build first: the bench runs dist.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { driveRound, round } from './drive.mjs';
import { loadGenerated, provideData, readGenerated } from './load.mjs';
import { multiply } from './multiply.mjs';
import { startPostgres } from './postgres.mjs';
import { repository, runBench } from './processes.mjs';
import { BLENDED, DESIGN_SHAPES, DRIVER_SHAPES } from './search-shapes.mjs';
import { startAndironServer, startLimitServer, startRedis } from './servers.mjs';

const USAGE = `node bench/search.mjs [options]
  --patients N   patients to load (500 = 32,291 resources)
  --copies N     the database then holds the same N times over (37 = 1.2 million resources); 1: no second part
  --seconds S    for each shape (2) and, three times that, for each round of the blended mix
  --minutes M    give up after so long (30)
  --write        write docs/bench/search.md`;
const { values } = parseArgs({
  options: {
    patients: { type: 'string', default: '500' },
    copies: { type: 'string', default: '37' },
    seconds: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '30' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const [patients, copies, seconds] = [values.patients, values.copies, values.seconds].map(Number);
const CLIENTS = 16;
const SHAPES = Object.entries({ ...DRIVER_SHAPES, ...DESIGN_SHAPES });
/** The cost of one search is measured without the search result cache: many shapes have few different searches. */
const WITHOUT_CACHE = { SEARCH_CACHE_MB: '0' };
/** Seconds of the mix before it is counted: the engine compiles, connections plan, caches are filled. */
const FIRST_SECONDS = 10;
const SPACE_OF =
  "select s.number from andiron.space s join andiron.tenant t on t.number = s.tenant where t.name = 'system' and s.release = 'r4' and s.kind = 'data'";
await runBench('search', run, Number(values.minutes));

async function run(folder) {
  const data = provideData();
  const generated = readGenerated(data, patients);
  const postgres = await startPostgres();
  const redis = await startRedis();
  const bench = { folder, postgres, clients: CLIENTS };
  const startAndiron = (environment = {}) =>
    startAndironServer(bench, { redisPort: redis?.port, environment });
  const limit = await startLimitServer(bench);
  let andiron = await startAndiron();
  const loaded = await loadGenerated(andiron.client, generated, CLIENTS);
  const limitIds = (await loadGenerated(limit.client, generated, CLIENTS)).patientIds;
  await postgres.query('andiron', 'vacuum (analyze)');
  const sample = {
    families: generated.patients.map(({ family }) => family),
    recordNumbers: generated.patients.map(({ recordNumber }) => recordNumber),
    patientIds: loaded.patientIds,
    encounterIds: await readIds(andiron.client, '/Encounter?_count=500'),
  };
  console.log(`loaded ${loaded.count} resources`);
  await andiron.child.stop('SIGTERM', 8000);
  andiron = await startAndiron(WITHOUT_CACHE);
  const small = await measureShapes(andiron.client, sample);
  const blends = [];
  const blendBoth = async (how) => {
    for (const [title, more] of [
      ['as the driver sends it', ''],
      ['_count=20 on every shape', '_count=20'],
    ])
      blends.push(await blend(`${title}${how}`, more, { andiron, limit, sample, limitIds }));
  };
  await blendBoth(', search result cache off');
  await andiron.child.stop('SIGTERM', 8000);
  andiron = await startAndiron();
  await blendBoth('');
  let large;
  if (copies > 1) {
    const [{ number: space }] = await postgres.query('andiron', SPACE_OF);
    await multiply((text) => postgres.query('andiron', text), { space, copies });
    await andiron.child.stop('SIGTERM', 8000);
    andiron = await startAndiron(WITHOUT_CACHE);
    large = await measureShapes(andiron.client, sample);
    await andiron.child.stop('SIGTERM', 8000);
    andiron = await startAndiron();
    blends.push(
      await blend(`as the driver sends it, ${copies} times the data`, '', {
        andiron,
        limit,
        sample,
        limitIds,
      }),
    );
  }
  const page = format({ count: loaded.count, small, large, blends, version: postgres.version });
  console.log(page);
  if (values.write) fs.writeFileSync(path.join(repository, 'docs', 'bench', 'search.md'), page);
}

async function readIds(client, path) {
  const page = JSON.parse((await client.send({ method: 'GET', path }, true)).text);
  return page.entry.map(({ resource }) => resource.id);
}

/** Each shape by itself, after a shorter round over all of them that is not counted: the engine compiles, connections plan. */
async function measureShapes(client, sample) {
  await askShapes(client, sample, FIRST_SECONDS / SHAPES.length);
  const measured = await askShapes(client, sample, seconds);
  for (const [name, { refused, p50, p99, count, entries }] of measured)
    console.log(name.padEnd(36), refused ?? `p50 ${p50} p99 ${p99} of ${count}, ${entries} entries`);
  return measured;
}

/** One client, one request at a time; the first few of each shape are not counted. */
async function askShapes(client, sample, secondsEach) {
  const measured = new Map();
  for (const [name, make] of SHAPES) {
    const took = [];
    let [refused, entries] = [undefined, 0];
    const last = performance.now() + secondsEach * 1000;
    for (let i = 0; i < 5 || (performance.now() < last && took.length < 2000); i++) {
      const begun = performance.now();
      const answer = await client.send({ method: 'GET', path: make(sample) }, true);
      if (answer.status !== 200) {
        refused = answer.text.slice(0, 200);
        break;
      }
      if (i < 3) continue;
      took.push(performance.now() - begun);
      entries += answer.text.split('"fullUrl":').length - 1;
    }
    took.sort((a, b) => a - b);
    const at = (share) => round(took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? NaN, 2);
    const mean = Math.round(entries / Math.max(1, took.length));
    measured.set(name, { refused, count: took.length, p50: at(0.5), p99: at(0.99), entries: mean });
  }
  return measured;
}

/** Runs three alternating rounds of the limit server's reads and of the mix, after a warm-up that is measured too. */
async function blend(title, more, { andiron, limit, sample, limitIds }) {
  const shape = { clients: CLIENTS, warmupSeconds: 0.5, seconds: seconds * 3 };
  const any = (list) => list[Math.floor(Math.random() * list.length)];
  const toPath = () => {
    const made = DRIVER_SHAPES[any(BLENDED)](sample);
    return more === '' ? made : `${made.replace(/&?_count=\d+/, '')}&${more}`;
  };
  const rates = { limit: [], andiron: [] };
  const read = () => ({ method: 'GET', path: `/Patient/${any(limitIds)}`, expected: 200 });
  const makeRequest = () => ({ method: 'GET', path: toPath(), expected: 200 });
  const driveMix = async (how) => {
    const own = await driveRound(andiron, makeRequest, how);
    if (own.errors > 0) console.log(own.failures);
    return own.rate;
  };
  const first = await driveMix({ ...shape, warmupSeconds: 0, seconds: FIRST_SECONDS });
  for (let i = 0; i < 3; i++) {
    rates.limit.push((await driveRound(limit, read, shape)).rate);
    rates.andiron.push(await driveMix(shape));
  }
  const median = (list) => [...list].sort((a, b) => a - b)[1];
  const result = { title, first, rate: median(rates.andiron), limit: median(rates.limit) };
  console.log(`${title}: ${result.rate}/s of ${result.limit}/s: ${round(result.rate / result.limit, 3)}`);
  return result;
}

function format({ count, small, large, blends, version }) {
  const total = (times) => (count * times).toLocaleString('en');
  const lines = [
    '# Searches by shape',
    '',
    `Made by \`npm run bench:search -- --write\`, ${new Date().toISOString().slice(0, 10)}: Node ${process.version}, PostgreSQL ${version}, ` +
      `${os.cpus().length} cores (${os.cpus()[0]?.model ?? 'unknown'}), load ${os
        .loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')}. ` +
      `For contributors. Milliseconds of one client that sends one search after the other, over HTTP, answers included; entries of an answer. The search result cache is off there. The ${total(copies)} resources are the ${total(1)} and ${copies - 1} copies of them with keys, dates and identifiers of their own.`,
    '',
    `| shape | ${total(1)}: p50 | p99 | entries | ${total(copies)}: p50 | p99 | entries | p50 grows | p99 grows |`,
    '|---|---|---|---|---|---|---|---|---|',
  ];
  const cell = (of) =>
    of === undefined ? '– | – | –' : of.refused ? 'refused | – | –' : `${of.p50} | ${of.p99} | ${of.entries}`;
  for (const [name, one] of small) {
    const other = large?.get(name);
    const grows = (of) =>
      other === undefined || other.refused || one.refused ? '–' : `${round(of(other) / of(one), 1)} ×`;
    const grown = `${grows(({ p50 }) => p50)} | ${grows(({ p99 }) => p99)}`;
    lines.push(`| ${name} | ${cell(one)} | ${cell(other)} | ${grown} |`);
  }
  lines.push(
    '',
    `| blended mix, 16 clients | Andiron /s in the ${FIRST_SECONDS} seconds before | Andiron /s | limit server, reads /s | ratio |`,
    '|---|---|---|---|---|',
  );
  for (const { title, first, rate, limit } of blends)
    lines.push(`| ${title} | ${first} | ${rate} | ${limit} | ${round(rate / limit, 2)} |`);
  return lines.join('\n') + '\n';
}
