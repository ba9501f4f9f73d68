/**
 * Installs the packages of folders that have a lockfile of their own, where they are missing or of another one: `node
 * scripts/install-apart.mjs test/clients scripts/checks`. Several processes may do so at once; one installs, the others wait.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withBuildLock } from './build-lock.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** In the installed packages: what their lockfile was. Times of files would not do: git and npm write lockfiles anew. */
const STAMP = 'node_modules/.installed-from';

const hashOf = async (folder) =>
  createHash('sha256')
    .update(await readFile(path.join(folder, 'package-lock.json')))
    .digest('hex');

async function isInstalled(folder) {
  const from = await readFile(path.join(folder, STAMP), 'utf8').catch(() => undefined);
  return from === (await hashOf(folder));
}

async function install(folder) {
  if (await isInstalled(folder)) return;
  await withBuildLock(path.join(folder, 'node_modules'), async () => {
    if (await isInstalled(folder)) return;
    console.error(`Installing the packages of ${path.relative(root, folder)}`);
    const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(npm, 'exit');
    if (code !== 0) throw new Error(`npm ci failed in ${folder}`);
    await writeFile(path.join(folder, STAMP), await hashOf(folder));
  });
}

for (const folder of process.argv.slice(2)) await install(path.resolve(root, folder));
