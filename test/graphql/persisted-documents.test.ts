import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import { eventually } from '../support/eventually';
import type { Release } from '../../src/core';
import { findFreePort } from '../../src/embedded/free-port';
import { createHttpClient, type HttpClient } from '../support/http';
import { countLiveQueries, startServer, type TestServer } from '../support/server';
import { type GatewayAnswer, gatewayPath, toGatewayAnswer } from './gateway-client';
import { connectSocket, subscribeBySocket } from './live/subscriber';

const QUERY = '{ metadata { fhirVersion } }';
const LIVE = 'subscription { resourceChanged(type: Basic) { id } }';
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
    server = await startServer({ because: 'METRICS_ADDRESS', environment: { METRICS_ADDRESS } });
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

  it('exist for their tenant and release, and in another process of the server', async () => {
    const text = `${QUERY} # of one tenant`;
    await post(server, { query: text, extensions: persisted(text) });
    for (const [tenant, release] of [
      ['other', 'r4'],
      ['system', 'r4b'],
    ] as const) {
      const answer = await post(server, { extensions: persisted(text) }, tenant, release);
      expect(answer.errors[0]?.message).toBe('PersistedQueryNotFound');
    }
    const second = await startServer({
      because: 'it is another process of the same database',
      database: server.database,
    });
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

  describe('where Redis is down, and introspection disabled', () => {
    let alone: TestServer;
    beforeAll(async () => {
      const environment = { REDIS_PORT: '1', GRAPHQL_INTROSPECTION: 'off' };
      alone = await startServer({
        because: 'its own Redis settings',
        database: server.database,
        environment,
      });
    });
    afterAll(() => alone.close());

    it('are requested again, and never an error', async () => {
      const unknown = await post(alone, { extensions: persisted(QUERY) });
      expect([unknown.status, unknown.errors[0]?.message]).toEqual([200, 'PersistedQueryNotFound']);
      expect((await post(alone, { query: QUERY, extensions: persisted(QUERY) })).errors).toEqual([]);
    });

    it('may not query the schema, at no address and in no form', async () => {
      const documents = [
        '{ __schema { types { name } } }',
        '{ __type(name: "Patient") { fields { name } } }',
      ];
      const address = gatewayPath('system', 'r4');
      for (const query of documents) {
        const answer = await post(alone, { query });
        expect([answer.status, answer.json.data]).toEqual([400, undefined]);
        const fhir = alone.path('system', 'r4');
        for (const place of [`${fhir}/$graphql`, `${fhir}/Patient/a/$graphql`]) {
          const { status, json } = await alone.request('POST', place, { query }, JSON_BODY);
          expect([status, json.data]).toEqual([400, undefined]);
        }
        const stream = await alone.request('POST', `${address}/stream`, { query }, JSON_BODY);
        expect(stream.text).not.toContain('"data":{');
      }
      for (const file of ['schema.graphql', 'schema.json'])
        expect((await alone.request('GET', `${address}/${file}`)).status).toBe(404);
    });

    it.each([
      ['a field', { query: '{ metadat { fhirVersion } }' }],
      ['an argument', { query: '{ PatientList(gendr: "male") { id } }' }],
      ['a type', { query: '{ read(type: Patien, id: "a") { id } }' }],
      ['a type in a variable', { query: 'query($t: ResourceType!) { read(type: $t, id: "a") { id } }', variables: { t: 'Patien' } }],
      ['a criterion in a variable', { query: 'query($w: PatientWhere) { PatientList(where: $w) { id } }', variables: { w: { gendr: { eq: 'male' } } } }],
      ['a field of a live query', { query: 'subscription { resourceChanged { versionI } }' }, '/stream'],
      ['a variable of a live query', { query: 'subscription($t: ResourceType) { resourceChanged(type: $t) { id } }', variables: { t: 'Patien' } }, '/stream'],
    ])('may misspell %s, and gets no suggestion', async (_what, body, place = '') => {
      const answerOf = async (documents: TestServer): Promise<string> =>
        (await documents.request('POST', gatewayPath('system', 'r4') + place, body, JSON_BODY)).text;
      expect(await answerOf(server)).toContain('Did you mean');
      const text = await answerOf(alone);
      expect(text).toContain('"errors"');
      expect(text).not.toContain('Did you mean');
    }); // prettier-ignore
  });

  it('may be the introspection, which is made once', async () => {
    const count = async (outcome: string): Promise<number> => {
      const { text } = await metrics.request('GET', '/metrics');
      return Number(
        new RegExp(`^andiron_introspections_total.*"${outcome}".* (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
      );
    };
    // Not the usual one of tools, which the build makes (test/browser/built-introspection.browser.ts).
    const query = getIntrospectionQuery({ descriptions: false });
    const before = [await count('thread'), await count('remembered')] as const;
    const first = await post(server, { query });
    expect([first.errors, first.found.__schema.types.length > 1000]).toEqual([[], true]);
    const second = await post(server, { query });
    expect(second.text === first.text).toBe(true);
    expect([await count('thread'), await count('remembered')]).toEqual([before[0] + 1, before[1] + 1]);
  });
});

describe('a server of trusted documents', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'andiron-trusted-'));
    const file = path.join(folder, 'documents.json');
    await writeFile(file, JSON.stringify({ [`sha256:${hashOf(QUERY)}`]: QUERY, [hashOf(LIVE)]: LIVE }));
    server = await startServer({ because: 'GRAPHQL_TRUSTED_DOCUMENTS',
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
    for (const [place, type] of [['', 'application/graphql'], ['', 'application/json'], ['/Patient/a', 'application/graphql']] as const) {
      const body = type === 'application/json' ? { query: other } : place === '' ? other : '{ id }';
      const { status } = await server.request('POST', `${fhir}${place}/$graphql`, body, { 'content-type': type });
      expect([place, type, status]).toEqual([place, type, 403]);
    }
  });

  it('subscribes to no others, by events or by WebSocket', async () => {
    const other = 'subscription { resourceChanged { id type } }';
    const stream = `${gatewayPath('system', 'r4')}/stream`;
    for (const body of [{ query: other }, { query: other, extensions: persisted(other) }, { extensions: persisted(other) }, { documentId: 'x' }, {}]) {
      const { status, json } = await server.request('POST', stream, body, JSON_BODY);
      expect([body, status, json.errors?.[0]?.extensions.code]).toEqual([body, 403, 'forbidden']);
    }
    const address = `${stream}?${new URLSearchParams({ query: other }).toString()}`;
    expect((await server.request('GET', address, undefined, { accept: 'text/event-stream' })).status).toBe(403);
    const refused = await subscribeBySocket({ base: server.base, document: other });
    await eventually(() => refused.isOver);
    expect(refused.errors.map(({ extensions }) => extensions.code)).toEqual(['forbidden']);
    refused.close();
  });

  it('subscribes to those that it trusts, named by their hash, their id or their text', async () => {
    const stream = server.base + gatewayPath('system', 'r4') + '/stream';
    const leaving = new AbortController();
    const extensions = persisted(LIVE);
    const named = new URLSearchParams({ extensions: JSON.stringify(extensions) }).toString();
    const messages: string[] = [];
    const listen = async (place: string, body?: object): Promise<void> => {
      const method = body === undefined ? 'GET' : 'POST';
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { ...JSON_BODY, accept: 'text/event-stream' };
      const response = await fetch(place, { method, headers, signal: leaving.signal, ...sent });
      const index = messages.push('') - 1;
      expect(response.status).toBe(200);
      const reader = response.body?.getReader();
      const decoder = new TextDecoder();
      void (async () => {
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
          messages[index] = (messages[index] ?? '') + decoder.decode(part.value, { stream: true });
      })().catch(() => undefined);
    };
    for (const body of [{ extensions }, { documentId: `sha256:${hashOf(LIVE)}` }, { query: LIVE }])
      await listen(stream, body);
    await listen(`${stream}?${named}`);
    const client = connectSocket({ base: server.base });
    const begun = countLiveQueries(server.base)?.begun;
    let bySocket = '';
    client.subscribe(
      { query: '', extensions: { ...extensions } },
      {
        next: (result) => (bySocket += JSON.stringify(result)),
        error: (error) => (bySocket += JSON.stringify(error)),
        complete: () => undefined,
      },
    );
    await eventually(() => countLiveQueries(server.base)?.begun !== begun || bySocket !== '');
    await server.request('PUT', `${server.path('system', 'r4')}/Basic/told`, { resourceType: 'Basic', id: 'told', code: { text: 'x' } });
    const expected = '{"data":{"resourceChanged":{"id":"told"}}}';
    await eventually(() => messages.every((text) => text.includes(expected)) && bySocket !== '');
    expect(bySocket).toBe(expected);
    leaving.abort();
    await client.dispose();
  });

  it('does not disclose its schema', async () => {
    const file = await server.request('GET', `${gatewayPath('system', 'r4')}/schema.graphql`);
    expect(file.status).toBe(404);
  });

  it('does not start with a manifest of wrong hashes', async () => {
    const file = path.join(folder, 'wrong.json');
    await writeFile(file, JSON.stringify({ [hashOf('{ a }')]: QUERY }));
    await expect(
      startServer({ because: 'GRAPHQL_TRUSTED_DOCUMENTS is wrong', database: server.database, environment: { GRAPHQL_TRUSTED_DOCUMENTS: file } }),
    ).rejects.toThrow('is not the SHA-256 of its document');
  });
}); // prettier-ignore
