/** Packages for tests: written by the machine's tar, or byte by byte where they shall be wrong. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

export type TarFormat = 'ustar' | 'pax' | 'gnu';

/** A folder that the test removes. */
export async function makeFolder(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-package-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Writes files (by their name in the archive) as `name` below `folder`, gzipped; gives the path. */
export async function packFiles(
  folder: string,
  name: string,
  files: Readonly<Record<string, string>>,
  format: TarFormat = 'ustar',
): Promise<string> {
  const content = await mkdtemp(path.join(folder, 'content-'));
  for (const [file, text] of Object.entries(files)) {
    const place = path.join(content, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  const packed = path.join(folder, name);
  await promisify(execFile)('tar', [`--format=${format}`, '-czf', packed, '-C', content, '.']);
  await rm(content, { recursive: true });
  return packed;
}

/** A package of FHIR resources, each under its type and id; `example/` before the name makes it an example. */
export function packResources(
  folder: string,
  manifest: object,
  resources: Readonly<Record<string, object>>,
): Promise<string> {
  const files = Object.entries({ 'package.json': manifest, '.index.json': { files: [] }, ...resources });
  const texts = Object.fromEntries(
    files.map(([file, content]) => [`package/${file}`, JSON.stringify(content)]),
  );
  return packFiles(folder, `${Math.random().toString(36).slice(2)}.tgz`, texts);
}

/** One entry of a tar archive, its header as POSIX has it; `size` may lie. */
export function tarEntry(name: string, content: Buffer, size: number = content.length, type = '0'): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 'utf8');
  header.write('0000644\0', 100, 'latin1');
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([header, content, padding]);
}

export async function writePacked(folder: string, name: string, bytes: Buffer): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, gzipSync(bytes));
  return file;
}
