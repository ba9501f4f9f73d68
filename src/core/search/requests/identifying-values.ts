/**
 * Values by which a client searches for a resource before creating it: identifiers, and the url of a canonical
 * resource.
 */
import type { Definitions } from '../../fhir/definitions';
import { isCanonicalUrl } from '../parameters/canonical-targets';
import type { IndexRows } from '../rows/index-rows';
import { storedParameters } from '../parameters/parameter';

/** True for `_id`, a parameter of identifiers, or the url of a canonical resource; never for a name with a modifier. */
export function isIdentifying(definitions: Definitions, type: string, name: string): boolean {
  if (name === '_id') return true;
  const stored = storedParameters(definitions, type).get(name);
  if (stored === undefined) return false;
  return stored.valueTypes.includes('Identifier') || isCanonicalUrl(definitions, stored.parameter);
}

/**
 * Returns the identifying values among a resource's rows, each once, named as by `tokenName` and `uriName`. Cost: some
 * µs.
 */
export function identifyingValues(
  definitions: Definitions,
  type: string,
  rows: Pick<IndexRows, 'tokens' | 'uris'>,
): readonly string[] {
  const parameters = new Set<number>();
  for (const [code, { rowsOf }] of storedParameters(definitions, type)) {
    if (isIdentifying(definitions, type, code)) for (const { number } of rowsOf) parameters.add(number);
  }
  const values = [
    ...rows.tokens
      .filter(({ parameter }) => parameters.has(parameter))
      .map(({ parameter, valueHigh, valueLow }) => tokenName(parameter, valueHigh, valueLow)),
    ...rows.uris
      .filter(({ parameter }) => parameters.has(parameter))
      .map(({ parameter, value }) => uriName(parameter, value)),
  ];
  return [...new Set(values)];
}

/** The name omits the system: `a|b` and `b` may mean the same resource. */
export function tokenName(parameter: number, high: number, low: number): string {
  return `token ${parameter} ${high} ${low}`;
}

export function uriName(parameter: number, value: string): string {
  return `uri ${parameter} ${value}`;
}
