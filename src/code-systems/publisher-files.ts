/** The files of a publisher's release. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ImportFileError } from './import-file-error';

/** Folders within a release. */
const MAX_DEPTH = 6;

/**
 * Returns the files of a release by their paths, sorted: of a folder all below it, else the file alone. Throws `ImportFileError` for an
 * archive and for what does not exist.
 */
export async function listRelease(place: string): Promise<readonly string[]> {
  if (/\.zip$/i.test(place))
    throw new ImportFileError(`${place}: a ZIP archive is not read; unpack it first and name its folder`);
  const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
    throw new ImportFileError(`${place}: ${error.code === 'ENOENT' ? 'it does not exist' : error.message}`);
  });
  if (!found.isDirectory()) return [place];
  return (await listBelow(place, MAX_DEPTH)).toSorted();
}

async function listBelow(folder: string, depth: number): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isFile()) files.push(place);
    else if (entry.isDirectory() && depth > 0) files.push(...(await listBelow(place, depth - 1)));
  }
  return files;
}

/**
 * Returns the one file whose name matches. Throws `ImportFileError` for several.
 */
export function findFile(files: readonly string[], name: RegExp): string | undefined {
  const [file, other] = files.filter((each) => name.test(path.basename(each)));
  if (other !== undefined)
    throw new ImportFileError(`${file} and ${other}: name the folder of one release, there are several`);
  return file;
}

/** Returns the one file whose name matches. Throws `ImportFileError` for several and for none. */
export function requireFile(
  files: readonly string[],
  name: RegExp,
  { place, called }: { readonly place: string; readonly called: string },
): string {
  const file = findFile(files, name);
  if (file !== undefined) return file;
  const isPacked = files.some((each) => /\.zip$/i.test(each));
  const hint = isPacked ? '; unpack the ZIP archives in it first' : '';
  throw new ImportFileError(`${place}: there is no ${called}${hint}`);
}
