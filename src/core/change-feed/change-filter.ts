/** The filter of a live query, in the grammar of searches (https://hl7.org/fhir/R4/search.html). */
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { searchableCodes } from '../search/parameters/searchable-parameters';
import type { Right } from '../authorization/right';
import { permissionsOf, visibilityOf } from '../authorization/visibility';
import type { ChangeRequest } from '../api/change-stream';
import type { RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';
import { resolveCriteria } from '../search-execution/plan/resolve-criteria';
import { isResolved } from '../search/matching/resolved-criteria';
import { searchContext } from '../search-execution/plan/prepare-search';
import { markContained } from '../search-execution/page/mark-contained';
import { addressOf, printable, typeNumberOf } from '../versions/resource-address';
import { parseCriterion } from '../search/criteria';
import { hasScan } from '../search/matching/has-scan';
import type { Criterion, Scan } from '../search/predicate';
import { compileScan, type ScanTest } from '../search/matching/scan';
import {
  hasChain,
  isOfVersion,
  testCriteria,
  testCriterion,
  type TestedVersion,
  type TestResult,
} from '../search/matching/version-test';
import type { SearchServices } from '../ports';
import { runKeys } from '../storage/search/search-run';
import { keyText, type VersionRow } from '../storage/read/version-row';

const MAX_CRITERIA = 50;

/** Milliseconds after which the value sets, hierarchies and lists of a filter are resolved again. */
const RESOLVED_MS = 10_000;

/**
 * Criteria on the resources of one type, perhaps none; subscribers with equal requests share one object. Criteria on the
 * changed version are tested in memory. Criteria on other resources (chains, `_has`) need a query.
 */
export class ChangeFilter {
  /** Equal for filters with the same type, criteria and permissions. */
  readonly name: string;
  /** Undefined: all types. */
  readonly type: string | undefined;
  readonly typeNumber: number | undefined;
  readonly #parameters: ChangeRequest['parameters'];
  readonly #id: string | undefined;
  readonly #access: RequestContext['access'];
  readonly #scans = new Map<Scan, ScanTest>();
  #parsed: readonly Criterion[] = [];
  #criteria: readonly Criterion[] = [];
  /** The criteria that come from the subscriber's grants and not from its request. */
  #restricting: readonly Criterion[] = [];
  #right: Right = 's';
  #context: RequestContext;
  #policies: TenantSpace['policies'];
  #parsedFor: number | undefined;
  #resolvedAt = -Infinity;

  /** Throws unknownType, requiredMissing, unknownParameter, unsupportedModifier, invalidParameterValue, tooCostly, notSupported. */
  constructor(
    private readonly services: SearchServices,
    context: RequestContext,
    { type, id, parameters }: ChangeRequest,
  ) {
    if (type === undefined && (id !== undefined || parameters.length > 0))
      throw fhirError('requiredMissing', { reason: 'An id or a query needs the type that it is of' });
    this.type = type;
    this.typeNumber = type === undefined ? undefined : typeNumberOf(services, context, type);
    this.#id = id;
    this.#parameters = parameters.filter(([name, value]) => name !== '_' && value !== '');
    this.#access = context.access;
    this.#context = context;
    const key = permissionsOf(services, context)?.key;
    this.name = JSON.stringify([type, id, this.#parameters, ...(key === undefined ? [] : [key])]);
    this.#parse(context);
  }

  /** True where every change of the type matches, without a test. */
  get isOpen(): boolean {
    return this.#parsed.length === 0;
  }

  /** The criteria as they were parsed; all must be met. */
  get criteria(): readonly Criterion[] {
    return this.#parsed;
  }

  /** True where the subscriber's grants have conditions. */
  get isRestricted(): boolean {
    return this.#restricting.length > 0;
  }

  /** True where each page of changes needs a database query. */
  get asksDatabase(): boolean {
    return this.#criteria.some((criterion) => !isOfVersion(criterion));
  }

  #parse(given: RequestContext): void {
    const { type } = this;
    const context = { ...given, access: this.#access };
    const permissions = permissionsOf(this.services, context);
    this.#policies = context.space.policies;
    if (type === undefined) {
      permissions?.requireEverything('s', 'Following the changes of all types');
      this.#parsedFor = changeOf(context.space);
      return;
    }
    const isReading = this.#id !== undefined && this.#parameters.length === 0;
    this.#right = isReading ? 'r' : 's';
    const restricting = permissions?.conditions(type, this.#right) ?? [];
    if (this.#parameters.length > MAX_CRITERIA)
      throw fhirError('tooCostly', { reason: `A query may have at most ${MAX_CRITERIA} criteria` });
    const within = searchContext(this.services, context);
    const criteria = this.#parameters.map(([name, value]) => {
      const criterion = parseCriterion(within, type, name, value);
      if (criterion !== undefined) return criterion;
      const rest = 'a live query takes criteria only, no parameters for the form of an answer';
      const explanation = didYouMean(name, searchableCodes(within, type), rest);
      throw fhirError('unknownParameter', { parameter: printable(name), type, explanation });
    });
    if (this.#id !== undefined) {
      const { key } = addressOf(this.services, context, type, this.#id);
      criteria.push({ name: '_id', anyOf: [{ index: 'key', keys: [key] }] });
    }
    const mixed = criteria.find((criterion) => hasChain(criterion) && hasScan(criterion));
    if (mixed !== undefined) {
      const reason = `Live queries do not look for words in other resources: '${printable(mixed.name)}'`;
      throw fhirError('notSupported', { reason });
    }
    this.#parsed = [...restricting, ...criteria];
    this.#criteria = this.#parsed;
    this.#restricting = restricting;
    this.#parsedFor = changeOf(context.space);
    this.#resolvedAt = -Infinity;
    this.#scans.clear();
  }

  /**
   * Must be called before a page of changes is tested. Cost: none for most filters; for criteria on other resources or
   * terminology some statements, at most every ten seconds. Throws the errors of parsing and resolving.
   */
  async prepare(context: RequestContext): Promise<void> {
    if (this.isOpen && this.#access === undefined) return;
    this.#context = { ...context, access: this.#access };
    if (this.#parsedFor !== changeOf(context.space) || this.#policies !== context.space.policies)
      this.#parse(context);
    if (performance.now() - this.#resolvedAt < RESOLVED_MS) return;
    const isSettled = isResolved(this.#parsed) && this.#parsed.every(isOfVersion);
    if (!isSettled) {
      const resolved = await resolveCriteria(this.services, context, this.#parsed);
      this.#criteria = await markContained(this.services, context.space.number, resolved);
      this.#restricting = this.#criteria.slice(0, this.#restricting.length);
      this.#scans.clear();
    }
    this.#resolvedAt = isSettled ? Infinity : performance.now();
  }

  #scanTest(scan: Scan): ScanTest {
    let test = this.#scans.get(scan);
    if (test === undefined) {
      const { services } = this;
      test = compileScan(services.definitions(scan.release), scan, (...of) => services.extractForScan(...of));
      this.#scans.set(scan, test);
    }
    return test;
  }

  /** True if a version meets all criteria, by its own content. */
  test(version: TestedVersion): TestResult {
    return testCriteria(this.#criteria, version, (scan) => this.#scanTest(scan));
  }

  /** True if the subscriber may see a version that does not match its request, by the content of the version. */
  shows(version: TestedVersion): boolean {
    return testCriteria(this.#restricting, version, (scan) => this.#scanTest(scan)) === 'yes';
  }

  /**
   * True if the subscriber may still see a version that meets its grants. A resource that has left the grants since is
   * hidden with its past versions. Cost: where grants have conditions, a batched read of the current version.
   */
  async stillShows(row: VersionRow): Promise<boolean> {
    const { type } = this;
    if (type === undefined || !this.isRestricted) return true;
    const { number: space } = this.#context.space;
    const visibility = visibilityOf(this.services, this.#context);
    return visibility === undefined || visibility.seesVersion(type, this.#right, space, row);
  }

  /** The keys, in decimal form, of those candidate versions that meet the criteria now. Cost: one statement. */
  async findAmong(
    { number: space, release }: TenantSpace,
    versions: readonly TestedVersion[],
  ): Promise<ReadonlySet<string>> {
    const { services, type, typeNumber } = this;
    if (type === undefined || typeNumber === undefined || versions.length === 0) return new Set();
    const open = this.#criteria.filter((criterion) =>
      versions.some(
        (version) => testCriterion(criterion, version, (scan) => this.#scanTest(scan)) === 'maybe',
      ),
    );
    const keys = new Map(versions.map(({ key }) => [keyText(key), key]));
    const heads = await runKeys(services.database, {
      space,
      type: typeNumber,
      sortDateParameter: services.definitions(release).sortDateParameter(type)?.number,
      criteria: [{ name: '_id', anyOf: [{ index: 'key', keys: [...keys.values()] }] }, ...open],
      order: { by: 'key', descending: false },
      accessPath: { kind: 'fetchAndSort', criterion: 0 },
      phase: 'all',
      after: undefined,
      limit: keys.size,
    });
    return new Set(heads.map((head) => head.keyText));
  }
}

/** The number of the last change of the space's own search parameters. */
function changeOf(space: TenantSpace): number {
  return space.searchParameters?.change ?? 0;
}
