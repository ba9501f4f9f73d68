/**
 * Prints the GraphQL schema of each release to schema/{release}.graphql, for code generators and for reviews of changes,
 * and beside it what caches of clients need to know of it (scripts/cache-files.mjs). Also writes the OpenAPI documents of
 * administration: the operator's to schema/administration.openapi.json, from which the types of the console are made, and
 * that of a tenant to schema/tenant-administration.openapi.json. Needs no database.
 * `--check` writes nothing; it fails when a file differs.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';
import { nodeFieldsOf, possibleTypesOf } from './cache-files.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

// Loads the sources, because a check must not depend on an earlier build.
require.extensions['.ts'] = (module, file) => {
  module._compile(transformFileSync(file, { root, cwd: root }).code, file);
};
const { createSchema } = require('../src/resolvers/index.ts');
const { releaseDefinitions } = require('../src/core/composition/release-definitions.ts');
const { RELEASE_NAMES } = require('../src/core/fhir/release.ts');
const { printWithNullability } = require('../src/schema/semantic-non-null.ts');
const { describeAdministration } = require('../src/rest/administration/openapi.ts');
const { OPERATOR, TENANT } = require('../src/rest/administration/mounts.ts');
const { VERSION } = require('../src/core/version.ts');

const checks = process.argv.includes('--check');
const stale = [];
async function put(name, text) {
  const file = path.join(root, 'schema', name);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  stale.push(path.relative(root, file));
  if (!checks) await writeFile(file, text);
}
const toJson = (content) => `${JSON.stringify(content, null, 1)}\n`;
await put('administration.openapi.json', toJson(describeAdministration(VERSION, OPERATOR)));
await put('tenant-administration.openapi.json', toJson(describeAdministration(VERSION, TENANT)));
for (const release of RELEASE_NAMES) {
  const schema = createSchema(releaseDefinitions(release));
  const files = {
    graphql: `${printWithNullability(schema)}\n`,
    'possibleTypes.json': toJson(possibleTypesOf(schema)),
    'nodeFields.json': toJson(nodeFieldsOf(schema)),
  };
  for (const [ending, text] of Object.entries(files)) await put(`${release}.${ending}`, text);
}
if (checks && stale.length > 0) {
  console.error(`Not up to date: ${stale.join(', ')}. Run: node scripts/build-schema.mjs`);
  process.exit(1);
}
console.log(stale.length === 0 ? 'The printed schemas are up to date' : `Wrote ${stale.join(', ')}`);
