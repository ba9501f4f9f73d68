import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A process that a watchdog ends when this process is gone, however this one ends. */
export interface Child {
  readonly processId: number;
  /** True until the process has ended. */
  isRunning(): boolean;
  /** Resolves when the process has ended, with a description of how it ended. */
  readonly ended: Promise<string>;
  /** Sends `signal` and waits; kills the process after `graceMs`. Does nothing when the process has ended. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
}

export interface ChildOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'env' | 'stdio'> {
  /** The signal that the process gets when this process is gone without having stopped it. */
  readonly lastSignal: NodeJS.Signals;
  /** A folder that is removed afterwards. It was made for this process, and its path has a part `andiron-…`. */
  readonly lastFolder?: string;
}

/**
 * The script of the watchdog; its arguments are signal, process id and folder. It waits on its standard input, which
 * ends with the process that started it, even by kill -9. The text `ended` on its input means that only the folder
 * remains to be removed. The wait is bounded, because the first process of a container may never reap ended processes.
 */
const WATCHDOG = `
said=$(cat)
if [ "$said" = ended ]; then rm -rf "$3"; exit; fi
kill -"$1" "$2" 2>/dev/null
tries=0
while kill -0 "$2" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -KILL "$2" 2>/dev/null
[ -z "$3" ] || rm -rf "$3"
`;

function startWatchdog(processId: number, signal: NodeJS.Signals, folder: string): ChildProcess {
  const script = ['-c', WATCHDOG, 'andiron-watchdog', signal.replace(/^SIG/, ''), String(processId), folder];
  const watchdog = spawn('sh', script, { detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  // Neither the watchdog nor its standard input keeps this process from ending.
  watchdog.unref();
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref();
  return watchdog;
}

/**
 * Starts a process in a session of its own, with a watchdog that ends it when this process is gone. The session keeps
 * Ctrl-C in the terminal from reaching it before this process handles it.
 * @throws Error when the command cannot be started
 */
export async function startChild(
  command: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<Child> {
  const { lastSignal, lastFolder, ...spawnOptions } = options;
  if (lastFolder !== undefined && !/[\\/]andiron-/.test(lastFolder))
    throw new Error(`${lastFolder} is not a folder that may be removed`);
  const child = spawn(command, args, { ...spawnOptions, detached: true });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `with code ${code ?? '?'}` : `by ${signal}`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const processId = child.pid;
  if (processId === undefined) throw new Error(`${command} was started without a process id`);
  const watchdog = startWatchdog(processId, lastSignal, lastFolder ?? '');
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  void ended.then(() => {
    // The process id may soon belong to another process. A folder stays as long as this process runs, so that a log in
    // it can be read.
    if (lastFolder === undefined) watchdog.kill('SIGKILL');
    else watchdog.stdin?.write('ended');
  });

  return {
    processId,
    isRunning,
    ended,
    async stop(signal, graceMs) {
      if (!isRunning()) return;
      child.kill(signal);
      const waiting = new AbortController();
      const late = delay(graceMs, true, { signal: waiting.signal }).catch(() => false);
      if (await Promise.race([ended.then(() => false), late])) child.kill('SIGKILL');
      await ended;
      waiting.abort();
    },
  };
}
