/** The lines of an export of a tenant, whichever Node.js reads them. */
import { Readable } from 'node:stream';
import { readLines } from '../../src/cli/tenant-files';

async function linesOf(...chunks: readonly Buffer[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of readLines(Readable.from(chunks, { objectMode: false }))) lines.push(line);
  return lines;
}

it('a line of an export ends at a line feed, and at no other separator inside of a text', async () => {
  const note = JSON.stringify({ note: 'one\u2028two\u2029three\u0085four' });
  expect(await linesOf(Buffer.from(`${note}\n{"b":1}\r\n{"c":2}`))).toEqual([note, '{"b":1}', '{"c":2}']);
  expect(await linesOf(Buffer.from(`${note}\n\n`))).toEqual([note, '']);
  expect(await linesOf()).toEqual([]);
});

it('a line may come in any pieces, also in the middle of a character', async () => {
  const line = JSON.stringify({ name: 'Zoë \u2028 Ångström 😀' });
  const bytes = Buffer.from(`${line}\n${line}\n`);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(await linesOf(...chunks)).toEqual([line, line]);
  }
});
