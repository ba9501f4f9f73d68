/** `_contained`: matches among contained resources (search.html#contained). */
import type { SearchPage } from '../../api/search';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { openCursor, sealCursor, type CursorContent } from './cursor';
import { fhirError } from '../../errors';
import { parseStoredObject, stringifyJson } from '../../fhir/json';
import { toSubset } from '../../fhir/subset';
import { insideCriteria } from '../../search/matching/contained';
import { containedBlocks } from '../../search/rows/extract';
import type { SearchQuery } from '../../search/requests/parse-search';
import { hasScan } from '../../search/matching/has-scan';
import type { Criterion } from '../../search/predicate';
import type { SearchServices, Services } from '../../ports';
import { findContaining, type ContainingBlock } from '../../storage/search/contained-types';
import { keyOfText } from '../../storage/read/version-row';
import { resolveContainedChains } from '../plan/plan-search';
import { PHASES, sealEach, type Position } from './search-position';
import { planningReason, withReason } from '../search-timeout';
import { toStoredVersion } from '../../versions/stored-version';
import { OwnStream, type TypeMatch } from './type-stream';

/** First element of cursors of contained matches; cursors of stored resources begin with a phase. */
const CONTAINED = 'contained';

/** The containers of one type and block that contain resources of the type, in the order of their clinical date. */
interface ContainedStream extends ContainingBlock {
  readonly stream: OwnStream;
}

interface ContainedMatch {
  readonly of: ContainedStream;
  readonly match: TypeMatch;
}

/**
 * A page with matches among contained resources, behind the stored matches if those are wanted too. Contained matches
 * are ordered by the type of their container and their block in it. `stored` searches stored resources, as a search
 * without `_contained`; the criteria of `query` are resolved.
 * Throws notSupported for what cannot be searched in contained resources, invalidCursor.
 * Cost: one statement that finds the containers' types and blocks; for each of them a search until the page is full.
 */
export async function searchContained(
  services: SearchServices,
  context: RequestContext,
  {
    query,
    typeNumber,
    cursorScope,
    stored,
  }: {
    readonly query: SearchQuery;
    readonly typeNumber: number;
    readonly cursorScope: string;
    readonly stored: (of: SearchQuery) => Promise<SearchPage>;
  },
): Promise<SearchPage> {
  requireSupported(query);
  const { matches: wanted, as } = query.contained;
  const place = query.cursor === undefined ? undefined : openPlace(services, cursorScope, query.cursor);
  const isBoth = wanted === 'both';
  const streams = await openStreams(services, context, query, typeNumber);
  const countContained = (): Promise<number> => sum(streams.map(({ stream }) => stream.count()));
  if (query.countOnly) {
    const own = isBoth ? ((await stored(query)).total ?? 0) : 0;
    return { ...EMPTY, issues: query.issues, used: query.used, total: own + (await countContained()) };
  }
  const first: SearchPage =
    isBoth && place === undefined
      ? await stored({ ...query, total: query.total === 'estimate' ? 'accurate' : query.total })
      : { ...EMPTY, issues: query.issues, used: query.used };
  const isCounted = query.total === 'accurate' || query.total === 'estimate';
  const left = query.count - first.matches.length;
  const found = first.next === undefined ? await readMatches(streams, place, left + 1) : [];
  const { shown, positions, done } = await readVersions(services, context, query, found.slice(0, left));
  const last = found[done - 1];
  const more = found.length > done;
  const next =
    first.next ??
    (more
      ? sealCursor(services.secretKeys, cursorScope, last === undefined ? BEGINNING : contentOf(last))
      : undefined);
  const isWhole = query.cursor === undefined && next === undefined;
  let total = isWhole ? first.matches.length + found.length : undefined;
  if (isCounted && total === undefined)
    total =
      (isBoth ? ((await stored({ ...query, countOnly: true })).total ?? 0) : 0) + (await countContained());
  const asIncluded = isBoth && as === 'container';
  return {
    issues: first.issues,
    used: first.used,
    matches: asIncluded ? first.matches : [...first.matches, ...shown],
    included: asIncluded ? [...first.included, ...shown] : first.included,
    ...(total === undefined || query.total === 'none' ? {} : { total }),
    ...(next === undefined ? {} : { next }),
    ...(query.eachCursor
      ? {
          cursors: [
            ...(first.cursors ?? []),
            ...(asIncluded ? [] : sealEach(services.secretKeys, cursorScope, positions.map(contentAt))),
          ],
        }
      : {}),
  };

  function contentAt(position: number): CursorContent {
    const match = found[position];
    if (match === undefined) throw new Error('there is no match at that position');
    return contentOf(match);
  }
}

const EMPTY = { matches: [], included: [] } as const;

/** The position behind the stored resources and before all contained ones. */
const BEGINNING: CursorContent = [CONTAINED];

function requireSupported({ sort, offset, criteria }: SearchQuery): void {
  const reason =
    sort.length > 0
      ? '_sort is not supported together with _contained'
      : offset > 0
        ? "_offset is not supported together with _contained; follow the links 'next'"
        : criteria.some(hasScan)
          ? 'Words and long texts are not supported together with _contained'
          : undefined;
  if (reason !== undefined) throw fhirError('notSupported', { reason });
}

async function openStreams(
  services: SearchServices,
  context: RequestContext,
  query: SearchQuery,
  typeNumber: number,
): Promise<ContainedStream[]> {
  const { number, release } = context.space;
  const definitions = services.definitions(release);
  const types = definitions.resourceTypes.flatMap((type) => definitions.typeNumber(type) ?? []);
  const places = await findContaining(services.database, number, typeNumber, types);
  if (places.length === 0) return [];
  const criteria = await withReason(resolveContainedChains(services, number, query.criteria), () =>
    planningReason(query.criteria),
  );
  return places.map(({ container, block }) => {
    // A container is one match, whatever it contains: its first matching block finds it.
    const before =
      query.contained.as === 'contained'
        ? []
        : places.filter((other) => other.container === container && other.block < block);
    const inside = (at: number): readonly Criterion[] => insideCriteria(container, at, typeNumber, criteria);
    const excluded = before.map((other): Criterion => ({
      name: '_contained',
      anyOf: [{ index: 'all', criteria: inside(other.block) }],
      isNegated: true,
    }));
    const type = definitions.typeName(container);
    if (type === undefined) throw new Error('a type with contained resources has no name');
    const stream = new OwnStream({
      services,
      context,
      query: { ...query, type, criteria: [] },
      typeNumber: container,
      within: [...inside(block), ...excluded],
      order: undefined,
    });
    return { container, block, stream };
  });
}

/** Start of a page among contained matches; undefined: at the beginning. */
interface ContainedPosition extends ContainingBlock {
  readonly position: Position | undefined;
}

async function readMatches(
  streams: readonly ContainedStream[],
  place: ContainedPosition | undefined,
  limit: number,
): Promise<ContainedMatch[]> {
  const found: ContainedMatch[] = [];
  for (const of of streams) {
    const order = place === undefined ? 1 : of.container - place.container || of.block - place.block;
    if (order < 0) continue;
    const after = order === 0 ? place?.position : undefined;
    const matches = await of.stream.next(after, limit - found.length);
    found.push(...matches.map((match) => ({ of, match })));
    if (found.length >= limit) break;
  }
  return found;
}

function contentOf({ of, match }: ContainedMatch): CursorContent {
  const { phase, head } = match;
  return [CONTAINED, of.container, of.block, phase, head.sortValue, head.keyText];
}

/** Undefined if the cursor is one of stored resources. Throws invalidCursor. */
function openPlace(
  services: Pick<Services, 'secretKeys'>,
  cursorScope: string,
  cursor: string,
): ContainedPosition | undefined {
  const [kind, container, block, name, sortValue, key] = openCursor(services.secretKeys, cursorScope, cursor);
  if (kind !== CONTAINED) return undefined;
  if (container === undefined) return { container: 0, block: 0, position: undefined };
  const phase = PHASES.find((candidate) => candidate === name);
  if (
    typeof container !== 'number' ||
    typeof block !== 'number' ||
    phase === undefined ||
    typeof key !== 'string' ||
    sortValue === undefined
  )
    throw fhirError('invalidCursor');
  return { container, block, position: { phase, after: { sortValue, key } } };
}

/**
 * The containers or the contained resources, reduced to the elements that were asked for, as many as fit into one
 * answer. `done`: number of matches that they cover; `positions`: positions of the shown ones. Deleted containers are
 * left out.
 */
async function readVersions(
  services: Pick<Services, 'definitions' | 'extensionBase' | 'keys' | 'reader'>,
  { space }: RequestContext,
  { contained, subset }: SearchQuery,
  found: readonly ContainedMatch[],
): Promise<{
  readonly shown: readonly StoredVersion[];
  readonly positions: readonly number[];
  readonly done: number;
}> {
  const definitions = services.definitions(space.release);
  const rows = await services.reader.readCurrent(
    space.number,
    found.map(({ of, match }) => ({ type: of.container, key: keyOfText(match.head.keyText) })),
  );
  const entries = found.flatMap(({ of }, position) => {
    const row = rows[position];
    return row === undefined || row.change === 'delete' ? [] : [{ of, position, row }];
  });
  const page = await services.reader.completePage(
    entries.map(({ row }) => row),
    () => space.number,
  );
  const positions: number[] = [];
  const shown = page.flatMap((row, index): StoredVersion[] => {
    const entry = entries[index];
    if (entry === undefined) return [];
    const { of, position } = entry;
    const version = toStoredVersion(services, of.stream.type, row);
    const match = contained.as === 'container' ? version : blockOf(version, of.block);
    if (match === undefined) return [];
    positions.push(position);
    if (subset === undefined) return [match];
    const type = match.contained?.type ?? match.type;
    return [{ ...match, text: toSubset(definitions, type, match.text, subset) }];
  });
  const isCut = page.length < entries.length;
  return { shown, positions, done: isCut ? (entries[page.length - 1]?.position ?? -1) + 1 : found.length };

  function blockOf(version: StoredVersion, block: number): StoredVersion | undefined {
    const inside = containedBlocks(definitions, version.type, parseStoredObject(version.text)).find(
      (one) => one.block === block,
    );
    if (inside?.id === undefined) return undefined;
    const { type, id, content } = inside;
    return { ...version, text: stringifyJson(content, true), contained: { type, id } };
  }
}

async function sum(counts: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
}
