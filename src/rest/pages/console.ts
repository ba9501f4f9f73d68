/**
 * The web console: a page without data, the same for every address and caller, whose program asks the API for what it
 * shows. Its files are the build of the workspace console/.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageLimits } from '../../browser-limits';
import { BuildOutput, type BuiltPages, toUnbuiltPage, type SentPage } from '../../built-pages';
import { fhirError } from '../../core';
import type { FhirRequest } from '../requests/fhir-request';
import { INTERACTIONS, type Interaction } from '../interaction-names';
import { StaticFiles } from './static-files';
import { addVary } from '../responses/vary';

/** Manifest of Vite, by the name of a source. */
type Manifest = Readonly<
  Record<
    string,
    { readonly file: string; readonly css?: readonly string[]; readonly imports?: readonly string[] }
  >
>;

const ENTRY = 'index.html';
const ICON = 'src/favicon.svg';
/** Addresses that only the console has; the others are those of FHIR. */
const PAGES: readonly string[] = ['/', '/w/:tenant', '/w/:tenant/console', '/w/:tenant/console/*'];
const FILES = '/console';

/** Interactions whose address shows the console to a person who opens it in a browser. */
const SHOWN: ReadonlySet<Interaction> = new Set([
  INTERACTIONS.searchSystem,
  INTERACTIONS.capabilities,
  INTERACTIONS.historySystem,
  INTERACTIONS.operationSystem,
  INTERACTIONS.searchType,
  INTERACTIONS.historyType,
  INTERACTIONS.operationType,
  INTERACTIONS.read,
  INTERACTIONS.historyInstance,
  INTERACTIONS.operationInstance,
  INTERACTIONS.vread,
  INTERACTIONS.searchCompartment,
]);

/**
 * Scripts only from this server. Styles may be set by scripts, as the library of components does. Frames are GraphiQL, and
 * PDFs that the page itself has read.
 */
export const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "frame-src 'self' blob:; media-src 'self' blob:; " +
  "font-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export class WebConsole {
  readonly #pages: BuiltPages;
  readonly #folder: string;
  /** The elements of the page that name its files. */
  readonly #head: BuildOutput<string | undefined>;

  /** `access`: whether requests without credentials are answered (AUTH_MODE). */
  constructor(
    pages: BuiltPages,
    private readonly access: 'open' | 'enforced',
  ) {
    this.#pages = pages;
    this.#folder = path.join(pages.folder, 'console');
    this.#head = new BuildOutput(this.#folder, readHead);
  }

  /** True if the addresses of the interaction show the console in a browser. */
  shows(interaction: Interaction): boolean {
    return SHOWN.has(interaction);
  }

  /**
   * True for a person who opens such an address in a browser (`Sec-Fetch-Mode: navigate`), or who asks for the console
   * with `_format=html`. The content of a Binary is shown by the browser itself.
   */
  isWanted({ headers, url, params }: FhirRequest): boolean {
    if (/[?&]_format=(?:html|text(?:\/|%2[Ff])html)(?:&|$)/.test(url)) return true;
    return headers['sec-fetch-mode'] === 'navigate' && params.type !== 'Binary' && !/[?&]_format=/.test(url);
  }

  /** Sends the page. Its files have addresses relative to that of the request, so that a prefix does not matter. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    request.logEntry.interaction = INTERACTIONS.console;
    varyByReader(reply);
    const head = this.#head.current();
    const { status, headers, html } =
      head === undefined ? toUnbuiltPage(this.#pages, UNBUILT) : toPage(head, rootOf(request), this.access);
    return reply
      .headers(pageLimits(request))
      .code(status)
      .headers(headers)
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'same-origin')
      .header('x-content-type-options', 'nosniff')
      .header('x-request-id', request.id)
      .send(html);
  }

  /** Registers the addresses of the console itself, and its files. */
  register(server: FastifyInstance): void {
    for (const url of PAGES)
      server.get(url, async (request, reply) => {
        varyByReader(reply);
        if (acceptsHtml(request)) return this.send(request, reply);
        throw fhirError('noSuchAddress');
      });
    new StaticFiles(this.#folder).register(server, FILES);
  }
}

/** Says to caches that people and programs get different answers at the address. */
export function varyByReader(reply: FastifyReply): void {
  addVary(reply, 'Accept');
  addVary(reply, 'Sec-Fetch-Mode');
}

function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate' || headers.accept?.includes('text/html') === true;
}

/** The way from the folder of the address to the root of the server: `.`, `..`, `../..`. */
function rootOf({ url }: FastifyRequest): string {
  const [address = '/'] = url.split('?', 1);
  const folders = address.split('/').length - 2;
  return folders === 0 ? '.' : Array.from({ length: folders }, () => '..').join('/');
}

const ROOT = '{root}';

/** The elements of the page that name its files, with a mark in place of the root; undefined: it is not built. */
function readHead(folder: string): string | undefined {
  const file = path.join(folder, '.manifest.json');
  if (!existsSync(file)) return undefined;
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const entry = manifest[ENTRY];
  if (entry === undefined) return undefined;
  const styles = (entry.css ?? []).map((name) => `<link rel="stylesheet" href="${ROOT}${FILES}/${name}" />`);
  const icon = manifest[ICON]?.file;
  const imports = (entry.imports ?? []).flatMap((name) => manifest[name]?.file ?? []);
  const preloads = imports.map((name) => `<link rel="modulepreload" href="${ROOT}${FILES}/${name}" />`);
  return [
    ...(icon === undefined
      ? []
      : [`<link rel="icon" type="image/svg+xml" href="${ROOT}${FILES}/${icon}" />`]),
    ...styles,
    ...preloads,
    `<script type="module" src="${ROOT}${FILES}/${entry.file}"></script>`,
  ].join('\n    ');
}

function toPage(head: string, root: string, access: string): SentPage {
  const html = `<!doctype html>
<html lang="en" data-root="${root}" data-access="${access}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Andiron</title>
    ${head.replaceAll(ROOT, root)}
  </head>
  <body>
    <div id="console"></div>
    <noscript>The console needs JavaScript. The API answers at the same address: ask for application/fhir+json.</noscript>
  </body>
</html>
`;
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    html,
  };
}

const UNBUILT = {
  title: 'Andiron',
  name: 'The console',
  command: 'npm run build',
  note: 'The API answers at the same addresses.',
  status: 200,
} as const;
