/** Serves GraphiQL; the page and its files make no request to another site. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { fhirError } from '../core/index';

/** Output of scripts/build-graphiql.mjs; the names contain a hash of the content. */
interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  readonly files: Readonly<Record<string, string>>;
}

interface Asset {
  readonly contentType: string;
  /** The compressed file; production trees have no other. */
  readonly file: string;
}

const decompress = promisify(gunzip);

export interface Graphiql {
  /** Returns the page for one tenant and release; `isFolder` when its address ends with a slash. */
  toPage(tenant: string, release: string, isFolder: boolean): string;
  registerAssets(server: FastifyInstance): void;
}

/** Address of the assets. The page refers to them by a relative path, so that a prefix before `/w/` does not matter. */
const ASSETS = '/graphiql/assets';
const FROM_PAGE = '../../../../..';

/** Monaco creates styles at run time, and has its fonts as data urls. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

const FOLDER = path.resolve(__dirname, '../../graphiql');

async function loadManifest(): Promise<Manifest | undefined> {
  const text = await readFile(path.join(FOLDER, '.manifest.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Manifest);
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

const NOT_BUILT = `<!doctype html>
<title>Andiron GraphQL</title>
<p>GraphiQL is not built here: run <code>node scripts/build-graphiql.mjs</code>. GraphQL requests by POST are answered.</p>
`;

/** Reads the manifest. Files are read on demand, and browsers cache them permanently. */
export async function createGraphiql(): Promise<Graphiql> {
  const manifest = await loadManifest();
  const assets = new Map<string, Asset>();
  for (const [name, contentType] of Object.entries(manifest?.files ?? {})) {
    assets.set(name, { contentType, file: path.join(FOLDER, `${name}.gz`) });
  }

  async function sendAsset(
    request: FastifyRequest<{ Params: { name: string } }>,
    reply: FastifyReply,
  ): Promise<Buffer> {
    const asset = assets.get(request.params.name);
    if (!asset) throw fhirError('noSuchAddress');
    const isGzipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    void reply.header('content-type', asset.contentType);
    void reply.header('cache-control', 'public, max-age=31536000, immutable');
    void reply.header('vary', 'accept-encoding');
    void reply.header('x-content-type-options', 'nosniff');
    if (isGzipped) void reply.header('content-encoding', 'gzip');
    const bytes = await readFile(asset.file);
    return isGzipped ? bytes : decompress(bytes);
  }

  return {
    toPage: (tenant, release, isFolder) =>
      manifest ? toHtml(manifest, tenant, release, isFolder) : NOT_BUILT,
    registerAssets(server) {
      server.get(`${ASSETS}/:name`, sendAsset);
    },
  };
}
