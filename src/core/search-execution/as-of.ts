/** Searches of the resources of a type as of a moment (GraphQL's `asOf`). */
import { visibilityOf, type Visibility } from '../authorization/visibility';
import type { SearchPage } from '../api/search';
import { turns } from '../concurrency/turns';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import { parseSearch, type SearchQuery } from '../search/requests/parse-search';
import { MAX_SORTED } from '../search/sort/order';
import type { Criterion, Predicate, Scan } from '../search/predicate';
import { compileScan, type ScanTest } from '../search/matching/scan';
import { createSortValueReader } from '../search/sort/sort-value';
import { testCriteria } from '../search/matching/version-test';
import type { SearchServices, Services } from '../ports';
import { zoneOf } from '../search/values/space-zone';
import { findChangedSince } from '../storage/read/changed-since';
import type { MatchHead } from '../storage/search/search-run';
import { BEYOND_LAST_SEQUENCE, HistoryReader, readListedVersions } from '../storage/read/version-history';
import { keyOfText, keyText, type VersionRow } from '../storage/read/version-row';
import { fetchHeads } from './sort/fetch-heads';
import { printable, typeNumberOf } from '../versions/resource-address';
import { resolveCriteria } from './plan/resolve-criteria';
import { boundText, criterionOf, searchContext, type TypeSearchRequest } from './plan/prepare-search';
import { completePage } from './page/resolve-includes';
import { contentOf, followingOf, readSortValues, startOf, type Sortable } from './sort/sortables';
import { inOrder, pageLinks } from './page/search-position';
import { planningReason, withReason } from './search-timeout';
import { toStoredVersion } from '../versions/stored-version';

/** Maximum number of resources that have changed since; each is read. */
const MAX_CHANGED = 10_000;
/** Maximum number of versions that are scanned for those. */
const MAX_SCANNED = 200_000;
/** Texts in memory at once. */
const CHUNK = 100;

/**
 * One page of the resources of a type that matched all parameters at a moment, each in its version of that moment.
 * Resources that are unchanged since are found by a search of the current data; for the others, the version of that
 * moment is read and tested. Value sets are those of now.
 * Throws notSupported for criteria on other resources (chains, `_has`, hierarchies, lists), for includes, contained
 * resources and base conformance types, which have no stored past; tooCostly for more than 10,000 matches or
 * 10,000 resources that have changed since; and the errors of `search`.
 * Cost: a statement for the matches, three for the changed resources and one for each hundred of those, one for the
 * page; all in one snapshot.
 */
export async function searchAsOf(
  services: SearchServices,
  context: RequestContext,
  request: TypeSearchRequest,
  moment: number,
): Promise<SearchPage> {
  const { type, compartment } = request;
  const typeNumber = typeNumberOf(services, context, type);
  const typeContext = searchContext(services, context);
  const query = parseSearch(
    typeContext,
    type,
    request,
    request.handling ?? context.space.settings.searchUnknown,
  );
  requireSupported(services, context, query);
  const within = compartment === undefined ? [] : [criterionOf(typeContext, compartment, type)];
  const criteria = [...within, ...query.criteria];
  requireOwn(criteria);
  const cursorScope = `${boundText(context, request, query.used)} as of ${moment}`;
  return services.scope.inSnapshot(services, context, async (reading) => {
    const resolved = await withReason(resolveCriteria(reading, context, criteria), () =>
      planningReason(criteria),
    );
    const effective = { ...query, criteria: resolved };
    const reader = new AsOfReader(reading, context, { query: effective, type: typeNumber, moment });
    const answered = { issues: query.issues, used: query.used, included: [] };
    const heads = await reader.unchanged();
    const changed = await reader.changed();
    const total = heads.length + changed.length;
    if (query.countOnly) return { ...answered, matches: [], total };
    const unchanged = await readSortValues(reading, context, {
      query: effective,
      type: typeNumber,
      space: context.space.number,
      heads,
    });
    const start = startOf(reading, query, cursorScope);
    const matching = followingOf(query, [...unchanged, ...changed], start);
    const first = start.place === undefined && !start.isBackward ? query.offset : 0;
    const wanted = matching.slice(first, first + query.count);
    const page = await reader.read(wanted);
    const last = wanted[page.length - 1];
    const hasMore = last !== undefined && first + page.length < matching.length;
    return completePage(reading, context, query, {
      ...answered,
      matches: inOrder(
        page.map((row) => toStoredVersion(services, type, row)),
        start,
      ),
      ...(query.total === 'none' ? {} : { total }),
      ...pageLinks(reading, {
        cursorScope,
        pick: query,
        direction: start,
        places: {
          first: wanted[0] && contentOf(wanted[0]),
          last: last && contentOf(last),
          each: () => wanted.slice(0, page.length).map(contentOf),
        },
        more: hasMore,
      }),
    });
  });
}

function requireSupported(
  services: Pick<Services, 'isConformanceType'>,
  { space }: RequestContext,
  { type, includes, contained }: SearchQuery,
): void {
  const reason = services.isConformanceType(space.release, type)
    ? `${type} has resources of the specification, which have no history; read a single resource as of a moment`
    : includes.length > 0
      ? '_include and _revinclude are not supported as of a moment'
      : contained.matches !== 'false'
        ? '_contained is not supported as of a moment'
        : undefined;
  if (reason !== undefined) throw fhirError('notSupported', { reason });
}

/** Throws `notSupported` for a criterion that cannot be tested on a version alone. */
function requireOwn(criteria: readonly Criterion[]): void {
  const beyond = criteria.find((criterion) => !isOwn(criterion));
  if (beyond === undefined) return;
  const reason = `'${printable(beyond.name)}' depends on other resources, which is not supported as of a moment`;
  throw fhirError('notSupported', { reason });
}

/** Predicates on other resources, hierarchies, positions or contained resources. */
const BEYOND: ReadonlySet<Predicate['index']> = new Set([
  'target',
  'source',
  'inside',
  'block',
  'position',
  'canonical',
  'hierarchy',
  'currentList',
]);

function isOwn({ anyOf }: Criterion): boolean {
  return anyOf.every((predicate) => {
    if (predicate.index === 'all') return predicate.criteria.every(isOwn);
    if (predicate.index === 'scan' && predicate.scan.kind === 'rows')
      return predicate.scan.criteria.every(isOwn);
    return !BEYOND.has(predicate.index);
  });
}

/** A match as of the moment, with its version of that moment. */
type MatchAsOf = Sortable & { readonly head: MatchHead };

/** A search of the resources of a type as they were at a moment. */
interface AsOfSearch {
  readonly query: SearchQuery;
  readonly type: number;
  /** Milliseconds since 1970. */
  readonly moment: number;
}

/** The resources of a type as they were at a moment. */
class AsOfReader {
  private readonly query: SearchQuery;
  private readonly type: number;
  private readonly moment: number;
  private readonly space: number;
  private readonly scans = new Map<Scan, ScanTest>();
  private readonly visibility: Visibility | undefined;

  constructor(
    private readonly services: SearchServices,
    private readonly context: RequestContext,
    { query, type, moment }: AsOfSearch,
  ) {
    this.query = query;
    this.type = type;
    this.moment = moment;
    this.space = context.space.number;
    this.visibility = visibilityOf(services, context);
  }

  /** The current matches that have not changed since the moment. */
  unchanged(): Promise<MatchHead[]> {
    const since: Criterion = {
      name: '_lastUpdated',
      anyOf: [{ index: 'updated', low: 0, high: this.moment + 1 }],
    };
    return fetchHeads(this.services, this.space, this.type, [...this.query.criteria, since]);
  }

  /** The matches as of the moment among the resources that have changed since. Throws tooCostly, timeout. */
  async changed(): Promise<MatchAsOf[]> {
    const { services, context, query, space } = this;
    const readValues = createSortValueReader(
      services.definitions(context.space.release),
      query.type,
      query.sort,
      {
        references: services.references(context.space),
        zone: zoneOf(context.space),
        hasher: services.hasher,
      },
    );
    const found: MatchAsOf[] = [];
    const keys = await this.changedKeys();
    for (let start = 0; start < keys.length; start += CHUNK) {
      const matching: { readonly row: VersionRow; readonly resource: JsonObject }[] = [];
      for (const stored of await this.readOfThen(keys.slice(start, start + CHUNK))) {
        if (stored.change === 'delete') continue;
        await turns.take();
        const row = await services.reader.complete(space, stored);
        const resource = parseStoredObject(row.body);
        if (this.meets(row, resource)) matching.push({ row, resource });
      }
      const seen = await Promise.all(matching.map(({ row }) => this.isStillSeen(row)));
      for (const { row, resource } of matching.filter((_one, index) => seen[index])) {
        const id = row.id ?? services.keys.idOf(row.key);
        const head = {
          keyText: keyText(row.key),
          id: row.id,
          lastUpdated: row.lastUpdated,
          version: row.version,
          sortValue: null,
        };
        found.push({
          space,
          head,
          values: readValues(
            () => resource,
            row.lastUpdated,
            () => id,
          ),
        });
      }
      if (Date.now() > context.deadline) throw fhirError('timeout');
    }
    if (found.length > MAX_SORTED) throw tooMany(`More than ${MAX_SORTED} resources match`);
    return found;
  }

  /**
   * A resource that is no longer within the caller's grants is hidden, with its past versions (docs/run/access-rules.md).
   * Cost: none without conditions, else a batched read of the current version.
   */
  private async isStillSeen(row: VersionRow): Promise<boolean> {
    const { visibility, query, space } = this;
    return visibility === undefined || visibility.seesVersion(query.type, 's', space, row);
  }

  private meets(row: VersionRow, resource: ReturnType<typeof parseStoredObject>): boolean {
    const { services, context, query } = this;
    const rows = services.extract(context.space, query.type, resource);
    const version = { key: row.key, lastUpdated: row.lastUpdated, resource, rows };
    return testCriteria(query.criteria, version, (scan) => this.scanTest(scan)) === 'yes';
  }

  private scanTest(scan: Scan): ScanTest {
    let test = this.scans.get(scan);
    if (test === undefined) {
      const { services } = this;
      test = compileScan(services.definitions(scan.release), scan, (...of) => services.extractForScan(...of));
      this.scans.set(scan, test);
    }
    return test;
  }

  private async changedKeys(): Promise<readonly string[]> {
    const { services, space, type, moment } = this;
    const reader = new HistoryReader(services.database, space, type);
    const { after } = await reader.narrow({ after: 0, before: BEYOND_LAST_SEQUENCE, since: moment + 1 });
    const bounds = { type, after, moment, maxScanned: MAX_SCANNED, most: MAX_CHANGED + 1 };
    const { scanned, keys } = await findChangedSince(services.database, space, bounds);
    if (scanned === MAX_SCANNED || keys.length > MAX_CHANGED)
      throw tooMany(`More than ${MAX_CHANGED} resources of the type have changed since, or a few very often`);
    return keys;
  }

  private readOfThen(keys: readonly string[]): ReturnType<typeof readListedVersions> {
    const { services, space, type, moment } = this;
    return readListedVersions(
      services.database,
      space,
      keys.map((key) => ({ type, key: keyOfText(key) })),
      {
        after: 0,
        before: BEYOND_LAST_SEQUENCE,
        at: { low: moment, high: moment + 1 },
        limit: keys.length,
      },
    );
  }

  /** The versions of these matches in their order, as many as fit into one answer. */
  async read(matches: readonly Sortable[]): Promise<VersionRow[]> {
    if (matches.length === 0) return [];
    const { services, space, type } = this;
    const rows = await readListedVersions(
      services.database,
      space,
      matches.map(({ head }) => ({ type, key: keyOfText(head.keyText), version: head.version })),
      { after: 0, before: BEYOND_LAST_SEQUENCE, limit: matches.length },
    );
    const byKey = new Map(rows.map((row) => [keyText(row.key), row]));
    const inOrder = matches.flatMap(({ head }) => byKey.get(head.keyText) ?? []);
    return services.reader.completePage(inOrder, () => space);
  }
}

function tooMany(what: string): Error {
  return fhirError('tooCostly', {
    reason: `${what}, which is the limit of a list as of a moment. Narrow the search, or use a later moment`,
  });
}
