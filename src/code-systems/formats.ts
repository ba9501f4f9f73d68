/** The formats of `andiron import-terminology` and of `CodeSystem/$import`; a further one is one row. */
import { fhirError, type CodeSystemFile, type CodeSystemReader } from '../core';
import { readCsv } from './csv';
import type { FileToRead } from './file-lines';
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
  /** Reads the one file that is enough; without it the format is a folder. */
  readonly readFile?: (file: FileToRead, given: Given) => Promise<CodeSystemFile>;
}

const csvOf = (file: FileToRead, { url, ...given }: Given): Promise<CodeSystemFile> => {
  if (url === undefined)
    throw new ImportFileError('CSV does not say which code system it is: name it by --url');
  return readCsv(file, { url, ...given });
};
const icd10cmOf = (file: FileToRead, { version }: Given): Promise<CodeSystemFile> =>
  readIcd10cm(file, version);

const FORMATS: Readonly<Record<string, Format>> = Object.freeze({
  ndjson: { takes: [], read: readNdjson, readFile: readNdjson },
  csv: { takes: ['url', 'version', 'name'], read: csvOf, readFile: csvOf },
  loinc: { takes: ['version'], read: (place: string, { version }: Given) => readLoinc(place, version) },
  'snomed-rf2': {
    takes: ['version'],
    read: (place: string, { version }: Given) => readSnomed(place, version),
  },
  icd10cm: { takes: ['version'], read: icd10cmOf, readFile: icd10cmOf },
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
  const useless = findUseless(row, given);
  if (useless !== undefined)
    throw new ImportFileError(`--${useless} is not allowed with --format ${format}: the files say it`);
  return row.read(file, given);
}

function findUseless({ takes }: Format, given: Given): keyof Given | undefined {
  return (['url', 'version', 'name'] as const).find(
    (each) => given[each] !== undefined && !takes.includes(each),
  );
}

/** The formats of one file. */
const FILE_FORMATS = FORMAT_NAMES.filter((name) => FORMATS[name]?.readFile !== undefined);

/** Reads the files of clients, which name what they want by parameters. */
export const codeSystemReader: CodeSystemReader = {
  check({ format, ...given }) {
    const row = FILE_FORMATS.includes(format) ? FORMATS[format] : undefined;
    if (row === undefined)
      throw fhirError('invalidValue', { reason: `"format" must be one of ${FILE_FORMATS.join(', ')}` });
    const useless = findUseless(row, given);
    if (useless !== undefined)
      throw fhirError('invalidValue', {
        reason: `"${useless}" is not allowed with the format ${format}: the file says it`,
      });
    if (row.takes.includes('url') && given.url === undefined)
      throw fhirError('invalidValue', {
        reason: `The format ${format} does not say which code system it is: name it by "url"`,
      });
  },
  async open(file, { format, ...given }) {
    const read = FORMATS[format]?.readFile;
    if (read === undefined) throw fhirError('invalidValue', { reason: `there is no format '${format}'` });
    const opened = await read(file, given).catch(refuse);
    return {
      ...opened,
      async *concepts() {
        try {
          yield* opened.concepts();
        } catch (error) {
          refuse(error);
        }
      },
    };
  },
};

function refuse(error: unknown): never {
  if (error instanceof ImportFileError) throw fhirError('ruleViolated', { reason: error.message });
  throw error;
}
