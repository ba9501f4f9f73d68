import type { JsonObject } from '../../../../src/core/fhir/json';
import { RELEASE_NAMES, type Release } from '../../../../src/core/fhir/release';
import { brokenBy, example, objectAt } from './broken-by';

describe('a Questionnaire', () => {
  const broken = (item: JsonObject, release: Release = 'r4') =>
    brokenBy({ resourceType: 'Questionnaire', status: 'complete', item: [item] }, release);
  const question = { linkId: '1', type: 'string' };
  const enableWhen = { question: '2', operator: '=', answerString: 'x' };

  it.each<[string, string, JsonObject]>([
    ['que-1', 'a group has items', { linkId: '1', type: 'group' }],
    [
      'que-1',
      'a display has none',
      { linkId: '1', type: 'display', item: [{ linkId: '2', type: 'display' }] },
    ],
    ['que-3', 'a display has no code', { linkId: '1', type: 'display', code: [{ code: 'a' }] }],
    [
      'que-4',
      'answers are listed or in a value set',
      { linkId: '1', type: 'choice', answerOption: [{ valueString: 'a' }], answerValueSet: 'urn:x' },
    ],
    [
      'que-5',
      'answers are listed for some types only',
      { linkId: '1', type: 'boolean', answerValueSet: 'urn:x' },
    ],
    ['que-6', 'a display is not required', { linkId: '1', type: 'display', required: true }],
    [
      'que-8',
      'a display has no initial value',
      { linkId: '1', type: 'display', initial: [{ valueString: 'a' }] },
    ],
    ['que-9', 'a display is not read-only', { linkId: '1', type: 'display', readOnly: true }],
    ['que-10', 'dates have no length', { linkId: '1', type: 'date', maxLength: 4 }],
    [
      'que-11',
      'listed answers are marked, not initial',
      { linkId: '1', type: 'choice', answerOption: [{ valueString: 'a' }], initial: [{ valueString: 'a' }] },
    ],
    ['que-12', 'two conditions are joined somehow', { ...question, enableWhen: [enableWhen, enableWhen] }],
    [
      'que-13',
      'a single answer has one initial value',
      { ...question, initial: [{ valueString: 'a' }, { valueString: 'b' }] },
    ],
  ])('%s: %s', (key, _sentence, item) => {
    expect(broken(item)).toEqual([`${key} Questionnaire.item`]);
  });

  it('que-2: has each linkId once, at whatever depth', () => {
    const group = { linkId: '2', type: 'group', item: [question] };
    expect(broken({ linkId: '3', type: 'group', item: [group, question] })).toEqual(['que-2 Questionnaire']);
  });

  it('que-7: requires a boolean answer for the operator exists', () => {
    const exists = { question: '2', operator: 'exists' };
    expect(broken({ ...question, enableWhen: [{ ...exists, answerBoolean: true }] })).toEqual([]);
    expect(broken({ ...question, enableWhen: [{ ...exists, answerString: 'true' }] })).toEqual([
      'que-7 Questionnaire.item.enableWhen',
    ]);
  });

  it('checks nested items too', () => {
    expect(broken({ linkId: '1', type: 'group', item: [{ linkId: '2', type: 'group' }] })).toEqual([
      'que-1 Questionnaire.item.item',
    ]);
  });

  it('is warned only, in R4B, of a group that is still empty', () => {
    const draft = { resourceType: 'Questionnaire', status: 'draft', item: [{ linkId: '1', type: 'group' }] };
    expect(brokenBy(draft, 'r4b')).toEqual([]);
    expect(brokenBy(draft, 'r4b', 'warning')).toContain('que-1b Questionnaire.item');
    expect(broken({ linkId: '1', type: 'group' }, 'r4b')).toEqual(['que-1a Questionnaire.item']);
  });
});

describe('a StructureDefinition', () => {
  const definition = (release: Release = 'r4') => example('StructureDefinition', 'capabilities', release);
  const element = (structure: JsonObject, part: string, index: number) =>
    objectAt(structure, part, 'element', index);

  const changes: [keys: string, sentence: string, change: (structure: JsonObject) => void][] = [
    ['sdf-1 StructureDefinition', 'has each path once', (one) => {
          one['derivation'] = 'specialization';
          element(one, 'snapshot', 2)['path'] = 'Extension.id';
        }],
    ['sdf-4 StructureDefinition', 'has a base', (one) => void delete one['baseDefinition']],
    ['sdf-8 StructureDefinition.snapshot', 'begins every path with the first', (one) => void (element(one, 'snapshot', 2)['path'] = 'Other.id')],
    ['sdf-8a StructureDefinition.differential', 'also in the differential', (one) => void (element(one, 'differential', 1)['path'] = 'Other.id')],
    ['sdf-8b StructureDefinition.snapshot', 'knows where an element was defined first', (one) => void delete element(one, 'snapshot', 2)['base']],
    ['sdf-2 StructureDefinition.mapping', 'names its mappings', (one) => void (one['mapping'] = [{ identity: 'x' }])],
    ['sdf-16 StructureDefinition', 'has unique ids in the snapshot', (one) => void (element(one, 'snapshot', 2)['id'] = 'Extension.id')],
    ['sdf-18 StructureDefinition', 'has context rules only as an extension', (one) => void Object.assign(one, { contextInvariant: ['true'], type: 'Basic' })],
    ['sdf-9 StructureDefinition', 'has no label at its root', (one) => void (element(one, 'snapshot', 0)['label'] = 'x')],
    ['sdf-23 StructureDefinition', 'has no slice name at its root', (one) => void (element(one, 'snapshot', 0)['sliceName'] = 'x')],
    ['sdf-3 StructureDefinition.snapshot', 'says how often an element may stand', (one) => void delete element(one, 'snapshot', 2)['max']],
    ['sdf-10 StructureDefinition.snapshot.element', 'says what a binding is to', (one) => void (element(one, 'snapshot', 2)['binding'] = { strength: 'required' })],
    ['eld-2 ElementDefinition', 'has no least above the most', (one) => void Object.assign(element(one, 'snapshot', 2), { min: 2, max: '1' })],
    ['eld-3 ElementDefinition.max', 'counts in numbers', (one) => void (element(one, 'differential', 1)['max'] = 'many')],
    ['eld-8 ElementDefinition', 'is fixed or a pattern', (one) => void Object.assign(element(one, 'snapshot', 2), { fixedCode: 'a', patternCode: 'a' })],
    ['eld-16 ElementDefinition', 'has slice names of simple characters', (one) => void (element(one, 'snapshot', 2)['sliceName'] = 'a b')],
    ['eld-18 ElementDefinition', 'says why an element changes the meaning of others', (one) => void Object.assign(element(one, 'snapshot', 2), { isModifier: true })],
  ]; // prettier-ignore

  it('holds as it is published', () => {
    for (const release of RELEASE_NAMES) expect(brokenBy(definition(release), release)).toEqual([]);
  });

  it.each(changes)('%s: %s', (key, _sentence, change) => {
    const structure = definition();
    change(structure);
    expect(brokenBy(structure)).toContain(key);
  });

  it('eld-19: has no path with a space in the middle, in either release', () => {
    for (const release of RELEASE_NAMES) {
      const structure = definition(release);
      element(structure, 'snapshot', 2)['path'] = 'Extension.ext ension';
      expect(brokenBy(structure, release)).toContain('eld-19 ElementDefinition');
    }
  });

  it('sdf-24 and sdf-25: binds and targets a CodeableReference as a whole', () => {
    const part = (path: string, code: string, more: JsonObject): JsonObject => ({
      path: `X.a${path}`,
      id: `X.a${path}`,
      min: 0,
      max: '1',
      definition: 'x',
      base: { path: 'X.a', min: 0, max: '1' },
      type: [{ code, ...(code === 'Reference' ? more : {}) }],
      ...(code === 'CodeableConcept' ? more : {}),
    });
    const broken = (...parts: JsonObject[]) =>
      brokenBy(
        { resourceType: 'StructureDefinition', kind: 'logical', snapshot: { element: parts } },
        'r4b',
      ).filter((text) => /sdf-2[45]/.test(text));
    const whole = part('', 'CodeableReference', {});
    const reference = part('.reference', 'Reference', { targetProfile: ['urn:x'] });
    const concept = part('.concept', 'CodeableConcept', { binding: { strength: 'example' } });
    expect(broken(whole, reference)).toEqual(['sdf-24 StructureDefinition.snapshot']);
    expect(broken(whole, concept)).toEqual(['sdf-25 StructureDefinition.snapshot']);
    expect(broken(reference, concept)).toEqual([]);
  });
});
