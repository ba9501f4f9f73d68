/** Lets one process at a time make a build. A process that was killed holds nothing. */
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 200;

/** Distinguishes a process from a later one with the same id; '' where there is no /proc. */
async function startOf(processId) {
  const line = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

async function holds(owner) {
  const [processId, started = ''] = owner.split(' ');
  try {
    process.kill(Number(processId), 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return (await startOf(processId)) === started;
}

const readOwner = (file) => readFile(file, 'utf8').catch(() => undefined);

/** Removes the lock of `owner`, which has ended. Another process may have replaced it since; its lock is put back. */
async function removeLockOf(owner, lock, own) {
  const aside = `${own}.ended`;
  if (!(await rename(lock, aside).then(() => true, () => false))) return; // prettier-ignore
  if ((await readOwner(aside)) !== owner) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

async function acquire(lock, own) {
  for (let isWaiting = false; ;) {
    if (await link(own, lock).then(() => true, () => false)) return; // prettier-ignore
    const owner = await readOwner(lock);
    if (owner === undefined) continue;
    if (!(await holds(owner))) {
      await removeLockOf(owner, lock, own);
      continue;
    }
    if (!isWaiting) console.log(`Waiting for the build of process ${owner.split(' ')[0]}`);
    isWaiting = true;
    await delay(POLL_MS);
  }
}

/** Calls `build` while this process has the lock `target`.lock; waits for another one that has it. */
export async function withBuildLock(target, build) {
  const lock = `${target}.lock`;
  const own = `${lock}.${process.pid}`;
  await mkdir(path.dirname(lock), { recursive: true });
  await writeFile(own, `${process.pid} ${await startOf(process.pid)}`);
  try {
    await acquire(lock, own);
    try {
      return await build();
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}
