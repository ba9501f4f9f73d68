/** Addresses in the lines of an import, and those of the import itself (docs/use/import.md). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportData } from '../support/bulk';
import { ASYNC, ended, LINES, MANIFEST, refusals, type Send } from '../support/imports';
import { openSharedServer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(async () => server.close());

async function openTenant(tenant: string): Promise<{ send: Send; root: string }> {
  await server.createTenant(tenant);
  const root = server.path(tenant, 'r4');
  return {
    send: (method, rest, body, headers = {}) => server.request(method, root + rest, body, headers),
    root: server.root(tenant, 'r4'),
  };
}

const BINARY = { resourceType: 'Binary', id: 'scan', contentType: 'text/plain', data: 'c2Nhbg==' };
const DOCUMENT = {
  ...{ resourceType: 'DocumentReference', id: 'scan', status: 'current' },
  content: [{ attachment: { contentType: 'text/plain', url: 'Binary/scan' } }],
  // A number whose digits stay.
  extension: [{ url: 'http://a.example/weight', valueDecimal: 1.5 }],
};

/** All lines of an export of everything. */
async function exported(root: string): Promise<string> {
  const { resources } = await exportData(server, `${new URL(root).pathname}/$export`);
  return [...resources.values()]
    .flat()
    .map((resource) => JSON.stringify(resource))
    .join('\n');
}
const urlOf = async (send: Send): Promise<unknown> =>
  (await send('GET', '/DocumentReference/scan')).json.content[0].attachment.url;

it('what a tenant exports can be imported into another one, whose attachments refer to its own Binaries', async () => {
  const from = await openTenant('address-from');
  await from.send('PUT', '/Binary/scan', BINARY);
  await from.send('PUT', '/DocumentReference/scan', DOCUMENT);
  const lines = await exported(from.root);
  expect(lines).toContain(`"url":"${from.root}/Binary/scan"`);
  const to = await openTenant('address-to');
  const refused = await ended(to.send, await to.send('POST', '/$import', lines, LINES));
  expect(await refusals(to.send, refused)).toEqual([
    ['body', expect.any(Number), expect.any(String), expect.stringContaining('inputSource')],
  ]);
  const address = `/$import?inputSource=${encodeURIComponent(`${from.root}/`)}`;
  const answer = await ended(to.send, await to.send('POST', address, lines, LINES));
  expect(answer.json).toMatchObject({ output: [{ count: 2 }], error: [] });
  expect(await urlOf(to.send)).toBe('Binary/scan');
  expect((await to.send('GET', '/Binary/scan', undefined, { accept: 'text/plain' })).text).toBe('scan');
});

it('an attachment that refers to a Binary of the tenant itself is stored relative', async () => {
  const { send, root } = await openTenant('address-same');
  await send('PUT', '/Binary/scan', BINARY);
  await send('PUT', '/DocumentReference/scan', DOCUMENT);
  const lines = await exported(root);
  const answer = await ended(send, await send('POST', '/$import', lines, LINES));
  expect(answer.json.error).toEqual([]);
  expect(await urlOf(send)).toBe('Binary/scan');
});

it('references and attachments below inputSource become relative, and no other address does', async () => {
  const { send } = await openTenant('address-source');
  const source = 'https://other.example/fhir';
  const lines = [
    `{"resourceType":"Observation","id":"o","status":"final","code":{"text":"a"},"valueQuantity":{"value":1.50},
      "subject":{"reference":"${source}/Patient/p"},"performer":[{"reference":"${source}-2/Patient/q"}],
      "derivedFrom":[{"reference":"https:\\/\\/other.example\\/fhir\\/DocumentReference\\/d"}]}`.replaceAll(
      '\n',
      '',
    ),
    `{"resourceType":"ValueSet","id":"v","status":"active","url":"${source}/ValueSet/v"}`,
    `{"resourceType":"Bundle","id":"b","type":"collection","entry":[{"fullUrl":"${source}/Basic/a","resource":{"resourceType":"Basic","id":"a","code":{"text":"a"},"subject":{"reference":"${source}/Patient/p"}}}]}`,
  ];
  const files = new Map(lines.map((line) => [`/${JSON.parse(line).resourceType}`, line]));
  const host: Server = createServer(({ url = '' }, response) => response.end(files.get(url)));
  host.listen(0, '127.0.0.1');
  await new Promise((resolve) => host.once('listening', resolve));
  const { port } = host.address() as AddressInfo;
  const manifest = {
    ...{ inputFormat: 'application/fhir+ndjson', inputSource: source },
    input: [...files.keys()].map((name) => ({ type: name.slice(1), url: `http://127.0.0.1:${port}${name}` })),
  };
  const answer = await ended(send, await send('POST', '/$import', manifest, MANIFEST));
  host.close();
  expect(answer.json.error).toEqual([]);
  const { json, text } = await send('GET', '/Observation/o');
  expect(json.subject.reference).toBe('Patient/p');
  expect(json.performer[0].reference).toBe(`${source}-2/Patient/q`);
  expect(json.derivedFrom[0].reference).toBe('DocumentReference/d');
  expect(text).toContain('"value":1.50');
  expect((await send('GET', '/ValueSet/v')).json.url).toBe(`${source}/ValueSet/v`);
  expect((await send('GET', '/Bundle/b')).json.entry[0].resource.subject.reference).toBe(
    `${source}/Patient/p`,
  );
});

it('a long Binary of an export is refused with what to do instead', async () => {
  const { send } = await openTenant('address-long');
  const line = {
    ...{ resourceType: 'Binary', id: 'long', contentType: 'image/tiff' },
    meta: {
      tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }],
    },
  };
  const answer = await ended(send, await send('POST', '/$import', JSON.stringify(line), LINES));
  expect(await refusals(send, answer)).toEqual([
    ['body', 1, 'Binary.meta.tag[0]', expect.stringContaining('PUT Binary/{id}')],
  ]);
});

it.each([
  ['no URI', 'somewhere'],
  ['a URI with spaces', 'https://a.example/a b'],
  ['a URI that is too long', `https://a.example/${'a'.repeat(2_048)}`],
  ['a number', 1],
])('%s as inputSource is refused', async (_what, inputSource) => {
  const root = server.path('system', 'r4');
  const input = [{ type: 'Basic', url: 'https://a.example/Basic.ndjson' }];
  const manifest = { inputFormat: 'application/fhir+ndjson', inputSource, input };
  const answers = [
    await server.request('POST', `${root}/$import`, manifest, MANIFEST),
    await server.request('POST', `${root}/$import?inputSource=${encodeURIComponent(inputSource)}`, '', LINES),
  ];
  for (const { status, json } of answers.slice(0, typeof inputSource === 'string' ? 2 : 1)) {
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain('"inputSource" must be');
  }
});

it('an unknown parameter in the address of an import is refused', async () => {
  const root = server.path('system', 'r4');
  const { status, json } = await server.request('POST', `${root}/$import?mode=x`, '{}', LINES);
  expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('inputSource')]);
});

it.each([
  ['NDJSON', '{}', LINES],
  ['a manifest', { inputFormat: 'application/fhir+ndjson' }, MANIFEST],
  ['multipart', '--a--', { ...ASYNC, 'content-type': 'multipart/form-data; boundary=a' }],
])('an import of one type does not exist, with %s', async (_what, body, headers) => {
  const root = server.path('system', 'r4');
  for (const address of ['/Patient/$import', '/Patient/p/$import']) {
    const { status, json } = await server.request('POST', root + address, body, headers);
    expect([status, json.issue[0].code]).toEqual([404, 'not-supported']);
  }
});

it('lines of great depth or length are refused or written like others, and hold up no others', async () => {
  const { send } = await openTenant('odd-lines');
  const deep = `{"resourceType":"Basic","id":"deep","code":{"text":"/Binary/"},"extension":${'['.repeat(3_000)}${']'.repeat(3_000)}}`;
  const values = Array.from({ length: 90_000 }, () => '{}').join(',');
  const lines = [
    JSON.stringify({ resourceType: 'Patient', id: 'first' }),
    deep,
    `{"resourceType":"Basic","id":"empty","code":{"text":"a"},"extension":[${values}]}`,
    `{"resourceType":"Basic","id":"broken","code":{"text":"${'a'.repeat(300_000)}"},}`,
    JSON.stringify({ resourceType: 'Basic', id: 'long', code: { text: 'a'.repeat(300_000) } }),
    JSON.stringify({ resourceType: 'Patient', id: 'last' }),
  ];
  const done = await ended(send, await send('POST', '/$import', lines.join('\n'), LINES));
  expect(done.status).toBe(200);
  expect(await refusals(send, done)).toEqual([
    ['body', 2, expect.stringMatching(/^Basic\.extension/), 'The line is nested deeper than 64 levels'],
    ['body', 3, 'Basic.extension[0]', expect.stringMatching(/^An object is empty/)],
    ['body', 4, undefined, expect.stringMatching(/^The line is not valid JSON: column 300058/)],
  ]);
  for (const id of ['Patient/first', 'Basic/long', 'Patient/last'])
    expect((await send('GET', `/${id}`)).status).toBe(200);
});
