// Measures the microseconds for all invariants of a resource, including those of its elements: `node bench/invariants.mjs`
// (after a build). `--slow` lists the most expensive ones.
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const require = createRequire(import.meta.url);
const built = join(process.env.BUILT ?? join(root, 'dist'), 'src', 'core', 'fhir');
if (!existsSync(join(built, 'validate'))) throw new Error('Run `npm run build` first.');
const { loadDefinitions } = require(join(built, 'definitions.js'));
const { compileInvariants } = require(join(built, 'validate', 'invariants.js'));
const { ValidationRun } = require(join(built, 'validate', 'run.js'));
const { parseJson } = require(join(built, 'json.js'));

const ROUNDS = 2000;

for (const release of ['r4', 'r4b']) {
  const definitions = loadDefinitions(release);
  const examples = gunzipSync(readFileSync(join(root, 'examples', `${release}.ndjson.gz`)))
    .toString('utf8')
    .split('\n');
  for (const type of ['Patient', 'Observation', 'Encounter', 'Condition', 'Questionnaire']) {
    const resources = examples
      .filter((line) => line.startsWith(`{"resourceType":"${type}",`))
      .map((line) => parseJson(line).value);
    const compiling = performance.now();
    const tasks = resources.map((resource) => [...tasksOf(definitions, resource)]);
    const spent = performance.now() - compiling;
    const times = resources.map((resource, index) => medianOf(type, resource, tasks[index]));
    const count = tasks.reduce((sum, list) => sum + list.length, 0) / tasks.length;
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    console.log(
      `${release} ${type}: ${count.toFixed(1)} invariants, mean ${mean.toFixed(2)} µs, ` +
        `worst ${Math.max(...times).toFixed(1)} µs, compiled in ${spent.toFixed(1)} ms`,
    );
    if (process.argv.includes('--slow')) reportSlow(type, resources, tasks);
  }
}

/** Returns every invariant of severity error with the value that it is evaluated on, in the order of the engine. */
function* tasksOf(definitions, resource) {
  yield* tasksOfObject(definitions, definitions.structure(resource.resourceType), '', resource, resource);
}

function* tasksOfObject(definitions, type, path, object, resource) {
  if (path === '') yield* tasksAt(definitions, type.name, '', undefined, object, resource);
  for (const element of type.children(path)) {
    for (const { code } of element.types) {
      const suffix = element.isChoice ? code[0].toUpperCase() + code.slice(1) : '';
      const values = [object[element.name + suffix] ?? []].flat();
      for (const value of values) {
        if (value?.resourceType !== undefined) {
          yield* tasksOf(definitions, value);
          continue;
        }
        const choice = element.isChoice ? code : undefined;
        yield* tasksAt(definitions, type.name, element.path, choice, value, resource);
        if (typeof value !== 'object' || value === null) continue;
        const isNested = type.children(element.path).length > 0;
        if (isNested) yield* tasksOfObject(definitions, type, element.path, value, resource);
        else yield* tasksOfObject(definitions, definitions.structure(code), '', value, resource);
      }
    }
  }
}

function* tasksAt(definitions, typeName, path, choice, value, resource) {
  for (const invariant of compileInvariants(definitions, typeName, path, choice))
    if (invariant.severity === 'error') yield { invariant, value, resource };
}

function medianOf(type, resource, tasks) {
  const times = [];
  for (let round = 0; round < ROUNDS / 10; round++) {
    const started = performance.now();
    for (let repeat = 0; repeat < 10; repeat++) runAll(type, resource, tasks);
    times.push(((performance.now() - started) * 1000) / 10);
  }
  times.sort((one, other) => one - other);
  return times[times.length >> 1];
}

function runAll(type, resource, tasks) {
  const run = new ValidationRun(type, resource, true);
  for (const task of tasks) {
    run.resource = task.resource;
    task.invariant.holds(task.value, undefined, run);
  }
}

function reportSlow(type, resources, tasks) {
  const costs = new Map();
  resources.forEach((resource, index) => {
    for (const task of tasks[index]) {
      const time = medianOf(type, resource, [task]);
      const cost = costs.get(task.invariant.key) ?? { time: 0, count: 0 };
      costs.set(task.invariant.key, { time: cost.time + time, count: cost.count + 1 });
    }
  });
  const slowest = [...costs].sort(([, one], [, other]) => other.time - one.time).slice(0, 8);
  for (const [key, { time, count }] of slowest)
    console.log(`  ${key}: ${(time / count).toFixed(2)} µs, ${count} times`);
}
