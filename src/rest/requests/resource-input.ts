import { isRelease, type ResourceInput } from '../../core';
import { BINARY, isBinaryResource, isContentOfBinary, largestContent, writeBinary } from '../binary';
import { watchCaller } from '../connections/caller-watch';
import { hasContentType, RESOURCE_TYPES, toText } from './body';
import type { Exchange } from '../exchange';
import type { UploadedContent } from './uploaded-content';

/**
 * Runs a create or update with the resource of the request. Content that is too long for a resource is stored apart before, and
 * removed where the write does not take it. Throws the errors of `readResource` and of `Core.storeContent`.
 */
export function withResource<T>(exchange: Exchange, write: (input: ResourceInput) => Promise<T>): Promise<T> {
  const { upload } = exchange.request;
  return upload === undefined ? readResource(exchange).then(write) : withUpload(exchange, upload, write);
}

/** Memory of an upload: chunks on their way to the store. */
const CHUNKS = 2 * 1024 * 1024;

async function withUpload<T>(
  exchange: Exchange,
  upload: UploadedContent,
  write: (input: ResourceInput) => Promise<T>,
): Promise<T> {
  const { restContext, request, context, type, id } = exchange;
  const { core, settings, uploads } = restContext;
  const { headers, logEntry } = request;
  const leave = uploads.enter(context.space.tenantNumber);
  const watch = watchUploader(exchange);
  // It ends by its pauses, and not at the deadline.
  logEntry.deadline = Infinity;
  try {
    const pieces = upload.pieces();
    const text = (base64: string): string => writeBinary(base64, id === '' ? undefined : id, headers);
    const limit = settings.transfers.maxBinaryBytes;
    const longest = Math.min(largestContent(settings.bodyLimits.resource), limit);
    const head = upload.declared === undefined ? await readUpTo(exchange, pieces, longest) : NO_HEAD;
    if (head.isWhole) {
      exchange.restart();
      return await write(restContext.parse(text(Buffer.concat(head.pieces).toString('base64'))));
    }
    logEntry.bytes.release();
    logEntry.bytes.addBody(CHUNKS);
    const written = await core.interactions.storeContent(context, {
      ...{ type, limit, signal: watch.signal },
      source: joined(head.pieces, pieces),
      least: upload.declared ?? head.size,
    });
    exchange.restart();
    try {
      return await write({ text: text(''), content: written });
    } finally {
      await written.drop();
    }
  } finally {
    watch.end();
    leave();
  }
}

function watchUploader({ restContext: { core }, request }: Exchange): ReturnType<typeof watchCaller> {
  const { tenant, release } = request.params;
  const { caller } = request.logEntry;
  if (caller === undefined || !isRelease(release))
    return { signal: new AbortController().signal, end: () => undefined };
  return watchCaller(core, tenant, release, caller);
}

interface Head {
  readonly pieces: readonly Buffer[];
  readonly size: number;
  /** True: there is no more. */
  readonly isWhole: boolean;
}

const NO_HEAD: Head = { pieces: [], size: 0, isWhole: false };

/** Reads the pieces until they have more than `most` bytes. Throws the errors of `HeldBytes.addBody`. */
async function readUpTo(
  { request: { logEntry } }: Exchange,
  pieces: AsyncGenerator<Buffer>,
  most: number,
): Promise<Head> {
  const head: Buffer[] = [];
  let size = 0;
  while (size <= most) {
    const next = await pieces.next();
    if (next.done === true) return { pieces: head, size, isWhole: true };
    logEntry.bytes.addBody(next.value.length);
    head.push(next.value);
    size += next.value.length;
  }
  return { pieces: head, size, isWhole: false };
}

async function* joined(head: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* head;
  yield* rest;
}

/**
 * Returns the resource of a create or update. A body sent to Binary that is not a Binary resource is the content of
 * one, including JSON (https://hl7.org/fhir/R4/binary.html#rest). Throws the errors of `RestContext.read`.
 */
async function readResource(exchange: Exchange): Promise<ResourceInput> {
  const { restContext, request, context, type, id } = exchange;
  const { body, headers } = request;
  const { release } = context.space;
  const asWritten = (): ResourceInput => restContext.read(body, headers, RESOURCE_TYPES, release);
  if (type !== BINARY || body === undefined) return asWritten();
  const isContent = isContentOfBinary(request);
  if (!isContent) {
    const isJson = hasContentType(headers, RESOURCE_TYPES, release) && body !== '';
    if (!isJson || (await isBinaryResource(restContext.core, toText(body), restContext.settings.maxDepth)))
      return asWritten();
  }
  const base64 = isContent ? toText(body) : Buffer.from(toText(body)).toString('base64');
  const text = writeBinary(base64, id === '' ? undefined : id, headers);
  return restContext.parse(text);
}
