/** The note of a running quick start, by which other commands find its database without settings. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { isSameProcess, startOf } from './data-folder';

export interface RunningQuickstart {
  readonly processId: number;
  /** Start time of the process (`startOf`). */
  readonly started: string;
  readonly address: string;
  /** The settings of its database and Redis. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns the file of the newest quick start of this user. */
function defaultFile(): string {
  const folder = process.env['XDG_STATE_HOME'] ?? path.join(homedir(), '.local', 'state');
  return path.join(folder, 'andiron', 'quickstart.json');
}

function fileIn(folder: string): string {
  return path.join(path.resolve(folder), 'quickstart.json');
}

/**
 * Notes the quick start of this process, in its data folder too if it has one. The files have the password of the database, and
 * only this user may read them. Returns a function that removes them.
 */
export async function noteRunning(
  { address, environment }: Pick<RunningQuickstart, 'address' | 'environment'>,
  dataFolder: string | undefined,
): Promise<() => Promise<void>> {
  const noted: RunningQuickstart = {
    ...{ processId: process.pid, started: await startOf(process.pid), address, environment },
  };
  const files = [defaultFile(), ...(dataFolder === undefined ? [] : [fileIn(dataFolder)])];
  for (const file of files) {
    await mkdir(path.dirname(file), { recursive: true });
    const fresh = `${file}.${process.pid}`;
    await writeFile(fresh, `${JSON.stringify(noted)}\n`, { mode: 0o600 });
    await rename(fresh, file);
  }
  return async () => {
    for (const file of files) {
      // A later quick start may have replaced it.
      if ((await readNoted(file))?.processId === process.pid) await rm(file, { force: true });
    }
  };
}

/** Returns the running quick start of a data folder, or the newest one of this user; undefined: there is none. */
export async function findRunning(dataFolder?: string): Promise<RunningQuickstart | undefined> {
  const noted = await readNoted(dataFolder === undefined ? defaultFile() : fileIn(dataFolder));
  return noted !== undefined && (await isSameProcess(noted.processId, noted.started)) ? noted : undefined;
}

async function readNoted(file: string): Promise<RunningQuickstart | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const noted: unknown = JSON.parse(text);
  return isRunningQuickstart(noted) ? noted : undefined;
}

function isRunningQuickstart(noted: unknown): noted is RunningQuickstart {
  return (
    typeof noted === 'object' &&
    noted !== null &&
    'processId' in noted &&
    typeof noted.processId === 'number' &&
    'started' in noted &&
    'environment' in noted
  );
}
