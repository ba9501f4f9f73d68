/** A tenant's search parameter whose expression exceeds its budget: the parameter fails, not the write. */
import { fhirError } from '../errors';
import type { IndexRows } from '../search/rows/index-rows';
import type { SpaceParameters } from '../search/parameters/tenant-parameter';

/** The reason that `$reindex-status`, the SearchParameter and the log show. */
export const EXCEEDED =
  'The expression went through more values, or took more time, than it may in one resource';

/** Nothing was written. The caller marks the parameter as failed and retries the write. */
export class ExceededParameterError extends Error {
  constructor(
    /** Number of the parameter. */
    readonly number: number,
  ) {
    super(`search parameter ${number} exceeded its budget`);
    this.name = 'ExceededParameterError';
  }
}

/**
 * Throws if the index rows of a resource to be written are incomplete: `ExceededParameterError`, or tooCostly if the
 * resource itself is too large.
 */
export function requireWithinBudget({ exceeded }: IndexRows, parameters: SpaceParameters | undefined): void {
  if (exceeded === undefined) return;
  if (!exceeded.isLargeResource) throw new ExceededParameterError(exceeded.parameter);
  const parameter = parameters?.list.find(({ number }) => number === exceeded.parameter);
  const reason = `The resource has so many values that SearchParameter/${parameter?.owner ?? ''} cannot be evaluated in it`;
  throw fhirError('tooCostly', { reason });
}
