/** Lines of NDJSON from bytes, in chunks that one transaction can write. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { turns } from '../../concurrency/turns';

/** Some lines of a file. */
export interface LinesOfFile {
  /** From 1. */
  readonly firstLine: number;
  /** The lines, with a line feed between two. */
  readonly text: Buffer;
  /** Places of the lines that are not empty, from 0. */
  readonly places: readonly number[];
  /** Numbers of lines that are longer than allowed; they are not in the text. */
  readonly tooLong: readonly number[];
}

const MOST_LINES = 500;
/** Lines after which other work comes first where it waits; most of them may be empty. */
const LINES_OF_TURN = 1_000;
const MOST_BYTES = 1024 * 1024;
const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Yields the bytes, decompressed if they are gzipped. Throws the errors of zlib. */
export async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const pieces = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  let isOver = false;
  while (start.length < GZIP.length && !isOver) {
    const next = await pieces.next();
    isOver = next.done === true;
    if (next.done !== true) start = Buffer.concat([start, next.value]);
  }
  const whole = async function* (): AsyncGenerator<Buffer, void> {
    try {
      yield start;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  };
  if (!start.subarray(0, GZIP.length).equals(GZIP)) {
    yield* whole();
    return;
  }
  const gunzip = createGunzip();
  // Its error also ends the stream, which throws it.
  pipeline(Readable.from(whole(), { objectMode: false }), gunzip).catch(() => undefined);
  for await (const piece of gunzip) yield piece as Buffer;
}

/** Lines of a file, empty ones too. */
const MOST_LINES_OF_FILE = 500_000_000;

export class TooManyLines extends Error {
  constructor(most: number) {
    super(`a file may have ${most} lines`);
  }
}

/**
 * Yields all lines. A line feed ends a line, also after a carriage return. Throws TooManyLines. Cost: holds a chunk and the longest
 * line; some 2 ns for an empty line.
 */
export async function* splitLines(
  source: AsyncIterable<Buffer>,
  longestLine: number,
  mostLines = MOST_LINES_OF_FILE,
): AsyncGenerator<LinesOfFile, void> {
  const chunk = new Chunk();
  let parts: Buffer[] = [];
  let length = 0;
  let left = mostLines;
  const endLine = (last: Buffer): void => {
    if (left-- === 0) throw new TooManyLines(mostLines);
    const isTooLong = length + last.length > longestLine;
    chunk.add(isTooLong ? undefined : parts.length === 0 ? last : Buffer.concat([...parts, last]));
    [parts, length] = [[], 0];
  };
  for await (const piece of source) {
    let begin = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, begin)) {
      if (left % LINES_OF_TURN === 0) await turns.take();
      if (end === begin && length === 0 && chunk.isEmpty) {
        const empty = emptyLines(piece, begin);
        if (empty > left) throw new TooManyLines(mostLines);
        left -= empty;
        chunk.skip(empty);
        begin += empty;
        if (empty > LINES_OF_TURN) await turns.take();
        continue;
      }
      endLine(piece.subarray(begin, end));
      begin = end + 1;
      if (chunk.isFull) yield chunk.take();
    }
    const rest = piece.subarray(begin);
    length += rest.length;
    if (length > longestLine) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  if (length > 0) endLine(Buffer.alloc(0));
  if (!chunk.isEmpty) yield chunk.take();
}

export class LineTooLong extends Error {
  constructor(line: number, longest: number) {
    super(`line ${line} has more than ${longest} bytes`);
  }
}

/** Yields the bytes as they are, in pieces that count as one line each. Throws LineTooLong. */
export async function* splitPieces(
  source: AsyncIterable<Buffer>,
  longestLine: number,
): AsyncGenerator<LinesOfFile, void> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  let line = 1;
  let length = 0;
  const take = (): LinesOfFile => {
    const text = Buffer.concat(pieces);
    [pieces, bytes] = [[], 0];
    number += 1;
    return { firstLine: number, text, places: [0], tooLong: [] };
  };
  for await (const piece of source) {
    let begin = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, begin)) {
      if (length + end - begin > longestLine) throw new LineTooLong(line, longestLine);
      [begin, length] = [end + 1, 0];
      if (line++ % LINES_OF_TURN === 0) await turns.take();
    }
    length += piece.length - begin;
    if (length > longestLine) throw new LineTooLong(line, longestLine);
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MOST_BYTES) yield take();
  }
  if (bytes > 0) yield take();
}

/** Line feeds from `begin` on, one after the other: at most a million. */
function emptyLines(piece: Buffer, begin: number): number {
  const most = Math.min(piece.length, begin + 1_000_000);
  let end = begin;
  while (end < most && piece[end] === LINE_FEED) end++;
  return end - begin;
}

class Chunk {
  #firstLine = 1;
  #lines: Buffer[] = [];
  #places: number[] = [];
  #tooLong: number[] = [];
  #bytes = 0;

  /** Leaves out empty lines at its beginning. */
  skip(lines: number): void {
    this.#firstLine += lines;
  }

  /** Adds the next line; undefined: it is too long. */
  add(given: Buffer | undefined): void {
    const place = this.#lines.length;
    if (given === undefined) {
      this.#tooLong.push(this.#firstLine + place);
      this.#lines.push(Buffer.alloc(0));
      return;
    }
    const isFirst = this.#firstLine + place === 1;
    const line = isFirst && given.subarray(0, 3).equals(BYTE_ORDER_MARK) ? given.subarray(3) : given;
    const isEmpty = isBlank(line);
    if (isEmpty && place === 0) {
      this.#firstLine++;
      return;
    }
    if (!isEmpty) this.#places.push(place);
    this.#lines.push(line);
    this.#bytes += line.length;
  }

  get isFull(): boolean {
    return this.#lines.length >= MOST_LINES || this.#bytes >= MOST_BYTES;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  take(): LinesOfFile {
    const lines = this.#lines;
    const feed = Buffer.from([LINE_FEED]);
    const text = Buffer.concat(lines.flatMap((line, place) => (place === 0 ? [line] : [feed, line])));
    const taken = { firstLine: this.#firstLine, text, places: this.#places, tooLong: this.#tooLong };
    this.#firstLine += lines.length;
    [this.#lines, this.#places, this.#tooLong, this.#bytes] = [[], [], [], 0];
    return taken;
  }
}

/** Lines of white space, such as the last one of many files. */
function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}
