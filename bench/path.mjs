// Measures the microseconds for all SearchParameter expressions of a resource, and for the start: `node bench/path.mjs` (after a build).
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const require = createRequire(import.meta.url);
const built = join(root, 'dist', 'src', 'core', 'fhir');
if (!existsSync(join(built, 'path'))) throw new Error('Run `npm run build` first.');
const { loadDefinitions } = require(join(built, 'definitions.js'));
const { compilePath } = require(join(built, 'path', 'index.js'));
const { parseJson } = require(join(built, 'json.js'));

const ROUNDS = 2000;

for (const release of ['r4', 'r4b']) {
  const started = performance.now();
  const definitions = loadDefinitions(release);
  console.log(`${release}: definitions loaded in ${(performance.now() - started).toFixed(1)} ms`);
  const compiling = performance.now();
  const all = definitions.allSearchParameters.filter(({ expression }) => expression !== undefined);
  for (const { expression, type } of all) compilePath(expression, { definitions, rootType: type });
  const spent = performance.now() - compiling;
  console.log(`${release}: ${all.length} expressions compiled in ${spent.toFixed(1)} ms`);

  const examples = gunzipSync(readFileSync(join(root, 'examples', `${release}.ndjson.gz`)))
    .toString('utf8')
    .split('\n');
  for (const type of ['Patient', 'Observation', 'Encounter', 'Condition', 'MedicationRequest']) {
    const resources = examples
      .filter((line) => line.startsWith(`{"resourceType":"${type}",`))
      .map((line) => parseJson(line).value);
    const paths = [...definitions.searchParameters(type).values()]
      .filter(({ expression }) => expression !== undefined)
      .map(({ expression }) => compilePath(expression, { definitions, rootType: type }));
    const medians = resources.map((resource) => medianOf(resource, paths)).sort((one, other) => one - other);
    const median = medians[medians.length >> 1];
    console.log(
      `${release} ${type}: ${paths.length} paths, median ${median.toFixed(1)} µs, worst ${medians.at(-1).toFixed(1)} µs`,
    );
  }
}

function medianOf(resource, paths) {
  const times = [];
  for (let round = 0; round < ROUNDS / 10; round++) {
    const started = performance.now();
    for (let repeat = 0; repeat < 10; repeat++) for (const path of paths) path(resource);
    times.push(((performance.now() - started) * 1000) / 10);
  }
  times.sort((one, other) => one - other);
  return times[times.length >> 1];
}
