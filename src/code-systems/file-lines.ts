/** Lines of a publisher's file, which may be compressed. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { ImportFileError } from './import-file-error';

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
export async function digestOf(files: readonly string[], ...others: readonly string[]): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify(others));
  for (const file of files) for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest();
}
