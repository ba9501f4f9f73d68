/** The site of the docs, as a reader's browser loads it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openSharedServer } from '../support/shared-server';
import { startServer, type TestServer } from '../support/server';

const ROOT = path.resolve(__dirname, '../..');
const SITE = path.join(ROOT, 'dist', 'docs');
const GZIP = { 'accept-encoding': 'gzip' };
const BROWSER = { accept: 'text/html,*/*;q=0.8' };

const pages = (): readonly string[] =>
  readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

/** The addresses of this site that a text names, such as `/docs/assets/app.js`. */
const addressesIn = (text: string, base: string): readonly string[] =>
  [...text.matchAll(/\b(?:href|src)="([^"#]*)/g)]
    .map(([, address = '']) => address)
    .filter((address) => address.startsWith(base));

let server: Pick<TestServer, 'request'>;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-site.mjs'], { cwd: ROOT });
  server = await openSharedServer();
});

describe('a reader', () => {
  it('is led to the first page, under any prefix of a proxy', async () => {
    const { status, headers } = await server.request('GET', '/docs');
    expect([status, headers.location]).toEqual([301, 'docs/']);
    const page = await server.request('GET', '/docs/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Andiron');
  });

  it('opens a page by an address without an ending, and finds everything that it names', async () => {
    const { status, text } = await server.request('GET', '/docs/use/graphql?from=here');
    expect([status, text.includes('The GraphQL gateway')]).toEqual([200, true]);
    const addresses = new Set(addressesIn(text, '/docs/'));
    expect(addresses.size).toBeGreaterThan(50);
    for (const address of addresses) {
      // As a browser asks for it: the console is above the docs.
      const { pathname } = new URL(address, 'http://localhost');
      expect([address, (await server.request('HEAD', pathname, undefined, BROWSER)).status]).toEqual([
        address,
        200,
      ]);
    }
  });

  it('gets pages that are asked for again when they may have changed, and files that are kept', async () => {
    const page = await server.request('GET', '/docs/use/search', undefined, GZIP);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-encoding': 'gzip',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const again = { ...GZIP, 'if-none-match': page.headers.etag ?? '' };
    expect((await server.request('GET', '/docs/use/search', undefined, again)).status).toBe(304);
    const [script = ''] = addressesIn(gunzipSync(page.bytes).toString(), '/docs/assets/app.');
    const answer = await server.request('GET', script, undefined, GZIP);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    });
  });

  it('can search the site', async () => {
    const name = readdirSync(path.join(SITE, 'assets/chunks')).find((each) =>
      /^@localSearch.*\.js$/.test(each),
    );
    const { status, text } = await server.request('GET', `/docs/assets/chunks/${name}`);
    expect([status, text.includes('/docs/use/graphql')]).toEqual([200, true]);
  });

  it('runs no script that the policy does not name, on any page', async () => {
    const { headers } = await server.request('GET', '/docs/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'self'; script-src 'self' 'sha256-/);
    expect(policy).toMatch(/base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
    for (const page of pages()) {
      const text = readFileSync(path.join(SITE, page), 'utf8');
      const scripts = [...text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)];
      expect(scripts.length).toBeGreaterThan(0);
      for (const [, script = ''] of scripts) {
        expect(policy).toContain(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
      }
      expect([page, /<[^>]+\son\w+="/.test(text)]).toEqual([page, false]);
    }
  });

  it('gets an OperationOutcome for addresses that are no pages or files of the site', async () => {
    for (const address of [
      ...['nothing', 'use', 'use/', 'use/graphql/', 'use/nothing.png', '404', 'index.html.gz', 'toString'],
      ...[
        '.built',
        '.scripts.json',
        '../package.json',
        '..%2f..%2fpackage.json',
        '%2e%2e/%2e%2e/package.json',
      ],
      ...['//etc/passwd', 'assets/../../../package.json', '..\\..\\package.json', 'use/graphql%00'],
    ]) {
      const { status, text } = await server.request('GET', `/docs/${address}`);
      expect([address, status, text.includes('OperationOutcome')]).toEqual([address, 404, true]);
    }
  });

  it('can only read', async () => {
    const { status, headers } = await server.request('POST', '/docs/use/graphql', {});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

it('is read without credentials, below the path of the public address, where access is enforced', async () => {
  const environment = { PUBLIC_URL: 'https://fhir.example/clinic/', AUTH_MODE: 'enforced' };
  const enforced = await startServer({ environment });
  try {
    const page = await enforced.request('GET', '/docs/use/graphql');
    expect([page.status, addressesIn(page.text, '/docs/')]).toEqual([200, []]);
    const addresses = addressesIn(page.text, '/clinic/docs/');
    expect(addresses.length).toBeGreaterThan(50);
    for (const address of addresses.filter((each) => /\.(?:js|css)$/.test(each))) {
      // The proxy removes the prefix.
      const { status, text } = await enforced.request('GET', address.replace('/clinic', ''));
      expect([address, status, /["'`(]\/docs\//.test(text)]).toEqual([address, 200, false]);
    }
  } finally {
    await enforced.close();
  }
});
