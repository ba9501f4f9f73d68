import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { isJsonObject, parseJson, type JsonObject } from '../../../../src/core/fhir/json';
import type { Release } from '../../../../src/core/fhir/release';
import { createValidator, type Finding, type Validator } from '../../../../src/core/fhir/validate';

const validators = new Map<Release, Validator>();

export function validatorOf(release: Release): Validator {
  let validator = validators.get(release);
  if (!validator) validators.set(release, (validator = createValidator(loadDefinitions(release))));
  return validator;
}

export interface Judging {
  readonly isFull?: boolean;
  readonly release?: Release;
}

/** Returns the issues of a resource, given as a value or, where its literals matter, as JSON text. */
export function judge(
  given: object | string,
  { isFull = false, release = 'r4' }: Judging = {},
): readonly Finding[] {
  const { value } = parseJson(typeof given === 'string' ? given : JSON.stringify(given));
  if (!isJsonObject(value)) throw new Error('a resource is an object');
  return validatorOf(release).validate(value, { isFull }).findings;
}

/** Rule and place of each error, in the order in which they are told. */
export function errorsOf(given: object | string, judging?: Judging): string[] {
  return judge(given, judging)
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, expression }) => `${rule} ${expression}`);
}

/** A resource of a type with what it must have, and more. */
export function patient(members: object = {}): JsonObject {
  return { resourceType: 'Patient', ...members };
}

export function observation(members: object = {}): JsonObject {
  return { resourceType: 'Observation', status: 'final', code: { text: 'Weight' }, ...members };
}
