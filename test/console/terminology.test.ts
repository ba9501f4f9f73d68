import { readMappings } from '../../console/src/fhir/concept-map';
import { searchesFor } from '../../console/src/fhir/code-searches';
import { readCapabilities } from '../../console/src/fhir/capabilities';
import {
  compareConcepts,
  MOST_CONCEPTS,
  MOST_LISTED,
  TooManyConcepts,
  type ConceptPages,
} from '../../console/src/fhir/compare-concepts';
import {
  countConcepts,
  findConcepts,
  isInTables,
  matchedDesignation,
  pathTo,
  readConcepts,
} from '../../console/src/fhir/concepts';
import { readExpansion, readParameters, textIn } from '../../console/src/fhir/terminology';
import { readRules } from '../../console/src/fhir/value-set-rules';

describe('An expansion', () => {
  it('lists codes below others after them, with their depth', () => {
    const { codes, total } = readExpansion({
      resourceType: 'ValueSet',
      expansion: {
        total: 3,
        contains: [
          {
            system: 'urn:s',
            code: 'a',
            display: 'A',
            abstract: true,
            contains: [{ system: 'urn:s', code: 'b' }],
          },
          { display: 'A heading', contains: [{ system: 'urn:s', code: 'c', inactive: true }] },
        ],
      },
    });
    expect(total).toBe(3);
    expect(codes.map(({ code, depth }) => [code, depth])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 1],
    ]);
    expect(codes[0]).toMatchObject({ system: 'urn:s', display: 'A', isAbstract: true, isInactive: false });
    expect(codes[2]?.isInactive).toBe(true);
  });

  it('without codes is empty', () => {
    expect(readExpansion({ resourceType: 'ValueSet' })).toEqual({ codes: [], total: undefined });
  });
});

it('The answer of an operation has texts, codings and parts', () => {
  const parameters = readParameters({
    resourceType: 'Parameters',
    parameter: [
      { name: 'result', valueBoolean: false },
      { name: 'concept', valueCoding: { system: 'urn:s', code: 'a' } },
      { name: 'property', part: [{ name: 'code', valueCode: 'parent' }] },
      { name: 'issues', resource: { resourceType: 'OperationOutcome' } },
    ],
  });
  expect(parameters.map(({ name }) => name)).toEqual(['result', 'concept', 'property']);
  expect(textIn(parameters, 'result')).toBe('false');
  expect(textIn(parameters, 'concept')).toBe('urn:s|a');
  expect(textIn(parameters[2]?.parts ?? [], 'code')).toBe('parent');
  expect(textIn(parameters, 'absent')).toBe('');
});

describe('The concepts of a code system', () => {
  const concepts = readConcepts({
    resourceType: 'CodeSystem',
    concept: [
      { code: 'a', display: 'Alpha', concept: [{ code: 'b', definition: 'Second letter' }] },
      { code: 'c', display: 'Gamma' },
    ],
  });

  it('are a tree, and counted on all levels', () => {
    expect(concepts.map(({ code, children }) => [code, children.length])).toEqual([
      ['a', 1],
      ['c', 0],
    ]);
    expect(countConcepts(concepts)).toBe(3);
  });

  it('are found by code, display and definition on all levels, up to a limit', () => {
    const codesOf = (text: string, limit = 10): readonly string[] =>
      findConcepts(concepts, text, limit).map(({ code }) => code);
    expect(codesOf('LETTER')).toEqual(['b']);
    expect(codesOf('a')).toEqual(['a', 'c']);
    expect(codesOf('a', 1)).toEqual(['a']);
    expect(codesOf('zeta')).toEqual([]);
  });
});

describe('Concepts of several parents', () => {
  const below = (code: string, parents: readonly string[], others: object = {}): object => ({
    code,
    property: parents.map((valueCode) => ({ code: 'parent', valueCode })),
    ...others,
  });
  const read = (concept: readonly object[]) =>
    readConcepts(JSON.parse(JSON.stringify({ resourceType: 'CodeSystem', concept })));
  const roots = read([
    { code: 'vehicle', display: 'Vehicle', property: [{ code: 'child', valueCode: 'boat' }] },
    { code: 'toy', display: 'Toy', concept: [below('toy-boat', ['boat'], { display: 'Toy boat' })] },
    { code: 'boat', designation: [{ language: 'de', value: 'Schönes Schiff' }] },
  ]);

  it('stand below each of them, by nesting and by properties, and are counted once', () => {
    expect(roots.map(({ code }) => code)).toEqual(['vehicle', 'toy']);
    const [toyBoat] = findConcepts(roots, 'toy-boat', 10);
    expect(toyBoat?.parents.map(({ code }) => code)).toEqual(['toy', 'boat']);
    expect(countConcepts(roots)).toBe(4);
    expect(findConcepts(roots, 'boat', 10)).toHaveLength(2);
  });

  it('are found by words of any language, with the first way to them', () => {
    const [boat] = findConcepts(roots, 'schiff', 10);
    expect(boat?.code).toBe('boat');
    expect(boat && pathTo(boat).map(({ code }) => code)).toEqual(['vehicle']);
    expect(boat && matchedDesignation(boat, 'schon')).toEqual({ language: 'de', value: 'Schönes Schiff' });
    expect(boat && matchedDesignation({ ...boat, display: 'schön' }, 'schon')).toBeUndefined();
  });

  it('that are a circle are shown, and end', () => {
    const circle = read([below('a', ['b']), below('b', ['a']), { code: 'c' }]);
    expect(circle.map(({ code }) => code)).toEqual(['c', 'a']);
    expect(countConcepts(circle)).toBe(3);
    const [b] = findConcepts(circle, 'b', 1);
    expect(b && pathTo(b).map(({ code }) => code)).toEqual(['b', 'a']);
  });

  it('are in tables where an identifier says so', () => {
    expect(isInTables({ identifier: [{ system: 'urn:andiron:concept-set', value: '3' }] })).toBe(true);
    expect(isInTables({ identifier: [{ system: 'urn:other', value: '3' }] })).toBe(false);
  });
});

describe('Two versions of a code system', () => {
  const concept = (code: string, display: string, isInactive = false) => ({
    ...{ system: 'urn:s', version: '', code, display, isInactive },
    ...{ isAbstract: false, designations: [], depth: 0 },
  });
  type Listed = ReturnType<typeof concept>;
  /** Pages of two concepts. */
  async function* pages(codes: readonly Listed[], total: number | undefined = codes.length) {
    for (let at = 0; at === 0 || at < codes.length; at += 2)
      yield await Promise.resolve({ codes: codes.slice(at, at + 2), total });
  }
  const compare = (before: ConceptPages, after: ConceptPages, onProgress: (of: object) => void = () => {}) =>
    compareConcepts({ before, after }, onProgress);

  it('differ by what was added, removed or changed, in whatever order they are', async () => {
    const before = [concept('a', 'A'), concept('b', 'B'), concept('c', 'C'), concept('d', 'D')];
    const after = [concept('e', 'E'), concept('d', 'D', true), concept('b', 'Bee'), concept('a', 'A')];
    const seen: object[] = [];
    const found = await compare(pages(before), pages(after), (progress) => seen.push(progress));
    const codesOf = ({ first }: { readonly first: readonly { readonly code: string }[] }) =>
      first.map(({ code }) => code);
    expect([codesOf(found.added), codesOf(found.removed), codesOf(found.changed)]).toEqual([
      ['e'],
      ['c'],
      ['d', 'b'],
    ]);
    expect(found.changed.first[1]).toEqual({
      code: 'b',
      before: { display: 'B', isInactive: false },
      after: { display: 'Bee', isInactive: false },
    });
    expect(seen.at(-1)).toEqual({ done: 8, all: 8 });
    expect(seen[0]).toEqual({ done: 2, all: 8 });
  });

  it('of many differences list the first, and count all', async () => {
    const many = Array.from({ length: MOST_LISTED + 1 }, (_, at) => concept(`c${at}`, ''));
    const { removed } = await compare(pages(many), pages([]));
    expect([removed.count, removed.first.length]).toEqual([MOST_LISTED + 1, MOST_LISTED]);
  });

  it('that are too large are not compared', async () => {
    const large = () => pages([concept('a', 'A')], MOST_CONCEPTS + 1);
    await expect(compare(large(), pages([]))).rejects.toBeInstanceOf(TooManyConcepts);
    await expect(compare(pages([]), large())).rejects.toBeInstanceOf(TooManyConcepts);
  });
});

it('A code is searched by the parameters for codes of each type, not by those of all types', () => {
  const parameter = (name: string, type: string) => ({ name, type });
  const capabilities = readCapabilities({
    rest: [
      {
        resource: [
          {
            type: 'Observation',
            searchParam: [parameter('_tag', 'token'), parameter('code', 'token'), parameter('date', 'date')],
          },
          { type: 'Patient', searchParam: [parameter('gender', 'token')] },
        ],
      },
    ],
  });
  const coded = { system: 'urn:s', code: 'a|b', isBelow: true };
  expect(searchesFor(capabilities, ['Observation'], coded)).toEqual([
    { type: 'Observation', parameter: 'code', query: 'code:below=urn%3As%7Ca%5C%7Cb' },
  ]);
  expect(searchesFor(capabilities, ['Patient'], { ...coded, isBelow: false })[0]?.query).toBe(
    'gender=urn%3As%7Ca%5C%7Cb',
  );
});

it('The rules of a value set are what it includes, then what it excludes', () => {
  const rules = readRules({
    resourceType: 'ValueSet',
    compose: {
      include: [
        { system: 'urn:s', version: '1', filter: [{ property: 'parent', op: '=', value: 'x' }] },
        { valueSet: ['urn:vs'] },
      ],
      exclude: [{ system: 'urn:s', concept: [{ code: 'a', display: 'Alpha' }] }],
    },
  });
  expect(rules).toEqual([
    {
      kind: 'include',
      system: 'urn:s',
      version: '1',
      codes: [],
      filters: [{ property: 'parent', op: '=', value: 'x' }],
      valueSets: [],
    },
    { kind: 'include', system: '', version: '', codes: [], filters: [], valueSets: ['urn:vs'] },
    {
      kind: 'exclude',
      system: 'urn:s',
      version: '',
      codes: [{ code: 'a', display: 'Alpha' }],
      filters: [],
      valueSets: [],
    },
  ]);
  expect(readRules({ resourceType: 'ValueSet' })).toEqual([]);
});

it('A concept map has one mapping for each target, and one for a code without any', () => {
  const mappings = readMappings({
    resourceType: 'ConceptMap',
    group: [
      {
        source: 'urn:s',
        target: 'urn:t',
        element: [
          {
            code: 'a',
            target: [
              { code: 'x', equivalence: 'equal' },
              { code: 'y', equivalence: 'wider' },
            ],
          },
          { code: 'b' },
        ],
      },
    ],
  });
  expect(mappings.map(({ code, relation, target }) => [code, relation, target])).toEqual([
    ['a', 'equal', 'x'],
    ['a', 'wider', 'y'],
    ['b', '', ''],
  ]);
  expect(mappings[0]).toMatchObject({ system: 'urn:s', targetSystem: 'urn:t' });
});
