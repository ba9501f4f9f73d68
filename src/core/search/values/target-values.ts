/** Targets that a resource refers to by a search parameter: the same values that its index rows are made from. */
import { firstAddress } from '../../fhir/bundle/entry-index';
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import { compileParameterPath, type ParameterPath } from '../parameters/parameter-path';

/** A reference, or a canonical url, as written. */
export interface Target {
  readonly text: string;
  readonly isCanonical: boolean;
}

const compiled = new WeakMap<SearchParameterDefinition, ParameterPath>();

/**
 * Returns the targets without contained ones, which are part of the resource. A parameter whose value is the first
 * resource of a Bundle (`Bundle.composition`) leads to the stored one at its address. Cost: some microseconds.
 */
export function targetsOf(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  resource: JsonObject,
): Target[] {
  const { expression } = parameter;
  if (expression === undefined) return [];
  let path = compiled.get(parameter);
  if (path === undefined) {
    path = compileParameterPath(definitions, parameter, expression);
    compiled.set(parameter, path);
  }
  return path(resource).flatMap(({ value, type: valueType }) => {
    const text =
      isJsonObject(value) && typeof value['resourceType'] === 'string'
        ? firstAddress(resource)
        : referenceOf(value);
    if (text === undefined || text === '' || text.startsWith('#')) return [];
    return [{ text, isCanonical: valueType === 'canonical' || valueType === 'uri' }];
  });
}

function referenceOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  const { reference } = value;
  if (typeof reference === 'string') return reference;
  // CodeableReference of R4B.
  return isJsonObject(reference) && typeof reference['reference'] === 'string'
    ? reference['reference']
    : undefined;
}
