/** Tests criteria on one version of a resource, by the version alone: its index rows, its text, its key. */
import type { JsonObject } from '../../fhir/json';
import type { IndexRows } from '../rows/index-rows';
import type { Criterion, Predicate, Scan } from '../predicate';
import type { ResourceKey } from '../rows/resource-key';
import { meets } from './row-test';

/** `maybe`: the version alone does not decide, for example because of its references. */
export type TestResult = 'yes' | 'no' | 'maybe';

export interface TestedVersion {
  readonly key: ResourceKey;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
  readonly resource: JsonObject;
  readonly rows: IndexRows;
}

/** Compiles a scan to a test of resources. */
export type ScanTests = (scan: Scan) => { passes(resource: JsonObject): boolean };

/** Tests whether the version meets all criteria, as a search would. */
export function testCriteria(
  criteria: readonly Criterion[],
  version: TestedVersion,
  scans: ScanTests,
): TestResult {
  return all(criteria.map((criterion) => testCriterion(criterion, version, scans)));
}

export function testCriterion(
  { anyOf, isNegated = false }: Criterion,
  version: TestedVersion,
  scans: ScanTests,
): TestResult {
  const results = anyOf.map((predicate) => testPredicate(predicate, version, scans));
  const result: TestResult = results.includes('yes') ? 'yes' : results.includes('maybe') ? 'maybe' : 'no';
  return isNegated ? NEGATED[result] : result;
}

/** True where the version alone decides each predicate. */
export function isOfVersion({ anyOf }: Criterion): boolean {
  return anyOf.every((predicate) =>
    predicate.index === 'all' ? predicate.criteria.every(isOfVersion) : !isBeyond(predicate),
  );
}

const NEGATED: Readonly<Record<TestResult, TestResult>> = { yes: 'no', no: 'yes', maybe: 'maybe' };

function all(results: readonly TestResult[]): TestResult {
  if (results.includes('no')) return 'no';
  return results.includes('maybe') ? 'maybe' : 'yes';
}

/** True where the criterion follows references, at any depth. */
export function hasChain({ anyOf }: Criterion): boolean {
  return anyOf.some(
    (predicate) =>
      predicate.index === 'target' ||
      predicate.index === 'source' ||
      (predicate.index === 'all' && predicate.criteria.some(hasChain)),
  );
}

/** True where the predicate depends on other resources, or on more than the rows hold. */
function isBeyond({ index }: Predicate): boolean {
  switch (index) {
    case 'target':
    case 'source':
    case 'inside':
    case 'block':
    case 'position':
    case 'canonical':
    case 'valueSet':
    case 'subsumption':
    case 'hierarchy':
    case 'currentList':
      return true;
    default:
      return false;
  }
}

function testPredicate(predicate: Predicate, version: TestedVersion, scans: ScanTests): TestResult {
  if (isBeyond(predicate)) return 'maybe';
  switch (predicate.index) {
    case 'all':
      return testCriteria(predicate.criteria, version, scans);
    case 'scan':
      return toResult(scans(predicate.scan).passes(version.resource));
    case 'key':
      return toResult(
        predicate.keys.some(({ high, low }) => high === version.key.high && low === version.key.low),
      );
    case 'updated':
      return toResult(version.lastUpdated >= predicate.low && version.lastUpdated < predicate.high);
    default:
      return toResult(meets(predicate, version.rows));
  }
}

function toResult(isMet: boolean): TestResult {
  return isMet ? 'yes' : 'no';
}
