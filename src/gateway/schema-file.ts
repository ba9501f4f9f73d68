/** The schema of a release as text (SDL), for code generators: `…/graphql/{release}/schema.graphql`. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type GraphQLSchema, printSchema } from 'graphql';
import type { Release } from '../core/index';

export interface SchemaFile {
  readonly text: string;
  /** Strong, with its quotes. */
  readonly etag: string;
}

/** The folder of the package, from the compiled program and from the sources (tests). */
const FOLDERS = [path.resolve(__dirname, '../../../schema'), path.resolve(__dirname, '../../schema')];

/** What scripts/build-schema.mjs printed; undefined where the package came without. */
async function readPrinted(release: Release): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const text = await readFile(path.join(folder, `${release}.graphql`), 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

const files = new WeakMap<GraphQLSchema, Promise<SchemaFile>>();

/**
 * The text of a schema, kept as long as the schema. `release`: it is that of the release, which is a file of the package;
 * undefined: it has to be printed, which takes half a second.
 */
export function schemaFile(schema: GraphQLSchema, release?: Release): Promise<SchemaFile> {
  let file = files.get(schema);
  if (!file) files.set(schema, (file = makeFile(schema, release)));
  return file;
}

async function makeFile(schema: GraphQLSchema, release: Release | undefined): Promise<SchemaFile> {
  const text = (release && (await readPrinted(release))) ?? `${printSchema(schema)}\n`;
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
