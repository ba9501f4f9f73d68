/** The pages for browsers while a build makes them, on a server of its own: their folder is that of this test. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { startServer, type TestServer } from '../support/server';

const PERSON = { 'sec-fetch-mode': 'navigate', accept: 'text/html,*/*;q=0.8' };
const CONSOLE = '/w/system/api/v1/fhir/r4/Patient';
const GRAPHIQL = '/w/system/api/v1/graphql/r4';
const DOCS = '/docs/use/search';

let folder: string;
let server: TestServer;
let isBuilding = true;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-pages-'));
  server = await startServer({
    because: 'its pages are built while it runs',
    pages: { folder, isBuilding: () => isBuilding },
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const open = (address: string) => server.request('GET', address, undefined, PERSON);

/** Puts a folder in its place at once, as the builds do. */
async function build(name: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const aside = await mkdtemp(path.join(folder, 'aside-'));
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(aside, file)), { recursive: true });
    await writeFile(path.join(aside, file), content);
  }
  await rm(path.join(folder, name), { recursive: true, force: true });
  await rename(aside, path.join(folder, name));
}

async function buildAll(version: string): Promise<void> {
  const script = `assets/app.${version}.js`;
  await build('console', {
    '.manifest.json': JSON.stringify({ 'index.html': { file: script } }),
    [script]: version,
  });
  const files = { [`page-${version}.js`]: 'text/javascript; charset=utf-8' };
  const manifest = { script: `page-${version}.js`, style: 'none.css', icon: 'none.svg', files };
  await build('graphiql', {
    '.manifest.json': JSON.stringify(manifest),
    [`page-${version}.js.gz`]: gzipSync(version),
  });
  await build('docs', {
    '.scripts.json': JSON.stringify([`sha256-${version}`]),
    'index.html': 'first page',
    'use/search.html': `docs ${version}`,
  });
}

const pages = [
  [CONSOLE, 'The console is', /app\.(\w+)\.js/],
  [GRAPHIQL, 'GraphiQL is', /page-(\w+)\.js/],
  [DOCS, 'The site of the docs is', /docs (\w+)/],
] as const;

it('a page that is being built says so, reloads itself, and may not be cached', async () => {
  for (const [address, name] of pages) {
    const { status, headers, text } = await open(address);
    expect([address, status, headers['retry-after']]).toEqual([address, 503, '2']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src/),
    });
    expect(text).toContain(`${name} being built`);
    expect(text).toContain('<meta http-equiv="refresh" content="2" />');
    expect(text).not.toMatch(/<script|<link|<style/);
  }
});

it('programs get their answers meanwhile', async () => {
  const { status, json } = await server.request('GET', CONSOLE);
  expect([status, json.resourceType]).toEqual([200, 'Bundle']);
  expect((await server.request('GET', '/docs/assets/app.js')).status).toBe(404);
});

it('a page that nothing builds says how to build it', async () => {
  isBuilding = false;
  for (const [address, name] of pages) {
    const { text } = await open(address);
    expect(text).toContain(`${name} not built here: run <code>npm run build`);
    expect(text).not.toContain('refresh');
  }
});

it('a page is served as soon as it is built, and again when it is built anew, by the running server', async () => {
  for (const version of ['one', 'two']) {
    await buildAll(version);
    for (const [address, , shown] of pages) {
      const { status, text } = await open(address);
      expect([address, status, shown.exec(text)?.[1]]).toEqual([address, 200, version]);
    }
    for (const file of [`/console/assets/app.${version}.js`, `/graphiql/assets/page-${version}.js`]) {
      const { status, text } = await server.request('GET', file);
      expect([file, status, text]).toEqual([file, 200, version]);
    }
    expect((await open(DOCS)).headers['content-security-policy']).toContain(`'sha256-${version}'`);
  }
  for (const file of ['/console/assets/app.one.js', '/graphiql/assets/page-one.js'])
    expect((await server.request('GET', file)).status).toBe(404);
});
