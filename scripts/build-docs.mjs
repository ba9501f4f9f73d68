/**
 * Writes the generated pages of docs/reference, and the generated table of docs/understand/architecture.md; scripts/docs has a
 * file for each page.
 * `--check` changes nothing and fails if one of them would change.
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as administration from './docs/administration.mjs';
import * as commands from './docs/commands.mjs';
import * as errors from './docs/errors.mjs';
import * as graphql from './docs/graphql.mjs';
import * as operations from './docs/operations.mjs';
import * as rest from './docs/rest.mjs';
import * as rooms from './docs/rooms.mjs';
import * as settings from './docs/settings.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
execFileSync(process.execPath, [path.join(root, 'scripts', 'build.mjs'), '--if-stale'], { cwd: root });
const require = createRequire(import.meta.url);
/** Loads a module of src as it is built. */
const load = (module) => require(path.join(root, 'dist', 'src', module));

let stale = 0;
for (const { file, toPage } of [
  settings,
  errors,
  rest,
  graphql,
  operations,
  administration,
  commands,
  rooms,
]) {
  const text = toPage(load, root);
  const current = await readFile(path.join(root, file), 'utf8').catch(() => '');
  if (current === text) continue;
  stale += 1;
  if (process.argv.includes('--check')) {
    console.error(`${file} is out of date: run npm run build:docs`);
  } else {
    await writeFile(path.join(root, file), text);
    console.log(`Wrote ${file}`);
  }
}
if (stale > 0 && process.argv.includes('--check')) process.exit(1);
