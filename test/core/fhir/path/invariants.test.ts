import { loadDefinitions, readBaseResources } from '../../../../src/core/fhir/definitions';
import { isJsonObject, parseJson, type JsonObject } from '../../../../src/core/fhir/json';
import { compilePath, PathError } from '../../../../src/core/fhir/path';
import { RELEASE_NAMES, type Release } from '../../../../src/core/fhir/release';
import { nameOf, readExamples, textOf } from './examples';

interface Invariant {
  readonly key: string;
  /** Type or element that it is evaluated on. */
  readonly path: string;
  readonly expression: string;
}

/** The invariants of severity error of types (not of profiles on them), each where it is defined. */
function readInvariants(release: Release): Invariant[] {
  const invariants = new Map<string, Invariant>();
  for (const { type, text } of readBaseResources(release)) {
    if (type !== 'StructureDefinition' || text.includes('"derivation":"constraint"')) continue;
    const definition = parseJson(text).value;
    const snapshot = isJsonObject(definition) ? definition['snapshot'] : undefined;
    for (const element of isJsonObject(snapshot) ? objects(snapshot['element']) : []) {
      for (const { key, expression, severity } of objects(element['constraint'])) {
        if (typeof expression !== 'string' || severity !== 'error') continue;
        const invariant = { key: textOf(key), path: textOf(element['path']), expression };
        invariants.set(`${invariant.path} ${invariant.key}`, invariant);
      }
    }
  }
  return [...invariants.values()];
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Slips of the specification, which strict compilation notices: boolean has no element `value`. */
const FAULTY: Readonly<Record<Release, readonly string[]>> = {
  r4: [],
  r4b: ["ing-1 on Ingredient: PathTypeError: boolean has no element 'value' (at 38)"],
};

/** The official examples that really break one: logical models without a base, a repeated linkId. */
const BROKEN: Readonly<Record<Release, readonly string[]>> = {
  r4: ['Definition', 'Event', 'FiveWs', 'Request'].map((name) => `sdf-4 StructureDefinition/${name}`),
  r4b: [
    'que-2 Questionnaire/qs1',
    ...['Definition', 'Event', 'FiveWs', 'Request'].map((name) => `sdf-4 StructureDefinition/${name}`),
  ],
};

describe.each(RELEASE_NAMES)('the invariants of %s', (release) => {
  const definitions = loadDefinitions(release);
  const invariants = readInvariants(release);

  it('all compile, strictly, on the type that has them', () => {
    const failures = new Set<string>();
    for (const { key, path, expression } of invariants) {
      const rootType = path.endsWith('[x]') ? undefined : path;
      try {
        compilePath(expression, { definitions, rootType, isStrict: true });
      } catch (error) {
        failures.add(`${key} on ${path}: ${String(error)}`);
      }
    }
    expect([...failures].sort()).toEqual(FAULTY[release]);
  });

  it('hold for the official examples, as far as they are invariants of whole resources', () => {
    const broken = new Set<string>();
    const compiled = new Map<string, [key: string, path: ReturnType<typeof compilePath>][]>();
    for (const { key, path, expression } of invariants) {
      if (!definitions.isResourceType(path)) continue;
      const ofType = compiled.get(path) ?? [];
      ofType.push([key, compilePath(expression, { definitions, rootType: path })]);
      compiled.set(path, ofType);
    }
    for (const resource of readExamples(release)) {
      if (JSON.stringify(resource).length > 200_000) continue;
      for (const [key, path] of compiled.get(textOf(resource['resourceType'])) ?? []) {
        try {
          if (path(resource)[0]?.value === false) broken.add(`${key} ${nameOf(resource)}`);
        } catch (error) {
          if (!(error instanceof PathError)) throw error;
          broken.add(`${key} ${nameOf(resource)} ${error.message}`);
        }
      }
    }
    expect([...broken].sort()).toEqual(BROKEN[release]);
  });
});
