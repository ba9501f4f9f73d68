/** Asks the server what the oracle was asked, and tells the difference. */
import type { TestServer } from '../../support/server';
import type { GeneratedSearch } from './query-maker';
import { identityOf } from './include';
import type { Resource } from './json';
import { PUBLIC_URL } from './loaded-space';
import { search, type Expected } from './matcher';
import { Unclear } from './refusal';
import type { Space } from './space';

/** `unclear`: the rules leave the answer open, so that it was not asked. */
export type Verdict = 'same' | 'unclear' | { readonly expected: string; readonly got: string };

interface Page {
  readonly matches: readonly string[];
  readonly included: readonly string[];
  readonly outcomes: number;
  readonly total: number | undefined;
  readonly next: string | undefined;
}

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly search: { readonly mode: string };
    readonly resource: {
      readonly resourceType: string;
      readonly id: string;
      readonly meta: { readonly versionId: string };
    };
  }[];
}

function readPage(bundle: Bundle): Page {
  const of = (mode: string): string[] =>
    (bundle.entry ?? [])
      .filter((entry) => entry.search.mode === mode)
      .map(({ resource }) => `${resource.resourceType}/${resource.id}/_history/${resource.meta.versionId}`);
  const next = bundle.link.find(({ relation }) => relation === 'next')?.url;
  return {
    matches: of('match'),
    included: of('include'),
    outcomes: (bundle.entry ?? []).filter((entry) => entry.search.mode === 'outcome').length,
    total: bundle.total,
    next: next?.startsWith(PUBLIC_URL) === true ? next.slice(PUBLIC_URL.length) : next,
  };
}

const MOST_PAGES = 2000;
const brief = (identities: readonly string[]): string => [...identities].sort().join(' ');

function difference(expected: string, got: string): Verdict {
  return { expected, got };
}

/** What is wrong with one page and what comes along with it. */
function judgePage(expected: Expected, page: Page, count: number | undefined): Verdict {
  if (
    count !== undefined &&
    (page.matches.length > count || (page.next !== undefined && page.matches.length < count))
  ) {
    return difference(`${count} on a page`, String(page.matches.length));
  }
  const resources = page.matches.flatMap(
    (identity) => expected.matches.find((one) => identityOf(one) === identity) ?? [],
  );
  const included = brief(expected.includedWith(resources));
  const got = brief(page.included);
  if (included !== got) return difference(`includes ${included}`, `includes ${got}`);
  if (expected.warnsOfVersions(resources) && page.outcomes === 0)
    return difference('an entry that says that a chain looked at the current version', 'none');
  return 'same';
}

function judgeOrder(expected: Expected, identities: readonly string[]): Verdict {
  const byIdentity = new Map(expected.matches.map((resource) => [identityOf(resource), resource]));
  const ordered: Resource[] = identities.flatMap((identity) => byIdentity.get(identity) ?? []);
  for (let index = 1; index < ordered.length; index++) {
    const before = ordered[index - 1];
    const after = ordered[index];
    if (before === undefined || after === undefined || expected.compare(before, after) <= 0) continue;
    const told = (resource: Resource): string => `${identityOf(resource)} (${expected.describe(resource)})`;
    return difference(`${told(after)} before ${told(before)}`, identities.join(' '));
  }
  return 'same';
}

/** Asks one search. */
export async function judge(server: TestServer, space: Space, asked: GeneratedSearch): Promise<Verdict> {
  try {
    return await judgePages(server, space, asked);
  } catch (error) {
    if (error instanceof Unclear) return 'unclear';
    throw error;
  }
}

/** Follows all pages. */
async function judgePages(
  server: TestServer,
  space: Space,
  { type, query }: GeneratedSearch,
): Promise<Verdict> {
  const expected = search(space, type, query);
  const asked = new URLSearchParams(query);
  const count = asked.get('_count');
  const seen: string[] = [];
  const totals = new Set<number>();
  let path: string | undefined =
    `${space.root.slice(PUBLIC_URL.length)}${type === undefined ? '' : `/${type}`}?${query}`;
  for (let pages = 0; path !== undefined; pages++) {
    if (pages > MOST_PAGES) return difference('an end', 'pages without end');
    const { status, text, json } = await server.request('GET', path);
    if (status === 422 && expected?.mayBeTooCostly !== false && /too-costly/.test(text)) return 'unclear';
    if (expected === undefined)
      return status === 400 ? 'same' : difference('400', `${status} ${text.slice(0, 300)}`);
    if (status !== 200)
      return difference(`200 ${brief(expected.matches.map(identityOf))}`, `${status} ${text}`);
    const page = readPage(json as Bundle);
    if (pages === 0 && asked.get('_total') === 'accurate' && page.total === undefined)
      return difference('a total', 'none');
    const verdict = judgePage(expected, page, count === null ? undefined : Number(count));
    if (verdict !== 'same') return verdict;
    seen.push(...page.matches);
    if (page.total !== undefined) totals.add(page.total);
    path = page.next;
  }
  if (expected === undefined) return difference('400', 'nothing');
  const wanted = brief(expected.matches.map(identityOf));
  if (brief(seen) !== wanted) return difference(wanted, brief(seen));
  const wrongTotal = [...totals].find((total) => total !== expected.matches.length);
  if (wrongTotal !== undefined) return difference(`total ${expected.matches.length}`, `total ${wrongTotal}`);
  return judgeOrder(expected, seen);
}
