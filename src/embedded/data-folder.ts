/** The folder that `quickstart --data` keeps: one running server at a time, whatever became of the one before. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const OWNER_FILE = 'owner';

/** Tells a process from another one that got the same number later; empty where there is no /proc. */
async function startOf(processId: number): Promise<string> {
  const line = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  // The name in parentheses may hold anything; the 22nd field is the 20th after it.
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

/**
 * Makes the folder and marks it as ours. Returns what takes the mark away.
 * @throws Error when a living process has marked it
 */
export async function claimDataFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, OWNER_FILE);
  const [owner, started] = (await readFile(file, 'utf8').catch(() => '')).split(' ');
  const processId = Number(owner);
  if (
    processId > 0 &&
    processId !== process.pid &&
    isAlive(processId) &&
    (await startOf(processId)) === started
  ) {
    throw new Error(`${folder} is in use by process ${processId}`);
  }
  await writeFile(file, `${process.pid} ${await startOf(process.pid)}`);
  return () => rm(file, { force: true });
}
