import type { RequestContext, Access } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import { isResolved } from '../search/matching/resolved-criteria';
import type { IndexRows } from '../search/rows/index-rows';
import type { Criterion } from '../search/predicate';
import type { ResourceKey } from '../search/rows/resource-key';
import { compileScan } from '../search/matching/scan';
import { testCriteria, type TestedVersion, type TestResult } from '../search/matching/version-test';
import type { SearchServices, Services } from '../ports';
import { keyText, type VersionRow } from '../storage/read/version-row';
import type { Extractor } from '../search/rows/extract';
import { Permissions } from './permissions';
import type { Right } from './right';
import { type BoundedCache, createCache } from '../memory/create-cache';

/** No limit: stored resources were accepted, perhaps under another limit. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;
/** Lifetime of parsed grants: `ap` compares with the time of parsing. */
const MAX_AGE_MS = 60_000;
const MAX_CACHED = 1000;

interface CachedGrants {
  readonly permissions: Permissions;
  readonly extract: Extractor;
  /** Policies are replaced as a whole when one of them changes. */
  readonly policies: RequestContext['space']['policies'];
}

const cachedGrants = new WeakMap<Services['keys'], BoundedCache<string, CachedGrants>>();

/** The last lookup for an Access: all requests of a token share one Access object. */
interface LatestLookup {
  readonly cachedGrants: CachedGrants;
  readonly all: BoundedCache<string, CachedGrants>;
  readonly space: number;
  readonly change: number;
  readonly openedTypes: RequestContext['space']['settings']['openedTypes'];
  /** By `performance.now()`. */
  readonly until: number;
}

const latestOf = new WeakMap<Access, LatestLookup>();

function cachedGrantsOf(
  services: Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>,
  context: RequestContext,
): CachedGrants | undefined {
  const { access, space } = context;
  if (access === undefined) return undefined;
  let all = cachedGrants.get(services.keys);
  if (all === undefined) {
    all = createCache<string, CachedGrants>({
      name: 'grants',
      scope: 'data',
      max: MAX_CACHED,
      ttl: MAX_AGE_MS,
    });
    cachedGrants.set(services.keys, all);
  }
  const change = space.searchParameters?.change ?? 0;
  const latest = latestOf.get(access);
  if (
    latest?.all === all &&
    latest.space === space.number &&
    latest.change === change &&
    latest.cachedGrants.policies === space.policies &&
    latest.openedTypes === space.settings.openedTypes &&
    latest.until > performance.now()
  )
    return latest.cachedGrants;
  const { patient = null, user = null, userPatients = null, scopes, policies, isAuditor } = access;
  const { openedTypes } = space.settings;
  const of = [patient, user, userPatients, isAuditor, scopes, policies, openedTypes];
  const key = JSON.stringify([space.number, change, ...of]);
  let found = all.get(key);
  if (found === undefined || found.policies !== space.policies) {
    found = {
      permissions: new Permissions(access, key, services.searchContext(space), {
        policies: space.policies ?? [],
        openedTypes,
      }),
      extract: services.createExtractor(space, ALL_ROWS),
      policies: space.policies,
    };
    all.set(key, found);
  }
  const until = performance.now() + all.getRemainingTTL(key);
  latestOf.set(access, { cachedGrants: found, all, space: space.number, change, openedTypes, until });
  return found;
}

/** The caller's effective permissions; undefined: unrestricted. Cost: a lookup. */
export function permissionsOf(
  services: Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>,
  context: RequestContext,
): Permissions | undefined {
  return context.access === undefined ? undefined : cachedGrantsOf(services, context)?.permissions;
}

/**
 * The text of a resource without elements that are hidden from the caller, for core's own use of its content. Cost: none
 * in open mode; else parsing, where elements are hidden.
 */
export function shownText(
  services: Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>,
  context: RequestContext,
  text: string,
): string {
  return permissionsOf(services, context)?.elements.strip(text) ?? text;
}

/** The stored versions that the caller may see; undefined: all. */
export function visibilityOf(services: SearchServices, context: RequestContext): Visibility | undefined {
  if (context.access === undefined) return undefined;
  const found = cachedGrantsOf(services, context);
  return found && new Visibility(services, context, found.permissions, found.extract);
}

/**
 * As `visibilityOf`, for one type and right. Undefined: the caller has the right to every resource of the type. Throws
 * `forbidden` where the caller has it to none. Cost: two lookups.
 */
export function visibilityAmong(
  services: SearchServices,
  context: RequestContext,
  type: string,
  right: Right,
): Visibility | undefined {
  const found = cachedGrantsOf(services, context);
  if (found === undefined || found.permissions.conditions(type, right).length === 0) return undefined;
  return new Visibility(services, context, found.permissions, found.extract);
}

/** Throws `forbidden` for a live current version that the caller may find by a search but not read. */
export async function requireReadable(
  services: SearchServices,
  context: RequestContext,
  { type, space, row }: { readonly type: string; readonly space: number; readonly row: VersionRow },
): Promise<void> {
  const visibility = visibilityOf(services, context);
  if (visibility === undefined || (await visibility.seesCurrent(type, 'r', space, row))) return;
  throw fhirError('forbidden', {
    reason: 'This client may search for matching resources but not read them',
  });
}

const verdicts = new WeakMap<VersionRow, Map<readonly Criterion[], TestResult>>();

/**
 * Tests versions against the conditions of grants. The version itself decides most conditions. Conditions on other
 * resources (chains, `_has`) need a query, and only for current versions; old versions with such conditions are hidden.
 */
export class Visibility {
  constructor(
    private readonly services: SearchServices,
    private readonly context: RequestContext,
    readonly permissions: Permissions,
    private readonly extract: Extractor,
  ) {}

  /** True if a live, current version is visible. Throws `forbidden` where the scope is missing. */
  async seesCurrent(type: string, right: Right, space: number, row: VersionRow): Promise<boolean> {
    if (this.permissions.conditions(type, right).length === 0) return true;
    return (await this.amongCurrent(type, right, space, [row])).has(row);
  }

  /** The visible ones of complete, live, current versions of one type. Cost: a statement for conditions on other resources. */
  async amongCurrent<Row extends VersionRow>(
    type: string,
    right: Right,
    space: number,
    rows: readonly Row[],
  ): Promise<ReadonlySet<Row>> {
    return this.meeting(this.permissions.conditions(type, right), type, space, rows);
  }

  /** As `amongCurrent`, for the conditions of one grant. */
  async meeting<Row extends VersionRow>(
    conditions: readonly Criterion[],
    type: string,
    space: number,
    rows: readonly Row[],
  ): Promise<ReadonlySet<Row>> {
    const open: Row[] = [];
    const seen = new Set<Row>();
    for (const row of rows) {
      const verdict = await this.verdictOfStored(type, conditions, row);
      if (verdict === 'yes') seen.add(row);
      else if (verdict === 'maybe') open.push(row);
    }
    const [first] = open;
    if (first === undefined) return seen;
    const { services, context } = this;
    const resolved = await services.grantSearches.resolve(services, context, conditions);
    const criterion: Criterion = { name: '_id', anyOf: [{ index: 'key', keys: open.map(({ key }) => key) }] };
    const heads = await services.grantSearches.matches(services, space, first.type, [criterion, ...resolved]);
    const found = new Map(heads.map((head) => [head.keyText, head.version]));
    for (const row of open) if (found.get(keyText(row.key)) === row.version) seen.add(row);
    return seen;
  }

  /**
   * The keys, in decimal form, of those live resources of a type that are visible. Cost: one statement, the same for keys
   * that do not exist.
   */
  async reachable(type: string, right: Right, keys: readonly ResourceKey[]): Promise<readonly string[]> {
    const { services, context } = this;
    const { number: space, release } = context.space;
    const typeNumber = services.definitions(release).typeNumber(type);
    if (typeNumber === undefined) return [];
    const resolved = await services.grantSearches.resolve(
      services,
      context,
      this.permissions.conditions(type, right),
    );
    const criterion: Criterion = { name: '_id', anyOf: [{ index: 'key', keys }] };
    const heads = await services.grantSearches.matches(services, space, typeNumber, [criterion, ...resolved]);
    return heads.map((head) => head.keyText);
  }

  /** True if a live version, perhaps an old one, is visible by its own content. */
  async seesContent(type: string, right: Right, row: VersionRow): Promise<boolean> {
    return (await this.verdictOfStored(type, this.permissions.conditions(type, right), row)) === 'yes';
  }

  /** `amongVersions` for one version. */
  async seesVersion(type: string, right: Right, space: number, row: VersionRow): Promise<boolean> {
    return (await this.amongVersions(type, right, space, [row])).has(row);
  }

  /**
   * The visible ones of any versions of one type: each must meet the conditions, and so must the current version, or the
   * last one before the deletion. A deletion is visible where the deleted version was. Cost: one or two batched reads,
   * none for current versions; a statement for conditions on other resources.
   */
  async amongVersions<Row extends VersionRow>(
    type: string,
    right: Right,
    space: number,
    rows: readonly Row[],
  ): Promise<ReadonlySet<Row>> {
    if (this.permissions.conditions(type, right).length === 0) return new Set(rows);
    const heads = await Promise.all(rows.map((row) => this.services.reader.current(space, row)));
    const live = new Map<string, VersionRow>();
    for (const head of heads)
      if (head !== undefined && head.change !== 'delete') live.set(keyText(head.key), head);
    const seenHeads = await this.amongCurrent(type, right, space, [...live.values()]);
    const seen = await Promise.all(
      rows.map(async (row, index) => {
        const head = heads[index];
        if (head === undefined) return false;
        const shown = live.get(keyText(head.key));
        const isSeen =
          shown === undefined ? await this.sawDeleted(type, right, space, head) : seenHeads.has(shown);
        if (!isSeen || head.version === row.version) return isSeen;
        return row.change === 'delete'
          ? this.sawDeleted(type, right, space, row)
          : this.seesContent(type, right, row);
      }),
    );
    return new Set(rows.filter((_row, index) => seen[index]));
  }

  /** True if the version that a deletion deleted was visible. Cost: a batched read. */
  async sawDeleted(type: string, right: Right, space: number, deletion: VersionRow): Promise<boolean> {
    if (this.permissions.conditions(type, right).length === 0) return true;
    const before = await this.services.reader.version(space, deletion, deletion.version - 1);
    return before !== undefined && before.change !== 'delete' && this.seesContent(type, right, before);
  }

  /** True if content that is about to be stored meets the conditions. */
  async verdictOn(
    type: string,
    right: Right,
    version: Omit<TestedVersion, 'lastUpdated'>,
  ): Promise<TestResult> {
    return this.verdictOf(this.permissions.conditions(type, right), version);
  }

  /** As `verdictOn`, for the conditions of one grant. */
  async verdictOf(
    conditions: readonly Criterion[],
    version: Omit<TestedVersion, 'lastUpdated'>,
  ): Promise<TestResult> {
    if (conditions.length === 0) return 'yes';
    return this.test(await this.resolved(conditions), { ...version, lastUpdated: Date.now() });
  }

  /** The index rows of a resource. */
  rowsOf(type: string, resource: JsonObject): IndexRows {
    return this.extract(type, resource);
  }

  private async verdictOfStored(
    type: string,
    conditions: readonly Criterion[],
    row: VersionRow,
  ): Promise<TestResult> {
    if (conditions.length === 0) return 'yes';
    let verdictsOfRow = verdicts.get(row);
    const before = verdictsOfRow?.get(conditions);
    if (before !== undefined) return before;
    const resource = parseStoredObject(row.body);
    const { key, lastUpdated } = row;
    const version = { key, lastUpdated, resource, rows: this.extract(type, resource) };
    const verdict = this.test(await this.resolved(conditions), version);
    if (!isResolved(conditions)) return verdict;
    if (verdictsOfRow === undefined)
      verdicts.set(row, (verdictsOfRow = new Map<readonly Criterion[], TestResult>()));
    verdictsOfRow.set(conditions, verdict);
    return verdict;
  }

  private async resolved(conditions: readonly Criterion[]): Promise<readonly Criterion[]> {
    if (isResolved(conditions)) return conditions;
    return this.services.grantSearches.resolve(this.services, this.context, conditions);
  }

  private test(conditions: readonly Criterion[], version: TestedVersion): TestResult {
    const { services } = this;
    return testCriteria(conditions, version, (scan) =>
      compileScan(services.definitions(scan.release), scan, (...of) => services.extractForScan(...of)),
    );
  }
}
