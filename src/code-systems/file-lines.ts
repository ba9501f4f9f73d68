/** Lines of a publisher's file, which may be compressed. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** Yields the lines of a UTF-8 file, `.gz` or not, with their numbers from 1. */
export async function* readLines(file: string): AsyncGenerator<readonly [number: number, line: string]> {
  const source = createReadStream(file);
  const input = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  // An error of the file would otherwise not reach the reader of its lines.
  source.on('error', (error) => input.destroy(error));
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number++;
    yield [number, number === 1 ? line.replace(/^\uFEFF/, '') : line];
  }
}

/** Returns the SHA-256 of files and of what else decides about the result. */
export async function digestOf(files: readonly string[], ...others: readonly string[]): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify(others));
  for (const file of files) await pipeline(createReadStream(file), hash, { end: false });
  return hash.digest();
}
