/**
 * Builds the site of docs/ into dist/docs, which the server serves at /docs. Does nothing when dist/docs is newer than its
 * sources. `--base /x/ --out FOLDER` builds files that any web server publishes at /x/.
 */
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildStatic, filesIn } from './static-build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const docs = path.join(root, 'docs');
const configuration = [
  'console/src/look.css',
  'console/src/favicon.svg',
  'scripts/build-site.mjs',
  'scripts/static-build.mjs',
  'package-lock.json',
];
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs;

/** Writes the inline scripts of all pages as sources of a Content-Security-Policy. They must not depend on the base. */
async function listScripts(folder) {
  const sources = new Set();
  for (const file of (await filesIn(folder)).filter((name) => name.endsWith('.html'))) {
    for (const [, script] of (await readFile(file, 'utf8')).matchAll(INLINE_SCRIPT)) {
      if (script.includes('/docs/'))
        throw new Error(`${file} has an inline script with the base of the site`);
      sources.add(`sha256-${createHash('sha256').update(script).digest('base64')}`);
    }
  }
  await writeFile(path.join(folder, '.scripts.json'), JSON.stringify([...sources]));
}

const { values } = parseArgs({ options: { base: { type: 'string' }, out: { type: 'string' } } });
const { base, out } = values;
if (base === undefined && out === undefined) {
  await buildStatic({
    what: 'the site of the docs',
    target: path.join(root, 'dist', 'docs'),
    sources: [...(await filesIn(docs)), ...configuration.map((file) => path.join(root, file))],
    async build(folder) {
      // Loaded only where something has changed: it takes longer than the look.
      const { build } = await import('vitepress');
      await build(docs, { outDir: folder });
      // The server answers unknown addresses with an OperationOutcome.
      await rm(path.join(folder, '404.html'));
      await listScripts(folder);
    },
  });
} else if (base === undefined || out === undefined) {
  console.error('Both are needed: --base /x/ --out FOLDER');
  process.exitCode = 2;
} else {
  const { build } = await import('vitepress');
  await build(docs, { base, outDir: path.resolve(out) });
  console.log(`Built the site of the docs for ${base} into ${out}`);
}
