/** A search that takes too long is answered with the parameters that would make it shorter. */
import { FhirError, fhirError } from '../errors';
import type { Include } from '../search/include';
import type { Criterion } from '../search/predicate';
import type { Plan } from './plan/plan';

/** Names that one answer lists, and characters of each. */
const MAX_NAMED = 5;
const LONGEST_NAME = 80;

/** The result of `work`; a time limit that it meets is told with a reason. Throws searchTimeout. */
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

/** While the matches are found or counted. */
export function matchingReason({ criteria, accessPath }: Plan): string {
  const driver = 'criterion' in accessPath ? criteria[accessPath.criterion] : undefined;
  if (driver === undefined) {
    const tested = criteria.length === 0 ? '' : ` and tests each by ${list(criteria)}`;
    return `it goes through all resources of the type${tested}; add a parameter that few of them meet`;
  }
  const name = quote(driver.name);
  const others = criteria.filter((criterion) => criterion !== driver);
  const tested = others.length === 0 ? '' : ` and tests each by ${list(others)}`;
  return `it goes through all resources that meet ${name}${tested}; narrow ${name}, or add a parameter that fewer of them meet`;
}

/** While the total is counted. */
export function countingReason(plan: Plan): string {
  return `for the total ${matchingReason(plan)}, or leave the total out`;
}

/** Before it is known how the matches are found. */
export function planningReason(criteria: readonly Criterion[]): string {
  return criteria.length === 0
    ? 'it goes through all resources; add a parameter that few of them meet'
    : `narrow ${list(criteria)}, or add a parameter that few resources meet`;
}

/** While what the matches bring along is read. */
export function includingReason(includes: readonly Include[]): string {
  const names = new Set(includes.map(({ isReverse }) => (isReverse ? '_revinclude' : '_include')));
  return `the page brings much along; leave out ${[...names].map(quote).join(' and ')}, or ask for a smaller _count`;
}

function list(criteria: readonly Criterion[]): string {
  const names = [...new Set(criteria.map(({ name }) => name))];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} others` : '';
  return names.slice(0, MAX_NAMED).map(quote).join(', ') + more;
}

function quote(name: string): string {
  return `'${name.slice(0, LONGEST_NAME)}'`;
}
