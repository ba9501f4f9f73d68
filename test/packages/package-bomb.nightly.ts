/** A package of a gigabyte of nothing, which test/packages/package-file.test.ts reads with a smaller limit. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { makeFolder, tarEntry } from './make-package';

const LARGEST = 1_000_000;

/** Reads the file in a program of its own: returns the refusal, and the greatest growth of the program in bytes. */
async function refuseAlone(file: string): Promise<{ refusal: string; grown: number }> {
  const compiled = path.resolve(__dirname, '..', '..', 'dist', 'src', 'packages', 'package-file.js');
  const program = `
    const { readPackage } = require(${JSON.stringify(compiled)});
    const before = process.resourceUsage().maxRSS;
    readPackage(${JSON.stringify(file)}, ${LARGEST}).then(
      () => process.exit(1),
      (error) => {
        const grown = (process.resourceUsage().maxRSS - before) * 1024;
        console.log(JSON.stringify({ refusal: error.message, grown }));
      },
    );`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  return JSON.parse(stdout) as { refusal: string; grown: number };
}

it('a file that unpacks to more than a gigabyte is refused, without reading the rest and without holding it', async () => {
  const { folder, remove } = await makeFolder();
  const file = path.join(folder, 'bomb.tgz');
  // A gzip file may have many members, one after the other.
  const header = gzipSync(tarEntry('package/other.bin', Buffer.alloc(0), 8 ** 11 - 1));
  const zeros = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  await writeFile(file, Buffer.concat([header, ...Array.from({ length: 69 }, () => zeros)]));
  const { refusal, grown } = await refuseAlone(file);
  expect(refusal).toContain('unpacked it has more than 1073741824 bytes');
  // To keep it all would take a gigabyte.
  expect(grown).toBeLessThan(200 * 1024 * 1024);
  await remove();
});
