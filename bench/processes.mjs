/** Child processes of the bench: starting, stopping, and what /proc says about them (Linux only). */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';

/** The kernel counts processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** Every child from its first moment on, so that an interrupt at any time finds it; none starts once all are stopped. */
const running = [];
let isStopping = false;

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts a process in a process group of its own, so that Ctrl-C reaches only the bench, which then stops its
 * children in order. Output goes to `logFile`.
 * @param {{ name: string, command: string, args: string[], env?: object, logFile: string, user?: { uid: number, gid: number }, stopSignal?: string }} options
 * @returns a child with `pid`, `exited` (promise of a description), `hasExited()`, `tail()` and `stop()`
 */
export function startProcess({ name, command, args, env, logFile, user, cwd, stopSignal = 'SIGTERM' }) {
  if (isStopping) throw new Error(`${name} is not started: the bench is ending`);
  const log = fs.openSync(logFile, 'a');
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', log, log], ...user });
  fs.closeSync(log);
  let ending;
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve((ending = error.message)));
    child.once('exit', (code, signal) => resolve((ending = `exit ${code ?? signal}`)));
  });
  const tail = () => fs.readFileSync(logFile, 'utf8').split('\n').slice(-20).join('\n');
  const signal = (which) => {
    try {
      process.kill(-child.pid, which);
    } catch {
      // The group has ended already.
    }
  };
  const started = {
    name,
    pid: child.pid,
    logFile,
    exited,
    hasExited: () => ending !== undefined,
    tail,
    async stop() {
      if (ending !== undefined) return;
      signal(stopSignal);
      const stopped = await Promise.race([exited, pause(8000).then(() => undefined)]);
      if (stopped !== undefined) return;
      signal('SIGKILL');
      await exited;
    },
  };
  running.push(started);
  return started;
}

/** Stops all children, the last started first, and lets no other start. */
export async function stopAllProcesses() {
  isStopping = true;
  for (const child of running.reverse()) await child.stop();
}

/**
 * Waits until `isReady` answers true; throws with the end of the log when the process ends first or time is up.
 * @returns milliseconds that it took
 */
export async function waitUntilReady(child, isReady, timeoutMs = 60_000) {
  const start = performance.now();
  while (!(await isReady().catch(() => false))) {
    if (child.hasExited()) throw new Error(`${child.name} ended: ${await child.exited}\n${child.tail()}`);
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
  const walk = (pid) => {
    const stat = stats.get(pid);
    if (!stat) return;
    // Own user and system time, and those of children that ended and were waited for.
    ticks += +stat[11] + +stat[12] + +stat[13] + +stat[14];
    for (const child of childrenOf.get(pid) ?? []) walk(child);
  };
  walk(rootPid);
  return ticks * TICK_MS;
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
