/**
 * Compiles src, migrations and packages with swc into dist, at the same relative paths: dist/src, dist/migrations. The .sql files of
 * migrations are copied.
 * Types are not checked here (`npm run check` does). `--if-stale` does nothing when dist is newer than its sources.
 */
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const target = path.join(root, 'dist');
const stamp = path.join(target, '.built');

async function sources() {
  const found = [];
  for (const folder of ['src', 'migrations', 'packages']) {
    const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries) {
      if (!entry.isFile() || !/(?<!\.d)\.ts$|\.sql$/.test(entry.name)) continue;
      found.push(path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)));
    }
  }
  return found.sort();
}

async function isFresh(files) {
  const built = await stat(stamp).catch(() => undefined);
  if (!built) return false;
  if ((await readFile(stamp, 'utf8')) !== files.join('\n')) return false;
  for (const file of [...files, '.swcrc', 'scripts/build.mjs']) {
    if ((await stat(path.join(root, file))).mtimeMs > built.mtimeMs) return false;
  }
  return true;
}

async function build(file) {
  const output = path.join(target, file.replace(/\.ts$/, '.js'));
  await mkdir(path.dirname(output), { recursive: true });
  if (file.endsWith('.sql')) {
    await replace(output, await readFile(path.join(root, file)));
    return output;
  }
  const { code, map } = await transformFile(path.join(root, file), { root, cwd: root, sourceFileName: file });
  await replace(output, `${code}\n//# sourceMappingURL=${path.basename(output)}.map\n`);
  await writeFile(`${output}.map`, map ?? '');
  return output;
}

/** Writes another file and renames it, so that a server that starts during a build never reads half a file. */
async function replace(output, content) {
  const other = `${output}.${process.pid}`;
  // A program, which npx runs by its name.
  await writeFile(other, content, { mode: content.toString().startsWith('#!') ? 0o755 : 0o644 });
  await rename(other, output);
}

async function removeOthers(outputs) {
  const current = new Set(outputs.flatMap((output) => [output, `${output}.map`]));
  for (const folder of ['src', 'migrations', 'packages']) {
    const entries = await readdir(path.join(target, folder), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries) {
      const file = path.join(entry.parentPath ?? entry.path, entry.name);
      if (entry.isFile() && /\.(js(\.map)?|sql)$/.test(file) && !current.has(file))
        await rm(file, { force: true });
    }
  }
}

const started = performance.now();
const files = await sources();
if (process.argv.includes('--if-stale') && (await isFresh(files))) process.exit(0);
const outputs = await Promise.all(files.map(build));
await removeOthers(outputs);
await writeFile(stamp, files.join('\n'));
console.log(`Built ${files.length} files in ${Math.round(performance.now() - started)} ms`);
