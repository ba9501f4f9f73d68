/** The formats of `andiron import-terminology`; a further one is one row. */
import type { CodeSystemFile } from '../core';
import { readCsv } from './csv';
import { ImportFileError } from './import-file-error';
import { readIcd10cm } from './icd10cm';
import { readLoinc } from './loinc';
import { readNdjson } from './ndjson';
import { readRxNorm } from './rxnorm';
import { readSnomed } from './snomed-rf2';

/** What the person says beside the files. */
export interface Given {
  readonly url: string | undefined;
  readonly version: string | undefined;
  readonly name: string | undefined;
}

interface Format {
  /** What the files do not say. */
  readonly takes: readonly (keyof Given)[];
  /** @param place a file, or the folder of a release */
  readonly read: (place: string, given: Given) => Promise<CodeSystemFile>;
}

const FORMATS: Readonly<Record<string, Format>> = Object.freeze({
  ndjson: { takes: [], read: (file: string) => readNdjson(file) },
  csv: {
    takes: ['url', 'version', 'name'],
    read: (file: string, { url, ...given }: Given) => {
      if (url === undefined)
        throw new ImportFileError('CSV does not say which code system it is: name it by --url');
      return readCsv(file, { url, ...given });
    },
  },
  loinc: { takes: ['version'], read: (place: string, { version }: Given) => readLoinc(place, version) },
  'snomed-rf2': {
    takes: ['version'],
    read: (place: string, { version }: Given) => readSnomed(place, version),
  },
  icd10cm: { takes: ['version'], read: (place: string, { version }: Given) => readIcd10cm(place, version) },
  rxnorm: { takes: ['version'], read: (place: string, { version }: Given) => readRxNorm(place, version) },
});

export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

/** Opens a file in a format. Throws `ImportFileError`, and for a format that does not exist a `RangeError`. */
export async function openCodeSystemFile(
  format: string,
  file: string,
  given: Given,
): Promise<CodeSystemFile> {
  const row = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (row === undefined) throw new RangeError(`there is no format '${format}'`);
  const useless = (['url', 'version', 'name'] as const).find(
    (each) => given[each] !== undefined && !row.takes.includes(each),
  );
  if (useless !== undefined)
    throw new ImportFileError(`--${useless} is not allowed with --format ${format}: the files say it`);
  return row.read(file, given);
}
