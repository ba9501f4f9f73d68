/** A longer body is stored in blocks: joining, decoding and passing it on at once would each delay other requests. */
export const LONG_BODY = 1024 * 1024;
const BLOCK_SIZE = 1024 * 1024;

/** A long body in blocks of shared memory, so that it goes to another thread without being copied. */
export type BodyBlocks = readonly Uint8Array[];

/** Collects the bytes of a body. Each is copied at most once when it arrives, so that no step takes long. */
export class CollectedBytes {
  private chunks: Buffer[] = [];
  private size = 0;
  private blocks: Uint8Array[] | undefined;
  /** Bytes used in the last block. */
  private used = BLOCK_SIZE;

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.blocks !== undefined) {
      this.copy(chunk);
    } else {
      this.chunks.push(chunk);
      if (this.size <= LONG_BODY) return;
      this.blocks = [];
      for (const each of this.chunks) this.copy(each);
      this.chunks = [];
    }
  }

  drop(): void {
    this.chunks = [];
    this.blocks = undefined;
  }

  /** Returns the bytes, or the blocks of a long body. */
  take(): Buffer | BodyBlocks {
    if (this.blocks !== undefined) return [...this.blocks.slice(0, -1), ...this.lastBlock()];
    const [first] = this.chunks;
    return this.chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.chunks);
  }

  private lastBlock(): Uint8Array[] {
    const last = this.blocks?.at(-1);
    return last === undefined ? [] : [last.subarray(0, this.used)];
  }

  private copy(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      if (this.used === BLOCK_SIZE) {
        this.blocks?.push(new Uint8Array(new SharedArrayBuffer(BLOCK_SIZE)));
        this.used = 0;
      }
      const part = chunk.subarray(start, start + BLOCK_SIZE - this.used);
      this.blocks?.at(-1)?.set(part, this.used);
      this.used += part.length;
      start += part.length;
    }
  }
}

export function toBuffer(bytes: Buffer | BodyBlocks): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.concat(bytes);
}
