import type { Definitions, SearchParameterDefinition } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import type { PathValue } from '../fhir/path';
import { extensionValue } from './extract';
import { compileParameterPath } from './parameter-path';

/** The values that a parameter finds in a resource; those of extensions by themselves. Cost: once, some 100 µs. */
export function compileValues(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
): (resource: JsonObject) => readonly PathValue[] {
  if (parameter.expression === undefined) return () => [];
  const path = compileParameterPath(definitions, parameter, parameter.expression);
  return (resource) =>
    path(resource).flatMap((found) =>
      found.type === 'Extension' ? (extensionValue(definitions, found) ?? []) : [found],
    );
}
