/** Child processes of the bench: start, stop, and their values in /proc (Linux only). */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The kernel counts processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

/** Loads a module of the built server, by its path below src. The bench starts children with the server's code. */
export function requireBuilt(module) {
  const file = path.join(repository, 'dist', 'src', module);
  if (!fs.existsSync(file)) throw new Error(`there is no ${file}: run npm run build first`);
  return require(file);
}

/**
 * Runs a bench and ends the process: with 0, or with 1 where `run` throws or answers false, or 128 and the number of a
 * signal. However it ends, what was started is stopped and the folder removed.
 * @param run gets a folder of the bench
 * @param minutes after which the bench is stopped
 */
export async function runBench(name, run, minutes = 60) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `andiron-bench-${name}-`));
  const finish = async (code, message) => {
    if (isEnding) return;
    if (message) console.error(message);
    await stopAll();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit(code);
  };
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }))
    process.on(signal, () => finish(128 + number, `stopped by ${signal}`));
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => finish(1, error?.stack ?? error));
  setTimeout(() => finish(1, `not finished after ${minutes} minutes`), minutes * 60_000).unref();
  try {
    await finish((await run(folder)) === false ? 1 : 0);
  } catch (error) {
    await finish(1, error.stack);
  }
}

/** The processes to stop when the bench ends. */
const stops = [];
let isEnding = false;

/** True when a current error may be caused by the end of the bench itself. */
export const isBenchEnding = () => isEnding;

/**
 * Records a process that is being started, so that an interrupt waits for the start and then stops it.
 * @returns the result of `starting`
 * @throws when the bench is ending
 */
export async function stopAtEnd(starting, stop) {
  stops.push(() => starting.then(stop, () => undefined));
  const started = await starting;
  if (isEnding) throw new Error('the bench is ending');
  return started;
}

/** Stops all, the last started first. */
async function stopAll() {
  isEnding = true;
  while (stops.length > 0) {
    await stops
      .pop()()
      .catch((error) => console.error(error));
  }
}

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export function findFreePort() {
  return requireBuilt('embedded/free-port.js').findFreePort();
}

/**
 * Starts node with `args`, output to `logFile` in `folder`; it ends with the bench in any case, and Ctrl-C in
 * the terminal reaches only the bench. `folder` is removed with it: it must belong to the bench.
 * @returns the child (see src/embedded/child.ts) with `name`, `logFile` and `tail()`, the end of its log
 */
export async function startNode({ name, args, env, folder, logName }) {
  const { startChild } = requireBuilt('embedded/child.js');
  const logFile = path.join(folder, logName);
  const log = fs.openSync(logFile, 'a');
  const child = await stopAtEnd(
    startChild(process.execPath, args, {
      cwd: repository,
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', log, log],
      lastSignal: 'SIGTERM',
      lastFolder: folder,
    }),
    (started) => started.stop('SIGTERM', 8000),
  );
  fs.closeSync(log);
  const tail = () => fs.readFileSync(logFile, 'utf8').split('\n').slice(-20).join('\n');
  return { ...child, name, logFile, tail };
}

/**
 * Waits until `isReady` returns true; throws with the end of the log when the process ends first or time is up.
 * @returns the milliseconds until then
 */
export async function waitUntilReady(child, isReady, timeoutMs = 60_000) {
  const start = performance.now();
  while (!(await isReady().catch(() => false))) {
    if (!child.isRunning()) throw new Error(`${child.name} ended ${await child.ended}\n${child.tail()}`);
    if (performance.now() - start > timeoutMs) {
      throw new Error(`${child.name} was not ready after ${timeoutMs} ms\n${child.tail()}`);
    }
    await pause(50);
  }
  return Math.round(performance.now() - start);
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The fields of /proc/PID/stat after the command name: [0] state, [1] parent, [11..14] times. */
function readStat(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Milliseconds of processor time of a process and all its descendants, ended ones included. */
export function readTreeCpuMs(rootPid) {
  const childrenOf = new Map();
  const stats = new Map();
  for (const entry of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readStat(entry);
    if (!stat) continue;
    stats.set(+entry, stat);
    const siblings = childrenOf.get(+stat[1]);
    if (siblings) siblings.push(+entry);
    else childrenOf.set(+stat[1], [+entry]);
  }
  let ticks = 0;
  const addTree = (pid) => {
    const stat = stats.get(pid);
    if (!stat) return;
    // The user and system time of the process, and of its ended children.
    ticks += +stat[11] + +stat[12] + +stat[13] + +stat[14];
    for (const child of childrenOf.get(pid) ?? []) addTree(child);
  };
  addTree(rootPid);
  return ticks * TICK_MS;
}

/** Returns the same for the open connections of one PostgreSQL server to a database. */
export function readDatabaseCpuMs(serverPid, database) {
  let ticks = 0;
  for (const entry of fs.readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? readStat(entry) : undefined;
    if (stat === undefined || +stat[1] !== serverPid) continue;
    const isOfDatabase = readTitle(entry).split(' ')[2] === database;
    if (isOfDatabase) ticks += +stat[11] + +stat[12];
  }
  return ticks * TICK_MS;
}

/** Returns the title of a process: `postgres: USER DATABASE …`. */
function readTitle(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Resident memory of one process in megabytes (2^20 bytes). */
export function readResidentMegabytes(pid) {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    return +(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
