/**
 * Writes the compressed results of two introspections of each release's schema to dist/introspection; each would take a
 * second of a running server. `….json.gz` is the result for the whole schema, `…-standard.json.gz` has the `__schema` of the
 * usual query of tools. Needs the output of scripts/build.mjs. The name of a file has the hash of the printed schema
 * (schema/{release}.graphql); an existing file is not made again.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const target = path.join(root, 'dist', 'introspection');
const require = createRequire(import.meta.url);
const { RELEASE_NAMES } = require('../dist/src/core/fhir/release.js');

const { STANDARD, WHOLE_SCHEMA } = require('../dist/src/gateway/introspection.js');
const FORMS = [
  ['.json.gz', WHOLE_SCHEMA, (data) => ({ data })],
  ['-standard.json.gz', STANDARD, (data) => data.__schema],
];

function introspect(schema, source) {
  const { execute, parse } = require('graphql');
  const { data, errors } = execute({ schema, document: parse(source) });
  if (errors) throw errors[0];
  return data;
}

function makeSchema(release) {
  const { createSchema } = require('../dist/src/resolvers/index.js');
  const { releaseDefinitions } = require('../dist/src/core/conformance/release-definitions.js');
  return createSchema(releaseDefinitions(release), { assumeValid: true });
}

const started = performance.now();
await mkdir(target, { recursive: true });
const names = [];
let made = 0;
for (const release of RELEASE_NAMES) {
  const printed = await readFile(path.join(root, 'schema', `${release}.graphql`));
  const hash = createHash('sha256').update(printed).digest('hex');
  let schema;
  for (const [ending, source, shown] of FORMS) {
    const name = `${release}-${hash}${ending}`;
    names.push(name);
    const file = path.join(target, name);
    if (await access(file).then(() => true, () => false)) continue; // prettier-ignore
    schema ??= makeSchema(release);
    const aside = `${file}.${process.pid}`;
    await writeFile(aside, gzipSync(JSON.stringify(shown(introspect(schema, source))), { level: 9 }));
    await rename(aside, file);
    made++;
  }
}
for (const name of await readdir(target)) {
  if (name.endsWith('.json.gz') && !names.includes(name)) await rm(path.join(target, name), { force: true });
}
if (made > 0) console.log(`Made ${made} introspections in ${Math.round(performance.now() - started)} ms`);
