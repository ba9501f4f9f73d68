/**
 * Content in objects of an S3-compatible bucket, `{bucket}/{space}/{id}`. Each request is signed with the SHA-256 of its body
 * (Signature Version 4), so that the bucket refuses bytes that were changed on the way. Content of more than one part is a
 * multipart upload, which is complete or does not exist. Source: https://docs.aws.amazon.com/AmazonS3/latest/API/
 */
import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { Log } from '../context';
import { fhirError } from '../errors';
import type { ContentKey } from '../storage/content/contents';
import { inChunks, objectNameOf, type ObjectStore } from './object-store';

export interface BucketOptions {
  /** The address of the service, without the bucket: `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly keyId: string;
  readonly secret: string;
  /** Milliseconds for one request; default a minute. */
  readonly timeoutMs?: number;
  /** Bytes of a part; S3 requires 5 MiB at least. */
  readonly partBytes?: number;
}

const PART_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
/** Attempts beside the first, after a status of 5xx or 429. */
const RETRIES = 3;
/** Largest XML answer: a list of a thousand uploads has some 500 KB. */
const LARGEST_TEXT = 1024 * 1024;
/** The sum of an empty body. */
const EMPTY = createHash('sha256').digest('hex');

interface Sent {
  readonly method: string;
  readonly body?: Buffer<ArrayBuffer> | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function createBucketStore(options: BucketOptions, log: Log): ObjectStore {
  return new BucketStore(options, log);
}

class BucketStore implements ObjectStore {
  readonly name = 'bucket';
  private readonly client: AwsClient;
  private readonly partBytes: number;

  constructor(
    private readonly options: BucketOptions,
    private readonly log: Log,
  ) {
    const { keyId: accessKeyId, secret: secretAccessKey, region } = options;
    this.client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: RETRIES });
    this.partBytes = options.partBytes ?? PART_BYTES;
  }

  async put(key: ContentKey, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    let first: Buffer<ArrayBuffer> | undefined;
    let upload: string | undefined;
    const tags: string[] = [];
    let size = 0;
    const sendPart = async (part: Buffer<ArrayBuffer>): Promise<void> => {
      upload ??= await this.beginUpload(key, signal);
      const query = `?partNumber=${tags.length + 1}&uploadId=${encodeURIComponent(upload)}`;
      const answer = await this.send(this.addressOf(key) + query, { method: 'PUT', body: part, signal });
      await answer.body?.cancel();
      tags.push(answer.headers.get('etag') ?? '');
    };
    try {
      for await (const part of inChunks(source, this.partBytes)) {
        size += part.length;
        if (upload === undefined && first === undefined) {
          first = part;
          continue;
        }
        if (first !== undefined) await sendPart(first);
        first = undefined;
        await sendPart(part);
      }
      if (upload === undefined) await this.putWhole(key, first ?? Buffer.alloc(0), signal);
      else await this.completeUpload(key, upload, tags, signal);
      await this.requireLength(key, size, signal);
    } catch (error) {
      if (upload !== undefined) await this.abortUpload(key, upload).catch(() => undefined);
      throw error;
    }
  }

  async *get(key: ContentKey, { start, end }: { start: number; end: number }): AsyncIterable<Buffer> {
    if (start >= end) return;
    const answer = await this.send(this.addressOf(key), {
      method: 'GET',
      headers: { range: `bytes=${start}-${end - 1}` },
    });
    const stated = answer.headers.get('content-length');
    if (
      answer.body === null ||
      answer.status !== 206 ||
      (stated !== null && Number(stated) !== end - start)
    ) {
      await answer.body?.cancel();
      throw fhirError('contentUnavailable');
    }
    let read = 0;
    for await (const piece of this.pieces(answer)) {
      read += piece.length;
      // More would become part of the next response to the client.
      if (read > end - start) break;
      yield piece;
    }
    if (read !== end - start) throw fhirError('contentUnavailable');
  }

  /** Yields the body of an answer. Throws contentUnavailable where it breaks off. */
  private async *pieces({ body }: Response): AsyncGenerator<Buffer> {
    if (body === null) return;
    const reader = body.getReader();
    try {
      for (;;) {
        const next = await reader.read().catch((error: unknown) => {
          this.log.warn({ err: error }, 'an answer of the bucket of content broke off');
          throw fhirError('contentUnavailable');
        });
        if (next.done) return;
        yield Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      }
    } finally {
      // It rejects where the body broke off, which is reported above.
      await reader.cancel().catch(() => undefined);
    }
  }

  /** Reads an answer of XML. Throws contentUnavailable where it breaks off or is too long. */
  private async textOf(answer: Response): Promise<string> {
    const read: Buffer[] = [];
    let size = 0;
    for await (const piece of this.pieces(answer)) {
      size += piece.length;
      if (size > LARGEST_TEXT) throw fhirError('contentUnavailable');
      read.push(piece);
    }
    return Buffer.concat(read).toString('utf8');
  }

  async remove(key: ContentKey): Promise<void> {
    await this.discard(this.addressOf(key), { method: 'DELETE' });
    // Parts of an interrupted upload are invisible, and cost as much as others.
    const prefix = encodeURIComponent(objectNameOf(key));
    const listed = await this.send(`${this.base}?uploads=&prefix=${prefix}`, { method: 'GET' });
    for (const [, id = ''] of (await this.textOf(listed)).matchAll(/<UploadId>([^<]+)<\/UploadId>/g))
      await this.abortUpload(key, id);
  }

  async address(
    key: ContentKey,
    { seconds, contentType }: { readonly seconds: number; readonly contentType: string },
  ): Promise<string> {
    const type = encodeURIComponent(contentType);
    const url = `${this.addressOf(key)}?X-Amz-Expires=${seconds}&response-content-type=${type}`;
    const { url: signed } = await this.client.sign(url, { method: 'GET', aws: { signQuery: true } });
    return signed;
  }

  private get base(): string {
    return `${this.options.endpoint}/${this.options.bucket}`;
  }

  private addressOf(key: ContentKey): string {
    return `${this.base}/${objectNameOf(key)}`;
  }

  private async putWhole(key: ContentKey, body: Buffer<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    await this.discard(this.addressOf(key), { method: 'PUT', body, signal });
  }

  private async beginUpload(key: ContentKey, signal: AbortSignal): Promise<string> {
    const answer = await this.send(`${this.addressOf(key)}?uploads=`, { method: 'POST', signal });
    const id = /<UploadId>([^<]+)<\/UploadId>/.exec(await this.textOf(answer))?.[1];
    if (id === undefined) throw fhirError('contentUnavailable');
    return id;
  }

  private async completeUpload(
    key: ContentKey,
    upload: string,
    tags: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    );
    const answer = await this.send(`${this.addressOf(key)}?uploadId=${encodeURIComponent(upload)}`, {
      method: 'POST',
      body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
      signal,
    });
    // The status is sent before the parts are joined: the body says whether that has failed.
    if (!(await this.textOf(answer)).includes('<CompleteMultipartUploadResult'))
      throw fhirError('contentUnavailable');
  }

  private async abortUpload(key: ContentKey, upload: string): Promise<void> {
    const query = `?uploadId=${encodeURIComponent(upload)}`;
    await this.discard(this.addressOf(key) + query, { method: 'DELETE' });
  }

  private async requireLength(key: ContentKey, size: number, signal: AbortSignal): Promise<void> {
    const answer = await this.send(this.addressOf(key), { method: 'HEAD', signal });
    if (Number(answer.headers.get('content-length')) !== size) throw fhirError('contentUnavailable');
  }

  private async discard(url: string, sent: Sent): Promise<void> {
    await (await this.send(url, sent)).body?.cancel();
  }

  /** Sends a signed request. Throws contentUnavailable where the bucket does not answer in time, or not with success. */
  private async send(url: string, { method, body, headers, signal }: Sent): Promise<Response> {
    const limit = new AbortController();
    const abort = (): void => limit.abort();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort);
    // What follows the headers takes as long as its reader.
    const timer = setTimeout(abort, this.options.timeoutMs ?? TIMEOUT_MS);
    const sum = body === undefined ? EMPTY : createHash('sha256').update(body).digest('hex');
    let answer: Response;
    try {
      const sent = this.client.fetch(url, {
        method,
        headers: { ...headers, 'x-amz-content-sha256': sum },
        ...(body === undefined ? {} : { body }),
        redirect: 'error',
        signal: limit.signal,
      });
      answer = await unlessAborted(sent, limit.signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.log.warn({ err: error, method }, 'the bucket of content cannot be reached');
      throw fhirError('contentUnavailable');
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
    const isGone = method === 'DELETE' && answer.status === 404;
    if (answer.ok || isGone) return answer;
    await answer.body?.cancel();
    this.log.warn({ status: answer.status, method }, 'the bucket of content refused a request');
    throw fhirError('contentUnavailable');
  }
}

/** Rejects when the signal aborts. Copies of a Request follow a signal weakly, and may miss it after a garbage collection. */
async function unlessAborted(sent: Promise<Response>, signal: AbortSignal): Promise<Response> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(new Error('it took too long, or was given up'));
    signal.addEventListener('abort', abort);
  });
  sent
    .then(
      (late) => (signal.aborted ? late.body?.cancel() : undefined),
      () => undefined,
    )
    .catch(() => undefined);
  try {
    return await Promise.race([sent, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
