/**
 * Reports what would break documents of clients: the schemas of schema/ compared with those of schema/landed/, which
 * clients may use. `--land` replaces the latter: for a change that is meant, which its reviewers see then, and for new fields, once
 * clients may use them. Needs no database.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const { CriticalityLevel, diff } = require('@graphql-inspector/core');
const { buildSchema } = require('graphql');

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../schema');
const RELEASES = ['r4', 'r4b'];

/** Returns a sentence for each change of a schema, given as text, that breaks documents. */
export async function breakingChanges(before, after) {
  const [old, changed] = [before, after].map((text) => buildSchema(text, { assumeValid: true }));
  const changes = await diff(old, changed);
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

/** Descriptions break nothing, and are most of the text. */
function withoutDescriptions(text) {
  return text.replace(/^ *"""[^]*?"""\n/gm, '').replace(/\n\n(?= )/g, '\n');
}

async function main() {
  let count = 0;
  for (const release of RELEASES) {
    const file = path.join(folder, `${release}.graphql`);
    const landed = path.join(folder, 'landed', `${release}.graphql`);
    if (process.argv.includes('--land')) {
      await writeFile(landed, withoutDescriptions(await readFile(file, 'utf8')));
      continue;
    }
    const breaking = await breakingChanges(await readFile(landed, 'utf8'), await readFile(file, 'utf8'));
    for (const message of breaking) console.error(`${release}: ${message}`);
    count += breaking.length;
  }
  if (count === 0) return;
  console.error(
    `${count} breaking changes. If they are intended, run: node scripts/check-schema-changes.mjs --land`,
  );
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
