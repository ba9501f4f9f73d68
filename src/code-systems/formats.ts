/** The formats of `andiron import-terminology`; a further one is one row. */
import type { CodeSystemFile } from '../core';
import { readCsv } from './csv';
import { ImportFileError } from './import-file-error';
import { readNdjson } from './ndjson';

/** What the person says beside the files. */
export interface Given {
  readonly url: string | undefined;
  readonly version: string | undefined;
  readonly name: string | undefined;
}

/** @param files a file, or the folder of a publisher */
type Reader = (file: string, given: Given) => Promise<CodeSystemFile>;

const FORMATS: Readonly<Record<string, Reader>> = Object.freeze({
  ndjson: (file: string) => readNdjson(file),
  csv: (file: string, { url, ...given }: Given) => {
    if (url === undefined)
      throw new ImportFileError('CSV does not say which code system it is: name it by --url');
    return readCsv(file, { url, ...given });
  },
});

export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

/** Opens a file in a format. Throws `ImportFileError`, and for a format that does not exist a `RangeError`. */
export async function openCodeSystemFile(
  format: string,
  file: string,
  given: Given,
): Promise<CodeSystemFile> {
  const read = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (read === undefined) throw new RangeError(`there is no format '${format}'`);
  return read(file, given);
}
