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

/** Folders of the package, from the compiled program and from the sources (tests). */
const folders = (name: string, fromSources: string): readonly string[] => [
  path.resolve(__dirname, '../../..', name),
  path.resolve(__dirname, '../..', fromSources),
];
/** What scripts/build-schema.mjs printed. */
const PRINTED = folders('schema', 'schema');
/** What scripts/build-introspection.mjs made of it: a file is named by the hash of what was printed. */
const INTROSPECTIONS = folders('dist/introspection', 'dist/introspection');
const ENDINGS = { json: '.json.gz', standard: '-standard.json.gz' } as const;

const pack = promisify<string, Buffer>(gzip);

/** Packed by gzip; undefined where the package came without, or with one of another schema. Cost: reads two files. */
export async function readBuiltSchema(release: Release, form: BuiltForm): Promise<Uint8Array | undefined> {
  const printed = await readFirst(PRINTED, `${release}.graphql`);
  if (printed === undefined) return undefined;
  if (form === 'graphql') return pack(printed.toString());
  const hash = createHash('sha256').update(printed).digest('hex');
  return readFirst(INTROSPECTIONS, `${release}-${hash}${ENDINGS[form]}`);
}

async function readFirst(places: readonly string[], name: string): Promise<Buffer | undefined> {
  for (const folder of places) {
    const found = await readFile(path.join(folder, name)).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}
