import { fhirError, requireSearchLength } from '../core/index';

export type Parameter = readonly [name: string, value: string];

/** Parameters of REST that affect only the form of its response. */
const PRESENTATION: readonly string[] = ['_format', '_pretty'];

/**
 * Parses the parameters of a query string, as REST does. Throws `invalidValue` for a malformed percent-encoding, and
 * `tooCostly` for a query that is too long.
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
