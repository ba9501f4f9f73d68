/** A place that keeps the bytes of large content: the database, a folder, or a bucket. */
import { fhirError } from '../errors';
import type { ContentKey, StoreName } from '../storage/content/contents';

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A signed address, and what its answer says of itself. */
export interface SignedAddress {
  readonly seconds: number;
  readonly contentType: string;
}

export interface ObjectStore {
  readonly name: StoreName;
  /**
   * Stores exactly the pieces; resolves when they are durable. A failure leaves no object that can be read, and may leave
   * parts, which `remove` removes.
   */
  put(key: ContentKey, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Reads a range of a stored object. Throws contentUnavailable where it is missing or shorter, also after some pieces. */
  get(key: ContentKey, range: ByteRange): AsyncIterable<Buffer>;
  /** Removes an object and what an interrupted `put` has left; does nothing where there is none. */
  remove(key: ContentKey): Promise<void>;
  /** A signed address from which anybody may load the object; undefined: the store has none. */
  address(key: ContentKey, signed: SignedAddress): Promise<string> | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the name of an object, `{space}/{id}`. Throws contentUnavailable for one that could leave the folder or bucket. */
export function objectNameOf({ space, id }: ContentKey): string {
  if (!Number.isSafeInteger(space) || !UUID.test(id)) throw fhirError('contentUnavailable');
  return `${space}/${id}`;
}

/** Yields the same bytes in chunks of exactly `size` bytes; the last one may be shorter. Nothing for no bytes. */
export async function* inChunks(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let chunk = Buffer.allocUnsafeSlow(size);
  let used = 0;
  for await (const piece of source) {
    for (let start = 0; start < piece.length;) {
      const part = piece.subarray(start, start + size - used);
      chunk.set(part, used);
      used += part.length;
      start += part.length;
      if (used < size) continue;
      yield chunk;
      // The one before may still be on its way.
      chunk = Buffer.allocUnsafeSlow(size);
      used = 0;
    }
  }
  if (used > 0) yield chunk.subarray(0, used);
}
