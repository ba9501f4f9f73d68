/** The files of the console, as `npm run build:console` has made them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { openSharedServer, type Answer, type HttpServer } from '../support/shared-server';
import { buildConsole } from './console-page';

const PEOPLE = { 'sec-fetch-mode': 'navigate', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const DIST = path.resolve(__dirname, '../../dist/console');

let server: HttpServer;
beforeAll(async () => {
  await buildConsole();
  server = await openSharedServer();
});
afterAll(() => server.close());

const open = (address: string, headers: Record<string, string> = PEOPLE): Promise<Answer> =>
  server.request('GET', address, undefined, headers);

it('the page has the place of the console at every address of a person', async () => {
  for (const address of ['/', '/w/system', `${server.path('system', 'r4')}/Patient?name=x`])
    expect((await open(address)).text).toContain('id="console"');
});

it('the files of the page are found from every address, also behind a prefix', async () => {
  for (const address of ['/', '/w/system', '/w/system/', '/w/system/api/v1/fhir/r4/Patient/a']) {
    const { text } = await open(address);
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      const { pathname } = new URL(file, `http://proxy.example/prefix${address}`);
      expect(pathname).toMatch(/^\/prefix\/console\/assets\//);
      const { status, headers } = await open(pathname.replace('/prefix', ''), { 'accept-encoding': 'gzip' });
      expect([file, status, headers['content-encoding']]).toEqual([file, 200, 'gzip']);
      expect(headers['cache-control']).toContain('immutable');
    }
  }
});

it('the first view is less than 300 kB, compressed', async () => {
  const { text } = await open('/');
  const files = [...text.matchAll(/\/(assets\/[^"]+)"/g)].map(([, file = '']) => file);
  const bytes = files.map((file) => gzipSync(readFileSync(path.join(DIST, file)), { level: 9 }).length);
  expect(bytes.reduce((sum, each) => sum + each, gzipSync(text).length)).toBeLessThan(300_000);
});
