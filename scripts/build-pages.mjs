/**
 * Builds what browsers need and is not built, in the order in which people look for it: the console, GraphiQL, the results of
 * introspections, the site of the docs. Needs the output of scripts/build.mjs. Continues after a failure; the exit code is then 1.
 * `--background`: at the lowest priority, for a server that runs beside it.
 */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILDS = ['console', 'graphiql', 'introspection', 'site'];
const folder = path.dirname(fileURLToPath(import.meta.url));
const isBackground = process.argv.includes('--background');

// Linux has a priority for each thread: only processes that are started now have it in all their threads.
if (isBackground) setPriority(constants.priority.PRIORITY_LOW);

let child;
let isEnding = false;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
  process.on(signal, () => {
    isEnding = true;
    child?.kill('SIGTERM');
  });

function run(name) {
  child = spawn(process.execPath, [path.join(folder, `build-${name}.mjs`)], { stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)));
}

const failed = [];
for (const name of BUILDS) if (!isEnding && !(await run(name)) && !isEnding) failed.push(name);
if (failed.length > 0) {
  console.error(`Not built: ${failed.map((name) => `scripts/build-${name}.mjs`).join(', ')}`);
  process.exitCode = 1;
}
if (isEnding) process.exitCode = 1;
