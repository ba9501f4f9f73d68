/** GraphiQL, served by us alone: the page and its files make no request to anyone else. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { fhirError } from '../core/index';

/** What scripts/build-graphiql.mjs wrote: the names carry a hash of the content. */
interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  readonly files: Readonly<Record<string, string>>;
}

interface Asset {
  readonly contentType: string;
  readonly plain: string;
  readonly gzipped: string;
}

export interface Graphiql {
  /** The page for one tenant and release; `isFolder` when its address ends with a slash. */
  toPage(tenant: string, release: string, isFolder: boolean): string;
  registerAssets(server: FastifyInstance): void;
}

/** Where the assets are; relative to the page, so that a prefix before `/w/` does not matter. */
const ASSETS = '/graphiql/assets';
const FROM_PAGE = '../../../../..';

/** Monaco makes its styles as it runs, and carries its fonts as data urls. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FOLDER = path.resolve(__dirname, '../../graphiql');

async function loadManifest(): Promise<Manifest | undefined> {
  const text = await readFile(path.join(FOLDER, 'manifest.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Manifest);
}

/** Tenant and release were found before; escaped all the same, as anything that stands in HTML. */
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

/** Reads the manifest; files are read as they are asked for, and browsers keep them for good. */
export async function createGraphiql(): Promise<Graphiql> {
  const manifest = await loadManifest();
  const assets = new Map<string, Asset>();
  for (const [name, contentType] of Object.entries(manifest?.files ?? {})) {
    const plain = path.join(FOLDER, name);
    assets.set(name, { contentType, plain, gzipped: `${plain}.gz` });
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
    return readFile(isGzipped ? asset.gzipped : asset.plain);
  }

  return {
    toPage: (tenant, release, isFolder) =>
      manifest ? toHtml(manifest, tenant, release, isFolder) : NOT_BUILT,
    registerAssets(server) {
      server.get(`${ASSETS}/:name`, sendAsset);
    },
  };
}
