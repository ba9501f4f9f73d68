import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { chooseCoding } from '../../src/rest/requests/content-coding';
import { startServer, type TestServer } from '../support/server';

const KILOBYTE = 1024;

describe('the content coding of a response', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, gzip;q=0.5', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['gzip;q=0, br;q=0', undefined],
    ['gzip;q=many', undefined],
    ['zstd, deflate', undefined],
  ])('for Accept-Encoding: %s is %s', (header, expected) => {
    expect(chooseCoding(header)).toBe(expected);
  });
});

describe('compression', () => {
  let server: TestServer;
  let root: string;
  const long = { resourceType: 'Basic', code: { text: 'x'.repeat(4 * KILOBYTE) } };

  beforeAll(async () => {
    server = await startServer({
      because: 'MAX_BODY_BYTES',
      environment: { MAX_BODY_BYTES: String(256 * KILOBYTE) },
    });
    root = server.path('system', 'r4');
  });
  afterAll(() => server.close());

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('applies to responses: %s, also for a page of a search', async (coding, decompress) => {
    const { json } = await server.request('POST', `${root}/Basic`, long);
    for (const path of [`${root}/Basic/${json.id}`, `${root}/Basic?_id=${json.id}`, `${root}/metadata`]) {
      const plain = await server.request('GET', path);
      const answer = await server.request('GET', path, undefined, { 'accept-encoding': coding });
      const vary = 'Accept, Sec-Fetch-Mode, Accept-Encoding';
      expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary });
      expect(decompress(answer.bytes).toString()).toBe(plain.text);
      expect(plain.headers).toMatchObject({ vary });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(answer.bytes.length).toBeLessThan(plain.bytes.length);
    }
  });

  it('applies to GraphQL responses', async () => {
    const graphql = root.replace('/fhir/', '/graphql/');
    const query = { query: '{ metadata { json } }' };
    const plain = await server.request('POST', graphql, query, { 'content-type': 'application/json' });
    const compressed = {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'accept-encoding': 'br',
    };
    const answer = await server.request('POST', graphql, gzipSync(JSON.stringify(query)), compressed);
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'br']);
    expect(brotliDecompressSync(answer.bytes).toString()).toBe(plain.text);
  });

  it('has the same headers for HEAD and GET', async () => {
    const { json } = await server.request('POST', `${root}/Basic`, long);
    const path = `${root}/Basic/${json.id}`;
    const head = await server.request('HEAD', path, undefined, { 'accept-encoding': 'gzip' });
    const get = await server.request('GET', path, undefined, { 'accept-encoding': 'gzip' });
    const codingOf = ({
      date: _date,
      connection: _connection,
      'x-request-id': _id,
      ...others
    }: object & Record<string, unknown>): object => others;
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    expect({ 'transfer-encoding': 'chunked', ...codingOf(head.headers) }).toEqual(codingOf(get.headers));
  });

  it('is not used for short responses, nor if the client does not accept it', async () => {
    const short = await server.request('GET', `${root}/Basic/none`, undefined, { 'accept-encoding': 'gzip' });
    expect(short.status).toBe(404);
    expect(short.headers['content-encoding']).toBeUndefined();
    const refused = await server.request('GET', `${root}/metadata`, undefined, {
      'accept-encoding': 'gzip;q=0',
    });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('applies to request bodies: %s', async (coding, compress) => {
    const body = compress(Buffer.from(JSON.stringify(long)));
    const { status, json } = await server.request('POST', `${root}/Basic`, body, {
      'content-encoding': coding,
    });
    expect(status).toBe(201);
    expect(json.code).toEqual(long.code);
  });

  it.each([['zstd'], ['gzip, br'], ['constructor']])(
    'of bodies in %s is 415, which lists the supported ones',
    async (coding) => {
      const { status, headers, json } = await server.request('POST', `${root}/Basic`, long, {
        'content-encoding': coding,
      });
      expect(status).toBe(415);
      expect(headers['accept-encoding']).toBe('gzip, br, deflate, identity');
      expect(json.issue[0]).toMatchObject({
        code: 'not-supported',
        diagnostics: expect.stringContaining(coding),
      });
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('is 413 as soon as the decompressed body exceeds the limit: %s', async (coding, compress) => {
    const bomb = compress(Buffer.alloc(32 * KILOBYTE * KILOBYTE, ' '));
    expect(bomb.length).toBeLessThan(64 * KILOBYTE);
    const before = process.memoryUsage().arrayBuffers;
    const { status, json } = await server.request('POST', `${root}/Basic`, bomb, {
      'content-encoding': coding,
    });
    expect(status).toBe(413);
    expect(json.issue[0].code).toBe('too-long');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * KILOBYTE * KILOBYTE);
  });

  it.each([
    ['is something else', Buffer.from('{"resourceType":"Basic"}')],
    ['breaks off', gzipSync(Buffer.from(JSON.stringify(long))).subarray(0, 40)],
  ])('is 400 for a body that %s', async (_what, body) => {
    const { status, json } = await server.request('POST', `${root}/Basic`, body, {
      'content-encoding': 'gzip',
    });
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain('Content-Encoding gzip');
  });

  it('applies to a patch by GET', async () => {
    const { json } = await server.request('POST', `${root}/Basic`, long);
    const body = gzipSync(Buffer.from('[{"op":"replace","path":"/code/text","value":"short"}]'));
    const answer = await server.request('GET', `${root}/Basic/${json.id}`, body, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect(answer.json.code).toEqual({ text: 'short' });
  });
});
