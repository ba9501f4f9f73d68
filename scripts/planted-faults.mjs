/**
 * `npm run test:planted`: plants each fault of scripts/planted-faults/list.mjs in a copy of HEAD and expects that the
 * tests named beside it fail. A fault that no test notices is a gap of `npm test`. `-- --only WORDS`, also several
 * times, takes the faults whose name contains the words; `-- --list` prints the names, and fails where an edit has no place.
 *
 * The copy is a git worktree in a temporary folder. Its node_modules holds links to the packages of this checkout, and
 * a .cache of its own, because tests keep a prepared database there.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FAULTS } from './planted-faults/list.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

function choose(only) {
  if (only === undefined) return FAULTS;
  const chosen = FAULTS.filter(({ name }) => only.some((words) => name.includes(words)));
  if (chosen.length === 0) throw new Error(`No fault has one of these in its name: ${only.join(', ')}`);
  return chosen;
}

/** Makes the copy and returns its folder. */
function makeCopy(parent) {
  const copy = path.join(parent, 'andiron');
  execFileSync('git', ['worktree', 'add', '--detach', '--quiet', copy, 'HEAD'], { cwd: root });
  mkdirSync(path.join(copy, 'node_modules'));
  for (const entry of readdirSync(path.join(root, 'node_modules')))
    if (entry !== '.cache')
      symlinkSync(path.join(root, 'node_modules', entry), path.join(copy, 'node_modules', entry));
  return copy;
}

function removeCopy(parent) {
  rmSync(parent, { recursive: true, force: true });
  execFileSync('git', ['worktree', 'prune'], { cwd: root });
}

let running;
let isInterrupted = false;

/**
 * Runs test files in the copy. Returns jest's results, undefined where it could not begin, and what it printed.
 * `environment`: beside that of this process.
 */
async function runTests(copy, { tests, title }, environment) {
  const output = path.join(copy, 'planted.json');
  rmSync(output, { force: true });
  const chosen = title === undefined ? tests : ['--testNamePattern', title, '--', ...tests];
  const words = ['jest', '--config', 'jest.config.js', '--json', '--outputFile', output, ...chosen];
  // A group of its own, so that an interruption ends its children too, after the worktree's services are stopped.
  running = spawn('npx', words, {
    cwd: copy,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (piece) => (printed = (printed + piece).slice(-20_000)));
  const code = await new Promise((resolve) => running.once('close', resolve));
  running = undefined;
  if (isInterrupted) throw new Error('interrupted');
  let results;
  try {
    results = JSON.parse(readFileSync(output, 'utf8'));
  } catch {
    // Jest did not come so far as to write it.
  }
  return { code, results, printed };
}

const failuresOf = (results) =>
  results.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed'),
  );

/** Why the tests did not notice the fault as they should; undefined: an expectation of theirs failed. */
function findGap({ code, results, printed }, { error }) {
  if (results === undefined) return `jest did not run:\n${printed.slice(-2_000)}`;
  const failures = failuresOf(results);
  if (code === 0 || failures.length === 0) {
    const broken = results.testResults.find(({ message }) => message !== '')?.message;
    return broken === undefined ? 'no test failed' : `a test file could not run:\n${broken}`;
  }
  const messages = failures.flatMap(({ failureMessages }) => failureMessages);
  const isExpected = (message) =>
    error === undefined ? message.includes('expect(') : message.includes(error);
  if (messages.some(isExpected)) return undefined;
  return `tests failed, but by no expectation:\n${messages[0]?.slice(0, 2_000)}`;
}

/** The texts of the files of a fault, before and after it. Throws where the list does not follow the code. */
function edit(copy, { name, edits }) {
  const texts = new Map();
  for (const { file, from, to } of edits) {
    const place = path.join(copy, file);
    const before = texts.get(place)?.before ?? readFileSync(place, 'utf8');
    const now = texts.get(place)?.after ?? before;
    const times = now.split(from).length - 1;
    if (times !== 1)
      throw new Error(`'${name}': its text occurs ${times} times in ${file}; it must occur once:\n${from}`);
    texts.set(place, { before, after: now.replace(from, () => to) });
  }
  return texts;
}

/** The prepared database is made once for all faults that leave the migrations as they are. */
const clusterFor = ({ edits }) =>
  edits.some(({ file }) => file.startsWith('migrations/')) ? {} : { ANDIRON_TEST_CLUSTER: 'planted' };

/** Plants the edits and runs the test files. */
async function plant(copy, fault) {
  const texts = edit(copy, fault);
  for (const [place, { after }] of texts) writeFileSync(place, after);
  try {
    return await runTests(copy, fault, clusterFor(fault));
  } finally {
    for (const [place, { before }] of texts) writeFileSync(place, before);
  }
}

const whole = ({ behind = [], edits, ...fault }) => ({ ...fault, edits: [...behind, ...edits] });
const filesOf = (faults) => [...new Set(faults.flatMap(({ tests }) => tests))];

async function requirePassing(copy, nothing) {
  const { code, results, printed } = await plant(copy, nothing);
  if (code === 0 && results?.success === true) return;
  throw new Error(`The tests must pass (${nothing.name}), and fail:\n${printed.slice(-4_000)}`);
}

async function run(faults) {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'andiron-planted-'));
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      isInterrupted = true;
      if (running !== undefined) process.kill(-running.pid, 'SIGINT');
    });
  try {
    const copy = makeCopy(parent);
    for (const fault of faults) edit(copy, whole(fault));
    console.log(`${faults.length} faults; first their tests without a fault`);
    await requirePassing(copy, { name: 'no fault', edits: [], tests: filesOf(faults) });
    for (const behind of new Set(faults.flatMap(({ behind = [] }) => (behind.length > 0 ? [behind] : [])))) {
      const tests = filesOf(faults.filter((fault) => fault.behind === behind));
      await requirePassing(copy, { name: 'a second defence is off', edits: behind, tests });
    }
    let passed = 0;
    for (const fault of faults) {
      const begun = Date.now();
      const gap = findGap(await plant(copy, whole(fault)), fault);
      if (gap === undefined) passed++;
      const seconds = `${Math.round((Date.now() - begun) / 1000)} s`;
      console.log(`${gap === undefined ? 'noticed' : 'NOT NOTICED'} in ${seconds}: ${fault.name}`);
      if (gap !== undefined) console.log(`    ${fault.tests.join(' ')}: ${gap}`);
    }
    console.log(`Tests: ${passed} passed, ${faults.length - passed} failed, ${faults.length} total`);
    if (passed < faults.length) process.exitCode = 1;
  } finally {
    removeCopy(parent);
  }
}

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, list: { type: 'boolean' } },
});
try {
  const faults = choose(values.only);
  if (values.list)
    for (const fault of faults) {
      edit(root, whole(fault));
      const missing = fault.tests.find((file) => !existsSync(path.join(root, file)));
      if (missing !== undefined) throw new Error(`'${fault.name}': ${missing} does not exist`);
      console.log(fault.name);
    }
  else await run(faults);
} catch (error) {
  console.error(isInterrupted ? 'Interrupted' : error.message);
  process.exitCode = isInterrupted ? 130 : 1;
}
