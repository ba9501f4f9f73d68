/** HL7's terminology tests (github.com/HL7/fhir-tx-ecosystem-ig), from the folder `tests` that TX_TESTS names. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, textOf, type Json, type JsonObject } from './templates';

export interface TxTest {
  readonly name: string;
  readonly operation: string;
  readonly mode?: string;
  /** Files below the folder. */
  readonly request: string;
  readonly response: string;
  /** A file with parameters that are sent too. */
  readonly profile?: string;
  readonly 'Accept-Language'?: string;
}

export interface TxSuite {
  readonly name: string;
  readonly mode?: string;
  /** Files of the code systems, value sets and maps that the tests use. */
  readonly setup: readonly string[];
  readonly tests: readonly TxTest[];
}

/** The folder. **Throws** Error if it is not there. */
function folder(): string {
  const named = process.env['TX_TESTS'];
  if (!named || !existsSync(path.join(named, 'test-cases.json')))
    throw new Error('TX_TESTS must name the folder with the file test-cases.json; see CONTRIBUTING.md');
  return named;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(folder(), name), 'utf8').replace(/^\uFEFF/, ''));
}

/** A resource of the tests. **Throws** Error if there is none. */
export function readResource(name: string): JsonObject {
  const resource = readJson(name) as JsonObject;
  if (!isObject(resource)) throw new Error(`${name} has no resource`);
  return resource;
}

const PROPERTY =
  /^http:\/\/hl7\.org\/fhir\/5\.0\/StructureDefinition\/extension-ValueSet\.expansion\.(contains\.)?property$/;

/** An answer as R5 has it: properties in an expansion are extensions in R4 (r4.md of the tests). */
export function toR5(answer: JsonObject): JsonObject {
  const convert = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(convert);
    if (!isObject(value)) return value;
    const { extension, ...rest } = value;
    const all = Array.isArray(extension) ? extension.filter(isObject) : [];
    const properties = all.filter(({ url }) => PROPERTY.test(textOf(url)));
    const others = all.filter((each) => !properties.includes(each));
    const property = properties.map((each) => {
      const parts = Array.isArray(each['extension']) ? each['extension'].filter(isObject) : [];
      return Object.fromEntries(
        parts.flatMap(({ url, ...member }) =>
          Object.entries(member).map(([name, below]) => [url === 'value' ? name : textOf(url), below]),
        ),
      );
    });
    return {
      ...(others.length === 0 ? {} : { extension: others.map(convert) }),
      ...Object.fromEntries(Object.entries(rest).map(([name, below]) => [name, convert(below)])),
      ...(property.length === 0 ? {} : { property }),
    };
  };
  return convert(answer) as JsonObject;
}

/** The suites for every server, with the tests that are for every server. */
export function readGeneralSuites(): readonly TxSuite[] {
  const { suites } = readJson('test-cases.json') as { readonly suites: readonly TxSuite[] };
  return suites
    .filter(({ mode }) => mode === 'general')
    .map((suite) => ({
      ...suite,
      tests: suite.tests.filter((test) => (test.mode ?? 'general') === 'general'),
    }));
}

/** `equivalence` of R4 is said from the target; `relationship` of R5 from the source (hl7.org/fhir/R5/conceptmap.html). */
const EQUIVALENCES: Readonly<Record<string, string>> = {
  'related-to': 'relatedto',
  equivalent: 'equivalent',
  'source-is-narrower-than-target': 'wider',
  'source-is-broader-than-target': 'narrower',
  'not-related-to': 'disjoint',
};
/** Elements of R5 by the name that R4 has for them. */
const RENAMED: Readonly<Record<string, string>> = {
  sourceScopeUri: 'sourceUri',
  sourceScopeCanonical: 'sourceCanonical',
  targetScopeUri: 'targetUri',
  targetScopeCanonical: 'targetCanonical',
};

/**
 * A resource of the set-up as R4 has it: the tests are written in R5, and HL7's runner converts them. What R4 has no place for is left
 * out, and `status`, which some lack, is `unknown`.
 */
export function toR4(resource: JsonObject): JsonObject {
  const convert = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(convert);
    if (!isObject(value)) return value;
    // R4 asks for a comment where a target is narrower (cmd-1).
    const comment: JsonObject =
      textOf(value['relationship']) === 'source-is-broader-than-target' ? { comment: 'narrower' } : {};
    const entries = Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !name.includes(':') && !name.startsWith('versionAlgorithm'))
        .map(([name, below]) => {
          if (name === 'relationship') return ['equivalence', EQUIVALENCES[textOf(below)] ?? below];
          // R4 has no relationship of what is not mapped.
          if (name === 'unmapped' && isObject(below))
            return [
              name,
              Object.fromEntries(Object.entries(below).filter(([each]) => each !== 'relationship')),
            ];
          return [RENAMED[name] ?? name, convert(below)];
        }),
    );
    return { ...comment, ...entries };
  };
  return { status: 'unknown', ...Object.fromEntries(Object.entries(convert(resource) as JsonObject)) };
}
