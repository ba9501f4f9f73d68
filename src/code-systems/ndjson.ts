import { isJsonObject, parseJson, type CodeSystemFile, type JsonObject } from '../core';
import { ImportFileError } from './import-file-error';
import { digestOf, nameOf, readLines, type FileToRead } from './file-lines';

/** Reads NDJSON: a CodeSystem without concepts in the first line, then an element of `CodeSystem.concept` in each. */
export async function readNdjson(file: FileToRead): Promise<CodeSystemFile> {
  let head: JsonObject | undefined;
  for await (const [number, line] of readLines(file)) {
    head = parseLine(file, number, line);
    break;
  }
  if (head?.['resourceType'] !== 'CodeSystem')
    throw new ImportFileError(`${nameOf(file)}: the first line is not a CodeSystem`);
  let at = 1;
  return {
    head,
    digest: await digestOf([file], 'ndjson'),
    line: () => at,
    async *concepts() {
      for await (const [number, line] of readLines(file)) {
        at = number;
        if (number > 1 && line.trim() !== '') yield parseLine(file, number, line);
      }
    },
  };
}

function parseLine(file: FileToRead, number: number, line: string): JsonObject {
  try {
    const { value } = parseJson(line);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new ImportFileError(`${nameOf(file)}, line ${number}: ${(error as Error).message}`);
  }
  throw new ImportFileError(`${nameOf(file)}, line ${number}: there is no JSON object`);
}
