/** Content that is too long for a resource: sent and loaded in its own type, whole or by ranges; without it in lists. */
import { createHash, randomBytes } from 'node:crypto';
import { IncomingMessage, request as sendRequest } from 'node:http';
import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { UploadedContent } from '../../src/rest/requests/uploaded-content';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const MB = 1024 * 1024;
/** Longer than a resource of MAX_BODY_BYTES (16 MB) can have as base64. */
const CONTENT = randomBytes(13 * MB + 12_345);
const EXTENSIONS = 'https://andiron.example/fhir/StructureDefinition';
const SUBSETTED = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue|SUBSETTED';

let server: SharedServer;
let root: string;
beforeAll(async () => {
  server = await openSharedServer();
  root = server.path('system', 'r4');
});
afterAll(() => server.close());

const send = (method: string, path: string, bytes: Buffer, headers = {}): Promise<Answer> =>
  server.request(method, root + path, bytes, { 'content-type': 'video/mp4', ...headers });
const get = (path: string, headers = {}): Promise<Answer> =>
  server.request('GET', root + path, undefined, headers);
const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** What lists have in place of the content. */
const stub = (id: string, version: number, size = CONTENT.length): object => ({
  resourceType: 'Binary',
  id,
  contentType: 'video/mp4',
  meta: { versionId: String(version), tag: [{ code: 'SUBSETTED' }] },
  _data: {
    extension: [
      { url: `${EXTENSIONS}/content-address`, valueUrl: `Binary/${id}/_history/${version}` },
      { url: `${EXTENSIONS}/content-size`, valueUnsignedInt: size },
    ],
  },
});

let id: string;
it('takes long content and returns it unchanged', async () => {
  const created = await send('POST', '/Binary', CONTENT, { 'x-security-context': 'Patient/p1' });
  expect(created.status).toBe(201);
  id = created.json.id;
  expect(created.json).toMatchObject(stub(id, 1));
  expect(created.json.data).toBeUndefined();
  const { status, headers, bytes } = await get(`/Binary/${id}`);
  expect([status, sum(bytes)]).toEqual([200, sum(CONTENT)]);
  expect(headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': String(CONTENT.length),
    'accept-ranges': 'bytes',
    'x-security-context': 'Patient/p1',
    'content-security-policy': expect.stringContaining('sandbox'),
    etag: 'W/"1"',
    'last-modified': expect.any(String),
  });
});

it('tells its size by HEAD, and nothing when the client has it', async () => {
  const head = await server.request('HEAD', `${root}/Binary/${id}`);
  expect(head.headers).toMatchObject({
    'content-length': String(CONTENT.length),
    'accept-ranges': 'bytes',
    etag: 'W/"1"',
  });
  expect(head.bytes).toHaveLength(0);
  expect((await get(`/Binary/${id}`, { 'if-none-match': 'W/"1"' })).status).toBe(304);
});

const N = CONTENT.length;
it.each([
  ['bytes=0-99', 0, 100],
  [`bytes=${MB - 10}-${MB + 9}`, MB - 10, MB + 10],
  [`bytes=${N - 5}-`, N - 5, N],
  ['bytes=-7', N - 7, N],
  [`bytes=${3 * MB}-${3 * MB}`, 3 * MB, 3 * MB + 1],
  [`bytes=${N - 1}-${N + 100}`, N - 1, N],
])('answers the range %s', async (range, start, end) => {
  const { status, headers, bytes } = await get(`/Binary/${id}`, { range });
  expect(status).toBe(206);
  expect(headers['content-range']).toBe(`bytes ${start}-${end - 1}/${N}`);
  expect(bytes.equals(CONTENT.subarray(start, end))).toBe(true);
});

it('answers ranges of short content in the same way', async () => {
  const { json } = await send('POST', '/Binary', Buffer.from('0123456789'), { 'content-type': 'text/plain' });
  const path = `/Binary/${json.id}`;
  expect((await get(path)).headers['accept-ranges']).toBe('bytes');
  const part = await get(path, { range: 'bytes=2-4' });
  expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
  const outside = await get(path, { range: 'bytes=10-' });
  expect([outside.status, outside.headers['content-range']]).toEqual([416, 'bytes */10']);
  expect(outside.json.resourceType).toBe('OperationOutcome');
  for (const range of ['bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-'])
    expect((await get(path, { range })).text).toBe('0123456789');
  expect((await get(path, { range: 'bytes=0-1', 'if-range': 'W/"2"' })).status).toBe(200);
  expect((await get(path, { range: 'bytes=0-1', 'if-range': 'W/"1"' })).status).toBe(206);
});

it('refuses it as a resource, with the address where it is', async () => {
  for (const accept of ['application/fhir+json', 'application/json', 'text/html']) {
    const { status, json } = await get(`/Binary/${id}`, { accept });
    expect(status).toBe(406);
    expect(json.issue[0].diagnostics).toContain(`${server.base}${root}/Binary/${id}/_history/1`);
  }
  expect((await get(`/Binary/${id}?_format=json`)).status).toBe(406);
  for (const accept of ['*/*', 'video/*', 'application/fhir+json, */*;q=0.1'])
    expect((await get(`/Binary/${id}`, { accept, range: 'bytes=0-0' })).status).toBe(206);
});

it('stands without data in searches, histories, bundles and GraphQL', async () => {
  const found = await get(`/Binary?_id=${id}`);
  expect(found.json.entry[0].resource).toMatchObject(stub(id, 1));
  expect((await get(`/Binary?_tag=${SUBSETTED}&_id=${id}`)).json.entry).toHaveLength(1);
  expect((await get(`/Binary/${id}/_history`)).json.entry[0].resource).toMatchObject(stub(id, 1));
  const batch = {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [{ request: { method: 'GET', url: `Binary/${id}` } }],
  };
  const answered = await server.request('POST', root, batch);
  expect(answered.json.entry[0].resource).toMatchObject(stub(id, 1));
  const query = `{ Binary(id: "${id}") { contentType data } }`;
  const graphql = `${root.replace('/fhir/', '/graphql/')}`;
  const { json } = await server.request('POST', graphql, { query }, { 'content-type': 'application/json' });
  expect(json.data.Binary).toEqual({ contentType: 'video/mp4', data: null });
});

it('has versions, each with its content', async () => {
  const next = randomBytes(13 * MB);
  const updated = await send('PUT', `/Binary/${id}`, next, { 'if-match': 'W/"1"' });
  expect(updated.status).toBe(200);
  expect(updated.json).toMatchObject(stub(id, 2, next.length));
  expect(sum((await get(`/Binary/${id}`)).bytes)).toBe(sum(next));
  expect(sum((await get(`/Binary/${id}/_history/1`)).bytes)).toBe(sum(CONTENT));
  const stale = await send('PUT', `/Binary/${id}`, next, { 'if-match': 'W/"1"' });
  expect(stale.status).toBe(412);
  const short = await send('PUT', `/Binary/${id}`, Buffer.from('short'));
  expect(short.json).toMatchObject({
    data: Buffer.from('short').toString('base64'),
    meta: { versionId: '3' },
  });
  expect(
    (await get(`/Binary/${id}/_history/2`, { range: 'bytes=0-3' })).bytes.equals(next.subarray(0, 4)),
  ).toBe(true);
  expect((await server.request('DELETE', `${root}/Binary/${id}`)).status).toBe(200);
  expect((await get(`/Binary/${id}`)).status).toBe(410);
  expect(sum((await get(`/Binary/${id}/_history/1`)).bytes)).toBe(sum(CONTENT));
});

it('refuses the text without data as an update, however it comes', async () => {
  const { json: made } = await send('PUT', '/Binary/listed', CONTENT);
  const refused: Answer[] = [await server.request('PUT', `${root}/Binary/listed`, made)];
  const { meta, ...untagged } = made;
  expect(meta.tag[0].code).toBe('SUBSETTED');
  refused.push(await server.request('PUT', `${root}/Binary/listed`, untagged));
  refused.push(await server.request('POST', `${root}/Binary`, untagged));
  const entry = [{ resource: untagged, request: { method: 'PUT', url: 'Binary/listed' } }];
  refused.push(await server.request('POST', root, { resourceType: 'Bundle', type: 'transaction', entry }));
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  const document =
    'mutation ($r: ResourceInput!) { BinaryUpdate(id: "listed", res: $r) { resource { id } } }';
  const graphql = root.replace('/fhir/', '/graphql/');
  const { _data, ...input } = untagged;
  const extension = _data.extension;
  const update = (res: object): Promise<Answer> =>
    server.request(
      'POST',
      graphql,
      { query: document, variables: { r: res } },
      { 'content-type': 'application/json' },
    );
  for (const res of [
    { ...input, _data: { extension } },
    { ...input, meta: { tag: meta.tag } },
  ]) {
    const { json } = await update(res);
    expect(json.data?.BinaryUpdate ?? null).toBeNull();
    expect(json.errors).toMatchObject([
      {
        message: 'A resource tagged SUBSETTED is incomplete and cannot be stored',
        extensions: { status: 422 },
      },
    ]);
  }
  expect((await get('/Binary/listed/_history')).json.total).toBe(1);
  // With content of its own the same mutation is an update.
  expect((await update({ ...input, data: 'QUJD' })).json.data.BinaryUpdate.resource.id).toBe('listed');
});

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const patched = (of: string, operations: readonly object[]): Promise<Answer> =>
  server.request('PATCH', `${root}/Binary/${of}`, operations, JSON_PATCH);
/** What lists have of a later version with the content of version 1. */
const keptStub = (of: string, version: number): object => ({
  meta: {
    versionId: String(version),
    tag: expect.arrayContaining([expect.objectContaining({ code: 'SUBSETTED' })]),
  },
  _data: {
    extension: [
      { url: `${EXTENSIONS}/content-address`, valueUrl: `Binary/${of}/_history/${version}` },
      { url: `${EXTENSIONS}/content-size`, valueUnsignedInt: CONTENT.length },
      { url: `${EXTENSIONS}/content-version`, valuePositiveInt: 1 },
    ],
  },
});

it('keeps the content when a patch or an operation changes the resource', async () => {
  expect((await send('PUT', '/Binary/kept', CONTENT)).status).toBe(201);
  const context = { op: 'add', path: '/securityContext', value: { reference: 'Patient/p2' } };
  const changed = await patched('kept', [context, { op: 'remove', path: '/meta/tag' }]);
  expect(changed).toMatchObject({ status: 200, json: keptStub('kept', 2) });
  expect(changed.json.securityContext).toEqual({ reference: 'Patient/p2' });
  const parameter = (name: string, value: object): object => ({ name, ...value });
  const replace = {
    name: 'operation',
    part: [
      parameter('type', { valueCode: 'replace' }),
      parameter('path', { valueString: 'Binary.contentType' }),
      parameter('value', { valueCode: 'image/png' }),
    ],
  };
  const byPath = await server.request('PATCH', `${root}/Binary/kept`, {
    ...{ resourceType: 'Parameters', parameter: [replace] },
  });
  expect(byPath).toMatchObject({ status: 200, json: keptStub('kept', 3) });
  for (const [code, tags] of [
    ['$meta-add', 2],
    ['$meta-delete', 1],
  ] as const) {
    const valueMeta = { tag: [{ system: 'urn:t', code: 'reviewed' }] };
    const { status, json } = await server.request('POST', `${root}/Binary/kept/${code}`, {
      ...{ resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta }] },
    });
    expect([status, json.parameter[0].valueMeta.tag.length]).toEqual([200, tags]);
  }
  const request = { method: 'PATCH', url: 'Binary/kept' };
  const data = Buffer.from(JSON.stringify([{ op: 'remove', path: '/securityContext' }])).toString('base64');
  const resource = { resourceType: 'Binary', contentType: 'application/json-patch+json', data };
  const answered = await server.request('POST', root, {
    ...{ resourceType: 'Bundle', type: 'transaction', entry: [{ resource, request }] },
  });
  expect(answered.json.entry[0].response.status).toMatch(/^200/);
  for (const path of ['/Binary/kept', '/Binary/kept/_history/6', '/Binary/kept/_history/4']) {
    const { headers, bytes } = await get(path);
    expect([headers['content-type'], sum(bytes)]).toEqual(['image/png', sum(CONTENT)]);
  }
  expect((await get('/Binary?_id=kept')).json.entry[0].resource).toMatchObject(keptStub('kept', 6));
  expect((await send('PUT', '/Binary/kept', CONTENT)).json).toMatchObject(stub('kept', 7));
  expect(sum((await get('/Binary/kept/_history/5')).bytes)).toBe(sum(CONTENT));
});

it('has no patch that removes or replaces the content', async () => {
  expect((await send('PUT', '/Binary/patched', CONTENT)).status).toBe(201);
  const tag = { op: 'remove', path: '/meta/tag' };
  const data = Buffer.from('short').toString('base64');
  const extension = '/_data/extension/0';
  for (const operations of [
    [tag, { op: 'remove', path: '/_data' }],
    [tag, { op: 'remove', path: '/_data' }, { op: 'add', path: '/data', value: data }],
    [{ op: 'add', path: '/data', value: data }],
    [{ op: 'replace', path: `${extension}/valueUrl`, value: 'Binary/other/_history/1' }],
    [{ op: 'remove', path: extension }],
    [{ op: 'replace', path: '', value: { resourceType: 'Binary', id: 'patched', contentType: 'image/png' } }],
  ]) {
    const { status, json } = await patched('patched', operations);
    expect([status, json.issue[0].diagnostics]).toEqual([
      422,
      'A patch cannot change the content of this Binary, which is stored apart: send other content by PUT in its own type',
    ]);
  }
  expect((await patched('patched', [{ op: 'test', path: '/contentType', value: 'video/mp4' }])).status).toBe(
    200,
  );
  expect((await get('/Binary/patched/_history')).json.total).toBe(1);
});

it('takes content of unknown length, and compressed, short and long', async () => {
  const chunked = { 'transfer-encoding': 'chunked' };
  const long = await send('POST', '/Binary', CONTENT, chunked);
  expect(long.json).toMatchObject(stub(long.json.id, 1));
  expect(sum((await get(`/Binary/${long.json.id}`)).bytes)).toBe(sum(CONTENT));
  const short = await send('POST', '/Binary', Buffer.from('abc'), chunked);
  expect(short.json.data).toBe(Buffer.from('abc').toString('base64'));
  const zeros = Buffer.alloc(14 * MB);
  const packed = await send('POST', '/Binary', gzipSync(zeros), { 'content-encoding': 'gzip' });
  expect(packed.json).toMatchObject(stub(packed.json.id, 1, zeros.length));
  expect(sum((await get(`/Binary/${packed.json.id}`)).bytes)).toBe(sum(zeros));
  const broken = await send('POST', '/Binary', Buffer.from('this is no gzip'), {
    'content-encoding': 'gzip',
  });
  expect(broken.status).toBe(400);
  expect((await send('POST', '/Binary', CONTENT, { 'content-encoding': 'zip' })).status).toBe(415);
});

it('does not take the same content twice', async () => {
  const criteria = { 'if-none-exist': '_id=once' };
  expect((await send('PUT', '/Binary/once', CONTENT)).status).toBe(201);
  const found = await send('POST', '/Binary', CONTENT, criteria);
  expect([found.status, found.json.id]).toEqual([200, 'once']);
  const updated = await send('PUT', '/Binary?_id=once', CONTENT);
  expect(updated.json).toMatchObject(stub('once', 2));
});

/** Announces a body of `length` bytes and sends none of it. */
function announce(length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      `${server.base}${root}/Binary`,
      { method: 'POST', headers: { 'content-type': 'image/tiff', 'content-length': length } },
      (response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      },
    );
    request.on('error', reject);
    request.flushHeaders();
  });
}

it('refuses what is longer than MAX_BINARY_BYTES before it is sent', async () => {
  expect(await announce(100 * MB + 1)).toBe(413);
});

it('does not read a refused body for as long as bytes drip in', async () => {
  const body = new IncomingMessage(new Socket());
  const drip = setInterval(() => body.push('x'), 1);
  await new UploadedContent(body, 1_000).drain(0);
  clearInterval(drip);
  expect(body.readableEnded).toBe(false);
});
