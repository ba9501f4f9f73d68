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
import { withBuildLock } from './build-lock.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const target = path.join(root, 'dist', 'introspection');
const require = createRequire(import.meta.url);
const { RELEASE_NAMES } = require('../dist/src/core/fhir/release.js');

/** By the ending of the file: the name of the query, and what is written of its result. */
const FORMS = [
  ['.json.gz', 'WHOLE_SCHEMA', (data) => ({ data })],
  ['-standard.json.gz', 'STANDARD', (data) => data.__schema],
];

function introspect(schema, query) {
  const { execute, parse } = require('graphql');
  const { [query]: source } = require('../dist/src/gateway/introspection.js');
  const { data, errors } = execute({ schema, document: parse(source) });
  if (errors) throw errors[0];
  return data;
}

function makeSchema(release) {
  const { createSchema } = require('../dist/src/resolvers/index.js');
  const { releaseDefinitions } = require('../dist/src/core/composition/release-definitions.js');
  return createSchema(releaseDefinitions(release), { assumeValid: true });
}

/** The names of the files of a release, with their forms. */
async function filesOf(release) {
  const printed = await readFile(path.join(root, 'schema', `${release}.graphql`));
  const hash = createHash('sha256').update(printed).digest('hex');
  return FORMS.map(([ending, query, shown]) => ({ name: `${release}-${hash}${ending}`, query, shown }));
}

const isMade = (name) => access(path.join(target, name)).then(() => true, () => false); // prettier-ignore

/** Returns the names of all files, and how many were made. */
async function makeMissing() {
  const names = [];
  let made = 0;
  for (const release of RELEASE_NAMES) {
    let schema;
    for (const { name, query, shown } of await filesOf(release)) {
      names.push(name);
      if (await isMade(name)) continue;
      schema ??= makeSchema(release);
      const aside = path.join(target, `${name}.${process.pid}`);
      await writeFile(aside, gzipSync(JSON.stringify(shown(introspect(schema, query))), { level: 9 }));
      await rename(aside, path.join(target, name));
      made++;
    }
  }
  return { names, made };
}

/** Removes those of other schemas, and what builds have left that were killed. */
async function removeOthers(names) {
  const others = (await readdir(target)).filter((name) => !names.includes(name));
  await Promise.all(others.map((name) => rm(path.join(target, name), { force: true })));
}

async function isComplete() {
  const files = (await Promise.all(RELEASE_NAMES.map(filesOf))).flat();
  return (await Promise.all(files.map(({ name }) => isMade(name)))).every(Boolean);
}

if (!(await isComplete()))
  await withBuildLock(target, async () => {
    const started = performance.now();
    await mkdir(target, { recursive: true });
    const { names, made } = await makeMissing();
    await removeOthers(names);
    if (made > 0) console.log(`Made ${made} introspections in ${Math.round(performance.now() - started)} ms`);
  });
