/** Search timeouts, with advice on the parameters that would make the search faster. */
import { FhirError, fhirError } from '../errors';
import type { Include } from '../search/requests/include';
import type { Criterion } from '../search/predicate';
import type { Plan } from './plan/plan';

/** Parameter names that a message lists, and characters of each. */
const MAX_NAMED = 5;
const LONGEST_NAME = 80;

/** Returns the result of `work`; turns a timeout into searchTimeout with the reason. Throws searchTimeout. */
export async function withReason<T>(work: Promise<T>, reason: () => string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FhirError && error.key === 'timeout') {
      throw fhirError('searchTimeout', { reason: reason() });
    }
    throw error;
  }
}

/** The reason when a search times out while it finds or counts matches. */
export function matchingReason({ criteria, accessPath }: Plan): string {
  const driver = 'criterion' in accessPath ? criteria[accessPath.criterion] : undefined;
  if (driver === undefined) {
    const tested = criteria.length === 0 ? '' : ` and tests each by ${list(criteria)}`;
    return `it scans all resources of the type${tested}; add a parameter that few of them match`;
  }
  const name = quote(driver.name);
  const others = criteria.filter((criterion) => criterion !== driver);
  const tested = others.length === 0 ? '' : ` and tests each by ${list(others)}`;
  return `it scans all resources that match ${name}${tested}; narrow ${name}, or add a parameter that fewer of them match`;
}

/** The reason when the count of the total times out. */
export function countingReason(plan: Plan): string {
  return `for the total ${matchingReason(plan)}, or leave the total out`;
}

/** The reason when a search times out before its access path is chosen. */
export function planningReason(criteria: readonly Criterion[]): string {
  return criteria.length === 0
    ? 'it scans all resources; add a parameter that few of them match'
    : `narrow ${list(criteria)}, or add a parameter that few resources match`;
}

/** The reason when reading the included resources times out. */
export function includingReason(includes: readonly Include[]): string {
  const names = new Set(includes.map(({ isReverse }) => (isReverse ? '_revinclude' : '_include')));
  return `the page includes many resources; leave out ${[...names].map(quote).join(' and ')}, or use a smaller _count`;
}

function list(criteria: readonly Criterion[]): string {
  const names = [...new Set(criteria.map(({ name }) => name))];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} others` : '';
  return names.slice(0, MAX_NAMED).map(quote).join(', ') + more;
}

function quote(name: string): string {
  return `'${name.slice(0, LONGEST_NAME)}'`;
}
