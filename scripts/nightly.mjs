/**
 * `npm run test:nightly [part …]`: what is timed, random or whole, in parts of at most 40 minutes on two cores. Each part
 * writes its result, commit and time to .nightly/; a part that has passed on the current commit is not run again unless it is
 * named. `-- --list` prints the parts with their last results.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const results = path.join(root, '.nightly');
const LONG = 'npm run --silent test:long --';
const TEST = 'npm run --silent test --';

/** The commands of each part, for a shell. Paths come first: `--selectProjects` takes each word behind it for a project. */
const PARTS = {
  nightly: 'npx jest --config jest.nightly.config.js',
  clients: 'npm run --silent test:clients',
  components: 'npm run --silent test:components',
  'full-pure': `ROUNDS=full ${TEST} --selectProjects pure`,
  'full-rest': `ROUNDS=full ${TEST} test/rest --selectProjects services`,
  'full-access': `ROUNDS=full ${TEST} test/access test/security test/graphql --selectProjects services`,
  'full-others': `ROUNDS=full ${TEST} test/core test/properties test/process test/embedded test/docs test/packages --selectProjects services`,
  landing: `npm run --silent build && ROUNDS=small ${LONG} --selectProjects landing`,
  faults: `npm run --silent build && ROUNDS=small ${LONG} test/faults --selectProjects long`,
  long: `npm run --silent build && ROUNDS=small ${LONG} test/deploy test/docs test/graphql test/process test/rest test/bench 'test/properties/(graphql|random)' test/security/hidden --selectProjects long`,
  'timed-faults': `${LONG} test/faults test/process --selectProjects timed`,
  'timed-others': `${LONG} test/rest test/graphql test/core test/properties test/security --selectProjects timed`,
  'two-gigabytes': `npm run --silent build && ${LONG} test/content --selectProjects timed`,
  oracle: 'ORACLE_SETS=10 npm run --silent test:oracle',
  isolation: 'ISOLATION_REQUESTS=20000 npm run --silent test:isolation',
  browser: 'npm run --silent build && npm run --silent test:browser',
  planted: 'npm run --silent test:planted',
  busy: 'npm run --silent test:busy',
};

const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const commit =
  git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');

function lastResult(part) {
  try {
    return JSON.parse(readFileSync(path.join(results, `${part}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}

function toLine(part) {
  const result = lastResult(part);
  if (result === undefined) return `${part.padEnd(14)} not run`;
  const { passed, seconds, at } = result;
  return `${part.padEnd(14)} ${passed ? 'passed' : 'FAILED'} on ${result.commit} in ${seconds} s, ${at}; ${result.tests}`;
}

/** Runs the commands of a part; what they print goes to a file and to this terminal. */
async function run(part) {
  console.log(`=== ${part}: ${PARTS[part]}`);
  const begun = Date.now();
  const log = path.join(results, `${part}.log`);
  const output = openSync(log, 'w');
  const child = spawn('sh', ['-c', PARTS[part]], { cwd: root, stdio: ['ignore', output, output] });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  const tests =
    readFileSync(log, 'utf8')
      .match(/^Tests: +(.*)$/gm)
      ?.at(-1) ?? 'no line of jest';
  const result = {
    ...{ passed: code === 0, commit, seconds: Math.round((Date.now() - begun) / 1000) },
    ...{ at: new Date().toISOString(), tests, node: process.version, machine: os.cpus()[0]?.model },
  };
  writeFileSync(path.join(results, `${part}.json`), JSON.stringify(result, null, 2));
  console.log(`${toLine(part)}\n    ${log}`);
  return result.passed;
}

mkdirSync(results, { recursive: true });
const [...named] = process.argv.slice(2);
const unknown = named.filter((name) => !(name in PARTS) && name !== '--list');
if (unknown.length > 0) {
  console.error(`The part ${unknown.join(', ')} does not exist; parts: ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 2;
} else if (named.includes('--list')) {
  for (const part of Object.keys(PARTS)) console.log(toLine(part));
} else {
  const isDone = (part) => lastResult(part)?.passed === true && lastResult(part)?.commit === commit;
  const parts = named.length > 0 ? named : Object.keys(PARTS).filter((part) => !isDone(part));
  for (const part of parts) if (!(await run(part))) process.exitCode = 1;
}
