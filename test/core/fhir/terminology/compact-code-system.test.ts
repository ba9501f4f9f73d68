/** The compact form of a code system answers like the code system itself. */
import type { JsonObject } from '../../../../src/core/fhir/json';
import { Random } from '../random-json';
import type { CodeSystem, Concept } from '../../../../src/core/fhir/terminology/code-system';
import { fromCompact, toCompact } from '../../../../src/core/fhir/terminology/compact-code-system';
import { readCodeSystem } from '../../../../src/core/fhir/terminology/read-code-system';

const CODES = ['a', 'B', 'b', 'ab', 'Ä', '𐐷', 'zz', '10', '9'];

function makeConcept(random: Random, depth = 0): JsonObject {
  const property = (): JsonObject =>
    random.pick<JsonObject>([
      { code: 'parent', valueCode: random.pick(CODES) },
      { code: 'child', valueCode: random.pick(CODES) },
      { code: 'inactive', valueBoolean: random.below(2) === 0 },
      { code: 'notSelectable', valueBoolean: random.below(2) === 0 },
    ]);
  const some = (make: () => JsonObject): JsonObject[] => Array.from({ length: 1 + random.below(2) }, make);
  return {
    code: random.pick(CODES),
    ...(random.below(2) === 0 ? { display: random.pick(['a', '"', 'ü\n', '𐐷']) } : {}),
    ...(random.below(2) === 0 ? { property: some(property) } : {}),
    ...(depth < 3 && random.below(5) < 2 ? { concept: some(() => makeConcept(random, depth + 1)) } : {}),
  };
}

function makeCodeSystem(seed: number): JsonObject {
  const random = new Random(Math.imul(seed, 2_654_435_761) | 1);
  return {
    resourceType: 'CodeSystem',
    url: 'http://example.org/cs',
    content: random.pick(['complete', 'fragment']),
    caseSensitive: random.below(2) === 0,
    concept: Array.from({ length: 1 + random.below(5) }, () => makeConcept(random)),
  };
}

const codesOf = (concepts: Iterable<Concept>): string[] => [...concepts].map(({ code }) => code);

function describeConcept(each: Concept | undefined): object | undefined {
  if (each === undefined) return undefined;
  const { code, display, isAbstract, isInactive, parents, children } = each;
  const { concept: _, ...element } = each.element;
  return {
    code,
    display,
    isAbstract,
    isInactive,
    element,
    parents: codesOf(parents),
    children: codesOf(children),
  };
}

function describeSystem(codeSystem: CodeSystem): object {
  const { url, version, content, conceptCount, isHierarchical, isBuiltIn } = codeSystem;
  const { concept: _, ...head } = codeSystem.head;
  const asked = [...CODES, 'A', 'AB', 'ä', '', 'zzz'];
  return {
    ...{ url, version, content, conceptCount, isHierarchical, isBuiltIn, head },
    propertyCodes: [...codeSystem.propertyCodes],
    concepts: [...(codeSystem.concepts ?? [])].map(describeConcept),
    found: asked.map((code) => describeConcept(codeSystem.find(code))),
  };
}

it('a compact code system has the same concepts, relations and look-ups', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const whole = readCodeSystem(makeCodeSystem(seed));
    const compact = fromCompact(structuredClone(toCompact(whole)));
    expect({ seed, ...describeSystem(compact) }).toEqual({ seed, ...describeSystem(whole) });
  }
});

it('decimals of properties keep their digits', () => {
  const compact = fromCompact(
    toCompact(
      readCodeSystem({
        url: 'http://example.org/cs',
        concept: [{ code: 'a', property: [{ code: 'weight', valueDecimal: '\u00011.50' }] }],
      }),
    ),
  );
  expect(compact.find('a')?.element).toEqual({
    code: 'a',
    property: [{ code: 'weight', valueDecimal: '\u00011.50' }],
  });
});
