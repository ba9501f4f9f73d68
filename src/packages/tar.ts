/**
 * Reads tar archives from a stream into memory. It makes no paths from the names in the archive. It supports POSIX
 * ustar with the extensions that npm and the FHIR publisher write (pax headers, GNU long names). A library would also
 * create, unpack and link files, which is not needed here; the format consists of 512-byte headers.
 * Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header Block"
 */

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

const BLOCK = 512;
/** Limit in bytes of a header that describes the next entry. */
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
  const bytes = new ByteReader(source, limits.maxBytes);
  /** Path and size of the next entry, from the headers before it. */
  let extended: { path?: string; size?: number } = {};
  for (let entries = 0; ; entries++) {
    const block = await bytes.take(BLOCK);
    if (block === undefined || isZero(block)) return;
    if (entries >= limits.maxEntries) throw new TarError(`it has more than ${limits.maxEntries} entries`);
    const header = readHeader(block);
    const size = extended.size ?? header.size;
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (header.kind === 'pax' || header.kind === 'longName') {
      if (size > LONGEST_HEADER) throw new TarError('an entry has a header of more than 1 MB');
      const text = (await bytes.takeAll(size)).toString('utf8');
      await bytes.skip(padding);
      extended =
        header.kind === 'pax' ? { ...extended, ...readPax(text) } : { ...extended, path: untilZero(text) };
      continue;
    }
    const name = extended.path ?? header.name;
    extended = {};
    if (header.kind !== 'file') {
      await bytes.skip(size + padding);
      continue;
    }
    const content = isWanted(name, size) ? await bytes.takeAll(size) : undefined;
    await bytes.skip(content === undefined ? size + padding : padding);
    yield { name, size, content };
  }
}

interface Header {
  readonly name: string;
  readonly size: number;
  readonly kind: 'file' | 'pax' | 'longName' | 'other';
}

function readHeader(block: Buffer): Header {
  const text = (start: number, length: number): string =>
    untilZero(block.toString('utf8', start, start + length));
  if (readNumber(block, 148, 8) !== checksum(block))
    throw new TarError('it is not a tar archive, or is damaged');
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const name = text(0, 100);
  const type = String.fromCharCode(block[156] ?? 0);
  const kinds: Readonly<Record<string, Header['kind']>> = {
    '0': 'file',
    '\0': 'file',
    x: 'pax',
    L: 'longName',
  };
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: readNumber(block, 124, 12),
    kind: kinds[type] ?? 'other',
  };
}

/** Reads octal digits, or a binary number where the first bit is set. */
function readNumber(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  const first = field[0] ?? 0;
  const number =
    first < 0x80 ? readOctal(field) : field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
  if (!Number.isSafeInteger(number)) throw new TarError('it is not a tar archive, or is damaged');
  return number;
}

function readOctal(field: Buffer): number {
  const digits = field.toString('latin1').replace(/[\0 ]/g, '');
  return /^[0-7]*$/.test(digits) ? Number.parseInt(`0${digits}`, 8) : NaN;
}

/** Returns the sum of all bytes of the header, with its own field counted as spaces. */
function checksum(block: Buffer): number {
  let sum = 0;
  block.forEach((byte, index) => (sum += index >= 148 && index < 156 ? 0x20 : byte));
  return sum;
}

/** Reads records of the form `25 path=package/long-name\n`; each begins with its length in bytes. */
function readPax(text: string): { path?: string; size?: number } {
  const extended: { path?: string; size?: number } = {};
  for (const line of text.split('\n')) {
    const [, key, value] = /^\d+ (path|size)=(.*)$/.exec(line) ?? [];
    if (key === 'path' && value !== undefined) extended.path = value;
    if (key === 'size' && Number.isSafeInteger(Number(value))) extended.size = Number(value);
  }
  return extended;
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

function untilZero(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** Takes pieces of a requested length from a stream. */
class ByteReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private chunk: Buffer = Buffer.alloc(0);
  private read = 0;

  constructor(
    source: AsyncIterable<Buffer>,
    private readonly maxBytes: number,
  ) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** Undefined at the end of the stream. */
  async take(length: number): Promise<Buffer | undefined> {
    if (this.chunk.length === 0 && !(await this.more())) return undefined;
    return this.takeAll(length);
  }

  async takeAll(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    await this.pass(length, (piece) => pieces.push(piece));
    return Buffer.concat(pieces);
  }

  async skip(length: number): Promise<void> {
    await this.pass(length, () => undefined);
  }

  private async pass(length: number, use: (piece: Buffer) => void): Promise<void> {
    let left = length;
    while (left > 0) {
      if (this.chunk.length === 0 && !(await this.more()))
        throw new TarError('it ends in the middle of a file');
      const piece = this.chunk.subarray(0, left);
      this.chunk = this.chunk.subarray(piece.length);
      left -= piece.length;
      use(piece);
    }
  }

  private async more(): Promise<boolean> {
    for (;;) {
      const next = await this.chunks.next();
      if (next.done === true) return false;
      this.read += next.value.length;
      if (this.read > this.maxBytes) throw new TarError(`unpacked it has more than ${this.maxBytes} bytes`);
      this.chunk = next.value;
      if (this.chunk.length > 0) return true;
    }
  }
}
