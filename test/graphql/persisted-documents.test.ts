import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import type { Release } from '../../src/core';
import { findFreePort } from '../../src/embedded/free-port';
import { createHttpClient, type HttpClient } from '../support/http';
import { startServer, type TestServer } from '../support/server';
import { type GatewayAnswer, gatewayPath, toGatewayAnswer } from './gateway-client';

const QUERY = '{ metadata { fhirVersion } }';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const persisted = (text: string): object => ({ persistedQuery: { version: 1, sha256Hash: hashOf(text) } });
const JSON_BODY = { 'content-type': 'application/json' };

async function post(
  server: TestServer,
  body: object,
  tenant = 'system',
  release: Release = 'r4',
): Promise<GatewayAnswer> {
  return toGatewayAnswer(
    await server.request('POST', gatewayPath(tenant, release), JSON.stringify(body), JSON_BODY),
  );
}

describe('documents that clients register', () => {
  let server: TestServer;
  let metrics: HttpClient;
  beforeAll(async () => {
    const METRICS_ADDRESS = `127.0.0.1:${await findFreePort()}`;
    server = await startServer({ environment: { METRICS_ADDRESS } });
    metrics = createHttpClient(`http://${METRICS_ADDRESS}`);
    await server.app.core.tenants.create('other');
  });
  afterAll(async () => {
    metrics.close();
    await server.close();
  });

  it('are sent once, and named by their hash afterwards', async () => {
    const unknown = await post(server, { extensions: persisted(QUERY) });
    expect([unknown.status, unknown.errors[0]?.message]).toEqual([200, 'PersistedQueryNotFound']);
    expect(unknown.errors[0]?.extensions.code).toBe('not-found');
    const registered = await post(server, { query: QUERY, extensions: persisted(QUERY) });
    expect(registered.found).toEqual({ metadata: { fhirVersion: '4.0.1' } });
    expect((await post(server, { extensions: persisted(QUERY) })).found).toEqual(registered.found);
    const extensions = encodeURIComponent(JSON.stringify(persisted(QUERY)));
    const address = `${gatewayPath('system', 'r4')}?extensions=${extensions}`;
    const byGet = await server.request('GET', address, undefined, { 'apollo-require-preflight': '1' });
    expect(byGet.json.data).toEqual(registered.found);
  });

  it('are known to their tenant and release, and to another process of the server', async () => {
    const text = `${QUERY} # of one tenant`;
    await post(server, { query: text, extensions: persisted(text) });
    for (const [tenant, release] of [
      ['other', 'r4'],
      ['system', 'r4b'],
    ] as const) {
      const answer = await post(server, { extensions: persisted(text) }, tenant, release);
      expect(answer.errors[0]?.message).toBe('PersistedQueryNotFound');
    }
    const second = await startServer({ database: server.database });
    try {
      expect((await post(second, { extensions: persisted(text) })).found).toBeDefined();
    } finally {
      await second.close();
    }
  });

  it('are not registered where hash and text differ, or the text is wrong', async () => {
    const differing = await post(server, {
      query: '{ metadata { resourceTypes } }',
      extensions: persisted(QUERY),
    });
    expect([differing.status, differing.json.data]).toEqual([400, undefined]);
    await post(server, { query: '{ nope }', extensions: persisted('{ nope }') });
    expect((await post(server, { extensions: persisted('{ nope }') })).errors[0]?.message).toBe(
      'PersistedQueryNotFound',
    );
  });

  describe('where Redis is away, and introspection switched off', () => {
    let alone: TestServer;
    beforeAll(async () => {
      const environment = { REDIS_PORT: '1', GRAPHQL_INTROSPECTION: 'off' };
      alone = await startServer({ database: server.database, environment });
    });
    afterAll(() => alone.close());

    it('are asked for again, and never an error', async () => {
      const unknown = await post(alone, { extensions: persisted(QUERY) });
      expect([unknown.status, unknown.errors[0]?.message]).toEqual([200, 'PersistedQueryNotFound']);
      expect((await post(alone, { query: QUERY, extensions: persisted(QUERY) })).errors).toEqual([]);
    });

    it('may not ask for the schema, and no names of it are guessed at', async () => {
      const answer = await post(alone, { query: '{ __schema { types { name } } }' });
      expect([answer.status, answer.json.data]).toEqual([400, undefined]);
      const misspelt = await post(alone, { query: '{ metadat { fhirVersion } }' });
      expect(misspelt.errors[0]?.message).not.toContain('metadata');
    });
  });

  it('may be the introspection, which is worked out once', async () => {
    const query = getIntrospectionQuery();
    const first = await post(server, { query });
    expect(first.errors).toEqual([]);
    expect(first.found.__schema.types.length).toBeGreaterThan(1000);
    const second = await post(server, { query });
    expect(second.text === first.text).toBe(true);
    const { text } = await metrics.request('GET', '/metrics');
    const counted = text.match(/^andiron_introspections_total.*$/gm)?.sort();
    expect(counted).toEqual([
      'andiron_introspections_total{outcome="remembered"} 1',
      'andiron_introspections_total{outcome="thread"} 1',
    ]);
  });
});

describe('a server of trusted documents', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'andiron-trusted-'));
    const file = path.join(folder, 'documents.json');
    await writeFile(file, JSON.stringify({ [`sha256:${hashOf(QUERY)}`]: QUERY }));
    server = await startServer({
      environment: { GRAPHQL_TRUSTED_DOCUMENTS: file, GRAPHQL_TRUSTED_ONLY: 'on', GRAPHQL_INTROSPECTION: 'off' },
    });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('answers them by hash, by id and by their text', async () => {
    const hash = hashOf(QUERY);
    for (const body of [{ extensions: persisted(QUERY) }, { documentId: `sha256:${hash}` }, { query: QUERY }])
      expect((await post(server, body)).found).toEqual({ metadata: { fhirVersion: '4.0.1' } });
  });

  it('answers no others, at no address', async () => {
    const other = '{ operations { code } }';
    for (const body of [{ query: other }, { query: other, extensions: persisted(other) }, { extensions: persisted(other) }, { documentId: 'x' }, {}]) {
      const answer = await post(server, body);
      expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([403, 'forbidden']);
    }
    const fhir = server.path('system', 'r4');
    const byGet = await server.request('GET', `${fhir}/$graphql?query=${encodeURIComponent(other)}`, undefined, { accept: 'application/json' });
    expect(byGet.status).toBe(403);
  });

  it('does not tell its schema', async () => {
    const file = await server.request('GET', `${gatewayPath('system', 'r4')}/schema.graphql`);
    expect(file.status).toBe(404);
  });

  it('does not start with a manifest of wrong hashes', async () => {
    const file = path.join(folder, 'wrong.json');
    await writeFile(file, JSON.stringify({ [hashOf('{ a }')]: QUERY }));
    await expect(
      startServer({ database: server.database, environment: { GRAPHQL_TRUSTED_DOCUMENTS: file } }),
    ).rejects.toThrow('is not the SHA-256 of its document');
  });
}); // prettier-ignore
