/** Another version of the program, as it may run beside this one while a new one is rolled out. */
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const ROOT = path.resolve(__dirname, '..', '..');
/** The position of the length of a definitions file's first gzip member (src/core/fhir/definitions/file.ts). */
const MEMBER_LENGTH_OFFSET = 16;

/**
 * Copies the built program into `folder`, with base conformance resources that went through `change`: it is given the
 * JSON text of all of one release, a line each.
 */
export async function copyProgram(folder: string, change: (lines: string) => string): Promise<void> {
  await cp(path.join(ROOT, 'definitions'), path.join(folder, 'definitions'), { recursive: true });
  for (const name of await readdir(path.join(ROOT, 'definitions'))) {
    if (!name.endsWith('.json.gz') || name.endsWith('.descriptions.json.gz')) continue;
    const bytes = await readFile(path.join(ROOT, 'definitions', name));
    const core = bytes.subarray(0, bytes.readUInt32LE(MEMBER_LENGTH_OFFSET));
    const base = gunzipSync(bytes.subarray(core.length)).toString('utf8');
    await writeFile(path.join(folder, 'definitions', name), Buffer.concat([core, gzipSync(change(base))]));
  }
  // The compiled files are copied, because they look for the definitions at their real path.
  for (const name of ['src', 'migrations', 'packages']) {
    await cp(path.join(ROOT, 'dist', name), path.join(folder, 'dist', name), { recursive: true });
  }
  for (const name of ['node_modules', 'schema', 'package.json']) {
    await symlink(path.join(ROOT, name), path.join(folder, name));
  }
}
