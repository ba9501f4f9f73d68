/** Sends the oracle's search to the server, and returns the difference. */
import type { TestServer } from '../../support/server';
import type { GeneratedSearch } from './query-maker';
import { identityOf } from './include';
import type { Resource } from './json';
import { search, type Expected } from './matcher';
import { compareInside } from './compare-contained';
import { readPages, type Page } from './page';
import { Unclear } from './refusal';
import type { Space } from './space';
import { difference, type Verdict } from './verdict';

const brief = (identities: readonly string[]): string => [...identities].sort().join(' ');

/** The faults of one page and of its included resources. */
function comparePage(expected: Expected, page: Page, count: number | undefined): Verdict {
  if (count !== undefined && (page.matches.length > count || (page.hasNext && page.matches.length < count))) {
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

function compareOrder(expected: Expected, identities: readonly string[]): Verdict {
  const byIdentity = new Map(expected.matches.map((resource) => [identityOf(resource), resource]));
  const ordered: Resource[] = identities.flatMap((identity) => byIdentity.get(identity) ?? []);
  for (let index = 1; index < ordered.length; index++) {
    const before = ordered[index - 1];
    const after = ordered[index];
    if (before === undefined || after === undefined || expected.compare(before, after) <= 0) continue;
    const labelOf = (resource: Resource): string =>
      `${identityOf(resource)} (${expected.describe(resource)})`;
    return difference(`${labelOf(after)} before ${labelOf(before)}`, identities.join(' '));
  }
  return 'same';
}

/** Asks one search. */
export async function compare(
  server: TestServer,
  space: Space,
  generated: GeneratedSearch,
): Promise<Verdict> {
  try {
    return await comparePages(server, space, generated);
  } catch (error) {
    if (error instanceof Unclear) return 'unclear';
    throw error;
  }
}

/** Follows all pages. */
async function comparePages(server: TestServer, space: Space, generated: GeneratedSearch): Promise<Verdict> {
  const expected = search(space, generated.type, generated.query);
  if (expected?.inside !== undefined)
    return compareInside(server, space, generated, expected, expected.inside);
  const parameters = new URLSearchParams(generated.query);
  const count = parameters.get('_count');
  const seen: string[] = [];
  const totals = new Set<number>();
  let isFirst = true;
  for await (const { status, text, page } of readPages(server, space, generated)) {
    if (status === 422 && expected?.mayBeTooCostly !== false && /too-costly/.test(text)) return 'unclear';
    if (expected === undefined)
      return status === 400 ? 'same' : difference('400', `${status} ${text.slice(0, 300)}`);
    if (page === undefined)
      return difference(`200 ${brief(expected.matches.map(identityOf))}`, `${status} ${text}`);
    if (isFirst && parameters.get('_total') === 'accurate' && page.total === undefined)
      return difference('a total', 'none');
    isFirst = false;
    const verdict = comparePage(expected, page, count === null ? undefined : Number(count));
    if (verdict !== 'same') return verdict;
    seen.push(...page.matches);
    if (page.total !== undefined) totals.add(page.total);
  }
  if (expected === undefined) return difference('400', 'nothing');
  const wanted = brief(expected.matches.map(identityOf));
  if (brief(seen) !== wanted) return difference(wanted, brief(seen));
  const wrongTotal = [...totals].find((total) => total !== expected.matches.length);
  if (wrongTotal !== undefined) return difference(`total ${expected.matches.length}`, `total ${wrongTotal}`);
  return compareOrder(expected, seen);
}
