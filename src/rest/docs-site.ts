/** The site of docs/, which scripts/build-site.mjs builds, at /docs: open to everybody, since it has no data. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError } from '../core';
import { PACKAGE_FOLDER } from '../package-folder';
import { refuseOtherMethods } from './method';
import type { RestSettings } from './settings';
import { StaticFiles } from './static-files';

type PageRequest = FastifyRequest<{ Params: { '*'?: string } }>;

const ADDRESS = '/docs';
const ADDRESSES = [ADDRESS, `${ADDRESS}/*`];
const FOLDER = path.join(PACKAGE_FOLDER, 'dist', 'docs');

/** Written by the build: the inline scripts of all pages, as sources of a Content-Security-Policy. */
const SCRIPTS = path.join(FOLDER, '.scripts.json');

/** Addresses in the texts of the site; all of them begin a quoted text. */
const BASE = /(?<=["'`(])\/docs\//g;

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <title>Andiron docs</title>
  <p>The site of the docs is not built here: run <code>npm run build:site</code>, and start the server again.</p>
</html>
`;

/** Serves the site under the path of the first public address, which a proxy removes from requests. */
export function registerDocsSite(
  server: FastifyInstance,
  { publicUrls }: Pick<RestSettings, 'publicUrls'>,
): void {
  const prefix = new URL(publicUrls[0] ?? 'http://localhost').pathname.replace(/\/+$/, '');
  const files = new StaticFiles(
    FOLDER,
    prefix === '' ? undefined : (text) => text.replace(BASE, `${prefix}${ADDRESS}/`),
  );
  let policy: Promise<string> | undefined;

  async function sendPage(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [address = ''] = request.url.split('?', 1);
    const isFolder = address.endsWith('/');
    const { '*': name = '' } = request.params;
    if (name === '' && !isFolder) return reply.code(301).header('location', 'docs/').send();
    if (!(await files.has('index.html'))) {
      if (name !== '') throw fhirError('noSuchAddress');
      return reply.code(404).header('content-type', 'text/html; charset=utf-8').send(NOT_BUILT);
    }
    if (name !== '' && isFolder) throw fhirError('noSuchAddress');
    const file = name === '' ? 'index.html' : path.posix.extname(name) === '' ? `${name}.html` : name;
    if (file.endsWith('.html')) {
      policy ??= readPolicy();
      reply.header('content-security-policy', await policy).header('referrer-policy', 'no-referrer');
    }
    return files.send(request, reply, file);
  }

  for (const url of ADDRESSES) {
    server.get(url, sendPage);
    refuseOtherMethods(server, url, ['GET']);
  }
}

/** Scripts only of this server; the highlighting of code and the diagrams set styles. */
async function readPolicy(): Promise<string> {
  const scripts = JSON.parse(await readFile(SCRIPTS, 'utf8')) as readonly string[];
  return (
    `default-src 'self'; script-src 'self' ${scripts.map((source) => `'${source}'`).join(' ')}; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'"
  );
}
