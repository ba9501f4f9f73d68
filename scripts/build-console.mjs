/** Builds the workspace console/ into dist/console, whose files src/rest/pages/console.ts serves. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildStatic, filesIn } from './static-build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = path.join(root, 'console');
const configuration = ['package.json', 'vite.config.ts', 'index.html'].map((name) => path.join(source, name));
const scripts = ['build-console.mjs', 'static-build.mjs'].map((name) => path.join(root, 'scripts', name));

await buildStatic({
  what: 'the console',
  target: path.join(root, 'dist', 'console'),
  sources: [
    ...(await filesIn(path.join(source, 'src'))),
    ...(await filesIn(path.join(root, 'packages'))),
    ...configuration,
    ...scripts,
    path.join(root, 'package-lock.json'),
  ],
  async build(folder) {
    // Loaded only where something has changed: it takes longer than the look.
    const { build } = await import('vite');
    await build({ root: source, build: { outDir: folder }, logLevel: 'warn' });
    // The server writes the page, with addresses relative to that of the request.
    await rm(path.join(folder, 'index.html'));
  },
});
