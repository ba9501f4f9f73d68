/** The site of docs/, which scripts/build-site.mjs builds, at /docs: open to everybody, since it has no data. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageLimits } from '../../browser-limits';
import { BuildOutput, toUnbuiltPage } from '../../built-pages';
import { fhirError } from '../../core';
import { refuseOtherMethods } from '../requests/method';
import type { RestSettings } from '../settings';
import { StaticFiles } from './static-files';

type PageRequest = FastifyRequest<{ Params: { '*'?: string } }>;

const ADDRESS = '/docs';
const ADDRESSES = [ADDRESS, `${ADDRESS}/*`];

/** Written by the build: the inline scripts of all pages, as sources of a Content-Security-Policy. */
const SCRIPTS = '.scripts.json';

/** Addresses in the texts of the site; all of them begin a quoted text. */
const BASE = /(?<=["'`(])\/docs\//g;

const UNBUILT = {
  title: 'Andiron docs',
  name: 'The site of the docs',
  command: 'npm run build:site',
  status: 404,
} as const;

/** Serves the site under the path of the first public address, which a proxy removes from requests. */
export function registerDocsSite(
  server: FastifyInstance,
  { publicUrls, pages }: Pick<RestSettings, 'publicUrls' | 'pages'>,
): void {
  const prefix = new URL(publicUrls[0] ?? 'http://localhost').pathname.replace(/\/+$/, '');
  const folder = path.join(pages.folder, 'docs');
  const files = new StaticFiles(
    folder,
    prefix === '' ? undefined : (text) => text.replace(BASE, `${prefix}${ADDRESS}/`),
  );
  const policy = new BuildOutput(folder, readPolicy);

  async function sendPage(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [address = ''] = request.url.split('?', 1);
    const isFolder = address.endsWith('/');
    const { '*': name = '' } = request.params;
    if (name === '' && !isFolder) return reply.code(301).header('location', 'docs/').send();
    if (!(await files.has('index.html'))) {
      if (path.posix.extname(name) !== '') throw fhirError('noSuchAddress');
      const { status, headers, html } = toUnbuiltPage(pages, UNBUILT);
      return reply.headers(pageLimits(request)).code(status).headers(headers).send(html);
    }
    if (name !== '' && isFolder) throw fhirError('noSuchAddress');
    const file = name === '' ? 'index.html' : path.posix.extname(name) === '' ? `${name}.html` : name;
    if (file.endsWith('.html')) {
      const scripts = await policy.current();
      if (scripts === undefined) throw fhirError('noSuchAddress');
      reply
        .headers(pageLimits(request))
        .header('content-security-policy', scripts)
        .header('referrer-policy', 'no-referrer');
    }
    return files.send(request, reply, file);
  }

  for (const url of ADDRESSES) {
    server.get(url, sendPage);
    refuseOtherMethods(server, url, ['GET']);
  }
}

/** Scripts only of this server; the highlighting of code sets styles. */
async function readPolicy(folder: string): Promise<string> {
  const scripts = JSON.parse(await readFile(path.join(folder, SCRIPTS), 'utf8')) as readonly string[];
  return (
    `default-src 'self'; script-src 'self' ${scripts.map((source) => `'${source}'`).join(' ')}; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'"
  );
}
