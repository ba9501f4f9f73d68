/**
 * Reads tar archives from a stream into memory, by tar-stream. It makes no paths from the names in the archive, and
 * bounds what an archive costs before any of it is kept.
 */
import { Readable } from 'node:stream';
import { type Entry, extract } from 'tar-stream';

export interface TarFile {
  /** Name in the archive: `package/package.json`. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** Undefined for files that `isWanted` rejects. */
  readonly content: Buffer | undefined;
}

export interface TarLimits {
  /** Limit on entries of any kind. */
  readonly maxEntries: number;
  /** Limit on the bytes of the whole unpacked archive. */
  readonly maxBytes: number;
}

/** The archive cannot be read, or exceeds the limits. */
export class TarError extends Error {}

/** Limit in bytes of the headers before an entry, such as a long name, which tar-stream holds in memory. */
const LONGEST_HEADER = 1_000_000;

/**
 * Yields the files of an archive in their order. Only files that `isWanted` accepts have their content. Throws
 * TarError.
 *
 * @param source the archive, unpacked
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  limits: TarLimits,
  isWanted: (name: string, size: number) => boolean,
): AsyncGenerator<TarFile, void> {
  const archive = extract({ allowUnknownFormat: true });
  const bytes = new BoundedBytes(source, limits.maxBytes);
  const feeding = Readable.from(bytes.read());
  const faults: { source?: Error; archive?: Error } = {};
  feeding.on('error', (error: Error) => {
    faults.source = error;
    archive.destroy(error);
  });
  archive.on('error', (error: Error) => {
    faults.archive = error;
  });
  feeding.pipe(archive);
  let entries = 0;
  try {
    for await (const entry of archive) {
      bytes.watch(entry);
      if (++entries > limits.maxEntries) throw new TarError(`it has more than ${limits.maxEntries} entries`);
      const { name, type, size = 0 } = entry.header;
      if (!Number.isSafeInteger(size) || size < 0) throw damaged();
      const isFile = type === 'file';
      const isKept = isFile && isWanted(name, size);
      const pieces: Buffer[] = [];
      for await (const piece of entry) if (isKept && Buffer.isBuffer(piece)) pieces.push(piece);
      const content = isKept ? Buffer.concat(pieces) : undefined;
      if (isFile) yield { name, size, content };
    }
  } catch (error) {
    if (faults.source !== undefined) throw faults.source;
    throw error === faults.archive ? toTarError(error) : error;
  } finally {
    feeding.destroy();
  }
}

function damaged(): TarError {
  return new TarError('it is not a tar archive, or is damaged');
}

/** Returns the error for one of tar-stream, which has no codes. */
function toTarError(error: unknown): TarError {
  return error instanceof Error && error.message === 'Unexpected end of data'
    ? new TarError('it ends in the middle of a file')
    : damaged();
}

/** Passes an archive on, within the limits. */
class BoundedBytes {
  private total = 0;
  private outsideEntries = 0;
  private isInEntry = false;

  constructor(
    private readonly source: AsyncIterable<Buffer>,
    private readonly maxBytes: number,
  ) {}

  async *read(): AsyncGenerator<Buffer, void> {
    for await (const chunk of this.source) {
      this.total += chunk.length;
      if (this.total > this.maxBytes) throw new TarError(`unpacked it has more than ${this.maxBytes} bytes`);
      if (!this.isInEntry) this.outsideEntries += chunk.length;
      if (this.outsideEntries > LONGEST_HEADER) throw new TarError('an entry has a header of more than 1 MB');
      yield chunk;
    }
  }

  /** Counts what comes until the end of the entry as its content. */
  watch(entry: Entry): void {
    this.isInEntry = true;
    this.outsideEntries = 0;
    entry.once('close', () => (this.isInEntry = false));
  }
}
