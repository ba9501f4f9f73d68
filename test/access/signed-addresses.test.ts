/** The content of attachments in GraphQL: data, and signed addresses that have the rights of who asked for them. */
import { openSignedRead, signRead } from '../../src/core/interactions/signed-read';
import { gatewayPath } from '../graphql/gateway-client';
import { administerWell, createClient, type MadeClient } from '../support/access';
import { TESTED_RELEASES } from '../support/releases';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200ff00', 'hex');
/** One byte too long for a response. */
const LONG = Buffer.alloc(1024 * 1024 + 1, 'x');

let server: SharedServer;
let writer: MadeClient;
beforeAll(async () => {
  server = await openSharedServer('enforced');
  for (const tenant of ['acme', 'other']) await server.createTenant(tenant, { validation: 'structure' });
  writer = await createClient(server, 'acme', { scopes: ['system/*.cruds'] });
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('attachments in %s', (release) => {
  const root = (): string => server.path('acme', release);

  const put = (path: string, body: unknown, type = 'application/json'): Promise<Answer> =>
    server.request('PUT', `${root()}/${path}`, body, { authorization: writer.basic, 'content-type': type });

  beforeAll(async () => {
    await put('Binary/photo', PNG, 'image/png');
    await put('Binary/long', LONG, 'text/plain');
    const content = [
      { attachment: { contentType: 'text/plain', data: Buffer.from('hello').toString('base64') } },
      { attachment: { contentType: 'image/png', url: 'Binary/photo' } },
      { attachment: { url: 'Binary/long' } },
      { attachment: { url: 'Binary/unknown' } },
      { attachment: { url: 'https://elsewhere.example/Binary/photo' } },
      { attachment: { title: 'nothing' } },
    ];
    const { status, text } = await put('DocumentReference/d', {
      ...{ resourceType: 'DocumentReference', id: 'd', status: 'current', content },
    });
    if (status >= 300) throw new Error(text);
  });

  type Content = { contentType: string; size: number; data: string; address: string } | null;

  async function contentsFor(client: MadeClient): Promise<Content[]> {
    const query =
      '{ DocumentReference(id: "d") { content { attachment { content { contentType size data address } } } } }';
    const { json } = await server.request(
      'POST',
      gatewayPath(server.tenant('acme'), release),
      { query },
      { authorization: client.basic, 'content-type': 'application/json' },
    );
    const { errors, data } = json as {
      errors?: unknown;
      data: { DocumentReference: { content: { attachment: { content: Content } }[] } };
    };
    expect(errors).toBeUndefined();
    return data.DocumentReference.content.map(({ attachment: { content } }) => content);
  }

  async function addressFor(client: MadeClient, index = 1): Promise<string> {
    return `${root()}/${(await contentsFor(client))[index]?.address ?? ''}`;
  }

  /** Without credentials, as an image of a page. */
  const load = (path: string): Promise<Answer> =>
    server.request('GET', path, undefined, { accept: 'image/avif,image/*,*/*;q=0.8' });

  it('have their data up to a megabyte, and an address for a Binary', async () => {
    const address = expect.stringMatching(
      /^Binary\/(photo|long)\/_history\/1\?_signature=[\w-]+$/,
    ) as unknown;
    expect(await contentsFor(writer)).toEqual([
      { contentType: 'text/plain', size: 5, data: 'aGVsbG8=', address: null },
      { contentType: 'image/png', size: PNG.length, data: PNG.toString('base64'), address },
      { contentType: 'text/plain', size: LONG.length, data: null, address },
      ...[null, null, null],
    ]);
  });

  it('are those of the Binary itself, too, and of its versions', async () => {
    const query =
      '{ node(_key: "Binary/photo/_history/1") { ... on Binary { content { contentType size address } } } }';
    const { json } = await server.request(
      'POST',
      gatewayPath(server.tenant('acme'), release),
      { query },
      {
        authorization: writer.basic,
        'content-type': 'application/json',
      },
    );
    const { content } = json.data.node;
    expect(content).toMatchObject({ contentType: 'image/png', size: PNG.length });
    expect((await load(`${root()}/${String(content.address)}`)).bytes).toEqual(PNG);
  });

  it('are loaded from their address without credentials, and are not stored on the way', async () => {
    const { status, headers, bytes } = await load(await addressFor(writer));
    expect([status, bytes]).toEqual([200, PNG]);
    expect(headers).toMatchObject({
      ...{ 'content-type': 'image/png', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      'content-security-policy': expect.stringContaining('sandbox'),
      'content-disposition': 'inline',
      // An image of a page elsewhere has no CORS, and its address has the signature.
      ...{ 'cross-origin-resource-policy': 'cross-origin', 'referrer-policy': 'no-referrer' },
    });
    const long = await load(await addressFor(writer, 2));
    expect([long.status, long.bytes.length]).toEqual([200, LONG.length]);
  });

  it('answer the content alone, whatever form is requested', async () => {
    const data = Buffer.from('hello').toString('base64');
    const meta = { tag: [{ system: 'http://acme.example', code: 'secret' }] };
    const [contentType, securityContext] = ['text/plain', { reference: 'Patient/secret' }];
    const { text } = await put('Binary/photo', {
      ...{ resourceType: 'Binary', id: 'photo', contentType, securityContext, meta, data },
    });
    const version = JSON.parse(text).meta.versionId;
    const address = await addressFor(writer);
    expect(address).toContain(`/_history/${version}?`);
    for (const accept of ['application/fhir+json', 'application/json', '*/*', 'image/png', 'text/html'])
      for (const more of [
        '',
        '&_format=json',
        '&_format=application/fhir%2Bjson',
        '&_summary=true',
        '&_elements=meta',
      ]) {
        const answer = await server.request('GET', `${address}${more}`, undefined, { accept });
        expect([accept, more, answer.status, answer.text]).toEqual([accept, more, 200, 'hello']);
        expect(answer.headers['content-type']).toBe('text/plain');
        expect(JSON.stringify(answer.headers)).not.toContain('secret');
      }
    // With credentials of its own, the request is not by the signature.
    const asResource = { accept: 'application/fhir+json', authorization: writer.basic };
    expect((await server.request('GET', address, undefined, asResource)).text).toContain('"secret"');
    await put('Binary/photo', PNG, 'image/png');
  });

  it('stay at the version of the address', async () => {
    const address = await addressFor(writer);
    const [, version] = /_history\/([0-9]+)/.exec(address) ?? [];
    await put('Binary/photo', Buffer.from('new'), 'text/plain');
    expect((await load(address)).bytes).toEqual(PNG);
    const next = address.replace(`/_history/${version}`, `/_history/${Number(version) + 1}`);
    expect((await load(next)).status).toBe(403);
    await put('Binary/photo', PNG, 'image/png');
  });

  it('cannot be loaded by a changed address: another Binary, tenant, release, or signature', async () => {
    const address = await addressFor(writer);
    const otherRelease = release === 'r4' ? 'r4b' : 'r4';
    const changed = [
      address.replace('photo', 'long'),
      address.replace(server.tenant('acme'), server.tenant('other')),
      address.replace(server.tenant('acme'), 'unknown'),
      address.replace(`/${release}/`, `/${otherRelease}/`),
      address.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      address.replace(/_signature=.*/, '_signature='),
      address.replace(/_history\/[0-9]+/, '_history/99'),
    ];
    const answers = await Promise.all(changed.map(load));
    expect(answers.map(({ status }) => status)).toEqual(changed.map(() => 403));
    const [, ofOther, ofUnknown] = answers.map(({ text }) => text.replace(/[0-9a-f]{12}-\w+/, ''));
    expect(ofOther).toBe(ofUnknown);
    // The signature is for reading this version, and nothing else.
    const query = address.slice(address.indexOf('?'));
    for (const path of ['Binary/photo', 'Binary', 'DocumentReference/d/_history/1', 'Binary/photo/_history'])
      expect((await load(`${root()}/${path}${query}`)).status).toBe(401);
  });

  it('are loaded with the rights that the caller has by then', async () => {
    const reader = await createClient(server, 'acme', { scopes: ['system/*.rs'] });
    const address = await addressFor(reader);
    expect((await load(address)).status).toBe(200);
    const change = (changes: object): Promise<unknown> =>
      administerWell(server, 'PATCH', `/tenants/${server.tenant('acme')}/clients/${reader.id}`, {
        ...changes,
      });
    await change({ scopes: ['system/DocumentReference.rs'] });
    const until = async (status: number): Promise<void> => {
      while ((await load(address)).status !== status) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await until(403);
    await change({ disabled: true });
    await until(401);
  });

  it('are for a minute', () => {
    const space = { number: 7, release, tenant: 'acme', tenantNumber: 3, timeZone: 'UTC' };
    const keys = [Buffer.from('a key')];
    const version = { type: 'Binary', id: 'photo', versionId: '1' };
    const signature = signRead(keys, { space, actor: 'anonymous' }, version, 1_000);
    const open = (now: number): unknown => openSignedRead(keys, space, { version, signature }, now);
    expect(open(61_000)).toEqual({ actor: 'anonymous' });
    expect(() => open(61_001)).toThrow('for one minute');
  });
});
