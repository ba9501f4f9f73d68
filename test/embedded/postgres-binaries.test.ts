/** The copy of PostgreSQL's programs that all accounts share. */
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isWholeCopy } from '../../src/embedded/postgres-binaries';

let folder: string;
let native: string;
let copy: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-binaries-'));
  native = path.join(folder, 'native');
  copy = path.join(folder, 'copy');
  await mkdir(path.join(native, 'lib'), { recursive: true });
  await writeFile(path.join(native, 'lib', 'libicu.so.1.2'), 'library');
  await symlink('libicu.so.1.2', path.join(native, 'lib', 'libicu.so.1'));
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const link = path.join('lib', 'libicu.so.1');

it('is used again when it has all files, and links that work', async () => {
  expect(await isWholeCopy(copy, native)).toBe(true);
});

it('is made again when a file is missing', async () => {
  await rm(path.join(copy, 'lib', 'libicu.so.1.2'));
  expect(await isWholeCopy(copy, native)).toBe(false);
});

it.each([
  ['leads to nothing', () => path.join(folder, 'removed', 'libicu.so.1.2')],
  ['leads into the installation that it was copied from', () => path.join(native, 'lib', 'libicu.so.1.2')],
])('is made again when a link %s', async (_title, target) => {
  await rm(path.join(copy, link));
  await symlink(target(), path.join(copy, link));
  expect(await isWholeCopy(copy, native)).toBe(false);
});
