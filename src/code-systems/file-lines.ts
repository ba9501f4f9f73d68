/** Lines of a publisher's file, which may be compressed. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { LocalFile } from '../core';
import { ImportFileError } from './import-file-error';

/** A file by its path, `.gz` or not, or one whose bytes come from elsewhere, without a coding. */
export type FileToRead = string | LocalFile;

/** For messages. */
export const nameOf = (file: FileToRead): string => (typeof file === 'string' ? file : file.name);

/** Opens a file. Who does not read it to its end destroys what it returns. */
export function openFile(file: FileToRead): Readable {
  if (typeof file !== 'string') return Readable.from(file.open(), { objectMode: false });
  const source = createReadStream(file);
  if (!file.endsWith('.gz')) return source;
  const input = source.pipe(createGunzip());
  // An error of the file would otherwise not reach the reader of its lines.
  source.on('error', (error) => input.destroy(error));
  input.on('close', () => source.destroy());
  return input;
}

/** Yields the lines of a UTF-8 file with their numbers from 1. */
export async function* readLines(file: FileToRead): AsyncGenerator<readonly [number: number, line: string]> {
  const input = openFile(file);
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      number++;
      yield [number, number === 1 ? line.replace(/^\uFEFF/, '') : line];
    }
  } finally {
    input.destroy();
  }
}

/**
 * Yields the fields of lines that have no quotes, with the numbers of the lines. Throws `ImportFileError` for a line with another number
 * of fields than `width`.
 */
export async function* readFields(
  file: string,
  { delimiter, width }: { readonly delimiter: string; readonly width: number },
): AsyncGenerator<readonly [number: number, fields: readonly string[]]> {
  for await (const [number, line] of readLines(file)) {
    if (line === '') continue;
    const fields = line.split(delimiter);
    if (fields.length !== width)
      throw new ImportFileError(
        `${file}, line ${number}: there are ${fields.length} fields, and ${width} expected`,
      );
    yield [number, fields];
  }
}

/** Returns the SHA-256 of files and of what else decides about the result. */
export async function digestOf(files: readonly FileToRead[], ...others: readonly string[]): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify(others));
  for (const file of files) {
    const bytes = typeof file === 'string' ? createReadStream(file) : file.open();
    for await (const part of bytes) hash.update(part as Buffer);
  }
  return hash.digest();
}
