import { parseJson, type JsonObject } from '../../console/src/api/json';
import { beyondRange, lastOf, measuresOf } from '../../console/src/fhir/measures';
import { isDangerous, SUMMARY, summaryCell } from '../../console/src/fhir/summary';
import { RELEASE_NAMES } from '../../src/core';
import { loadDefinitions } from '../../src/core/fhir/definitions';

const json = (text: string): JsonObject => parseJson(text) as JsonObject;

describe('The summary of a patient', () => {
  it.each(RELEASE_NAMES)('asks only what %s has', (release) => {
    const definitions = loadDefinitions(release);
    for (const { type, query } of SUMMARY.flatMap(({ searches }) => searches)) {
      const known = definitions.searchParameters(type);
      expect(known.has('patient')).toBe(true);
      for (const [name, value] of new URLSearchParams(query)) {
        const codes = name === '_sort' ? value.split(',') : [name.split(':')[0] ?? ''];
        expect(codes.filter((code) => !known.has(code.replace(/^-/, '')))).toEqual([]);
      }
    }
  });

  it('says of an allergy how dangerous it is and what it does', () => {
    const penicillin = json(`{
      "resourceType": "AllergyIntolerance", "criticality": "low",
      "clinicalStatus": {"coding": [{"code": "active", "display": "Active"}]},
      "reaction": [
        {"manifestation": [{"text": "Hives"}, {"text": "Wheezing"}], "severity": "severe"},
        {"manifestation": [{"text": "Nausea"}]}
      ]
    }`);
    expect(summaryCell(penicillin, 'reactions')).toBe('Hives, Wheezing (severe); Nausea');
    expect(summaryCell(penicillin, 'state')).toBe('Active');
    expect(isDangerous(penicillin)).toBe(true);
    expect(isDangerous(json('{"resourceType": "AllergyIntolerance", "criticality": "low"}'))).toBe(false);
  });

  it('says since when something is so, from what the record says first', () => {
    expect(summaryCell(json('{"recordedDate": "2020", "onsetString": "as a child"}'), 'since')).toBe(
      'as a child',
    );
    expect(summaryCell(json('{"authoredOn": "2021"}'), 'since')).toBe('2021');
    expect(summaryCell(json('{}'), 'since')).toBe('');
  });

  it('marks a value outside of its reference range', () => {
    const [measure] = measuresOf([
      json(`{
        "resourceType": "Observation", "effectiveDateTime": "2024", "code": {"text": "Potassium"},
        "valueQuantity": {"value": 7.0}, "referenceRange": [{"low": {"value": 3.10}, "high": {"value": 6.2}}]
      }`),
    ]);
    const value = measure && lastOf(measure)?.row.values.get('Potassium');
    if (value === undefined) throw new Error('nothing was measured');
    expect([beyondRange(value), value.range]).toEqual(['high', '3.10 – 6.2']);
    expect(beyondRange({ ...value, number: 3 })).toBe('low');
    expect(beyondRange({ ...value, number: 6.2 })).toBeUndefined();
    expect(beyondRange({ ...value, low: undefined, high: undefined })).toBeUndefined();
  });
});
