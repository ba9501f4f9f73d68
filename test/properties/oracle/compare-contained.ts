/** The expected answer of a search with `_contained`. */
import type { TestServer } from '../../support/server';
import type { ExpectedInside } from './contained';
import { identityOf } from './include';
import type { Resource } from './json';
import type { Expected } from './matcher';
import { readPages, type Entry, type Page } from './page';
import type { GeneratedSearch } from './query-maker';
import type { Space } from './space';
import { difference, type Verdict } from './verdict';

const placeOf = ({ resourceType, id }: Resource): string => `${resourceType}/${id}`;
const sorted = (texts: readonly string[]): string => [...texts].sort().join(' ');

/** Follows all pages. */
export async function compareInside(
  server: TestServer,
  space: Space,
  search: GeneratedSearch,
  expected: Expected,
  inside: ExpectedInside,
): Promise<Verdict> {
  const parameters = new URLSearchParams(search.query);
  const mode = inside.withStored && inside.as === 'container' ? 'include' : 'match';
  const wanted = {
    stored: expected.matches.map((resource) => `match:${placeOf(resource)}`),
    inside: inside.places.map((place) => `${mode}:${place}`),
  };
  const number = wanted.stored.length + wanted.inside.length;
  const got: string[] = [];
  for await (const { status, text, page } of readPages(server, space, search)) {
    if (status === 422 && /too-costly/.test(text) && expected.mayBeTooCostly) return 'unclear';
    if (status === 422 && /not-supported/.test(text) && inside.unsupported !== 'no')
      return inside.unsupported === 'must' ? 'same' : 'unclear';
    if (inside.unsupported === 'must')
      return difference('422 not-supported', `${status} ${text.slice(0, 300)}`);
    if (page === undefined)
      return difference(`200 ${[...wanted.stored, ...wanted.inside].join(' ')}`, `${status} ${text}`);
    const counted = page.entries.filter((entry) => entry.mode === 'match' || entry.mode === mode);
    const verdict =
      wrongCount(counted, page, parameters.get('_count')) ??
      wrongIncludes(expected, page, mode) ??
      wrongTotal(page, number, got.length === 0 && parameters.get('_total') === 'accurate');
    if (verdict !== undefined) return verdict;
    got.push(...counted.map((entry) => `${entry.mode}:${entry.place}`));
  }
  const [first, others] = [got.slice(0, wanted.stored.length), got.slice(wanted.stored.length)];
  if (sorted(first) !== sorted(wanted.stored) || sorted(others) !== sorted(wanted.inside))
    return difference([...wanted.stored, '|', ...wanted.inside].join(' '), got.join(' '));
  return compareGroups(others);
}

function wrongCount(counted: readonly Entry[], page: Page, count: string | null): Verdict | undefined {
  const { length } = counted;
  const isRight = count === null || length === Number(count) || (length < Number(count) && !page.hasNext);
  return isRight ? undefined : difference(`${count} on a page`, String(length));
}

/** Includes are those of the stored matches; where containers are returned as included, none are requested. */
function wrongIncludes(expected: Expected, page: Page, mode: string): Verdict | undefined {
  if (mode === 'include') return undefined;
  const stored = expected.matches.filter((resource) => page.matches.includes(identityOf(resource)));
  const wanted = sorted(expected.includedWith(stored));
  const got = sorted(page.included);
  return wanted === got ? undefined : difference(`includes ${wanted}`, `includes ${got}`);
}

function wrongTotal({ total }: Page, number: number, isRequested: boolean): Verdict | undefined {
  if (total === undefined) return isRequested ? difference('a total', 'none') : undefined;
  return total === number ? undefined : difference(`total ${number}`, `total ${total}`);
}

/** They come by the type of the container. */
function compareGroups(found: readonly string[]): Verdict {
  const types = found.map((text) => /^\w+:(\w+)/.exec(text)?.[1]);
  const groups = types.filter((type, index) => type !== types[index - 1]);
  return new Set(groups).size === groups.length
    ? 'same'
    : difference('the containers of a type together', types.join(' '));
}
