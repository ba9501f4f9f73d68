import parse from 'csv-parse';
import type { CodeSystemFile, JsonObject } from '../core';
import { ImportFileError } from './import-file-error';
import { digestOf, nameOf, openFile, type FileToRead } from './file-lines';

/** What a file of concepts alone does not say. */
export interface NamedSystem {
  readonly url: string;
  readonly version: string | undefined;
  readonly name: string | undefined;
}

export type Row = Readonly<Record<string, string>>;

/** Characters of a row: more would be in memory at once. */
const LONGEST_ROW = 4 * 1024 * 1024;

/**
 * Yields the rows of a CSV file by the names of its first line. Throws `ImportFileError`.
 * @param wanted the columns that are read; those with `?` at their end need not be there; default all
 */
export async function* readRows(file: FileToRead, wanted?: readonly string[]): AsyncGenerator<Row> {
  for await (const { row } of readNumberedRows(file, wanted)) yield row;
}

/** Yields the rows with the numbers of the lines in which they end. */
async function* readNumberedRows(
  file: FileToRead,
  wanted?: readonly string[],
): AsyncGenerator<{ readonly row: Row; readonly line: number }> {
  const columns =
    wanted === undefined
      ? true
      : (names: readonly string[]) => {
          const lacking = wanted.find((name) => !name.endsWith('?') && !names.includes(name));
          if (lacking !== undefined) throw new Error(`there is no column '${lacking}' in its first line`);
          return names.map((name) => (wanted.includes(name) || wanted.includes(`${name}?`) ? name : false));
        };
  const parser = parse({
    ...{ columns, bom: true, skip_empty_lines: true, trim: true, info: true },
    max_record_size: LONGEST_ROW,
  });
  const input = openFile(file);
  input.on('error', (error: Error) => parser.destroy(error));
  try {
    for await (const each of input.pipe(parser)) {
      const { record, info } = each as { readonly record: Row; readonly info: { readonly lines: number } };
      yield { row: record, line: info.lines };
    }
  } catch (error) {
    throw new ImportFileError(`${nameOf(file)}: ${(error as Error).message}`);
  } finally {
    input.destroy();
  }
}

const DESIGNATION = /^designation:(.+)$/;
const PROPERTY = /^property:(.+)$/;

/**
 * Reads CSV with the columns `code`, `display`, `definition`, `parent` (several codes with `|` between), `inactive`, `abstract`,
 * `designation:LANGUAGE` and `property:CODE`; only `code` is needed. Any other column is an error.
 */
export async function readCsv(
  file: FileToRead,
  { url, version, name }: NamedSystem,
): Promise<CodeSystemFile> {
  let columns: readonly string[] = [];
  for await (const row of readRows(file)) {
    columns = Object.keys(row);
    break;
  }
  requireColumns(nameOf(file), columns);
  const head: JsonObject = {
    ...{ resourceType: 'CodeSystem', url, status: 'active', content: 'complete' },
    ...(version === undefined ? {} : { version }),
    ...(name === undefined ? {} : { name }),
  };
  let at = 1;
  return {
    head,
    digest: await digestOf([file], 'csv', url, version ?? '', name ?? ''),
    line: () => at,
    async *concepts() {
      for await (const { row, line } of readNumberedRows(file)) {
        at = line;
        yield toConcept(row);
      }
    },
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  'code',
  'display',
  'definition',
  'parent',
  'inactive',
  'abstract',
]);

function requireColumns(name: string, columns: readonly string[]): void {
  if (!columns.includes('code'))
    throw new ImportFileError(`${name}: there is no column 'code' in its first line`);
  const unknown = columns.find((each) => !KNOWN.has(each) && !DESIGNATION.test(each) && !PROPERTY.test(each));
  if (unknown !== undefined)
    throw new ImportFileError(
      `${name}: the column '${unknown.slice(0, 80)}' means nothing here; write designation:LANGUAGE or property:CODE`,
    );
}

function toConcept(row: Row): JsonObject {
  const concept: JsonObject = {};
  for (const member of ['code', 'display', 'definition'])
    if (row[member] !== undefined && row[member] !== '') concept[member] = row[member];
  const designation: JsonObject[] = [];
  const property: JsonObject[] = [];
  for (const parent of (row['parent'] ?? '').split('|'))
    if (parent.trim() !== '') property.push({ code: 'parent', valueCode: parent.trim() });
  if (isTrue(row['inactive'])) property.push({ code: 'inactive', valueBoolean: true });
  if (isTrue(row['abstract'])) property.push({ code: 'notSelectable', valueBoolean: true });
  for (const [column, value] of Object.entries(row)) {
    if (value === '') continue;
    const language = DESIGNATION.exec(column)?.[1];
    const code = PROPERTY.exec(column)?.[1];
    if (language !== undefined) designation.push({ language, value });
    if (code !== undefined) property.push({ code, valueString: value });
  }
  if (designation.length > 0) concept['designation'] = designation;
  if (property.length > 0) concept['property'] = property;
  return concept;
}

const isTrue = (text: string | undefined): boolean => /^(?:true|1|yes)$/i.test(text ?? '');
