/** Resources, and the invariants that they break. */
import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import type { Release } from '../../../../src/core/fhir/release';
import { compileInvariants } from '../../../../src/core/fhir/validate/invariants';
import { ValidationRun } from '../../../../src/core/fhir/validate/run';
import { readExamples, textOf } from '../path/examples';
import { placesOf } from './places';

/** The rules of severity error that a resource breaks, each with the element that breaks it. */
export function brokenBy(resource: JsonObject, release: Release = 'r4', severity = 'error'): string[] {
  const definitions = loadDefinitions(release);
  const run = new ValidationRun('', resource, true);
  const broken: string[] = [];
  for (const place of placesOf(definitions, resource)) {
    Object.assign(run, { resource: place.resource });
    const { typeName, path, choice } = place;
    for (const invariant of compileInvariants(definitions, typeName, path, choice)) {
      if (invariant.severity !== severity || invariant.holds(place.value, place.element, run)) continue;
      broken.push(`${invariant.key} ${path === '' ? typeName : `${typeName}.${path}`}`);
    }
  }
  return broken;
}

const examples = new Map<string, JsonObject>();

/** An official example, to be changed at will. */
export function example(type: string, id: string, release: Release = 'r4'): JsonObject {
  if (!examples.has(release)) {
    examples.set(release, {});
    for (const one of readExamples(release))
      examples.set(`${release} ${textOf(one['resourceType'])}/${textOf(one['id'])}`, one);
  }
  const found = examples.get(`${release} ${type}/${id}`);
  if (!found) throw new Error(`There is no example ${type}/${id}`);
  return structuredClone(found);
}

export function objectAt(value: JsonValue | undefined, ...steps: (string | number)[]): JsonObject {
  let at: JsonValue | undefined = value;
  for (const step of steps) {
    if (typeof step === 'number') at = Array.isArray(at) ? at[step] : undefined;
    else at = isJsonObject(at) ? at[step] : undefined;
  }
  if (!isJsonObject(at)) throw new Error(`There is no object at ${steps.join('.')}`);
  return at;
}
