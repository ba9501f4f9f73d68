/** ICD-10-CM (https://www.cdc.gov/nchs/icd/icd-10-cm/files.html): its order file. */
import path from 'node:path';
import type { CodeSystemFile, JsonObject } from '../core';
import { digestOf, nameOf, readLines, type FileToRead } from './file-lines';
import { ImportFileError } from './import-file-error';
import { listRelease, requireFile } from './publisher-files';

const ORDER_FILE = /^icd10cm[-_]order(?![-_]addenda).*\.txt(?:\.gz)?$/i;

/** Order number, code, 1 for one that is valid for submission, short and long description, each in its columns. */
const LINE = /^(\d{5}) ([A-Z][0-9A-Z]{2}[0-9A-Z ]{4}) ([01]) (.{60}) (.+)$/;

/**
 * Reads the order file, or the one in a folder. The version is the fiscal year in its name, with the month of an update (`2025-04`).
 * Memory: some 100 bytes for each code, 10 MB for all.
 */
export async function readIcd10cm(place: FileToRead, version: string | undefined): Promise<CodeSystemFile> {
  const file = typeof place === 'string' ? await findOrderFile(place) : place;
  const of = version ?? versionOf(path.basename(nameOf(file)));
  const head: JsonObject = {
    ...{ resourceType: 'CodeSystem', url: 'http://hl7.org/fhir/sid/icd-10-cm', name: 'ICD10CM' },
    ...{ title: 'ICD-10-CM', status: 'active', content: 'complete', language: 'en' },
    ...(of === undefined ? {} : { version: of }),
    publisher: 'National Center for Health Statistics',
    hierarchyMeaning: 'is-a',
    property: [
      { code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' },
      { code: 'notSelectable', uri: 'http://hl7.org/fhir/concept-properties#notSelectable', type: 'boolean' },
      { code: 'order', type: 'integer' },
    ],
  };
  let at = 0;
  return {
    head,
    digest: await digestOf([file], 'icd10cm-1', of ?? ''),
    line: () => at,
    concepts: () => readConcepts(file, (line) => (at = line)),
  };
}

async function findOrderFile(place: string): Promise<string> {
  const called = 'order file (icd10cm-order-2026.txt)';
  const named = await listRelease(place);
  return named[0] === place ? place : requireFile(named, ORDER_FILE, { place, called });
}

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july'].concat(
  ...['august', 'september', 'october', 'november', 'december'],
);

function versionOf(name: string): string | undefined {
  const year = /(?<!\d)20\d\d(?!\d)/.exec(name)?.[0];
  const month = MONTHS.findIndex((each) => name.toLowerCase().includes(each)) + 1;
  return year === undefined || month === 0 ? year : `${year}-${String(month).padStart(2, '0')}`;
}

async function* readConcepts(file: FileToRead, began: (line: number) => void): AsyncGenerator<JsonObject> {
  const before = new Set<string>();
  for await (const [number, line] of readLines(file)) {
    began(number);
    if (line.trim() === '') continue;
    const [, order = '', padded = '', valid, short = '', long = ''] = LINE.exec(line) ?? [];
    if (valid === undefined)
      throw new ImportFileError(
        `${nameOf(file)}, line ${number}: it has not the columns of an ICD-10-CM order file`,
      );
    const code = padded.trim();
    const property: JsonObject[] = [{ code: 'order', valueInteger: Number(order) }];
    const parent = parentOf(code, before);
    if (parent !== undefined) property.push({ code: 'parent', valueCode: withDot(parent) });
    if (valid === '0') property.push({ code: 'notSelectable', valueBoolean: true });
    before.add(code);
    const display = long.trim();
    yield {
      ...{ code: withDot(code), display },
      ...(short.trim() === display
        ? {}
        : {
            designation: [{ language: 'en', use: { display: 'Short description' }, value: short.trim() }],
          }),
      property,
    };
  }
}

/** Returns the longest beginning of a code that is a code: headers precede what they head. */
function parentOf(code: string, before: ReadonlySet<string>): string | undefined {
  for (let length = code.length - 1; length >= 3; length--) {
    const beginning = code.slice(0, length);
    if (before.has(beginning)) return beginning;
  }
  return undefined;
}

const withDot = (code: string): string => (code.length > 3 ? `${code.slice(0, 3)}.${code.slice(3)}` : code);
