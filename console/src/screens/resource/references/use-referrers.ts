/** Which types refer to a record, by which search parameters, and how often. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Failure } from '../../../api/failure';
import { get } from '../../../api/fhir';
import { isArray, isObject, objectsOf, textOf, type JsonObject } from '../../../api/json';
import { countAll } from '../../../api/many';
import { referrersOf, type TypeCapability } from '../../../fhir/capabilities';
import type { Space } from '../../../place';

export interface Referrer {
  readonly type: string;
  readonly parameter: string;
  readonly count: number;
}

/** What the expressions of reference parameters select, by `Type:parameter`. */
type Elements = ReadonlyMap<string, string>;

/** Conditions on the type of the target are left away: they make two parameters of one element. */
function parseElements(bundle: JsonObject): Elements {
  const elements = new Map<string, string>();
  for (const { resource } of objectsOf(bundle['entry'])) {
    if (!isObject(resource) || !isArray(resource['base'])) continue;
    const parts = (textOf(resource['expression']) ?? '').split('|').map((part) => part.trim());
    for (const base of resource['base'].flatMap((each) => textOf(each) ?? [])) {
      const own = parts.filter((part) => part.startsWith(`${base}.`));
      const paths = own.map((part) => part.replace(/\.where\(resolve\(\) is \w+\)$/, ''));
      elements.set(`${base}:${textOf(resource['code']) ?? ''}`, paths.join('|'));
    }
  }
  return elements;
}

/** Of two parameters of a type that select the same element only one. */
function withoutDoubles(
  pairs: readonly (readonly [string, string])[],
  elements: Elements,
): readonly (readonly [string, string])[] {
  const seen = new Map<string, readonly [string, string]>();
  for (const pair of pairs) {
    const [type, parameter] = pair;
    const path = elements.get(`${type}:${parameter}`) ?? '';
    const key = `${type} ${path === '' ? parameter : path}`;
    const before = seen.get(key);
    // `patient` is the part of `subject` that refers to patients.
    if (before === undefined || before[1] === 'patient') seen.set(key, pair);
  }
  return [...seen.values()];
}

/** None where the caller may not read SearchParameters: then two parameters of one element count twice. */
async function readElements(space: Space, search: string, signal: AbortSignal): Promise<Elements> {
  try {
    return parseElements((await get(space, search, signal)).value);
  } catch (error) {
    if (error instanceof Failure && error.status === 403) return new Map();
    throw error;
  }
}

/** All types and parameters that may lead to a type: the statement leaves out those that may lead to almost any. */
function pairsOf(
  capability: TypeCapability,
  elements: Elements,
): readonly (readonly [type: string, parameter: string])[] {
  const listed = [...referrersOf(capability)].flatMap(([source, parameters]) =>
    parameters.map((parameter) => `${source}:${parameter}`),
  );
  return [...new Set([...listed, ...elements.keys()])].map((pair) => {
    const [source = '', parameter = ''] = pair.split(':');
    return [source, parameter];
  });
}

export interface Target {
  readonly type: string;
  readonly id: string;
}

/** Ids that stand in one search. */
const AT_ONCE = 50;

/**
 * How often records of each type refer to any of these. Records that are among them do not count: they go or stay together.
 * Cost: for each 50 ids some documents of 20 searches.
 */
export async function findReferrers(
  space: Space,
  {
    type,
    ids,
    capability,
  }: { readonly type: string; readonly ids: readonly string[]; readonly capability: TypeCapability },
  signal: AbortSignal,
): Promise<readonly Referrer[]> {
  const search = `SearchParameter?type=reference&target=${type}&_elements=code,base,expression&_count=1000`;
  const elements = await readElements(space, search, signal);
  const wanted = withoutDoubles(pairsOf(capability, elements), elements);
  const totals = wanted.map(() => 0);
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const group = ids.slice(start, start + AT_ONCE);
    const targets = group.map((id) => `${type}/${id}`).join(',');
    // One record refers to itself seldom, and may.
    const others = ids.length === 1 ? '' : `&_id:not=${ids.join(',')}`;
    const counts = await countAll(
      space,
      wanted.map(([source, parameter]) => ({
        type: source,
        query: `${parameter}=${targets}${source === type ? others : ''}`,
      })),
      signal,
    );
    counts.forEach((count, index) => (totals[index] = (totals[index] ?? 0) + count));
  }
  return wanted
    .map(([source, parameter], index) => ({ type: source, parameter, count: totals[index] ?? 0 }))
    .filter(({ count }) => count > 0);
}

/** `capability`: that of the type of the target. */
export function useReferrers(
  space: Space,
  { type, id }: Target,
  capability: TypeCapability | undefined,
): UseQueryResult<readonly Referrer[]> {
  return useQuery({
    queryKey: ['referrers', space, type, id],
    queryFn: ({ signal }) =>
      capability === undefined ? [] : findReferrers(space, { type, ids: [id], capability }, signal),
  });
}
