/** What was made of a release's schema when the server was built: as text, and as the answers to introspections. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Release } from '../core/index';

/**
 * `graphql`: the schema as text. `json`: the answer to an introspection that asks for all there is. `standard`: `__schema` of
 * the introspection that tools send who ask for nothing special.
 */
export type BuiltForm = 'graphql' | 'json' | 'standard';

const PACKAGE = path.resolve(__dirname, '../../..');
/** What scripts/build-schema.mjs printed. */
const PRINTED = path.join(PACKAGE, 'schema');
/** What scripts/build-introspection.mjs made of it: a file is named by the hash of what was printed. */
const INTROSPECTIONS = path.join(PACKAGE, 'dist/introspection');
const ENDINGS = { json: '.json.gz', standard: '-standard.json.gz' } as const;

const pack = promisify<string, Buffer>(gzip);

/** Packed by gzip; undefined where the package came without, or with one of another schema. Cost: reads two files. */
export async function readBuiltSchema(release: Release, form: BuiltForm): Promise<Uint8Array | undefined> {
  const printed = await readIfPresent(PRINTED, `${release}.graphql`);
  if (printed === undefined) return undefined;
  if (form === 'graphql') return pack(printed.toString());
  const hash = createHash('sha256').update(printed).digest('hex');
  return readIfPresent(INTROSPECTIONS, `${release}-${hash}${ENDINGS[form]}`);
}

function readIfPresent(folder: string, name: string): Promise<Buffer | undefined> {
  return readFile(path.join(folder, name)).catch(() => undefined);
}
