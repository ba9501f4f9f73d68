#!/usr/bin/env node
/**
 * `npm run bench:terminology`: large code systems made up in the shape of SNOMED CT and LOINC are imported by the command, and
 * operations and searches over them are timed, one request at a time. Build first: the bench runs dist.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from './postgres.mjs';
import { repository, runBench } from './processes.mjs';
import { startAndironServer } from './servers.mjs';

const USAGE = `node bench/terminology.mjs [options]
  --concepts N     of the system like SNOMED CT (350000)
  --properties N   concepts of the system like LOINC, with 8 properties each (100000)
  --observations N resources with codes of the first (3000)
  --requests N     of each kind (300)
  --minutes M      give up after so long (30)`;
const { values } = parseArgs({
  options: {
    concepts: { type: 'string', default: '350000' },
    properties: { type: 'string', default: '100000' },
    observations: { type: 'string', default: '3000' },
    requests: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const [concepts, properties, observations, requests] = [
  values.concepts,
  values.properties,
  values.observations,
  values.requests,
].map(Number);

const HIERARCHY = 'http://example.org/hierarchy';
const TABLE = 'http://example.org/table';
/** Some words are in every tenth display, most in few, as in real systems. */
const WORDS = Array.from(
  { length: 4_000 },
  (_none, index) => `${'bcdfghklmnprstvw'[index % 16]}${index.toString(36)}${'aeiou'[index % 5]}n`,
);

/** The document of the pick list in docs/use/graphql.md. */
const PICK_CODES = fs.readFileSync(
  path.join(repository, 'test', 'graphql', 'documents', 'pick-codes.graphql'),
  'utf8',
);

/** A generator with a seed, so that each run has the same systems. */
function createRandom(state) {
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

/** The first words are the frequent ones. */
const anyWord = (random) => WORDS[Math.floor((random(1_000_000) / 1_000_000) ** 3 * WORDS.length)];

const codeOf = (number) => String(100_000_000 + number * 7);

/** Concepts of several parents with three designations each; depth some ten levels. */
function* hierarchy(random) {
  yield {
    resourceType: 'CodeSystem',
    url: HIERARCHY,
    version: '1',
    name: 'Hierarchy',
    status: 'active',
    content: 'complete',
  };
  const words = () => Array.from({ length: 4 }, () => anyWord(random)).join(' ');
  for (let number = 0; number < concepts; number++) {
    const parents = new Set();
    const wanted = number === 0 ? 0 : random(3) === 0 ? 2 : 1;
    while (parents.size < Math.min(wanted, number)) {
      // A third of the concepts are below the first hundred, the others near their own number.
      parents.add(random(3) === 0 ? random(Math.min(number, 100)) : Math.floor(number / (2 + random(6))));
    }
    const text = words();
    yield {
      code: codeOf(number),
      display: `${text} ${number}`,
      designation: ['en', 'de', 'fr'].map((language) => ({
        language,
        value: `${language} ${text} ${words()}`,
      })),
      property: [
        ...[...parents].map((parent) => ({ code: 'parent', valueCode: codeOf(parent) })),
        { code: 'moduleId', valueCode: '900000000000207008' },
        { code: 'sufficientlyDefined', valueBoolean: random(2) === 0 },
      ],
    };
  }
}

function* table(random) {
  yield {
    resourceType: 'CodeSystem',
    url: TABLE,
    version: '1',
    name: 'Table',
    status: 'active',
    content: 'complete',
  };
  for (let number = 0; number < properties; number++)
    yield {
      code: `${number}-${number % 10}`,
      display: `${anyWord(random)} ${anyWord(random)} [Mass/volume] ${number}`,
      property: Array.from({ length: 8 }, (_none, index) => ({
        code: `P${index}`,
        valueString: `${anyWord(random)} ${random(10 ** (1 + (index % 4)))}`,
      })),
    };
}

async function writeLines(file, lines) {
  const stream = fs.createWriteStream(file);
  let text = '';
  for (const line of lines) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < 1_000_000) continue;
    if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve));
    text = '';
  }
  await new Promise((resolve) => stream.end(text, resolve));
}

/** Runs the command; returns seconds and the most memory of its process in MB. */
async function importFile(file, environment) {
  const begun = performance.now();
  const cli = path.join(repository, 'dist', 'src', 'cli.js');
  const script = `process.on('exit',()=>console.error('most memory',process.resourceUsage().maxRSS))`;
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  const { stdout, stderr } = await new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      ['--import', preload, cli, 'import-terminology', file, '--tenant', 'system', '--json'],
      { env: { PATH: process.env.PATH, ...environment } },
      (error, out, errors) =>
        error ? reject(new Error(errors || out)) : resolve({ stdout: out, stderr: errors }),
    ),
  );
  const memory = Number(/most memory (\d+)/.exec(stderr)?.[1] ?? 0) / 1024;
  return { seconds: (performance.now() - begun) / 1000, megabytes: memory, answer: stdout.trim() };
}

function summarize(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, most ${at(1).toFixed(1)} ms`;
}

await runBench('terminology', run, Number(values.minutes));

async function run(folder) {
  const random = createRandom(1);
  const files = {
    hierarchy: path.join(folder, 'hierarchy.ndjson'),
    table: path.join(folder, 'table.ndjson'),
  };
  await writeLines(files.hierarchy, hierarchy(random));
  await writeLines(files.table, table(random));
  const postgres = await startPostgres();
  const andiron = await startAndironServer({ folder, postgres, clients: 4 }, {});
  const environment = {
    FHIR_DATABASE_HOST: '127.0.0.1',
    FHIR_DATABASE_PORT: String(postgres.port),
    FHIR_DATABASE_NAME: andiron.database,
    FHIR_DATABASE_USERNAME: 'postgres',
    FHIR_DATABASE_PASSWORD: postgres.password,
  };
  const time = async (request) => {
    const begun = performance.now();
    const { status, text } = await andiron.client.send(request, true);
    const took = performance.now() - begun;
    const isAnswered = status === 200 && !String(text).includes('"errors":[');
    if (!isAnswered) throw new Error(`${request.path}: ${status} ${String(text).slice(0, 300)}`);
    return took;
  };
  const get = (address) => time({ method: 'GET', path: address });
  const graphql = (query, variables) =>
    time({
      ...{ method: 'POST', path: '/$graphql', contentType: 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
  // Others read meanwhile.
  const waits = [];
  let isImporting = true;
  const reading = (async () => {
    while (isImporting) {
      waits.push(await get('/Patient?_count=5'));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (const [name, file] of Object.entries(files)) {
    const { seconds, megabytes, answer } = await importFile(file, environment);
    console.log(`import ${name}: ${seconds.toFixed(0)} s, ${megabytes.toFixed(0)} MB; ${answer}`);
  }
  isImporting = false;
  await reading;
  console.log(`searches of others during the imports: ${summarize(waits)}`);
  const sizes = await postgres.query(
    andiron.database,
    `select c.relname, pg_size_pretty(pg_relation_size(c.oid)) as size from pg_class c
     where c.relname like 'concept%' order by pg_relation_size(c.oid) desc`,
  );
  console.log(sizes.map(({ relname, size }) => `${relname} ${size}`).join(', '));
  for (let number = 0; number < observations; number += 100) {
    const entry = Array.from({ length: 100 }, () => ({
      resource: {
        resourceType: 'Observation',
        status: 'final',
        code: { coding: [{ system: HIERARCHY, code: codeOf(random(concepts)) }] },
      },
      request: { method: 'POST', url: 'Observation' },
    }));
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
    const { status } = await andiron.client.send({ method: 'POST', path: '', body });
    if (status !== 200) throw new Error(`a transaction was answered ${status}`);
  }
  await postgres.query(andiron.database, 'vacuum (analyze)');
  const any = () => codeOf(random(concepts));
  const high = () => codeOf(random(200));
  const isA = (code) => encodeURIComponent(`${HIERARCHY}?fhir_vs=isa/${code}`);
  const word = () => anyWord(random).slice(0, 4);
  const kinds = {
    $lookup: () => `/CodeSystem/$lookup?system=${HIERARCHY}&code=${any()}`,
    'CodeSystem/$validate-code': () => `/CodeSystem/$validate-code?url=${HIERARCHY}&code=${any()}`,
    'ValueSet/$validate-code, is-a': () =>
      `/ValueSet/$validate-code?url=${isA(high())}&system=${HIERARCHY}&code=${any()}`,
    $subsumes: () => `/CodeSystem/$subsumes?system=${HIERARCHY}&codeA=${high()}&codeB=${any()}`,
    '$expand is-a, words, count=20': () =>
      `/ValueSet/$expand?url=${isA(high())}&filter=${word()}%20${word()}&count=20`,
    '$expand is-a, count=20': () => `/ValueSet/$expand?url=${isA(high())}&count=20`,
    '$expand all, words, count=20': () =>
      `/ValueSet/$expand?url=${encodeURIComponent(`${HIERARCHY}?fhir_vs`)}&filter=${word()}%20${word()}&count=20`,
    'Observation?code:below, a concept near the top': () =>
      `/Observation?code:below=${HIERARCHY}|${high()}&_count=20`,
    'Observation?code:below, any concept': () => `/Observation?code:below=${HIERARCHY}|${any()}&_count=20`,
  };
  const all = `${HIERARCHY}?fhir_vs`;
  const pick = (variables) => graphql(PICK_CODES, { url: all, language: 'de', count: 20, ...variables });
  const inGerman = `query($count: Int) {
    ObservationList(_count: $count) { code { text(language: "de") coding { code display(language: "de") } } }
  }`;
  const documents = {
    'GraphQL: a pick list of all, first page': () => pick({ offset: 0 }),
    'GraphQL: a pick list of all, a later page': () => pick({ offset: random(concepts) }),
    'GraphQL: a pick list of all, two words, first page': () =>
      pick({ offset: 0, filter: `${word()} ${word()}` }),
    'GraphQL: 100 observations with displays in a language': () => graphql(inGerman, { count: 100 }),
  };
  const sends = [
    ...Object.entries(kinds).map(([name, make]) => [name, () => get(make())]),
    ...Object.entries(documents),
  ];
  for (const [name, send] of sends) {
    for (let warm = 0; warm < 20; warm++) await send();
    const times = [];
    for (let request = 0; request < requests; request++) times.push(await send());
    console.log(`${name}: ${summarize(times)}`);
  }
}
