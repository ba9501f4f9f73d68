/** Notifications that the server sends to endpoints that others have named, whatever those endpoints answer. */
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { propagation } from '@opentelemetry/api';
import { Outbound, OutboundError, type OutboundMessage } from '../../src/core/outbound/outbound';

const SECRET = 'c2VjcmV0';
const BUNDLE = '{"resourceType":"Bundle","type":"history"}';
const SHORT_MS = 150;
const LONG_MS = 60_000;

const closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closes.splice(0)) await close();
});

/** Listens on a free port, and closes server and connections after the test. Returns the port. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closes.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const listenHttp = (listener: RequestListener): Promise<number> => listen(createHttpServer(listener));
/** An endpoint that answers these bytes to the first bytes of a request, and closes the connection if `isEnd`. */
const listenTcp = (answer: string, isEnd = false): Promise<number> =>
  listen(
    createTcpServer((socket) =>
      socket.once('data', () => (isEnd ? socket.end(answer) : socket.write(answer))).resume(),
    ),
  );

const closeOf = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

type Given = Partial<OutboundMessage> & { readonly allowed?: readonly string[] };

function send(port: number, { allowed = ['127.0.0.1:*'], ...given }: Given = {}): Promise<number> {
  return new Outbound(allowed).send({
    url: `http://127.0.0.1:${port}/notify?token=${SECRET}`,
    method: 'POST',
    headers: [
      ['Content-Type', 'application/fhir+json'],
      ['Authorization', `Bearer ${SECRET}`],
    ],
    body: `{"note":"${SECRET}"}`,
    signal: new AbortController().signal,
    timeoutMs: LONG_MS,
    ...given,
  });
}

/** The text of the OutboundError of a request, which has nothing of what was sent. */
async function failure(request: Promise<number>): Promise<string> {
  const error = await request.then(
    (status) => new Error(`It succeeds with ${status}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OutboundError);
  const { message, stack = '', ...others } = error as OutboundError;
  expect([message, stack, JSON.stringify(others)].join()).not.toContain(SECRET);
  return message;
}

/** Makes every host name resolve to an address; undefined: the name server does not answer. */
function resolveTo(address: string | undefined): void {
  jest
    .spyOn(dns, 'lookup')
    .mockImplementation(((
      _name: string,
      _options: object,
      callback: (error: null, found: readonly dns.LookupAddress[]) => void,
    ) => (address === undefined ? undefined : callback(null, [{ address, family: 4 }]))) as never);
}

describe('a notification', () => {
  it('arrives as it was given, with its length in bytes', async () => {
    const received = new Promise<[IncomingMessage, string]>((resolve) => {
      void listenHttp((request, response) => {
        let text = '';
        request.setEncoding('utf8').on('data', (part: string) => (text += part));
        request.on('end', () => response.end(() => resolve([request, text])));
      }).then((port) =>
        send(port, {
          method: 'PUT',
          url: `http://127.0.0.1:${port}/fhir/Patient/1?a=b`,
          headers: [
            ['X-Key', 'é'],
            ['X-Tag', 'one'],
            ['x-tag', 'two'],
            ['Content-Type', 'application/fhir+json'],
          ],
          body: '{"family":"Žižek"}',
        }),
      );
    });
    const [{ method, url, headers }, text] = await received;
    expect([method, url, text]).toEqual(['PUT', '/fhir/Patient/1?a=b', '{"family":"Žižek"}']);
    expect(headers).toMatchObject({
      'content-type': 'application/fhir+json',
      'content-length': '20',
      'user-agent': 'andiron',
      'x-key': 'é',
      'x-tag': 'one, two',
      connection: 'close',
    });
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  it('without a body has the length 0, and the user agent that was given', async () => {
    let headers: IncomingMessage['headers'] = {};
    const port = await listenHttp((request, response) => {
      ({ headers } = request);
      response.end();
    });
    expect(await send(port, { body: undefined, headers: [['User-Agent', 'clinic/1']] })).toBe(200);
    expect(headers).toMatchObject({ 'content-length': '0', 'user-agent': 'clinic/1' });
  });

  it('belongs to the trace of the server, unless it names another', async () => {
    const received: unknown[] = [];
    const port = await listenHttp(({ headers }, response) => {
      received.push([headers['traceparent'], headers['tracestate']]);
      response.end();
    });
    propagation.setGlobalPropagator({
      inject: (_context, carrier) =>
        void Object.assign(carrier as object, { traceparent: 'ours', tracestate: 'a=1' }),
      extract: (current) => current,
      fields: () => [],
    });
    closes.push(() => Promise.resolve(propagation.disable()));
    await send(port);
    await send(port, { headers: [['Traceparent', 'theirs']] });
    expect(received).toEqual([
      ['ours', 'a=1'],
      ['theirs', undefined],
    ]);
  });

  it.each([200, 201, 204, 205, 302, 304, 400, 410, 500])(
    'that is answered with %i has that status',
    async (code) => {
      const urls: (string | undefined)[] = [];
      const port = await listenHttp(({ url }, response) => {
        urls.push(url);
        response.writeHead(code, { location: '/elsewhere' }).end();
      });
      expect(await send(port, { body: BUNDLE })).toBe(code);
      expect(urls).toEqual([`/notify?token=${SECRET}`]);
    },
  );

  it('opens a connection of its own', async () => {
    const ports = new Set<number | undefined>();
    const port = await listenHttp(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end();
    });
    await send(port);
    await send(port);
    expect(ports.size).toBe(2);
  });

  it.each([
    ['1 MB of a longer answer', 1024 * 1024],
    ['a little more than 64 kB of a longer answer', 64 * 1024 + 1],
  ])('is delivered after %s, and the connection is closed', async (_title, length) => {
    const closed = new Promise<void>((resolve) => {
      void listenHttp((request, response) => {
        request.socket.once('close', () => resolve());
        response.write('x'.repeat(length));
      }).then((port) => send(port).then((status) => expect(status).toBe(200)));
    });
    await closed;
  });

  it('is delivered to an endpoint that answers before it has read it', async () => {
    let closed: Promise<unknown> | undefined;
    const port = await listenHttp((request, response) => {
      closed = closeOf(request.socket);
      request.pause();
      response.writeHead(413).end();
    });
    expect(await send(port, { body: 'x'.repeat(16 * 1024 * 1024) })).toBe(413);
    await closed;
  });

  it('is delivered after interim answers', async () => {
    const port = await listenTcp('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', true);
    expect(await send(port)).toBe(204);
  });
});

describe('an endpoint that is too slow ends in a timeout', () => {
  const late = `it did not answer within ${SHORT_MS / 1000} s`;
  const slow: Given = { timeoutMs: SHORT_MS };

  it('while its name is resolved', async () => {
    resolveTo(undefined);
    const url = `https://clinic.example/?token=${SECRET}`;
    expect(await failure(send(0, { ...slow, url }))).toBe(late);
  });

  it('while the connection is encrypted', async () => {
    const port = await listenTcp('');
    const url = `https://127.0.0.1:${port}/?token=${SECRET}`;
    expect(await failure(send(port, { ...slow, url }))).toBe(late);
  });

  it('while the request is sent', async () => {
    const port = await listen(createTcpServer({ pauseOnConnect: true }));
    expect(await failure(send(port, { ...slow, body: SECRET.repeat(2 * 1024 * 1024) }))).toBe(late);
  });

  it.each([
    ['when it never answers', ''],
    ['when it answers half a status line', 'HTTP/1.1 2'],
    ['when its headers never end', 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'],
    ['when its body never begins', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'],
    ['when its body never ends', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n'],
    ['when it sends nothing but interim answers', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)],
  ])('%s', async (_title, answer) => {
    expect(await failure(send(await listenTcp(answer), slow))).toBe(late);
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
    ['body', 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('when the bytes of its %s come one by one', async (_title, head) => {
    const server = createTcpServer((socket) =>
      socket.once('data', () => {
        socket.write(head);
        const drip = setInterval(() => socket.write('x'), 5);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    expect(await failure(send(await listen(server), slow))).toBe(late);
  });
});

describe('an endpoint that fails ends in an error', () => {
  const closed = 'it closed the connection before its answer was complete';

  it('when nothing listens there', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await failure(send(port))).toBe('it refuses connections');
  });

  it('when it closes the connection at once', async () => {
    const server = createTcpServer((socket) => socket.destroy());
    expect(await failure(send(await listen(server)))).toBe(closed);
  });

  it('when it resets the connection', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await failure(send(await listen(server)))).toBe(closed);
  });

  it.each([
    ['after the request', ''],
    ['in its headers', 'HTTP/1.1 200 OK\r\nContent-'],
    ['in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
    [
      'after an upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
  ])('when it closes the connection %s', async (_title, answer) => {
    expect(await failure(send(await listenTcp(answer, true)))).toMatch(
      /^it closed the connection|not valid HTTP/,
    );
  });

  it.each([
    ['no HTTP', `SSH-2.0-${SECRET}\r\n`],
    ['binary data', '\u0000\u0001\u0002\u0003'],
    ['a wrong length', `HTTP/1.1 200 OK\r\nContent-Length: ${SECRET}\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a wrong chunk', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${SECRET}\r\n`],
  ])('when it answers %s', async (_title, answer) => {
    expect(await failure(send(await listenTcp(answer)))).toMatch(/^its answer is not valid HTTP|^it closed/);
  });

  it.each([
    ['one enormous header', `X-Long: ${'x'.repeat(1024 * 1024)}\r\n\r\n`],
    ['a million headers', 'X-A: b\r\n'.repeat(1_000_000)],
  ])('when it answers %s', async (_title, headers) => {
    const port = await listenTcp(`HTTP/1.1 200 OK\r\n${headers}`);
    expect(await failure(send(port))).toBe('the headers of its answer are too long');
  });

  it('when its certificate or its encryption is not valid', async () => {
    const port = await listenTcp('HTTP/1.1 200 OK\r\n\r\n');
    expect(await failure(send(port, { url: `https://127.0.0.1:${port}/?token=${SECRET}` }))).toMatch(
      /^it cannot be called \([A-Z_]+\)$/,
    );
  });
});

describe('a notification is not sent', () => {
  let connections = 0;
  let port: number;
  beforeEach(async () => {
    connections = 0;
    port = await listen(createTcpServer((socket) => ((connections += 1), socket.destroy())));
  });
  afterEach(() => expect(connections).toBe(0));

  it.each(['https://localhost', 'http://localhost', 'https://127.0.0.1', 'https://[::1]', 'http://8.8.8.8'])(
    'to %s, which the operator has not listed',
    async (base) => {
      const url = `${base}:${port}/?token=${SECRET}`;
      expect(await failure(send(port, { allowed: ['10.0.0.1'], url }))).toContain('OUTBOUND_ALLOWED_HOSTS');
    },
  );

  it('to another port of a listed host, also where a listed name leads', async () => {
    for (const allowed of [['127.0.0.1'], ['127.0.0.1:1'], ['127.0.0.0/8:443']])
      expect(await failure(send(port, { allowed }))).toContain(`does not list 127.0.0.1:${port}`);
    resolveTo('127.0.0.1');
    for (const protocol of ['http', 'https']) {
      const url = `${protocol}://hooks.internal:${port}/?token=${SECRET}`;
      expect(await failure(send(port, { allowed: ['hooks.internal'], url }))).toContain(
        `OUTBOUND_ALLOWED_HOSTS does not list hooks.internal:${port}`,
      );
    }
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1', '168.63.129.16'])(
    'to a name that resolves to %s',
    async (address) => {
      resolveTo(address);
      const url = `https://clinic.example:${port}/?token=${SECRET}`;
      expect(await failure(send(port, { allowed: [], url }))).toContain(
        'clinic.example has an address that is not public',
      );
    },
  );

  it('to a name that does not exist', async () => {
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((_name: string, _options: object, callback: (error: Error) => void) =>
        callback(Object.assign(new Error(`getaddrinfo ${SECRET}`), { code: 'ENOTFOUND' }))) as never);
    expect(await failure(send(port, { url: 'https://clinic.example/' }))).toBe('its name does not exist');
  });

  it.each([
    ...['Host', 'HOST', 'Content-Length', 'Connection', 'Transfer-Encoding', 'Keep-Alive', 'Upgrade', 'TE'],
    ...['Trailer', 'Expect', 'Proxy-Connection', 'Proxy-Authorization', ' Host', 'Host\t'],
  ])('with a header %p of its own', async (name) => {
    const text = await failure(send(port, { headers: [[name, SECRET]] }));
    expect(text).toBe(`it may not be called: the header ${name.trim().toLowerCase()} is not allowed`);
  });

  it.each([
    ['X-Key', `a\r\nX-Other: ${SECRET}`],
    ['X-Key', `${SECRET}\n`],
    ['X-Key', `\u0000${SECRET}`],
    ['X-Key', `${SECRET}ž`],
    [`X-Key: ${SECRET}\r\nX-Other`, 'a'],
    [`X ${SECRET}`, 'a'],
    ['', SECRET],
  ])('with the header %p: %p', async (...line) => {
    expect(await failure(send(port, { headers: [line] }))).toBe(
      'it may not be called: a header has a character that is not allowed',
    );
  });

  it('after its signal has aborted', async () => {
    const reason = new Error('the server stops');
    await expect(send(port, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('the signal of a notification', () => {
  it.each([
    ['before the answer', ''],
    ['within the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('aborts it %s, and closes the connection', async (_title, answer) => {
    const controller = new AbortController();
    const reason = new Error('the subscription is off');
    let closed: Promise<unknown> | undefined;
    const server = createTcpServer((socket) => {
      closed = closeOf(socket);
      socket.once('data', () => socket.write(answer, () => controller.abort(reason))).resume();
    });
    await expect(send(await listen(server), { signal: controller.signal })).rejects.toBe(reason);
    await closed;
  });

  it('may be shared by many, and keeps nothing of those that have ended', async () => {
    const { signal } = new AbortController();
    const add = jest.spyOn(signal, 'addEventListener');
    const remove = jest.spyOn(signal, 'removeEventListener');
    const warned = jest.fn();
    process.on('warning', warned);
    const port = await listenHttp((_request, response) => response.end());
    const statuses = await Promise.all(Array.from({ length: 30 }, () => send(port, { signal })));
    process.off('warning', warned);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(warned).not.toHaveBeenCalled();
    const listeners = (calls: readonly (readonly unknown[])[]): Set<unknown> =>
      new Set(calls.map((call) => call[1]));
    expect(listeners(remove.mock.calls)).toEqual(listeners(add.mock.calls));
    expect(listeners(add.mock.calls).size).toBe(30);
  });
});
