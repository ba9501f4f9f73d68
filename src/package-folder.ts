import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder of this package: with its definitions, examples and schemas, wherever it is installed. */
export const PACKAGE_FOLDER = findPackageFolder();

function findPackageFolder(): string {
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder;
    if (folder === path.dirname(folder)) throw new Error(`No folder above ${__dirname} has a package.json`);
  }
}
