import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { turns } from '../../concurrency/turns';
import { FhirError, fhirError } from '../../errors';
import { DEFAULT_MAX_DEPTH, isJsonObject, type JsonValue } from '../../fhir/json';
import { findFault } from '../../fhir/json/fault';
import { isValidId } from '../../fhir/resource';
import type { Preparer } from '../../preparation/preparer';
import { LONG_TEXT } from '../../preparation/resource-input';
import type { StoredChunk } from '../../storage/jobs/import-chunks';

/** A line of a chunk that names a resource. */
export interface ReadLine {
  readonly place: number;
  readonly type: string;
  /** Undefined: the server assigns one. */
  readonly id: string | undefined;
  readonly text: string;
}

/** A line of a chunk that cannot be written. */
export interface UnreadableLine {
  readonly place: number;
  readonly error: FhirError;
}

/** Whether it is a type of the release is checked with the entry. */
const TYPE = /^[A-Z][A-Za-z]*$/;
const decompress = promisify(gunzip);

export interface LineReading {
  /** The type that all must have. */
  readonly type: string | undefined;
  /** Returns the text of a resource of a type as it is written. */
  toWrite(text: string, type: string): string;
  /** Parses long lines in a worker thread. */
  readonly preparer: Pick<Preparer, 'outline'>;
}

/**
 * Returns the lines that are left of a chunk, in their order. Cost: parses each, to know its type and id; the preparation of the
 * transaction parses them again.
 */
export async function readLines(
  { content, todo }: Pick<StoredChunk, 'content' | 'todo'>,
  { type, toWrite, preparer }: LineReading,
): Promise<readonly (ReadLine | UnreadableLine)[]> {
  const bytes = await decompress(content);
  const texts = isUtf8(bytes) ? bytes.toString('utf8').split('\n') : splitBytes(bytes);
  const lines: (ReadLine | UnreadableLine)[] = [];
  for (const place of todo) {
    await turns.take();
    const text = texts[place];
    const line =
      text === undefined
        ? { place, error: malformed('its bytes are not UTF-8') }
        : await readLine({ place, text }, type, preparer);
    lines.push('error' in line ? line : { ...line, text: toWrite(line.text, line.type) });
  }
  return lines;
}

/** Undefined: its bytes are not UTF-8. */
function splitBytes(bytes: Buffer): readonly (string | undefined)[] {
  const texts: (string | undefined)[] = [];
  for (let begin = 0; begin <= bytes.length;) {
    const found = bytes.indexOf(10, begin);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(begin, end);
    texts.push(isUtf8(line) ? line.toString('utf8') : undefined);
    begin = end + 1;
  }
  return texts;
}

async function readLine(
  { place, text }: Pick<ReadLine, 'place' | 'text'>,
  expected: string | undefined,
  preparer: LineReading['preparer'],
): Promise<ReadLine | UnreadableLine> {
  let value: JsonValue;
  try {
    value = text.length > LONG_TEXT ? await outlineOf(text, preparer) : (JSON.parse(text) as JsonValue);
  } catch (error) {
    if (error instanceof FhirError && error.status >= 500) throw error;
    // A long text is looked at in the worker thread alone.
    const reason =
      error instanceof FhirError
        ? error.message.replace(/^The body is not valid JSON: /, '')
        : (findFault(text, '', DEFAULT_MAX_DEPTH)?.reason ?? 'it must be one JSON object');
    return { place, error: malformed(reason.replace(/^line \d+, /, '')) };
  }
  if (!isJsonObject(value)) return { place, error: refusal('The line is not a JSON object') };
  const { resourceType: type, id } = value;
  if (typeof type !== 'string' || !TYPE.test(type))
    return { place, error: refusal('The line has no resourceType') };
  if (expected !== undefined && type !== expected)
    return { place, error: refusal(`The resource must be a ${expected}, as the request says of this file`) };
  if (id !== undefined && (typeof id !== 'string' || !isValidId(id)))
    return { place, error: refusal('The id must have 1 to 64 of A-Z a-z 0-9 - .') };
  return { place, type, id, text };
}

async function outlineOf(text: string, preparer: LineReading['preparer']): Promise<JsonValue> {
  const { value } = await preparer.outline({ text, limits: { maxDepth: DEFAULT_MAX_DEPTH, levels: 0 } });
  return value;
}

function malformed(reason: string): FhirError {
  return fhirError('invalidResource', { reason: `The line is not valid JSON: ${reason}` });
}

function refusal(reason: string): FhirError {
  return fhirError('invalidValue', { reason });
}
