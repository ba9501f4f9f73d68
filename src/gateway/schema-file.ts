/**
 * Serves a schema as files, for code generators and GraphiQL: `…/graphql/{release}/schema.graphql`, the result of an
 * introspection as `…/schema.json`, as a subgraph `…/subgraph.graphql`, and what caches of clients need: `…/possibleTypes.json`, `…/nodeFields.json`.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type GraphQLSchema } from 'graphql';
import { fhirError, type Release, createCache, type BoundedCache } from '../core/index';
import { readBuiltSchema, type CacheForm } from './built-schema';
import { setCommonHeaders } from './http';
import type { Introspections, SchemaForm } from './introspection';
import type { SubgraphRequest } from '../schema/subgraph';
import type { SchemaSource } from './own-schema';
import type { ServedSchema } from './schema-cache';

/** Limit on the cached parts of one schema, of less than a megabyte each. */
const MOST_SUBGRAPHS = 8;

export interface SchemaFile {
  /** The text, compressed by gzip. */
  readonly packed: Uint8Array;
  /** Weak entity tag without its `W/`; the compressed and the plain text share it. */
  readonly etag: string;
}

export const unpack = promisify<Uint8Array, Buffer>(gunzip);

const CONTENT_TYPES: Readonly<Record<'graphql' | 'json', string>> = {
  graphql: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

export class SchemaFiles {
  readonly #files: Record<SchemaForm, WeakMap<GraphQLSchema, Promise<SchemaFile>>> = {
    graphql: new WeakMap(),
    json: new WeakMap(),
  };

  readonly #subgraphs = new WeakMap<GraphQLSchema, BoundedCache<string, Promise<SchemaFile>>>();

  constructor(private readonly introspections: Introspections) {}

  /**
   * Returns a file, which is cached as long as the schema. Throws `overloaded`.
   * Cost: for the schema of a release, reading a file of the package; for others, or when the package has none, some
   * seconds in a worker thread.
   */
  of({ schema, source }: ServedSchema, form: SchemaForm): Promise<SchemaFile> {
    const cached = this.#files[form].get(schema);
    if (cached !== undefined) return cached;
    const file = this.#make(source, form);
    this.#files[form].set(schema, file);
    file.catch(() => this.#files[form].delete(schema));
    return file;
  }

  async #make(source: SchemaSource, form: SchemaForm): Promise<SchemaFile> {
    const packed =
      (source.space === undefined ? await readBuiltSchema(source.release, form) : undefined) ??
      (await this.introspections.whole(source, form));
    return toFile(packed);
  }

  /** Returns a schema as a subgraph, or a part of it. Throws `overloaded`, `tooManyRequests`. Cost: as `of`. */
  subgraph({ schema, source }: ServedSchema, wanted: SubgraphRequest, tenant: number): Promise<SchemaFile> {
    let cached = this.#subgraphs.get(schema);
    if (cached === undefined)
      this.#subgraphs.set(
        schema,
        (cached = createCache({ name: 'subgraph-files', scope: 'program', max: MOST_SUBGRAPHS })),
      );
    const files = cached;
    const key = JSON.stringify(wanted);
    const existing = files.get(key);
    if (existing !== undefined) return existing;
    const file = this.introspections.subgraph(source, wanted, tenant).then(toFile);
    files.set(key, file);
    file.catch(() => files.delete(key));
    return file;
  }

  /** Returns a file about the types of a release, which are those of all its tenants. Throws `noSuchAddress`. */
  async ofRelease(release: Release, form: CacheForm): Promise<SchemaFile> {
    const packed = await readBuiltSchema(release, form);
    if (packed === undefined) throw fhirError('noSuchAddress');
    return toFile(packed);
  }
}

function toFile(packed: Uint8Array): SchemaFile {
  return { packed, etag: `"${hashOf(packed).slice(0, 22)}"` };
}

/** Sends the file, or 304 when the client has it. */
export async function sendSchemaFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { packed, etag }: SchemaFile,
  form: 'graphql' | 'json',
): Promise<FastifyReply> {
  const { 'if-none-match': header = '', 'accept-encoding': encodings = '' } = request.headers;
  setCommonHeaders(request, reply)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', `W/${etag}`);
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (tags.includes(etag) || tags.includes('*')) return reply.code(304).send();
  void reply.header('content-type', CONTENT_TYPES[form]);
  if (!/\bgzip\b/.test(String(encodings))) return reply.send(await unpack(packed));
  return reply.header('content-encoding', 'gzip').send(packed);
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url');
}
