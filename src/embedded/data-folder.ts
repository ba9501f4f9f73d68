/** Locks the folder of `quickstart --data`: one running server at a time, however the previous one ended. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const OWNER_FILE = 'owner';

/**
 * Returns the start time of a process, which distinguishes it from a later process with the same id. Returns '' where
 * there is no /proc.
 */
export async function startOf(processId: number): Promise<string> {
  const line = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  // The name in parentheses may contain any character; field 22 is the 20th field after it.
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** True if the process runs that had this id and start time. */
export async function isSameProcess(processId: number, started: string): Promise<boolean> {
  return processId > 0 && isAlive(processId) && (await startOf(processId)) === started;
}

/**
 * Makes the folder and writes the id of this process into its owner file. Returns a function that removes the owner
 * file.
 * @throws Error when another running process owns the folder
 */
export async function claimDataFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, OWNER_FILE);
  const [owner, started] = (await readFile(file, 'utf8').catch(() => '')).split(' ');
  const processId = Number(owner);
  if (processId !== process.pid && (await isSameProcess(processId, started ?? ''))) {
    throw new Error(`${folder} is in use by process ${processId}`);
  }
  await writeFile(file, `${process.pid} ${await startOf(process.pid)}`);
  return () => rm(file, { force: true });
}
