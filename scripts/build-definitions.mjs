// Writes definitions/*.json.gz (with their short texts apart, which few need) and examples/*.ndjson.gz from the official packages in scripts/definitions.
// `--check` compares with the existing files instead (by content: zlib's bytes differ between versions of Node).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { stripResource } from './definitions/base-resources.mjs';
import { buildCoreSet } from './definitions/core-set.mjs';
import { buildDescriptions } from './definitions/descriptions.mjs';
import { RELEASES, installPackages, isDefinition, isExample, readPackage } from './definitions/packages.mjs';
import { gzipMember, stringifyMarked } from './definitions/text.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isCheck = process.argv.includes('--check');
const identity = (resource) => `${resource.resourceType}/${resource.id}`;
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

installPackages();

const read = RELEASES.map((release) => {
  const definitions = [...readPackage(release.definitions)]
    .map(({ resource }) => resource)
    .filter((resource) => isDefinition(resource, release))
    .sort((one, other) => compare(identity(one), identity(other)));
  const expansions = [...readPackage(release.expansions)].map(({ resource }) => resource);
  return { release, definitions, expansions };
});
const newestOperations = read
  .at(-1)
  .definitions.filter((resource) => resource.resourceType === 'OperationDefinition');

let differences = 0;

for (const { release, definitions, expansions } of read) {
  const coreSet = buildCoreSet({ release, definitions, expansions, newestOperations });
  const core = `[\n${JSON.stringify(coreSet)}`;
  const lines = definitions.map((resource) => `,\n${stringifyMarked(stripResource(resource))}`).join('');
  deliver(`definitions/${release.name}.json.gz`, core + lines + '\n]\n', () =>
    Buffer.concat([gzipMember(core, true), gzipMember(`${lines}\n]\n`, false)]),
  );
  console.log(`${release.name}: ${definitions.length} base resources, core set of ${core.length} characters`);

  const texts = `${JSON.stringify(buildDescriptions({ definitions, coreSet }))}\n`;
  deliver(`definitions/${release.name}.descriptions.json.gz`, texts, () => gzipMember(texts, false));

  const loaded = new Set(definitions.map(identity));
  const types = new Set(coreSet.types.filter((type) => type.kind === 'resource').map((type) => type.name));
  const examples = new Map();
  for (const { resource, text } of readPackage(release.examples)) {
    if (!types.has(resource.resourceType) || loaded.has(identity(resource)) || !isExample(resource)) continue;
    examples.set(identity(resource), text);
  }
  const sorted = [...examples].sort(([one], [other]) => compare(one, other)).map(([, text]) => `${text}\n`);
  deliver(`examples/${release.name}.ndjson.gz`, sorted.join(''), () => gzipMember(sorted.join(''), false));
  console.log(`${release.name}: ${sorted.length} examples`);
}

if (differences > 0) {
  console.error('Run `node scripts/build-definitions.mjs` and commit the result.');
  process.exit(1);
}

function deliver(name, content, compress) {
  const file = join(root, name);
  if (isCheck) {
    const isEqual = existsSync(file) && gunzipSync(readFileSync(file)).toString('utf8') === content;
    if (isEqual) return;
    differences += 1;
    console.error(`${relative(root, file)} differs from the official packages.`);
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  const bytes = compress();
  writeFileSync(file, bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}
