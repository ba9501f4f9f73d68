import { fhirError, requireSearchLength } from '../core/index';

export type Parameter = readonly [name: string, value: string];

/** Parameters of REST that concern only the form of its answer. */
const PRESENTATION: readonly string[] = ['_format', '_pretty'];

/**
 * The parameters of a query string, as REST reads it; throws `invalidValue` for a malformed percent-encoding, `tooCostly`
 * for one that is too long.
 */
export function parseQuery(query: string): Parameter[] {
  requireSearchLength(query.length);
  try {
    decodeURIComponent(query);
  } catch {
    throw fhirError('invalidValue', { reason: "The percent-encoding of 'query' is not valid UTF-8" });
  }
  return [...new URLSearchParams(query)].filter(([name]) => !PRESENTATION.includes(name));
}
