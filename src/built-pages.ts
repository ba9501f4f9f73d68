/**
 * The pages for browsers that scripts/ builds into dist: console, GraphiQL and docs. A build may end while the server runs; the
 * server then serves its output without a restart.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_FOLDER } from './package-folder';

export interface BuiltPages {
  /** Has one folder for each build. */
  readonly folder: string;
  /** True while a build runs that makes the missing pages. */
  isBuilding(): boolean;
}

/** The pages of this package, which nothing builds while the server runs. */
export const PACKAGED_PAGES: BuiltPages = {
  folder: path.join(PACKAGE_FOLDER, 'dist'),
  isBuilding: () => false,
};

/** Caches what is read of the folder of one build, until another build replaces the folder. */
export class BuildOutput<Content> {
  readonly #folder: string;
  readonly #read: (folder: string) => Content;
  #version: string | undefined;
  #content: Content | undefined;

  constructor(folder: string, read: (folder: string) => Content) {
    this.#folder = folder;
    this.#read = read;
  }

  /** Returns the content of the newest build; undefined: there is none. Cost: one look at the folder. */
  current(): Content | undefined {
    const found = statSync(this.#folder, { throwIfNoEntry: false });
    const version = found === undefined ? undefined : `${found.ino} ${found.mtimeMs}`;
    if (version !== this.#version) {
      this.#content = version === undefined ? undefined : this.#read(this.#folder);
      this.#version = version;
    }
    return this.#content;
  }
}

const RELOAD_SECONDS = 2;

export interface SentPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** The page that is sent in place of one that does not exist. */
export interface Substitute {
  readonly title: string;
  /** `The console`, at the beginning of a sentence. */
  readonly name: string;
  /** The command that builds it. */
  readonly command: string;
  /** Follows in the same paragraph. */
  readonly note?: string;
  /** Status while nothing builds it. */
  readonly status: number;
}

/** Returns the page that says how to build what is missing; while a build runs, one that reloads itself until it is there. */
export function toUnbuiltPage(
  pages: Pick<BuiltPages, 'isBuilding'>,
  { title, name, command, note = '', status }: Substitute,
): SentPage {
  const building = pages.isBuilding();
  const text = building
    ? `${name} is being built, which takes up to a minute. This page reloads itself. ${note}`
    : `${name} is not built here: run <code>${command}</code>. ${note}`;
  const reload = building ? `\n  <meta http-equiv="refresh" content="${RELOAD_SECONDS}" />` : '';
  return {
    status: building ? 503 : status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      ...(building ? { 'retry-after': String(RELOAD_SECONDS) } : {}),
    },
    html: `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />${reload}
  <title>${title}</title>
  <p>${text.trim()}</p>
</html>
`,
  };
}
