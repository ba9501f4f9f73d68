import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { startServer, type TestServer } from '../support/server';
import { gatewayPath } from '../graphql/gateway-client';

/** The headers that Chromium sends when a user opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

let server: TestServer;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-graphiql.mjs'], {
    cwd: path.resolve(__dirname, '../..'),
  });
  server = await startServer();
});
afterAll(() => server.close());

describe('opening the gateway in a browser', () => {
  it('shows GraphiQL, for the tenant and release of the address, and forbids every other source', async () => {
    const answer = await server.request('GET', gatewayPath('system', 'r4b'), undefined, { accept: BROWSER });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
    expect(answer.text).toContain('data-tenant="system" data-release="r4b"');
    expect(answer.text).not.toMatch(/https?:\/\//);
  });

  it('finds every file that the page names, small and cached permanently', async () => {
    for (const page of [gatewayPath('system', 'r4'), `${gatewayPath('system', 'r4')}/`]) {
      const { text } = await server.request('GET', page, undefined, { accept: BROWSER });
      const names = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => name!);
      expect(names).toHaveLength(3);
      for (const name of names) {
        const { pathname } = new URL(name, server.base + page);
        const answer = await server.request('GET', pathname, undefined, { 'accept-encoding': 'gzip' });
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject({
          'content-encoding': 'gzip',
          'content-type': expect.stringMatching(/javascript|css|svg/),
          'cache-control': 'public, max-age=31536000, immutable',
        });
        const plain = await server.request('GET', pathname);
        expect(plain.headers['content-encoding']).toBeUndefined();
        expect(plain.bytes.length).toBeGreaterThan(answer.bytes.length / 2);
      }
    }
  });

  it('serves no other file', async () => {
    for (const name of ['.manifest.json', 'nothing.js', '..%2f.manifest.json', '%2e%2e%2fpackage.json']) {
      expect((await server.request('GET', `/graphiql/assets/${name}`)).status).toBe(404);
    }
  });

  it('needs no credentials, which its requests need where access is enforced', async () => {
    const enforced = await startServer({
      database: server.database,
      environment: { AUTH_MODE: 'enforced' },
    });
    const path = gatewayPath('system', 'r4');
    const page = await enforced.request('GET', path, undefined, { accept: BROWSER });
    expect([page.status, page.text.includes('data-tenant="system"')]).toEqual([200, true]);
    expect((await enforced.request('GET', `${path}/schema.json`)).status).toBe(401);
    expect((await enforced.request('GET', `${path}?query={__typename}`)).status).toBe(401);
    await enforced.close();
  });

  it('is 404 for a tenant that does not exist', async () => {
    const answer = await server.request('GET', '/w/nobody/api/v1/graphql/r4', undefined, { accept: BROWSER });
    expect(answer.status).toBe(404);
  });
});
