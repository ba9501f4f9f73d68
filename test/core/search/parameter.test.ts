import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { RELEASE_NAMES, type Release } from '../../../src/core/fhir/release';
import { storedParameters } from '../../../src/core/search/parameters/parameter';

function stored(release: Release, type: string, code: string) {
  const definitions = loadDefinitions(release);
  const found = storedParameters(definitions, type).get(code);
  if (found === undefined) throw new Error(`${type} has no search parameter ${code}`);
  const rowsOf = found.rowsOf.map(({ number, targetType }) => {
    const owner = definitions.searchParameter(number);
    return `${owner?.type}.${owner?.code}${targetType === undefined ? '' : ` of ${targetType}`}`;
  });
  return { storage: found.storage, rowsOf, valueTypes: found.valueTypes };
}

describe.each(RELEASE_NAMES)('the rows of a search parameter in %s', (release) => {
  it('have its own number for most parameters', () => {
    expect(stored(release, 'Patient', 'family')).toEqual({
      storage: 'own',
      rowsOf: ['Patient.family'],
      valueTypes: ['string'],
    });
  });

  it('are those of subject for patient', () => {
    for (const type of ['Observation', 'Encounter', 'Condition', 'DiagnosticReport', 'MedicationRequest'])
      expect(stored(release, type, 'patient')).toMatchObject({
        storage: 'shared',
        rowsOf: [`${type}.subject of Patient`],
      });
    expect(stored(release, 'Encounter', 'practitioner').rowsOf).toEqual([
      'Encounter.participant of Practitioner',
    ]);
  });

  it('are those of both members for combo parameters', () => {
    expect(stored(release, 'Observation', 'combo-code').rowsOf.sort()).toEqual([
      'Observation.code',
      'Observation.component-code',
    ]);
    expect(stored(release, 'Observation', 'combo-value-quantity').rowsOf.sort()).toEqual([
      'Observation.component-value-quantity',
      'Observation.value-quantity',
    ]);
    expect(stored(release, 'Observation', 'combo-code-value-quantity').rowsOf.sort()).toEqual([
      'Observation.code-value-quantity',
      'Observation.component-code-value-quantity',
    ]);
  });

  it('are those of an equivalent parameter', () => {
    expect(stored(release, 'Patient', 'phonetic').rowsOf).toEqual(['Patient.name']);
    expect(stored(release, 'Observation', 'gene-dnavariant').rowsOf).toEqual(['Observation.dna-variant']);
  });

  it('do not exist for parameters that the server computes', () => {
    for (const code of ['_id', '_lastUpdated', '_text', '_content'])
      expect(stored(release, 'Observation', code)).toMatchObject({ storage: 'none', rowsOf: [] });
  });

  it('always belong to a parameter of the same type and kind', () => {
    const definitions = loadDefinitions(release);
    for (const type of definitions.resourceTypes)
      for (const { parameter, storage, rowsOf } of storedParameters(definitions, type).values())
        if (storage !== 'none') {
          expect(rowsOf.length).toBeGreaterThan(0);
          for (const { number } of rowsOf) {
            const owner = definitions.searchParameter(number);
            expect([owner?.type, owner?.kind]).toEqual([type, parameter.kind]);
            expect(storedParameters(definitions, type).get(owner?.code ?? '')?.storage).toBe('own');
          }
        }
  });
});

describe.each(RELEASE_NAMES)('the types of the values of a search parameter in %s', (release) => {
  it.each([
    ['Patient', 'gender', ['code']],
    ['Patient', 'deceased', ['boolean']],
    ['Patient', 'name', ['HumanName']],
    ['Patient', 'phone', ['ContactPoint']],
    ['Patient', 'death-date', ['dateTime']],
    ['Observation', 'date', ['Period', 'Timing', 'dateTime', 'instant']],
    ['Observation', 'value-quantity', ['Quantity', 'SampledData']],
    ['Observation', 'value-string', ['string']],
    ['Condition', 'onset-age', ['Age', 'Range']],
    ['Encounter', 'patient', ['Reference']],
    ['QuestionnaireResponse', 'questionnaire', ['canonical']],
    ['Observation', 'code-value-quantity', []],
  ])('%s.%s: %p', (type, code, types) => expect(stored(release, type, code).valueTypes).toEqual(types));

  it('are known for every parameter that has values', () => {
    const definitions = loadDefinitions(release);
    for (const type of definitions.resourceTypes)
      for (const { parameter, storage, valueTypes } of storedParameters(definitions, type).values())
        if (storage !== 'none' && parameter.kind !== 'composite' && valueTypes.length === 0)
          throw new Error(`${type}.${parameter.code}: ${parameter.expression}`);
  });
});
