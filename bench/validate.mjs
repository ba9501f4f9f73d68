// Measures validated resources per second on one core, and the time of the start: `node bench/validate.mjs [rounds]` (after a build).
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const require = createRequire(import.meta.url);
const built = join(root, 'dist', 'src', 'core', 'fhir');
if (!existsSync(join(built, 'validate', 'index.js'))) throw new Error('Run `npm run build` first.');
const { loadDefinitions } = require(join(built, 'definitions.js'));
const { createValidator } = require(join(built, 'validate', 'index.js'));
const { parseJson } = require(join(built, 'json.js'));

const ROUNDS = Number(process.argv[2] ?? 5);
const ROUND_MS = 500;

for (const release of ['r4', 'r4b']) {
  const definitions = loadDefinitions(release);
  const validator = createValidator(definitions);
  const lines = gunzipSync(readFileSync(join(root, 'examples', `${release}.ndjson.gz`)))
    .toString('utf8')
    .split('\n');
  const resourcesOf = (type) =>
    lines
      .filter((line) => line.startsWith(`{"resourceType":"${type}",`))
      .map((line) => parseJson(line).value);

  for (const isFull of [false, true]) {
    const name = isFull ? 'full' : 'structure';
    const [patient] = resourcesOf('Patient');
    const first = performance.now();
    validator.validate(patient, { isFull });
    console.log(`${release} ${name}: first Patient ${(performance.now() - first).toFixed(1)} ms`);
    for (const type of ['Patient', 'Observation']) {
      console.log(`${release} ${name} ${type}: ${bestOf(validator, resourcesOf(type), isFull)} resources/s`);
    }
    const both = [...resourcesOf('Patient'), ...resourcesOf('Observation')];
    console.log(`${release} ${name} both: ${bestOf(validator, both, isFull)} resources/s`);
  }
}

/**
 * Returns resources per second of CPU time, which is independent of other processes; of the best round, because they still
 * displace caches. Threads of the garbage collector count.
 */
function bestOf(validator, resources, isFull) {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.cpuUsage();
    let spentMs = 0;
    let count = 0;
    while (spentMs < ROUND_MS) {
      for (const resource of resources) validator.validate(resource, { isFull });
      count += resources.length;
      const { user, system } = process.cpuUsage(started);
      spentMs = (user + system) / 1000;
    }
    best = Math.max(best, (count * 1000) / spentMs);
  }
  return Math.round(best);
}
