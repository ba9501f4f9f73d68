/** The export of a tenant in a folder, or as a stream of lines. */
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { EXPORT_PARTS, type ExportLine } from '../core';

const MANIFEST = 'manifest.json';
/** Patients' data: readable by the owner only. */
const MODE = 0o600;

function fileOf(folder: string, part: string): string {
  return path.join(folder, `${part}.ndjson`);
}

/**
 * Writes tenant.ndjson (a line for each client, policy and so on), r4.ndjson and r4b.ndjson (a line for each version),
 * r4-audit.ndjson and r4b-audit.ndjson (the same for AuditEvents), and finally manifest.json: the header, and the number of lines
 * and the SHA-256 of each file. Creates the folder if necessary; it must be empty.
 */
export async function writeFolder(folder: string, lines: AsyncIterable<ExportLine>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`The folder ${folder} is not empty`);
  const files = new Map<string, WriteStream>();
  for (const part of EXPORT_PARTS)
    files.set(part, createWriteStream(fileOf(folder, part), { mode: MODE, flags: 'wx' }));
  const manifest: object[] = [];
  for await (const line of lines) {
    if (line.kind !== 'line') manifest.push(JSON.parse(line.text) as object);
    else await write(files.get(line.part), line.text);
  }
  for (const file of files.values()) {
    file.end();
    await finished(file);
  }
  const text = `${JSON.stringify(Object.assign({}, ...manifest), undefined, 2)}\n`;
  await writeFile(path.join(folder, MANIFEST), text, { mode: MODE, flag: 'wx' });
}

/** The lines of a folder written by `writeFolder`. */
export async function* readFolder(folder: string): AsyncGenerator<string> {
  const manifest = JSON.parse(await readFile(path.join(folder, MANIFEST), 'utf8')) as object;
  yield JSON.stringify(manifest);
  for (const part of EXPORT_PARTS) yield* readLines(createReadStream(fileOf(folder, part)));
  yield JSON.stringify({ end: 'end' in manifest ? manifest.end : undefined });
}

export async function writeStream(
  output: NodeJS.WritableStream,
  lines: AsyncIterable<ExportLine>,
): Promise<void> {
  for await (const { text } of lines) await write(output, text);
}

/**
 * The lines of a text. Only a line feed ends one: readline of Node.js 24 would also end it at U+2028 and U+2029, which JSON
 * leaves as they are inside of strings.
 */
export async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  input.setEncoding('utf8');
  let parts: string[] = [];
  const takeLine = (last: string): string => {
    const line = parts.join('') + last;
    parts = [];
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  };
  for await (const chunk of input) {
    const text = chunk.toString();
    let begin = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      yield takeLine(text.slice(begin, end));
      begin = end + 1;
    }
    if (begin < text.length) parts.push(text.slice(begin));
  }
  if (parts.length > 0) yield takeLine('');
}

async function write(to: NodeJS.WritableStream | undefined, line: string): Promise<void> {
  if (to?.write(`${line}\n`) === false) await once(to, 'drain');
}
