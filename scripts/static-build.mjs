/** The common part of builds of files for browsers: they do nothing when nothing has changed, and replace a folder at once. */
import { readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { withBuildLock } from './build-lock.mjs';

const compress = promisify(gzip);
const TEXT = /\.(?:html|js|css|json|svg|ttf)$/;
/** In the folder of a build: the list of its sources, so that a removed one makes the build stale, too. */
const STAMP = '.built';

/** All files below a folder. */
export async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

async function isFresh(target, sources) {
  const stamp = path.join(target, STAMP);
  const built = await stat(stamp).catch(() => undefined);
  if (!built || (await readFile(stamp, 'utf8')) !== sources.join('\n')) return false;
  const times = await Promise.all(sources.map(async (file) => (await stat(file)).mtimeMs));
  return times.every((time) => time <= built.mtimeMs);
}

async function compressTexts(folder) {
  const texts = (await filesIn(folder)).filter((file) => TEXT.test(file));
  await Promise.all(
    texts.map(async (file) => writeFile(`${file}.gz`, await compress(await readFile(file), { level: 9 }))),
  );
}

/** Removes what builds have left that were killed. The caller has the lock, so that none of them runs. */
async function removeLeftovers(target) {
  const { dir, base } = path.parse(target);
  const left = (await readdir(dir)).filter((name) => name.startsWith(`${base}.`) && /\.\d+$/.test(name));
  // Those of processes that wait for the lock have another ending before the number.
  const aside = left.filter((name) => !name.startsWith(`${base}.lock`));
  await Promise.all(aside.map((name) => rm(path.join(dir, name), { recursive: true, force: true })));
}

/**
 * Calls `build` with an empty folder, compresses the texts in it, and puts it in the place of `target`, so that a server
 * that runs meanwhile has the old or the new files. Does nothing when `target` is newer than `sources`. `what`: its name for people.
 */
export async function buildStatic(options) {
  const { target, sources } = options;
  const sorted = [...sources].sort();
  if (await isFresh(target, sorted)) return;
  await withBuildLock(target, async () => {
    // Another process may just have built it.
    if (!(await isFresh(target, sorted))) await replaceTarget({ ...options, sources: sorted });
  });
}

async function replaceTarget({ what, target, sources, build }) {
  await removeLeftovers(target);
  const [started, begun] = [performance.now(), new Date()];
  const aside = `${target}.${process.pid}`;
  // Tests, which build what has changed, run with another one; then React would be the one for its developers.
  process.env.NODE_ENV = 'production';
  try {
    await build(aside);
    await compressTexts(aside);
    const stamp = path.join(aside, STAMP);
    await writeFile(stamp, sources.join('\n'));
    // A source that changed meanwhile makes the build stale.
    await utimes(stamp, begun, begun);
    const old = `${target}.0`;
    await rename(target, old).catch(() => undefined);
    await rename(aside, target);
    await rm(old, { recursive: true, force: true });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  console.log(`Built ${what} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
