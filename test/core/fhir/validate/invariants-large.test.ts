import type { JsonObject, JsonValue } from '../../../../src/core/fhir/json';
import { readExamples, textOf } from '../path/examples';
import { leastProcessorMilliseconds } from '../../../support/processor-time';
import { askAll, questionsOf } from './broken-by';
import { rounds } from '../../../support/rounds';

/** The limit for matching long texts, which counts no steps. */
const LIMIT_MILLISECONDS = rounds(2_000, 15_000);

function many<Value extends JsonValue>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_value, index) => make(index));
}

/** Compared each with each, these are more than the ten million steps of an invariant; compared by a table, far less. */
const COUNT = rounds(10_000, 30_000);
const ELEMENTS = rounds(6_000, 10_000);
const coding = (index: number): JsonObject => ({ system: 'urn:x', code: `c${index}` });
const PATH = 'a'.repeat(60);

const MANY: readonly [sentence: string, make: () => JsonObject][] = [
  ['codes and components of an Observation', () => ({
    resourceType: 'Observation',
    valueString: 'x',
    code: { coding: many(COUNT, coding) },
    component: [{ code: { coding: many(COUNT, (index) => coding(index + COUNT)) } }],
  })],
  ['components that are told apart by their extensions alone', () => ({
    resourceType: 'Observation',
    valueString: 'x',
    code: { coding: many(COUNT, (index) => ({ extension: [{ url: 'urn:x', valueInteger: index }] })) },
    component: [{ code: { coding: many(COUNT, (index) => ({ extension: [{ url: 'urn:x', valueInteger: -index - 1 }] })) } }],
  })],
  ['entries of a Bundle', () => ({
    resourceType: 'Bundle',
    type: 'collection',
    entry: many(COUNT, (index) => ({ fullUrl: `urn:x:${index}`, resource: { resourceType: 'Basic' } })),
  })],
  ['concepts of a CodeSystem', () => ({
    resourceType: 'CodeSystem',
    concept: many(COUNT, (index) => ({ code: `c${index}`, concept: [{ code: `d${index}` }] })),
  })],
  ['codes of a CodeSystem that have nothing but an extension', () => ({
    resourceType: 'CodeSystem',
    concept: many(COUNT, (index) => ({ _code: { extension: [{ url: 'urn:x', valueInteger: index }] } })),
  })],
  ['questions', () => ({
    resourceType: 'Questionnaire',
    item: many(COUNT, (index) => ({ linkId: String(index), type: 'display' })),
  })],
  ['resources and groupings of an ImplementationGuide', () => ({
    resourceType: 'ImplementationGuide',
    name: 'Guide',
    definition: {
      grouping: many(COUNT, (index) => ({ id: `g${index}` })),
      resource: many(COUNT, (index) => ({ groupingId: `g${index}`, fhirVersion: '4.0.1' })),
    },
    fhirVersion: ['4.0.1'],
  })],
  ['elements of a StructureDefinition', () => ({
    resourceType: 'StructureDefinition',
    name: 'Logical',
    kind: 'logical',
    abstract: true,
    type: 'X',
    snapshot: {
      element: many(ELEMENTS, (index) => {
        const path = index === 0 ? 'X' : `X.e${index}`;
        return { id: path, path, definition: 'x', min: 0, max: '*', base: { path, min: 0, max: '*' } };
      }),
    },
    differential: { element: many(ELEMENTS, (index) => ({ id: `X.e${index}`, path: index === 0 ? 'X' : `X.e${index}` })) },
  })],
]; // prettier-ignore

const LONG: readonly [sentence: string, broken: readonly string[], make: () => JsonObject][] = [
  ['a path of many parts', ['sdf-8a StructureDefinition.differential', 'eld-19 ElementDefinition'], () => ({
    resourceType: 'StructureDefinition',
    kind: 'logical',
    abstract: true,
    type: 'X',
    differential: { element: [{ id: 'X', path: 'X' }, { id: 'Y', path: many(COUNT / 2, () => PATH).join('.') + ' ' }] },
  })],
  ['a path and a name longer than any string of FHIR', ['eld-19 ElementDefinition'], () => ({
    resourceType: 'StructureDefinition',
    kind: 'logical',
    abstract: true,
    type: 'X',
    name: 'n'.repeat(16_000_000),
    differential: { element: [{ id: 'X', path: 'X.y'.repeat(4_000_000) }] },
  })],
]; // prettier-ignore

describe('the invariants of a resource with very many', () => {
  it.each(MANY)('%s do not compare each with each', (_sentence, make) => {
    const resource = make();
    expect(askAll(questionsOf(resource), resource)).toEqual([]);
  });
});

describe('the invariants of a resource with', () => {
  it.each(LONG)('%s take linear time', (_sentence, broken, make) => {
    const resource = make();
    const questions = questionsOf(resource);
    const found = new Set<string>();
    const spent = leastProcessorMilliseconds(LIMIT_MILLISECONDS, () => {
      for (const rule of askAll(questions, resource)) found.add(rule);
    });
    expect([...found]).toEqual(broken);
    expect(spent).toBeLessThan(LIMIT_MILLISECONDS);
  });
});

/** The limits are ten times what `node bench/invariants.mjs` measures on an idle machine, so that only gross slowness fails. */
it.each([
  ['Patient', 25],
  ['Observation', 35],
])('checks all invariants of a %s in %d µs or less', (type, limit) => {
  const resources = readExamples('r4').filter((resource) => textOf(resource['resourceType']) === type);
  const questions = resources.map((resource) => questionsOf(resource));
  const times: number[] = [];
  for (let round = 0; round < rounds(30, 300); round++) {
    resources.forEach((resource, index) => {
      const started = performance.now();
      askAll(questions[index] ?? [], resource);
      times.push((performance.now() - started) * 1000);
    });
  }
  times.sort((one, other) => one - other);
  expect(times[times.length >> 1]).toBeLessThan(limit);
});
