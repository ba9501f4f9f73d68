/**
 * A bucket that checks what S3 checks: the signature of each request (Signature Version 4, by header or in the address), the sum
 * and the length of each body, the number and the size of parts, and their tags.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { closedAtEnd } from './left-open';

const KEY_ID = 'test-key';
const SECRET = 'test-secret-of-the-bucket';
const REGION = 'test-region';
const LEAST_PART = 5 * 1024 * 1024;

/** A part of an upload that has not ended. Its bytes are in a file where the bucket has a folder. */
interface Part {
  readonly length: number;
  readonly tag: string;
  readonly bytes: Buffer;
}

/** An object that is in a file. */
interface ObjectFile {
  readonly file: string;
  readonly length: number;
}

export interface FakeBucketOptions {
  /** Objects of several parts are files here, so that they may be larger than memory. Parts must come in their order. */
  readonly folder?: string;
}

export interface FakeBucket {
  readonly settings: {
    readonly endpoint: string;
    readonly bucket: string;
    readonly region: string;
    readonly keyId: string;
    readonly secret: string;
  };
  readonly environment: Readonly<Record<string, string>>;
  /** Objects by name. */
  readonly objects: Map<string, Buffer>;
  /** Multipart uploads that have not ended, by their id. */
  readonly uploads: Map<string, { readonly name: string; readonly parts: Map<number, Part> }>;
  /** Why requests were refused. */
  readonly refusals: string[];
  /** Called before a request is answered, which waits for its result; a status is the answer. */
  fault: ((method: string, url: URL) => number | undefined | Promise<number | undefined>) | undefined;
  close(): Promise<void>;
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const tagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** As AWS writes it: RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The signature that a request must have. */
function signatureOf(
  request: IncomingMessage,
  url: URL,
  {
    stamp,
    signed,
    sum,
  }: { readonly stamp: string; readonly signed: readonly string[]; readonly sum: string },
): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const headers = signed.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`).join('');
  const canonical = [request.method, url.pathname, query, headers, signed.join(';'), sum].join('\n');
  const scope = `${stamp.slice(0, 8)}/${REGION}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const keys = [stamp.slice(0, 8), REGION, 's3', 'aws4_request'];
  const key = keys.reduce<Buffer | string>((of, part) => hmac(of, part), `AWS4${SECRET}`);
  return hmac(key, text).toString('hex');
}

/** Why a request is refused; undefined: it is not. */
function refusalOf(request: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const fromAddress = url.searchParams.get('X-Amz-Signature');
  if (fromAddress !== null) {
    const stamp = url.searchParams.get('X-Amz-Date') ?? '';
    const signed = (url.searchParams.get('X-Amz-SignedHeaders') ?? '').split(';');
    const expected = signatureOf(request, url, { stamp, signed, sum: 'UNSIGNED-PAYLOAD' });
    return fromAddress === expected ? undefined : 'SignatureDoesNotMatch';
  }
  const header = /Credential=([^/]+)\/[^,]+, *SignedHeaders=([^,]+), *Signature=([0-9a-f]+)$/.exec(
    request.headers.authorization ?? '',
  );
  const [, keyId, signed = '', signature] = header ?? [];
  const sum = String(request.headers['x-amz-content-sha256']);
  if (keyId !== KEY_ID || !signed.includes('x-amz-content-sha256')) return 'InvalidAccessKeyId';
  if (sum !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  if (body.length > 0 && Number(request.headers['content-length']) !== body.length)
    return 'MissingContentLength';
  const stamp = String(request.headers['x-amz-date']);
  const expected = signatureOf(request, url, { stamp, signed: signed.split(';'), sum });
  return signature === expected ? undefined : 'SignatureDoesNotMatch';
}

export async function openFakeBucket({ folder }: FakeBucketOptions = {}): Promise<FakeBucket> {
  const files = new Map<string, ObjectFile>();
  const objects: FakeBucket['objects'] = new Map();
  const uploads: FakeBucket['uploads'] = new Map();
  const refusals: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A client that was killed while it sent its body waits for no answer.
      if (request.complete) throw error;
    });
  });
  const end = (response: ServerResponse, status: number, text = '', headers = {}): void => {
    response.writeHead(status, headers).end(text);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '/', 'http://bucket');
    const method = request.method ?? '';
    const status = await bucket.fault?.(method, url);
    // A client that has given up meanwhile has changed nothing.
    if (request.socket.destroyed) return;
    if (status !== undefined) return end(response, status);
    const refusal = refusalOf(request, url, body);
    if (refusal !== undefined) {
      refusals.push(refusal);
      return end(response, 403, `<Error><Code>${refusal}</Code></Error>`);
    }
    const name = url.pathname.slice('/content/'.length);
    const upload = url.searchParams.get('uploadId');
    if (method === 'GET' && url.searchParams.has('uploads')) {
      const prefix = url.searchParams.get('prefix') ?? '';
      const open = [...uploads].filter(([, one]) => one.name.startsWith(prefix));
      return end(response, 200, open.map(([id]) => `<UploadId>${id}</UploadId>`).join(''));
    }
    if (method === 'POST' && url.searchParams.has('uploads')) {
      const id = randomBytes(8).toString('hex');
      uploads.set(id, { name, parts: new Map() });
      return end(response, 200, `<R><UploadId>${id}</UploadId></R>`);
    }
    if (upload !== null) return answerUpload(response, { method, url, upload, body });
    if (method === 'PUT') {
      objects.set(name, body);
      return end(response, 200, '', { etag: tagOf(body) });
    }
    if (method === 'DELETE') {
      objects.delete(name);
      files.delete(name);
      return end(response, 204);
    }
    const object = objects.get(name) ?? files.get(name);
    if (object === undefined) return end(response, 404);
    if (method === 'HEAD') return end(response, 200, '', { 'content-length': object.length });
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const type = url.searchParams.get('response-content-type');
    const start = Number(range?.[1] ?? 0);
    const last = Math.min(Number(range?.[2] ?? Infinity), object.length - 1);
    response.writeHead(range === null ? 200 : 206, {
      'content-length': last + 1 - start,
      ...(type === null ? {} : { 'content-type': type }),
    });
    if ('file' in object) createReadStream(object.file, { start, end: last }).pipe(response);
    else response.end(object.subarray(start, last + 1));
  };
  const answerUpload = (
    response: ServerResponse,
    { method, url, upload, body }: { method: string; url: URL; upload: string; body: Buffer },
  ): void => {
    const open = uploads.get(upload);
    if (open === undefined) return end(response, 404, '<Error><Code>NoSuchUpload</Code></Error>');
    if (method === 'DELETE') {
      uploads.delete(upload);
      return end(response, 204);
    }
    if (method === 'PUT') {
      if (folder !== undefined) appendFileSync(path.join(folder, upload), body);
      const bytes = folder === undefined ? body : Buffer.alloc(0);
      open.parts.set(Number(url.searchParams.get('partNumber')), {
        ...{ length: body.length, tag: tagOf(body), bytes },
      });
      return end(response, 200, '', { etag: tagOf(body) });
    }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)].map(
      ([, number, tag]) => ({ part: open.parts.get(Number(number)), tag }),
    );
    const isWhole = named.every(
      ({ part, tag }, index) =>
        part !== undefined && part.tag === tag && (index === named.length - 1 || part.length >= LEAST_PART),
    );
    // As S3 does: the status is sent before the parts are joined.
    if (!isWhole || named.length === 0) return end(response, 200, '<Error><Code>InvalidPart</Code></Error>');
    const parts = named.flatMap(({ part }) => part ?? []);
    if (folder === undefined) objects.set(open.name, Buffer.concat(parts.map(({ bytes }) => bytes)));
    else {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      files.set(open.name, { file: path.join(folder, upload), length });
    }
    uploads.delete(upload);
    return end(response, 200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bucket: FakeBucket = {
    settings: { endpoint, bucket: 'content', region: REGION, keyId: KEY_ID, secret: SECRET },
    environment: {
      CONTENT_STORE: 'bucket',
      CONTENT_BUCKET_ENDPOINT: endpoint,
      CONTENT_BUCKET: 'content',
      CONTENT_BUCKET_REGION: REGION,
      CONTENT_BUCKET_KEY_ID: KEY_ID,
      CONTENT_BUCKET_SECRET: SECRET,
    },
    objects,
    uploads,
    refusals,
    fault: undefined,
    close: closedAtEnd(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
  return bucket;
}
