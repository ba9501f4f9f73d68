/** Resources, and the invariants that they break. */
import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import type { Release } from '../../../../src/core/fhir/release';
import { compileInvariants, type Invariant } from '../../../../src/core/fhir/validate/invariants';
import { Container } from '../../../../src/core/fhir/validate/container';
import { ValidationRun } from '../../../../src/core/fhir/validate/run';
import { readExamples, textOf } from '../path/examples';
import { placesOf, type Place } from './places';

/** The rules that a resource breaks, each with the element that breaks it. */
export function brokenBy(
  resource: JsonObject,
  release: Release = 'r4',
  severity: Invariant['severity'] = 'error',
): string[] {
  return askAll(questionsOf(resource, release, severity), resource);
}

/** An invariant that is to be asked about an element. */
export interface Question {
  readonly invariant: Invariant;
  readonly place: Place;
}

export function questionsOf(
  resource: JsonObject,
  release: Release = 'r4',
  severity: Invariant['severity'] = 'error',
): Question[] {
  const definitions = loadDefinitions(release);
  const questions: Question[] = [];
  for (const place of placesOf(definitions, resource)) {
    for (const invariant of compileInvariants(definitions, place.typeName, place.path, place.choice))
      if (invariant.severity === severity) questions.push({ invariant, place });
  }
  return questions;
}

/** In one validation. Its end before all were asked, because one took too many steps, is among the results. */
export function askAll(questions: readonly Question[], resource: JsonObject): string[] {
  const run = new ValidationRun('', resource, true);
  const broken: string[] = [];
  for (const { invariant, place } of questions) {
    run.resource = place.resource;
    if (run.rootResource !== place.rootResource) run.container = new Container(place.rootResource);
    if (invariant.holds(place.value, place.element, run)) continue;
    const { typeName, path } = place;
    broken.push(`${invariant.key} ${path === '' ? typeName : `${typeName}.${path}`}`);
  }
  return run.isExhausted ? [...broken, TOO_COSTLY] : broken;
}

export const TOO_COSTLY = 'too many steps';

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
