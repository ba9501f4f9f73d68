import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '..', '..');

/**
 * Installs the packages of a folder with a lockfile of its own, such as `test/clients`, where they are missing or old.
 * @throws Error when npm fails, with its output
 */
export async function installApart(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/install-apart.mjs', folder], { cwd: ROOT });
}
