/** A search parameter of a tenant whose expression costs more than it may: it fails, and not the write. */
import { fhirError } from '../errors';
import type { IndexRows } from '../search/index-rows';
import type { SpaceParameters } from '../search/tenant-parameter';

/** What `$reindex-status`, the SearchParameter and the log say. */
export const EXCEEDED =
  'The expression went through more values, or took more time, than it may in one resource';

/** Nothing was written; the write is to be run again when the parameter has been marked as failed. */
export class ExceededParameterError extends Error {
  constructor(
    /** Of the parameter. */
    readonly number: number,
  ) {
    super(`search parameter ${number} exceeded its budget`);
    this.name = 'ExceededParameterError';
  }
}

/**
 * Throws where the rows of a resource that is to be written are not complete: `ExceededParameterError`, or tooCostly where the
 * resource is so large that it is refused instead.
 */
export function requireWithinBudget({ exceeded }: IndexRows, parameters: SpaceParameters | undefined): void {
  if (exceeded === undefined) return;
  if (!exceeded.isLargeResource) throw new ExceededParameterError(exceeded.parameter);
  const parameter = parameters?.list.find(({ number }) => number === exceeded.parameter);
  const reason = `The resource has so many values that SearchParameter/${parameter?.owner ?? ''} cannot be evaluated in it`;
  throw fhirError('tooCostly', { reason });
}
