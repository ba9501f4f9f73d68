import { fhirError } from '../../errors';
import type { JsonObject, JsonValue } from '../json';
import { toExpression, toRoot } from '../json/fault';

/** Throws `tooCostly` with the expression of the first value of a patched resource nested deeper than `levels`. */
export function refuseDeeper(resource: JsonObject, levels: number): void {
  const place = findDeeper(resource, levels);
  if (place === undefined) return;
  const reason = `The patched resource is nested deeper than ${levels} levels`;
  throw fhirError('tooCostly', { reason }, toExpression(toRoot(resource['resourceType']), place));
}

/** Returns the path to an object or array that is nested deeper than `levels`. */
function findDeeper(value: JsonValue, levels: number): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels <= 0) return [];
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      const below = findDeeper(element, levels - 1);
      if (below !== undefined) return [index, ...below];
    }
    return undefined;
  }
  for (const name in value) {
    const below = findDeeper(value[name] ?? null, levels - 1);
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
}
