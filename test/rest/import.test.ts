/** Imports of NDJSON: https://github.com/smart-on-fhir/bulk-import, docs/use/import.md. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { administerWell, createClient } from '../support/access';
import { eventually } from '../support/eventually';
import {
  ASYNC,
  basic,
  ended,
  LINES,
  MANIFEST as json,
  refusals,
  stateOf,
  WITHIN_MS,
  type Send,
} from '../support/imports';
import { openSharedServer, type SharedServer } from '../support/shared-server';

describe('an import into an open server', () => {
  let server: SharedServer;
  let send: Send;
  let tenants = 0;

  const openTenant = async (settings: Record<string, string> = {}): Promise<Send> => {
    const tenant = `import-${++tenants}`;
    await server.createTenant(tenant, settings);
    const root = server.path(tenant, 'r4');
    return (method, rest, body, headers = {}) => server.request(method, root + rest, body, headers);
  };

  beforeAll(async () => {
    server = await openSharedServer();
    send = await openTenant();
  });
  afterAll(async () => server.close());

  it('creates and updates resources by their ids, and assigns the others one', async () => {
    await send('PUT', '/Basic/old', { resourceType: 'Basic', id: 'old', code: { text: 'before' } });
    const lines = [
      basic('new'),
      basic('old', 'after'),
      '',
      '{"resourceType":"Basic","code":{"text":"without"}}\r',
    ];
    const answer = await ended(send, await send('POST', '/$import', `\ufeff${lines.join('\n')}\n`, LINES));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(Date.parse(String(answer.headers['expires']))).toBeGreaterThan(Date.now());
    expect(answer.json).toMatchObject({ output: [{ inputName: 'body', count: 3 }], error: [] });
    expect(answer.json.requiresAccessToken).toBe(false);
    const old = await send('GET', '/Basic/old');
    expect([old.json.code.text, old.json.meta.versionId]).toEqual(['after', '2']);
    expect((await send('GET', '/Basic?code:text=without')).json.entry).toHaveLength(1);
  });

  it('says of each refused line which it is and why, and writes all others', async () => {
    const lines = [
      basic('good-1'),
      'no JSON',
      '{"resourceType":"Basic","id":"twice","id":"twice","code":{"text":"a"}}',
      '{"resourceType":"Basic","id":"no-code"}',
      '{"resourceType":"Nothing","id":"a"}',
      '[]',
      '{"id":"a"}',
      '{"resourceType":"Patient","id":"wrong","birthDate":"2020-13-45","name":[{"use":"sometimes"}]}',
      '{"resourceType":"Basic","id":"not valid","code":{"text":"a"}}',
      '{"resourceType":"Basic","id":"a"},{"resourceType":"Basic","id":"b"}',
      basic('good-2'),
    ];
    const answer = await ended(send, await send('POST', '/$import', lines.join('\n'), LINES));
    expect(answer.json.output).toEqual([{ inputName: 'body', count: 2 }]);
    const found = await refusals(send, answer);
    expect(found.map((each) => (each as unknown[])[1])).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(found).toContainEqual(['body', 4, 'Basic.code', expect.stringContaining('code')]);
    expect(found).toContainEqual(['body', 8, expect.stringMatching(/^Patient\./), expect.any(String)]);
    for (const id of ['good-1', 'good-2']) expect((await send('GET', `/Basic/${id}`)).status).toBe(200);
    expect((await send('GET', '/Basic?_id=a,b,twice,no-code')).json.entry).toBeUndefined();
  });

  it('refuses a line that is a Bundle with a wrong entry, and no other line', async () => {
    const bundle = (id: string, patients: readonly string[]): string =>
      JSON.stringify({
        ...{ resourceType: 'Bundle', id, type: 'collection' },
        entry: patients.map((patient, place) => ({
          fullUrl: `http://example.org/Patient/p${place}`,
          resource: { resourceType: 'Patient', id: patient },
        })),
      });
    const many = Array.from({ length: 9 }, (_, place) => `p${place}`);
    const lines = [
      basic('before-bundles'),
      bundle('wrong-bundle', ['wrong']),
      bundle('right-bundle', many),
      // The index of the wrong entry is greater than that of any line.
      bundle('long-bundle', [...many, 'wrong']),
    ];
    const answer = await ended(send, await send('POST', '/$import', lines.join('\n'), LINES));
    expect([answer.status, answer.json.output]).toEqual([200, [{ inputName: 'body', count: 2 }]]);
    expect(await refusals(send, answer)).toEqual([
      ['body', 2, 'Bundle.entry[0].fullUrl', expect.stringContaining('disagrees')],
      ['body', 4, 'Bundle.entry[9].fullUrl', expect.stringContaining('disagrees')],
    ]);
    for (const path of ['/Basic/before-bundles', '/Bundle/right-bundle'])
      expect((await send('GET', path)).status).toBe(200);
  });

  it('takes files as multipart, gzipped ones too, and names them in the result', async () => {
    const boundary = 'a-boundary';
    const part = (name: string, bytes: Buffer): Buffer =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="f"; filename="${name}"\r\n\r\n`),
        bytes,
        Buffer.from('\r\n'),
      ]);
    const body = Buffer.concat([
      part('../one.ndjson', Buffer.from(`${basic('part-1')}\n`)),
      part('two.ndjson.gz', gzipSync(`${basic('part-2')}\n${basic('part-3')}\nwrong`)),
      Buffer.from(`--${boundary}--\r\n`),
    ]);
    const headers = { ...ASYNC, 'content-type': `multipart/form-data; boundary=${boundary}` };
    const answer = await ended(send, await send('POST', '/$import', body, headers));
    expect(answer.json.output).toEqual([
      { inputName: 'one.ndjson', count: 1 },
      { inputName: 'two.ndjson.gz', count: 2 },
    ]);
    expect(await refusals(send, answer)).toEqual([
      ['two.ndjson.gz', 3, undefined, expect.stringMatching(/^The line is not valid JSON: column 1/)],
    ]);
  });

  it('writes the lines of one resource in their order, each as a version', async () => {
    const lines = Array.from({ length: 1_203 }, (_, index) => basic(`many-${index % 400}`, String(index)));
    const answer = await ended(send, await send('POST', '/$import', lines.join('\n'), LINES));
    expect(answer.json).toMatchObject({ output: [{ count: 1_203 }], error: [] });
    for (const [id, text, version] of [
      ['many-0', '1200', '4'],
      ['many-3', '803', '3'],
    ]) {
      const { json } = await send('GET', `/Basic/${id}`);
      expect([json.code.text, json.meta.versionId]).toEqual([text, version]);
    }
  });

  it('keeps the order of lines of one resource, also where an earlier one waits for its reference', async () => {
    const kept = await openTenant({ 'referential-integrity': 'on-write' });
    const refer = (id: string, text: string, target?: string): string =>
      JSON.stringify({
        ...{ resourceType: 'Basic', id, code: { text } },
        ...(target === undefined ? {} : { subject: { reference: target } }),
      });
    const between = Array.from({ length: 600 }, (_, index) => basic(`between-${index}`));
    const lines = [
      refer('near', 'first', 'Patient/late'),
      refer('near', 'second'),
      refer('far', 'first', 'Patient/late'),
      refer('lost', 'first', 'Patient/nowhere'),
      ...between,
      refer('far', 'second'),
      refer('lost', 'second'),
      refer('to-lost', 'any', 'Basic/lost'),
      ...between,
      '{"resourceType":"Patient","id":"late"}',
    ];
    const answer = await ended(kept, await kept('POST', '/$import', lines.join('\n'), LINES));
    expect(await refusals(kept, answer)).toEqual([
      ['body', 4, 'Basic.subject.reference', expect.stringContaining('Patient/nowhere')],
    ]);
    for (const [id, version] of [
      ['near', '2'],
      ['far', '2'],
      ['lost', '1'],
    ]) {
      const { json } = await kept('GET', `/Basic/${id}`);
      expect([id, json.code.text, json.meta.versionId]).toEqual([id, 'second', version]);
    }
  });

  it('does not depend on the order of references where they must have targets', async () => {
    const kept = await openTenant({ 'referential-integrity': 'on-write' });
    const refer = (type: string, id: string, ...targets: string[]): string =>
      JSON.stringify({
        ...{ resourceType: type, id, code: { text: id } },
        ...(targets.length === 0
          ? {}
          : {
              extension: targets.map((reference) => ({
                url: 'http://a.example',
                valueReference: { reference },
              })),
            }),
      });
    const lines = [
      refer('Basic', 'first', 'Basic/second'),
      refer('Basic', 'second', 'Basic/third'),
      ...Array.from({ length: 600 }, (_, index) => refer('Basic', `between-${index}`, 'Basic/third')),
      refer('Basic', 'third'),
      // A circle, and what refers to it.
      refer('Basic', 'one', 'Basic/other'),
      refer('Basic', 'other', 'Basic/one'),
      refer('Basic', 'to-circle', 'Basic/one'),
      // A circle with a reference to nothing, and what refers to that.
      refer('Basic', 'lost-1', 'Basic/lost-2'),
      refer('Basic', 'lost-2', 'Basic/lost-1', 'Basic/nowhere'),
      refer('Basic', 'lost-3', 'Basic/lost-2'),
    ];
    const answer = await ended(kept, await kept('POST', '/$import', lines.join('\n'), LINES));
    expect(answer.json.output).toEqual([{ inputName: 'body', count: 606 }]);
    const lost = await refusals(kept, answer);
    expect(lost.map((each) => (each as unknown[])[1])).toEqual([607, 608, 609]);
    expect(lost).toContainEqual([
      'body',
      608,
      'Basic.extension[1].valueReference.reference',
      expect.stringContaining('Basic/nowhere'),
    ]);
    for (const id of ['first', 'second', 'third', 'one', 'other', 'to-circle', 'between-0'])
      expect((await kept('GET', `/Basic/${id}`)).json.meta.versionId).toBe('1');
  });

  it.each([
    ['no preference', '{}', { 'content-type': 'application/json' }, 400, 'respond-async'],
    ['XML', '<a/>', { ...ASYNC, 'content-type': 'application/xml' }, 415, 'application/xml'],
    [
      'multipart without an end',
      '--a\r\n\r\nx',
      { ...ASYNC, 'content-type': 'multipart/form-data; boundary=a' },
      400,
      'boundary',
    ],
    [
      'more parts than any request needs',
      `${'--a\r\n\r\n\r\n'.repeat(10_001)}--a--`,
      { ...ASYNC, 'content-type': 'multipart/form-data; boundary=a' },
      400,
      '10000 parts',
    ],
    [
      'a part that is no file',
      '--a\r\ncontent-disposition: form-data; name="f"\r\n\r\n{}\r\n--a--',
      { ...ASYNC, 'content-type': 'multipart/form-data; boundary=a' },
      400,
      'Part 1',
    ],
    ['no files', '--a--', { ...ASYNC, 'content-type': 'multipart/form-data; boundary=a' }, 400, '1 to'],
    ['no format', { input: [] }, { ...ASYNC, 'content-type': 'application/json' }, 400, 'inputFormat'],
    [
      'another store',
      { inputFormat: 'application/fhir+ndjson', storageDetail: { type: 'aws-s3' }, input: [] },
      { ...ASYNC, 'content-type': 'application/json' },
      400,
      'https',
    ],
    ['an unknown member', { mode: 'x' }, { ...ASYNC, 'content-type': 'application/json' }, 400, 'mode'],
    [
      'an address inside of the network',
      { inputFormat: 'application/fhir+ndjson', input: [{ type: 'Basic', url: 'https://10.0.0.1/a' }] },
      { ...ASYNC, 'content-type': 'application/json' },
      400,
      'OUTBOUND_ALLOWED_HOSTS',
    ],
  ])('a request with %s is refused', async (_what, body, headers, status, words) => {
    const answer = await send('POST', '/$import', body, headers);
    expect(answer.status).toBe(status);
    expect(answer.json.issue[0].diagnostics).toContain(words);
  });

  it('a job of another tenant does not exist, nor do its errors', async () => {
    const other = await openTenant();
    const accepted = await send('POST', '/$import', 'wrong', LINES);
    const answer = await ended(send, accepted);
    const errors = `${stateOf(accepted)}/errors-0.ndjson`;
    expect(answer.json.error[0].url).toContain(errors);
    for (const [method, place] of [
      ['GET', stateOf(accepted)],
      ['GET', errors],
      ['DELETE', stateOf(accepted)],
    ] as const)
      expect((await other(method, place)).status).toBe(404);
    expect((await send('GET', errors)).status).toBe(200);
    expect((await send('DELETE', stateOf(accepted))).status).toBe(202);
    for (const place of [stateOf(accepted), errors]) {
      const gone = await send('GET', place);
      expect([gone.status, gone.json.resourceType]).toEqual([404, 'OperationOutcome']);
    }
  });
});

describe('an import into a server that checks access', () => {
  let server: SharedServer;
  let source: Server;
  let address: string;
  let answerWith: RequestListener;
  const root = (): string => server.path('system', 'r4');

  const as =
    (authorization: string): Send =>
    (method, rest, body, headers = {}) =>
      server.request(method, root() + rest, body, { ...headers, authorization });

  beforeAll(async () => {
    server = await openSharedServer('audited');
    source = createServer((request, response) => answerWith(request, response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => source.once('listening', resolve));
    address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    source.closeAllConnections();
    source.close();
    await server.close();
  });

  it('fetches the files of a manifest, as JSON or Parameters, and tells which it cannot read', async () => {
    const { basic: authorization } = await createClient(server, 'system', { scopes: ['system/*.cruds'] });
    const send = as(authorization);
    answerWith = ({ url }, response) => {
      if (url === '/zipped') response.end(gzipSync(`${basic('url-2')}\n`));
      else if (url === '/plain') response.end(`${basic('url-1')}\n${'{"resourceType":"Patient","id":"p"}'}`);
      else if (url === '/damaged') response.end(gzipSync(basic('url-3')).subarray(0, 20));
      else response.writeHead(404).end();
    };
    const manifest = {
      inputFormat: 'application/fhir+ndjson',
      inputSource: 'https://a.example',
      storageDetail: { type: 'https' },
      input: ['/plain', '/zipped', '/missing', '/damaged'].map((place) => ({
        type: 'Basic',
        url: address + place,
      })),
    };
    const answer = await ended(send, await send('POST', '/$import', manifest, json));
    expect(answer.json.output).toEqual(
      [1, 1, 0, 0].map((count, place) => ({ type: 'Basic', inputUrl: manifest.input[place]?.url, count })),
    );
    expect(await refusals(send, answer)).toEqual([
      [`${address}/plain`, 2, undefined, expect.stringContaining('must be a Basic')],
      [`${address}/missing`, undefined, undefined, expect.stringContaining('status 404')],
      [`${address}/damaged`, undefined, undefined, expect.stringContaining('gzip')],
    ]);
    const parameters = {
      resourceType: 'Parameters',
      parameter: [
        { name: 'inputFormat', valueCode: 'application/fhir+ndjson' },
        { name: 'storageDetail', part: [{ name: 'type', valueCode: 'https' }] },
        {
          name: 'input',
          part: [
            { name: 'type', valueCode: 'Basic' },
            { name: 'url', valueUrl: `${address}/zipped` },
          ],
        },
      ],
    };
    const again = await ended(send, await send('POST', '/$import', parameters, ASYNC));
    expect(again.json.output).toEqual([{ type: 'Basic', inputUrl: `${address}/zipped`, count: 1 }]);
    expect((await send('GET', '/Basic/url-2')).json.meta.versionId).toBe('2');
  });

  it('writes with the rights of its client, and in its name', async () => {
    const client = await createClient(server, 'system', { scopes: ['system/Basic.cru'] });
    const send = as(client.basic);
    const lines = [basic('own'), '{"resourceType":"Patient","id":"not-allowed"}'];
    const answer = await ended(send, await send('POST', '/$import', lines.join('\n'), LINES));
    expect(answer.json.output).toEqual([{ inputName: 'body', count: 1 }]);
    expect(await refusals(send, answer)).toEqual([
      ['body', 2, 'Patient', expect.stringContaining('system/Patient')],
    ]);
    expect((await send('GET', '/Basic/own')).text).toContain(`ClientApplication/${client.id}`);
    const reader = as((await createClient(server, 'system', { scopes: ['system/*.rs'] })).basic);
    expect((await reader('POST', '/$import', basic('a'), LINES)).status).toBe(403);
    const manifest = {
      inputFormat: 'application/fhir+ndjson',
      input: [{ type: 'Patient', url: `${address}/a` }],
    };
    expect((await send('POST', '/$import', manifest, json)).status).toBe(403);
    expect((await server.request('POST', `${root()}/$import`, basic('a'), LINES)).status).toBe(401);
  });

  it('a client sees its own imports only, and has two at a time, which hold up no other tenant', async () => {
    const [one, other] = [
      as((await createClient(server, 'system', { scopes: ['system/*.cruds'] })).basic),
      as((await createClient(server, 'system', { scopes: ['system/*.cruds'] })).basic),
    ];
    // Nothing is answered: the imports stay open.
    answerWith = () => undefined;
    const manifest = {
      inputFormat: 'application/fhir+ndjson',
      input: [{ type: 'Basic', url: `${address}/silent` }],
    };
    const accepted = [
      await one('POST', '/$import', manifest, json),
      await one('POST', '/$import', manifest, json),
    ];
    const third = await one('POST', '/$import', manifest, json);
    expect([third.status, third.json.issue[0].code]).toEqual([429, 'throttled']);
    await server.createTenant('not-held-up');
    const { basic: authorization } = await createClient(server, 'not-held-up', {
      scopes: ['system/*.cruds'],
    });
    const elsewhere: Send = (method, rest, body, headers = {}) =>
      server.request(method, server.path('not-held-up', 'r4') + rest, body, { ...headers, authorization });
    const done = await ended(elsewhere, await elsewhere('POST', '/$import', basic('free'), LINES));
    expect(done.json.output).toEqual([{ inputName: 'body', count: 1 }]);
    for (const each of accepted) {
      const state = await one('GET', stateOf(each));
      expect([state.status, state.headers['retry-after']]).toEqual([202, '1']);
      expect(state.headers['x-progress']).toMatch(/^waiting$|^received 0 of 1 files$/);
      expect((await other('GET', stateOf(each))).status).toBe(404);
      expect((await other('DELETE', stateOf(each))).status).toBe(404);
      expect((await one('DELETE', stateOf(each))).status).toBe(202);
      expect((await one('GET', stateOf(each))).status).toBe(404);
    }
  });

  it('stops when its client is disabled', async () => {
    const client = await createClient(server, 'system', { scopes: ['system/*.cruds'] });
    const send = as(client.basic);
    let go: (() => void) | undefined;
    answerWith = (_request, response) => void (go = () => response.end(basic('never')));
    const manifest = {
      inputFormat: 'application/fhir+ndjson',
      input: [{ type: 'Basic', url: `${address}/a` }],
    };
    const accepted = await send('POST', '/$import', manifest, json);
    await eventually(() => go !== undefined, WITHIN_MS);
    await administerWell(server, 'PATCH', `/tenants/${server.tenant('system')}/clients/${client.id}`, {
      disabled: true,
    });
    const administrator = as(
      (await createClient(server, 'system', { administrator: true, scopes: ['system/*.cruds'] })).basic,
    );
    await eventually(async () => (await send('GET', stateOf(accepted))).status === 401, WITHIN_MS);
    go?.();
    const answer = await ended(administrator, {
      ...accepted,
      headers: { ...accepted.headers, 'preference-applied': 'respond-async' },
    });
    expect([answer.status, answer.json.issue[0].code]).toEqual([401, 'login']);
    expect((await administrator('GET', '/Basic/never')).status).toBe(404);
  });
});
