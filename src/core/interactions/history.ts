import { visibilityOf } from '../authorization/visibility';
import type { HistoryPage, HistoryRequest } from '../api/history';
import type { RequestContext } from '../context';
import { applySummaries } from '../search-execution/page/apply-summary';
import { openCursor, sealCursor } from '../search-execution/page/cursor';
import { fhirError } from '../errors';
import { parseSubset } from '../search/requests/parse-subset';
import type { SearchServices, Services } from '../ports';
import {
  BEYOND_LAST_SEQUENCE,
  countListedVersions,
  HistoryReader,
  readListedVersions,
  type HistoryBounds,
  type ListedVersions,
} from '../storage/read/version-history';
import type { ResourceAddress } from '../storage/read/version-address';
import type { PageRow } from '../storage/read/version-row';
import { findListed } from './listed-versions';
import { SeenVersions } from './seen-versions';
import { addressOf, readOwn, rowOfId, typeNumberOf } from '../versions/resource-address';
import { toStoredVersion } from '../versions/stored-version';
import { MAX_COUNT } from '../search/requests/parse-search';

const DEFAULT_COUNT = 50;
/** Maximum number of versions that a page limited by time scans; then it ends, even if it is empty. */
const MAX_WALKED = 20_000;
const STEPS = { first: 200, further: 2000 } as const;

/** Some versions in their order; one more than the page if there are more. */
interface FoundVersions {
  readonly rows: readonly PageRow[];
  /** Start of the next page if there are fewer `rows` than wanted; undefined: there are no more. */
  readonly reached?: number;
}

/** The versions that a history is made from. */
interface Source {
  /** The position of a version in the history; a page continues below that of its last version. */
  positionOf(row: PageRow): number;
  /** At most `limit` (1 or more) versions below a position; undefined: the newest. */
  read(before: number | undefined, limit: number): Promise<FoundVersions>;
  count(): Promise<number>;
  /** True if counting it is cheap. */
  readonly isShort: boolean;
  /** The sequence that all pages treat as the newest, if they need one; it is part of the cursor. */
  readonly newest?: number;
}

/**
 * The versions of one resource, of a type, or of the space, newest first, including deletions (http.html#history).
 * Base conformance resources have no history for a tenant. Pages neither skip nor repeat a version during concurrent
 * writes. The history of one resource has its total; that of several has one if it costs nothing, or if no version is
 * wanted (`count` 0). Throws notFound for a resource without any version, invalidCursor, invalidValue,
 * invalidParameterValue, tooCostly.
 */
export async function history(
  services: SearchServices,
  context: RequestContext,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { type, id, cursor } = request;
  const definitions = services.definitions(context.space.release);
  const subset = parseSubset(definitions, type, request.parts ?? []);
  const reading = services.scope.perStatement(services, context);
  const seen = SeenVersions.of(reading, context, request);
  const count = Math.min(request.count ?? DEFAULT_COUNT, MAX_COUNT);
  const cursorScope = boundText(context, request);
  const { before, newest } = cursor === undefined ? {} : readPosition(services, cursorScope, cursor);
  const source = await openSource(reading, context, request, newest);
  if (count === 0) {
    const total = seen === undefined ? await source.count() : await countSeen(reading, seen, source);
    if (total === 0) await requireExisting(services, context, type, id);
    return { versions: [], total };
  }
  const { rows, reached } =
    seen === undefined
      ? await source.read(before, count + 1)
      : await readSeen(reading, { seen, source, first: before, limit: count + 1 });
  // A resource that the caller may not see does not exist, whatever versions it has.
  if (seen !== undefined || (rows.length === 0 && before === undefined && reached === undefined))
    await requireExisting(services, context, type, id);
  const page = await reading.reader.completePage(rows.slice(0, count), () => context.space.number);
  const last = rows[page.length - 1];
  const next = rows.length > page.length && last !== undefined ? source.positionOf(last) : reached;
  const total =
    before === undefined && next === undefined
      ? page.length
      : source.isShort && seen === undefined
        ? await source.count()
        : undefined;
  const versions = page.map((row) => toStoredVersion(services, definitions.typeName(row.type) ?? '', row));
  return {
    versions: await applySummaries(definitions, versions, subset),
    ...(total === undefined ? {} : { total }),
    ...(next === undefined
      ? {}
      : { next: sealCursor(services.secretKeys, cursorScope, positionFrom(next, source)) }),
  };
}

/** Maximum number of versions that a page with hidden versions reads; then it ends, even if it is empty. */
const MAX_LOOKED_AT = 2000;
const LOOKED_AT_ONCE = 100;

/** The versions below a position that the caller may see; reads on past hidden ones until the page is full. */
async function readSeen(
  services: Pick<Services, 'reader'>,
  {
    seen,
    source,
    first,
    limit,
  }: {
    readonly seen: SeenVersions;
    readonly source: Source;
    readonly first: number | undefined;
    readonly limit: number;
  },
): Promise<FoundVersions> {
  const found: PageRow[] = [];
  let position = first;
  for (let scanned = 0; scanned < MAX_LOOKED_AT;) {
    const step = Math.max(limit, LOOKED_AT_ONCE);
    const { rows, reached } = await source.read(position, step);
    const whole = await services.reader.completePage(rows, () => seen.space);
    found.push(...(await seen.among(whole)));
    if (found.length >= limit) return { rows: found.slice(0, limit) };
    const last = whole.at(-1);
    const isAll = whole.length === rows.length && rows.length < step;
    if (isAll && reached === undefined) return { rows: found };
    position = isAll || last === undefined ? reached : source.positionOf(last);
    scanned += Math.max(1, whole.length);
    // The source has scanned as many versions as a page may.
    if (isAll) break;
  }
  return position === undefined ? { rows: found } : { rows: found, reached: position };
}

/** Maximum number of versions that are read for the total of a history with hidden versions. */
const MAX_COUNTED = 20_000;

/** The number of versions that the caller may see. Throws tooCostly. Cost: reads all of the history. */
async function countSeen(
  services: Pick<Services, 'reader'>,
  seen: SeenVersions,
  source: Source,
): Promise<number> {
  let total = 0;
  let before: number | undefined;
  for (let scanned = 0; scanned < MAX_COUNTED; scanned += MAX_COUNT) {
    const { rows, reached } = await source.read(before, MAX_COUNT);
    const whole: PageRow[] = [];
    for (const row of rows) whole.push(await services.reader.complete(seen.space, row));
    total += (await seen.among(whole)).length;
    const last = rows.at(-1);
    if (reached === undefined && (last === undefined || rows.length < MAX_COUNT)) return total;
    before = reached ?? (last && source.positionOf(last));
  }
  const reason = `The versions that this client may see are counted among ${MAX_COUNTED} at most; narrow the history`;
  throw fhirError('tooCostly', { reason });
}

/** The scope of a cursor: the space and the parameters of the history; `count` may change. */
function boundText({ space }: RequestContext, request: HistoryRequest): string {
  const { type = '', id = '', since = 0, sinceSequence = 0, at, list = '' } = request;
  return `history ${space.number} ${type}/${id} ${since} ${sinceSequence} ${at?.low ?? ''} ${at?.high ?? ''} ${list}`;
}

/** The start of a page, as its cursor encodes it. */
interface Position {
  readonly before?: number;
  readonly newest?: number;
}

function positionFrom(next: number, { newest }: Source): number[] {
  return newest === undefined ? [next] : [next, newest];
}

function readPosition(services: Pick<Services, 'secretKeys'>, cursorScope: string, cursor: string): Position {
  const [before, newest] = openCursor(services.secretKeys, cursorScope, cursor);
  if (typeof before !== 'number') throw fhirError('invalidCursor');
  return typeof newest === 'number' ? { before, newest } : { before };
}

/** Throws notFound for a resource without any version. */
async function requireExisting(
  services: SearchServices,
  context: RequestContext,
  type: string | undefined,
  id: string | undefined,
): Promise<void> {
  if (type === undefined || id === undefined) return;
  const address = addressOf(services, context, type, id);
  const newest = await readOwn(services, context, { address, id });
  const visibility = visibilityOf(services, context);
  const isSeen =
    newest !== undefined &&
    (visibility === undefined || (await visibility.seesVersion(type, 'r', context.space.number, newest)));
  if (!isSeen) throw fhirError('notFound', { type, id });
}

async function openSource(
  services: SearchServices,
  context: RequestContext,
  request: HistoryRequest,
  newestOfSpace: number | undefined,
): Promise<Source> {
  const { type, id, list, since, at, sinceSequence = 0 } = request;
  const { database } = services;
  const isOfOne = id !== undefined && list === undefined;
  // For one resource the versions of an `at` range are consecutive, so later writes do not affect further pages.
  const newest =
    at === undefined || isOfOne
      ? undefined
      : (newestOfSpace ?? (await new HistoryReader(database, context.space.number, undefined).newest()));
  const bounds: HistoryBounds = {
    ...(newest === undefined ? {} : { newest }),
    after: sinceSequence,
    before: BEYOND_LAST_SEQUENCE,
    ...(since === undefined ? {} : { since }),
    ...(at === undefined ? {} : { at }),
  };
  const typeNumber = type === undefined ? undefined : typeNumberOf(services, context, type);
  const address = type === undefined || id === undefined ? undefined : addressOf(services, context, type, id);
  if (list !== undefined) {
    const listed = await findListed(services, context, list);
    const wanted = listed.filter(
      (one) => (typeNumber === undefined || one.type === typeNumber) && isAt(one, address),
    );
    return listedSource(services, context, wanted, bounds);
  }
  return address === undefined || id === undefined
    ? wideSource(new HistoryReader(database, context.space.number, typeNumber), bounds)
    : instanceSource(services, context, { address, id, bounds });
}

function isAt({ type, key }: ListedVersions, address: ResourceAddress | undefined): boolean {
  return (
    address === undefined ||
    (type === address.type && key.high === address.key.high && key.low === address.key.low)
  );
}

/** The versions of one resource, by version number. */
function instanceSource(
  services: Pick<Services, 'database' | 'reader'>,
  { space }: RequestContext,
  {
    address,
    id,
    bounds,
  }: { readonly address: ResourceAddress; readonly id: string; readonly bounds: HistoryBounds },
): Source {
  const { after, since = 0, at } = bounds;
  const range = { since, sinceSequence: after, ...(at === undefined ? {} : { at }) };
  return {
    isShort: true,
    positionOf: ({ version }) => version,
    async read(before = BEYOND_LAST_VERSION, limit) {
      const rows = await services.reader.history(space.number, address, { ...range, before, limit });
      return { rows: rows.filter((row) => rowOfId(row, id) !== undefined) };
    },
    count: () => countListedVersions(services.database, space.number, [address], bounds),
  };
}

const BEYOND_LAST_VERSION = 2147483647;

/** The versions of a type or a space, by version-sequence. */
function wideSource(reader: HistoryReader, bounds: HistoryBounds): Source {
  const isTimed = bounds.since !== undefined || bounds.at !== undefined;
  return {
    isShort: false,
    ...(bounds.newest === undefined ? {} : { newest: bounds.newest }),
    positionOf: ({ sequence }) => sequence,
    async read(first = BEYOND_LAST_SEQUENCE, limit) {
      const start = { ...bounds, before: first };
      if (!isTimed) return { rows: (await reader.scan(start, limit, limit)).rows };
      const { after, before } = await reader.narrow(start);
      const rows: PageRow[] = [];
      let position = before;
      let step = limit + STEPS.first;
      for (let scannedRows = 0; rows.length < limit; step = STEPS.further) {
        if (scannedRows >= MAX_WALKED) return { rows, reached: position };
        const scan = await reader.scan({ ...bounds, after, before: position }, step, limit - rows.length);
        rows.push(...scan.rows);
        if (scan.scanned < step) break;
        scannedRows += step;
        position = scan.lowest;
      }
      return { rows };
    },
    count: async () => reader.count(isTimed ? await reader.narrow(bounds) : bounds),
  };
}

/** The versions that a List names, by version-sequence. */
function listedSource(
  services: Pick<Services, 'database'>,
  { space }: RequestContext,
  listed: readonly ListedVersions[],
  bounds: HistoryBounds,
): Source {
  const { database } = services;
  return {
    isShort: false,
    ...(bounds.newest === undefined ? {} : { newest: bounds.newest }),
    positionOf: ({ sequence }) => sequence,
    async read(before = BEYOND_LAST_SEQUENCE, limit) {
      if (listed.length === 0) return { rows: [] };
      return {
        rows: await readListedVersions(database, space.number, listed, { ...bounds, before, limit }),
      };
    },
    count: async () =>
      listed.length === 0 ? 0 : countListedVersions(database, space.number, listed, bounds),
  };
}
