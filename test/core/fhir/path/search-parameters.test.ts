import { loadDefinitions, type SearchParameterDefinition } from '../../../../src/core/fhir/definitions';
import type { JsonObject, JsonValue } from '../../../../src/core/fhir/json';
import { compilePath, type PathValue } from '../../../../src/core/fhir/path';
import { RELEASE_NAMES } from '../../../../src/core/fhir/release';
import { createOracle, toComparable, withPlainNumbers } from './oracle';
import { nameOf, readExamples, textOf } from './examples';
import differences from './differences.json';
import { sampled } from '../../../support/rounds';

type Evaluate = (resource: JsonObject) => string[];

interface Pair {
  readonly label: string;
  readonly ours: Evaluate;
  readonly theirs: Evaluate;
}

describe.each(RELEASE_NAMES)('the search parameters of %s', (release) => {
  const definitions = loadDefinitions(release);
  const oracle = createOracle(definitions);
  const listed = differences.filter((difference) => difference.release === release);

  it('all compile', () => {
    for (const { expression, type, components } of definitions.allSearchParameters) {
      if (expression === undefined) continue;
      expect(() => compilePath(expression, { definitions, rootType: type, isStrict: true })).not.toThrow();
      for (const component of components) compilePath(component.expression, { definitions });
    }
  });

  it('find in official examples the values that the oracle finds, except for listed differences', () => {
    const all = readExamples(release);
    const tenth = new Set(sampled(all));
    const different = new Set(listed.map(({ example }) => example));
    const examples = all.filter((resource) => tenth.has(resource) || different.has(nameOf(resource)));
    const pairs = new Map<string, Pair[]>();
    const found: string[] = [];
    for (const resource of examples) {
      const type = textOf(resource['resourceType']);
      let ofType = pairs.get(type);
      if (!ofType)
        pairs.set(type, (ofType = [...definitions.searchParameters(type).values()].flatMap(toPairs)));
      for (const { label, ours, theirs } of ofType) {
        const [one, other] = [ours(resource), theirs(resource)];
        if (one.join() !== other.join()) found.push(`${label} @ ${nameOf(resource)}`);
      }
    }
    expect([...new Set(found)].sort()).toEqual(
      listed.map(({ expression, example }) => `${expression} @ ${example}`).sort(),
    );
  });

  function toPairs(parameter: SearchParameterDefinition): Pair[] {
    const { expression, type, components } = parameter;
    if (expression === undefined) return [];
    const path = compilePath(expression, { definitions, rootType: type });
    const other = oracle(expression);
    const pairs: Pair[] = [
      {
        label: expression,
        ours: (resource) => toTexts(path(resource)),
        theirs: (resource) => {
          const plain = withPlainNumbers(resource);
          return other(plain, plain).map(toComparable).sort();
        },
      },
    ];
    for (const component of components) {
      const part = compilePath(component.expression, { definitions });
      // The library needs the whole path to know the types.
      const whole = oracle(`(${expression}).select(${component.expression})`);
      pairs.push({
        label: `${expression} > ${component.expression}`,
        ours: (resource) => [
          ...new Set(toTexts(path(resource).flatMap((value) => part(value, { resource })))),
        ],
        theirs: (resource) => {
          const plain = withPlainNumbers(resource);
          return [...new Set(whole(plain, plain).map(toComparable).sort())];
        },
      });
    }
    return pairs;
  }
});

function toTexts(values: readonly PathValue[]): string[] {
  return values
    .map(({ value }): JsonValue => value)
    .filter((value) => value !== null)
    .map(toComparable)
    .sort();
}

describe('the listed differences', () => {
  it('are few, and each quotes the specification', () => {
    expect(differences.length).toBeLessThanOrEqual(15);
    for (const { specification } of differences) expect(specification.length).toBeGreaterThan(40);
  });
});
