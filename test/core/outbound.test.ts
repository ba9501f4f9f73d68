/** The server sends requests to no internal address that others could make it call. */
import dns from 'node:dns';
import { createServer, type Server } from 'node:http';
import { Destinations } from '../../src/core/outbound/destinations';
import { Outbound } from '../../src/core/outbound/outbound';
import { PATIENCE_MS } from '../support/patience';

const PRIVATE = [
  ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
  // The address of the machine itself in Azure, which looks public.
  ...['168.63.129.16', '[::ffff:168.63.129.16]', '[64:ff9b::a83f:8110]'],
  ...['[::1]', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
  ...['localhost', 'keys.localhost', 'localhost.'],
];
/** Other ways to write 127.0.0.1 and 169.254.169.254. */
const ENCODED = [
  ...['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0x7f.1', '2852039166', '0xa9fea9fe', '127.0.0.1.'],
  ...[
    '%31%32%37.0.0.1',
    '%6cocalhost',
    '１２７.0.0.1',
    'LOCALHOST',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
  ],
];

describe('an address of keys', () => {
  const none = new Destinations([]);

  it.each([
    'https://idp.example/keys',
    'https://idp.example:8443/a?b=c',
    'https://8.8.8.8/',
    'https://[2a00:1450::1]/',
  ])('may be public: %s', (url) => expect(none.findFault(url)).toBeUndefined());

  it.each([...PRIVATE, ...ENCODED])('may not be private, link-local or encoded: %s', (host) => {
    for (const scheme of ['https', 'http'])
      expect(none.findFault(`${scheme}://${host}/keys`)).toEqual(expect.any(String));
  });

  it.each([
    'http://idp.example/keys',
    'ftp://idp.example/',
    'file:///etc/passwd',
    'https://u:p@idp.example/',
    'https://idp.example/#k',
    'keys',
  ])('must be https, of a host alone: %s', (url) => expect(none.findFault(url)).toEqual(expect.any(String)));

  it('may be what the operator lists: a name, an address or a network, by http too', () => {
    const listed = new Destinations(['idp.internal', '10.1.0.0/16', '::1', '192.168.1.7']);
    const allowed = ['idp.internal', '10.1.2.3', '[::1]', '192.168.1.7', '[::ffff:a01:203]'];
    for (const host of allowed)
      for (const scheme of ['https', 'http'])
        expect(listed.findFault(`${scheme}://${host}/keys`)).toBeUndefined();
    for (const host of ['10.2.0.1', '192.168.1.8', 'localhost', 'a.idp.internal', '10.1.515', '0x0a010203'])
      expect(listed.findFault(`http://${host}/keys`)).toEqual(expect.any(String));
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'idp.internal',
      ['http://idp.internal/', 'https://idp.internal:443/', 'https://idp.internal:80/'],
      ['http://idp.internal:8080/', 'http://idp.internal:22/'],
    ],
    [
      'idp.internal:8443',
      ['http://idp.internal:8443/', 'https://idp.internal:8443/'],
      ['http://idp.internal/'],
    ],
    ['idp.internal:80', ['http://idp.internal/'], ['http://idp.internal:443/']],
    [
      'idp.internal:*',
      ['http://idp.internal:1/', 'http://idp.internal:65535/'],
      ['http://other.internal:1/'],
    ],
    ['10.1.0.0/16:5432', ['https://10.1.2.3:5432/'], ['https://10.1.2.3/', 'https://10.2.2.3:5432/']],
    ['10.1.0.0/16', ['https://10.1.2.3/', 'http://10.1.2.3/'], ['https://10.1.2.3:5432/']],
    ['[::1]:9000', ['http://[::1]:9000/'], ['http://[::1]/', 'http://[::1]:9001/']],
    ['[fd00::/8]:9000', ['http://[fd00::5]:9000/'], ['http://[fd00::5]/']],
    ['::1', ['http://[::1]/'], ['http://[::1]:9000/']],
  ])('with %s in the list may be called at these ports alone', (entry, allowed, refused) => {
    const listed = new Destinations([entry]);
    for (const url of allowed) expect([url, listed.findFault(url)]).toEqual([url, undefined]);
    for (const url of refused) {
      const { host } = new URL(url);
      expect(listed.findFault(url)).toContain(`OUTBOUND_ALLOWED_HOSTS does not list ${host}`);
    }
  });

  it('may be public at any port, and of a listed name at a port that is not listed too', () => {
    const listed = new Destinations(['idp.example']);
    expect(listed.findFault('https://idp.example:8443/keys')).toBeUndefined();
    expect(listed.findFault('http://idp.example:8443/keys')).toContain('does not list idp.example:8443');
  });
});

describe('a request', () => {
  let server: Server;
  let port: number;
  let asked: string[];
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.headers.host} ${request.url}`);
      if (request.url === '/redirect')
        response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
      else if (request.url === '/long') response.end('x'.repeat(2000));
      else if (request.url === '/never') response.write(' ');
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  beforeEach(() => (asked = []));
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const get = (allowed: readonly string[], url: string, signal = AbortSignal.timeout(PATIENCE_MS)) =>
    new Outbound(allowed).get({ url, accept: 'application/json', signal, maxBytes: 1000 });

  /** Makes every host name resolve to these addresses. */
  function resolveTo(...addresses: string[]): void {
    jest.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      _options: object,
      callback: (error: null, found: readonly dns.LookupAddress[]) => void,
    ) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as never);
  }

  it('to a listed host is answered', async () => {
    const answer = await get(['127.0.0.1:*'], `http://127.0.0.1:${port}/keys`);
    expect([answer.status, await answer.json()]).toEqual([200, { keys: [] }]);
  });

  it('goes to none but an address that was checked when the name was resolved', async () => {
    resolveTo('127.0.0.1');
    await expect(get([], `https://idp.example:${port}/keys`)).rejects.toThrow('OUTBOUND_ALLOWED_HOSTS');
    resolveTo('169.254.169.254', '::ffff:127.0.0.1', 'fe80::1');
    await expect(get(['10.0.0.0/8:*'], `https://idp.example:${port}/keys`)).rejects.toThrow('not public');
    expect(asked).toEqual([]);
  });

  it('to a listed name goes to whatever address that has', async () => {
    resolveTo('127.0.0.1');
    expect((await get(['idp.internal:*'], `http://idp.internal:${port}/keys`)).status).toBe(200);
    expect(asked).toEqual([`idp.internal:${port} /keys`]);
  });

  it('follows no redirect', async () => {
    expect((await get(['127.0.0.1:*'], `http://127.0.0.1:${port}/redirect`)).status).toBe(302);
    expect(asked).toEqual([`127.0.0.1:${port} /redirect`]);
  });

  it('takes no longer answer than it may, and waits no longer than it may', async () => {
    await expect(get(['127.0.0.1:*'], `http://127.0.0.1:${port}/long`)).rejects.toThrow(
      'more than 1000 bytes',
    );
    const given = AbortSignal.timeout(100);
    await expect(get(['127.0.0.1:*'], `http://127.0.0.1:${port}/never`, given)).rejects.toThrow();
  });
});
