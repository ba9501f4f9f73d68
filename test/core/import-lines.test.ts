/** The lines of a file of an import (src/core/jobs/import/split-lines.ts). */
import { gzipSync } from 'node:zlib';
import {
  gunzipped,
  splitLines,
  TooManyLines,
  type LinesOfFile,
} from '../../src/core/jobs/import/split-lines';

async function* bytes(...pieces: readonly (string | Buffer)[]): AsyncGenerator<Buffer, void> {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function collect(lines: AsyncIterable<LinesOfFile>): Promise<LinesOfFile[]> {
  const all: LinesOfFile[] = [];
  for await (const each of lines) all.push(each);
  return all;
}

it('empty lines are counted, and only chunks with others are stored', async () => {
  const empty = '\n'.repeat(10_000);
  const chunks = await collect(splitLines(bytes(`${empty}a\n\n`, `${empty}\r\n \n`, 'b'), 100));
  expect(
    chunks
      .filter(({ places }) => places.length > 0)
      .map(({ firstLine, places, text }) => [firstLine, places, text.toString().trim()]),
  ).toEqual([
    [10_001, [0], 'a'],
    [20_005, [0], 'b'],
  ]);
});

it('other work comes first while a gzip of many empty lines is read', async () => {
  const zipped = gzipSync(Buffer.alloc(256 * 1024 * 1024, '\n'), { level: 1 });
  let isRead = false;
  let turns = 0;
  const count = (): void => {
    if (isRead) return;
    turns++;
    setImmediate(count);
  };
  count();
  // One piece with all lines, as fast networks and caches deliver them.
  const pieces: Buffer[] = [];
  for await (const piece of gunzipped(bytes(zipped))) pieces.push(piece);
  const before = turns;
  await collect(splitLines(bytes(Buffer.concat(pieces)), 100));
  isRead = true;
  expect(turns - before).toBeGreaterThan(3);
});

it('a file may not have more lines than its limit, empty ones included', async () => {
  await expect(collect(splitLines(bytes('\n'.repeat(11)), 100, 10))).rejects.toThrow(TooManyLines);
  await expect(collect(splitLines(bytes('\n'.repeat(9)), 100, 10))).resolves.toEqual([]);
});
