import { readMappings } from '../../console/src/fhir/concept-map';
import { countConcepts, findConcepts, readConcepts } from '../../console/src/fhir/concepts';
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
