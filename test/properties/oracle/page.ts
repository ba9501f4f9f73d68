/** The pages that a server answers a search with, one after the other. */
import type { TestServer } from '../../support/server';
import { PUBLIC_URL } from './loaded-space';
import type { GeneratedSearch } from './query-maker';
import type { Space } from './space';

/** One entry of a page: its `search.mode`, and its `fullUrl` below the address of the space. */
export interface Entry {
  readonly mode: string;
  readonly place: string;
}

export interface Page {
  readonly entries: readonly Entry[];
  /** `Type/id/_history/version`, as are those included. */
  readonly matches: readonly string[];
  readonly included: readonly string[];
  readonly outcomes: number;
  readonly total: number | undefined;
  readonly hasNext: boolean;
}

/** Without a page: the server refused, or the pages have no end. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly page: Page | undefined;
}

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly fullUrl?: string;
    readonly search: { readonly mode: string };
    readonly resource: {
      readonly resourceType: string;
      readonly id: string;
      readonly meta?: { readonly versionId: string };
    };
  }[];
}

const MOST_PAGES = 2000;

const nextOf = ({ link }: Bundle): string | undefined => {
  const next = link.find(({ relation }) => relation === 'next')?.url;
  return next?.startsWith(PUBLIC_URL) === true ? next.slice(PUBLIC_URL.length) : next;
};

function readPage(bundle: Bundle, root: string): Page {
  const entries = bundle.entry ?? [];
  const of = (mode: string): string[] =>
    entries
      .filter((entry) => entry.search.mode === mode)
      .map(
        ({ resource }) =>
          `${resource.resourceType}/${resource.id}/_history/${resource.meta?.versionId ?? 'none'}`,
      );
  return {
    entries: entries.map(({ fullUrl = '', search }) => ({
      mode: search.mode,
      place: fullUrl.startsWith(`${root}/`) ? fullUrl.slice(root.length + 1) : fullUrl,
    })),
    matches: of('match'),
    included: of('include'),
    outcomes: of('outcome').length,
    total: bundle.total,
    hasNext: nextOf(bundle) !== undefined,
  };
}

/** Follows `next` to the end. */
export async function* readPages(
  server: TestServer,
  { root }: Space,
  { type, query }: GeneratedSearch,
): AsyncGenerator<Answered> {
  let path: string | undefined =
    `${root.slice(PUBLIC_URL.length)}${type === undefined ? '' : `/${type}`}?${query}`;
  for (let pages = 0; path !== undefined; pages++) {
    if (pages > MOST_PAGES) {
      yield { status: 200, text: 'pages without end', page: undefined };
      return;
    }
    const { status, text, json } = await server.request('GET', path);
    if (status !== 200) {
      yield { status, text, page: undefined };
      return;
    }
    const bundle = json as Bundle;
    yield { status, text, page: readPage(bundle, root) };
    path = nextOf(bundle);
  }
}
