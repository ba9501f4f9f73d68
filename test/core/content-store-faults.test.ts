/** A folder or a bucket that somebody has changed, or that fails at any step: content is stored whole or not at all, and never elsewhere. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBucketStore } from '../../src/core/content/bucket-store';
import { createFolderStore } from '../../src/core/content/folder-store';
import type { ObjectStore } from '../../src/core/content/object-store';
import { silentLog } from '../support/log';

const KEY = { space: 7, id: '0b0a4f4c-1111-4222-8333-444455556666' };
const NO_SIGNAL = new AbortController().signal;
const UNAVAILABLE = { key: 'contentUnavailable' };

async function* pieces(...all: readonly Buffer[]): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield* all;
}

async function readAll(store: ObjectStore, end: number, key = KEY): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const piece of store.get(key, { start: 0, end })) read.push(piece);
  return Buffer.concat(read);
}

describe('a folder', () => {
  let outside: string;
  let folder: string;
  let store: ObjectStore;
  beforeEach(() => {
    outside = mkdtempSync(path.join(tmpdir(), 'andiron-outside-'));
    folder = path.join(outside, 'content');
    mkdirSync(folder);
    writeFileSync(path.join(outside, 'secret'), 'a secret');
    store = createFolderStore(folder, silentLog);
  });
  afterEach(() => rmSync(outside, { recursive: true }));

  it.each(['../secret', '../../etc/passwd', '.', '', 'a/b', `${KEY.id}/../../secret`, KEY.id.toUpperCase()])(
    'has no object of the name %j',
    async (id) => {
      const key = { space: 7, id };
      await expect(store.put(key, pieces(Buffer.from('x')), NO_SIGNAL)).rejects.toMatchObject(UNAVAILABLE);
      await expect(readAll(store, 1, key)).rejects.toMatchObject(UNAVAILABLE);
      await expect(store.remove(key)).rejects.toMatchObject(UNAVAILABLE);
      await expect(store.remove({ space: NaN, id: KEY.id })).rejects.toMatchObject(UNAVAILABLE);
      expect(readdirSync(outside).sort()).toEqual(['content', 'secret']);
    },
  );

  it('writes nothing while its disk is not mounted, and forgets nothing that is to be removed', async () => {
    const away = path.join(folder, 'unmounted');
    const unmounted = createFolderStore(away, silentLog);
    await expect(unmounted.put(KEY, pieces(Buffer.from('x')), NO_SIGNAL)).rejects.toMatchObject(UNAVAILABLE);
    await expect(unmounted.remove(KEY)).rejects.toMatchObject(UNAVAILABLE);
    expect(readdirSync(folder)).not.toContain('unmounted');
  });

  it('does not read through a link in place of a file, and removes the link alone', async () => {
    mkdirSync(path.join(folder, '7'));
    symlinkSync(path.join(outside, 'secret'), path.join(folder, '7', KEY.id));
    await expect(readAll(store, 8)).rejects.toMatchObject(UNAVAILABLE);
    await store.remove(KEY);
    expect(readdirSync(outside).sort()).toEqual(['content', 'secret']);
    expect(readdirSync(path.join(folder, '7'))).toEqual([]);
  });

  it('does not write through a link in place of a file, an unfinished one or the folder of a space', async () => {
    mkdirSync(path.join(folder, '7'));
    symlinkSync(path.join(outside, 'secret'), path.join(folder, '7', `${KEY.id}.part`));
    await expect(store.put(KEY, pieces(Buffer.from('x')), NO_SIGNAL)).rejects.toMatchObject(UNAVAILABLE);
    symlinkSync(outside, path.join(folder, '8'));
    const elsewhere = { ...KEY, space: 8 };
    await expect(store.put(elsewhere, pieces(Buffer.from('x')), NO_SIGNAL)).rejects.toMatchObject(
      UNAVAILABLE,
    );
    await expect(readAll(store, 1, elsewhere)).rejects.toMatchObject(UNAVAILABLE);
    expect(readdirSync(outside).sort()).toEqual(['content', 'secret']);
    // A link that has the name of the file is replaced, and its target is not.
    await store.remove(KEY);
    symlinkSync(path.join(outside, 'secret'), path.join(folder, '7', KEY.id));
    await store.put(KEY, pieces(Buffer.from('mine')), NO_SIGNAL);
    expect((await readAll(store, 4)).toString()).toBe('mine');
  });

  it('that cannot be used is unavailable, and does not name its files', async () => {
    writeFileSync(path.join(folder, '7'), 'a file in place of a folder');
    await expect(store.put(KEY, pieces(Buffer.from('x')), NO_SIGNAL)).rejects.toMatchObject(UNAVAILABLE);
    await expect(readAll(store, 1)).rejects.toMatchObject(UNAVAILABLE);
    const gone = createFolderStore(path.join(outside, 'secret', 'nowhere'), silentLog);
    await expect(gone.put(KEY, pieces(Buffer.from('x')), NO_SIGNAL)).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe('a bucket', () => {
  const PART = 5 * 1024 * 1024;
  const LONG = [randomBytes(PART), randomBytes(1000)];
  const SIZE = PART + 1000;
  type Step = 'begin' | 'part' | 'complete' | 'head' | 'get' | 'list' | 'abort';
  type Reply = (response: ServerResponse, request: IncomingMessage) => void;

  const stepOf = ({ method, url = '' }: IncomingMessage): Step => {
    if (method === 'GET') return url.includes('uploads=') ? 'list' : 'get';
    if (method === 'POST') return url.includes('uploads=') ? 'begin' : 'complete';
    return method === 'PUT' ? 'part' : method === 'HEAD' ? 'head' : 'abort';
  };
  const xml =
    (text: string): Reply =>
    (response) =>
      response.writeHead(200).end(text);
  const GOOD: Readonly<Record<Step, Reply>> = {
    begin: xml('<R><UploadId>u</UploadId></R>'),
    part: (response) => response.writeHead(200, { etag: '"t"' }).end(),
    complete: xml('<CompleteMultipartUploadResult/>'),
    head: (response) => response.writeHead(200, { 'content-length': SIZE }).end(),
    get: (response) => response.writeHead(206, { 'content-length': SIZE }).end(Buffer.concat(LONG)),
    list: xml('<R></R>'),
    abort: (response) => response.writeHead(204).end(),
  };
  const STEPS: readonly Step[] = ['begin', 'part', 'complete', 'head'];

  let server: Server;
  let replies: Record<Step, Reply>;
  let seen: Step[];
  let store: ObjectStore;
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().once('end', () => {
        const step = stepOf(request);
        seen.push(step);
        replies[step](response, request);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const keys = { bucket: 'content', region: 'r', keyId: 'k', secret: 's' };
    store = createBucketStore({ endpoint, ...keys, timeoutMs: 2_000 }, silentLog);
  });
  beforeEach(() => {
    replies = { ...GOOD };
    seen = [];
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const put = (): Promise<void> => store.put(KEY, pieces(...LONG), NO_SIGNAL);

  it('that answers as it should has the content', async () => {
    await put();
    expect(seen).toEqual(['begin', 'part', 'part', 'complete', 'head']);
    expect((await readAll(store, SIZE)).equals(Buffer.concat(LONG))).toBe(true);
    await store.remove(KEY);
  });

  const status =
    (code: number, headers = {}): Reply =>
    (response) =>
      response.writeHead(code, headers).end();
  const FAULTS: readonly (readonly [string, Reply])[] = [
    ['500', status(500)],
    ['503', status(503)],
    ['a redirection', status(307, { location: 'http://127.0.0.1:1/elsewhere' })],
    ['nothing', (response) => response.socket?.destroy()],
    [
      'too little',
      (response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('<R><UploadId>u</UploadId>', () => response.socket?.destroy());
      },
    ],
  ];
  it.each(
    STEPS.flatMap((step) =>
      FAULTS.filter(([name]) => name !== 'too little' || step === 'begin' || step === 'complete').map(
        ([name, reply]) => [step, name, reply] as const,
      ),
    ),
  )('that answers the step %s with %s has no content', async (step, _name, reply) => {
    replies[step] = reply;
    await expect(put()).rejects.toMatchObject(UNAVAILABLE);
    expect(seen.includes('abort')).toBe(step !== 'begin');
  });

  it('that answers no more is given up', async () => {
    replies.part = () => undefined;
    await expect(put()).rejects.toMatchObject(UNAVAILABLE);
    server.closeAllConnections();
  });

  it.each([
    ['no XML', 'ok'],
    ['an error', '<Error><Code>InternalError</Code></Error>'],
    ['entities', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><R><UploadID>&x;</UploadID></R>'],
    ['XML without an end', `<R>${'<a>'.repeat(500_000)}`],
  ])('that answers with %s has no content', async (_name, text) => {
    for (const step of ['begin', 'complete'] as const) {
      replies = { ...GOOD, [step]: xml(text) };
      await expect(put()).rejects.toMatchObject(UNAVAILABLE);
    }
  });

  it('whose id of an upload is an address is asked for no other object', async () => {
    const addresses: string[] = [];
    replies.begin = xml('<R><UploadId>../../other?versionId=1&amp;x</UploadId></R>');
    replies.part = (response, request) => {
      addresses.push(String(request.url));
      GOOD.part(response, request);
    };
    await put();
    for (const address of addresses)
      expect(address).toMatch(/^\/content\/7\/[0-9a-f-]+\?partNumber=\d&uploadId=[^&/?]+$/);
  });

  it('that says another length than was sent has no content', async () => {
    replies.head = (response) => response.writeHead(200, { 'content-length': SIZE - 1 }).end();
    await expect(put()).rejects.toMatchObject(UNAVAILABLE);
  });

  const bytes = Buffer.concat(LONG);
  it.each<readonly [string, Reply]>([
    ['500', status(500)],
    ['404', status(404)],
    ['a redirection', status(302, { location: 'http://127.0.0.1:1/elsewhere' })],
    ['the whole in place of the range', (response) => response.writeHead(200).end(bytes)],
    ['less', (response) => response.writeHead(206).end(bytes.subarray(1))],
    ['another length', (response) => response.writeHead(206, { 'content-length': 5 }).end('short')],
    [
      'a part, and then nothing',
      (response) => {
        response.writeHead(206, { 'content-length': SIZE });
        response.write(bytes.subarray(0, PART), () => response.socket?.destroy());
      },
    ],
  ])('that answers a download with %s is unavailable', async (_name, reply) => {
    replies.get = reply;
    await expect(readAll(store, SIZE)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('that sends more than was asked for gives no byte too much', async () => {
    replies.get = (response) => response.writeHead(206).end(Buffer.concat([bytes, bytes]));
    let read = 0;
    await expect(
      (async () => {
        for await (const piece of store.get(KEY, { start: 0, end: SIZE })) read += piece.length;
      })(),
    ).rejects.toMatchObject(UNAVAILABLE);
    expect(read).toBeLessThanOrEqual(SIZE);
  });
});
