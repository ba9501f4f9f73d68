/** Serves GraphiQL; the page and its files make no request to another site. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { BuildOutput, type BuiltPages, type SentPage, toUnbuiltPage } from '../built-pages';
import { fhirError } from '../core/index';

/** Output of scripts/build-graphiql.mjs; the names contain a hash of the content. */
interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  readonly files: Readonly<Record<string, string>>;
}

const decompress = promisify(gunzip);

export interface Graphiql {
  /** Returns the page for one tenant and release; `isFolder` when its address ends with a slash. */
  toPage(tenant: string, release: string, isFolder: boolean): SentPage;
  registerAssets(server: FastifyInstance): void;
}

/** Address of the assets. The page refers to them by a relative path, so that a prefix before `/w/` does not matter. */
const ASSETS = '/graphiql/assets';
const FROM_PAGE = '../../../../..';

const HTML = { 'content-type': 'text/html; charset=utf-8' } as const;

/** Monaco creates styles at run time, and has its fonts as data urls. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

function readManifest(folder: string): Manifest | undefined {
  const file = path.join(folder, '.manifest.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : undefined;
}

/** Escapes tenant and release. Both exist at this point, but any text in HTML is escaped. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function toHtml(manifest: Manifest, tenant: string, release: string, isFolder: boolean): string {
  const assets = `${isFolder ? '../' : ''}${FROM_PAGE}${ASSETS}`;
  const [shownTenant, shownRelease] = [escapeHtml(tenant), escapeHtml(release)];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Andiron GraphQL · ${shownTenant} · ${shownRelease.toUpperCase()}</title>
    <link rel="icon" type="image/svg+xml" href="${assets}/${manifest.icon}" />
    <link rel="stylesheet" href="${assets}/${manifest.style}" />
  </head>
  <body>
    <div id="graphiql" data-tenant="${shownTenant}" data-release="${shownRelease}"></div>
    <noscript>GraphiQL needs JavaScript. The same address answers GraphQL requests by POST.</noscript>
    <script type="module" src="${assets}/${manifest.script}"></script>
  </body>
</html>
`;
}

const UNBUILT = {
  title: 'Andiron GraphQL',
  name: 'GraphiQL',
  command: 'npm run build',
  note: 'GraphQL requests by POST are answered.',
  status: 200,
} as const;

/** Files are read on demand, and browsers cache them permanently. */
export function createGraphiql(pages: BuiltPages): Graphiql {
  const folder = path.join(pages.folder, 'graphiql');
  const output = new BuildOutput(folder, readManifest);

  async function sendAsset(
    request: FastifyRequest<{ Params: { name: string } }>,
    reply: FastifyReply,
  ): Promise<Buffer> {
    const { name } = request.params;
    // Only listed names are read, so that no name leads out of the folder.
    const [, contentType] =
      Object.entries(output.current()?.files ?? {}).find(([file]) => file === name) ?? [];
    if (contentType === undefined) throw fhirError('noSuchAddress');
    const isGzipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    void reply.header('content-type', contentType);
    void reply.header('cache-control', 'public, max-age=31536000, immutable');
    void reply.header('vary', 'accept-encoding');
    void reply.header('x-content-type-options', 'nosniff');
    if (isGzipped) void reply.header('content-encoding', 'gzip');
    // Production trees have no other than the compressed file.
    const bytes = await readFile(path.join(folder, `${name}.gz`));
    return isGzipped ? bytes : decompress(bytes);
  }

  return {
    toPage(tenant, release, isFolder) {
      const manifest = output.current();
      return manifest === undefined
        ? toUnbuiltPage(pages, UNBUILT)
        : { status: 200, headers: HTML, html: toHtml(manifest, tenant, release, isFolder) };
    },
    registerAssets(server) {
      server.get(`${ASSETS}/:name`, sendAsset);
    },
  };
}
