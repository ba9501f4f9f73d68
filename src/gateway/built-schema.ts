/** Reads the files that the build made of a release's schema: its text, and the results of introspections. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Release } from '../core/index';
import { PACKAGE_FOLDER } from '../package-folder';

/**
 * `graphql`: the schema as text. `json`: the result of an introspection of the whole schema. `standard`: `__schema` of
 * the usual introspection of tools. The others are for caches of clients (docs/use/front-end.md).
 */
export type BuiltForm = 'graphql' | 'json' | 'standard' | CacheForm;
export type CacheForm = 'possibleTypes' | 'nodeFields';

/** Output of scripts/build-schema.mjs. */
const PRINTED = path.join(PACKAGE_FOLDER, 'schema');
/** Output of scripts/build-introspection.mjs; the name of a file has the hash of the printed schema. */
const INTROSPECTIONS = path.join(PACKAGE_FOLDER, 'dist/introspection');
const ENDINGS = { json: '.json.gz', standard: '-standard.json.gz' } as const;

const pack = promisify<string, Buffer>(gzip);

/**
 * Returns the file compressed by gzip. Undefined when the package has none, or one of another schema. Cost: reads two
 * files.
 */
export async function readBuiltSchema(release: Release, form: BuiltForm): Promise<Uint8Array | undefined> {
  if (form === 'possibleTypes' || form === 'nodeFields') {
    const file = await readIfPresent(PRINTED, `${release}.${form}.json`);
    return file && pack(file.toString());
  }
  const printed = await readIfPresent(PRINTED, `${release}.graphql`);
  if (printed === undefined) return undefined;
  if (form === 'graphql') return pack(printed.toString());
  const hash = createHash('sha256').update(printed).digest('hex');
  return readIfPresent(INTROSPECTIONS, `${release}-${hash}${ENDINGS[form]}`);
}

function readIfPresent(folder: string, name: string): Promise<Buffer | undefined> {
  return readFile(path.join(folder, name)).catch(() => undefined);
}
