/**
 * Serves the files of a folder that a build has made. Files in its folder `assets` have a hash in their names, and browsers
 * cache them permanently; of all others browsers ask whether they have changed. A file that has a `.gz` beside it is read
 * from there, and need not exist itself: production trees have only the compressed one.
 */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BuildOutput } from '../../built-pages';
import { fhirError } from '../../core';
import { chooseCoding } from '../requests/content-coding';
import { parseEntityTags } from '../responses/entity-tag';
import { refuseOtherMethods } from '../requests/method';
import { addVary } from '../responses/vary';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

const decompress = promisify(gunzip);

/** Texts in which a rewriting may change addresses. */
const REWRITTEN = /\.(?:html|js|css|json)$/;

export class StaticFiles {
  readonly #folder: string;
  readonly #rewrite: ((text: string) => string) | undefined;
  readonly #names: BuildOutput<Promise<ReadonlySet<string>>>;

  /** `rewrite` changes each page, script and style sheet before it is sent. */
  constructor(folder: string, rewrite?: (text: string) => string) {
    this.#folder = folder;
    this.#rewrite = rewrite;
    this.#names = new BuildOutput(folder, listNames);
  }

  /** Serves all files below `address`, such as `/console`. */
  register(server: FastifyInstance, address: string): void {
    const url = `${address}/*`;
    server.get<{ Params: { '*': string } }>(url, (request, reply) =>
      this.send(request, reply, request.params['*']),
    );
    refuseOtherMethods(server, url, ['GET']);
  }

  /** True if the folder has the file `name`, such as `assets/app.1f2e.js`. */
  async has(name: string): Promise<boolean> {
    const names = await this.#list();
    return names.has(name) || names.has(`${name}.gz`);
  }

  /**
   * Sends a file, or 304 if the client has it.
   *
   * **Throws** `noSuchAddress` for every name that is not in the folder, and for a file that another build has just
   * removed.
   */
  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const type = CONTENT_TYPES[path.extname(name)];
    // Only listed names are read, so that no name leads out of the folder.
    if (type === undefined || !(await this.has(name))) throw fhirError('noSuchAddress');
    const rewrite = REWRITTEN.test(name) ? this.#rewrite : undefined;
    const isCompressed = (await this.#list()).has(`${name}.gz`);
    const isSentCompressed =
      isCompressed &&
      rewrite === undefined &&
      chooseCoding(request.headers['accept-encoding']?.toString(), ['gzip']) !== undefined;
    const bytes = await readFile(path.join(this.#folder, isCompressed ? `${name}.gz` : name)).catch(
      isRemoved,
    );
    if (bytes === undefined) throw fhirError('noSuchAddress');
    const plain = isCompressed && !isSentCompressed ? await decompress(bytes) : bytes;
    const body = rewrite === undefined ? plain : Buffer.from(rewrite(plain.toString()));
    const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
    addVary(reply, 'Accept-Encoding');
    reply
      .header('etag', `W/"${tag}"`)
      .header(
        'cache-control',
        name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      .header('x-content-type-options', 'nosniff');
    if (isKnown(request, tag)) return reply.code(304).send();
    if (isSentCompressed) reply.header('content-encoding', 'gzip');
    return reply.header('content-type', type).send(body);
  }

  async #list(): Promise<ReadonlySet<string>> {
    return (await this.#names.current()) ?? new Set();
  }
}

/** Returns the names of the files below a folder. Those with a dot at the beginning are for the build, and not served. */
async function listNames(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return new Set(
    entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .map((name) => name.replaceAll(path.sep, '/')),
  );
}

/** Undefined for a file that is not there any more; rethrows everything else. */
function isRemoved(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  const known = parseEntityTags(headers['if-none-match'] ?? '');
  return known === '*' || known?.includes(tag) === true;
}
