import { parseJson, type JsonObject } from '../../console/src/api/json';
import { beyondRange, lastOf, measuresOf } from '../../console/src/fhir/measures';
import { dangerOf, SUMMARY, summaryCell } from '../../console/src/fhir/summary';
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
    expect(dangerOf(penicillin)).toBe('severe');
    const risk = (criticality: string) =>
      dangerOf(json(JSON.stringify({ resourceType: 'AllergyIntolerance', criticality })));
    expect([risk('low'), risk('high')]).toEqual([undefined, 'highRisk']);
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

  /** The last value of an Observation with this value and these ranges. */
  function measured(valueQuantity: object, referenceRange: readonly object[]) {
    const [measure] = measuresOf([
      json(JSON.stringify({ resourceType: 'Observation', effectiveDateTime: '2024', code: { text: 'It' }, valueQuantity, referenceRange })),
    ]); // prettier-ignore
    const value = measure && lastOf(measure)?.row.values.get('It');
    if (value === undefined) throw new Error('nothing was measured');
    return value;
  }
  const low = { value: 90 };
  const high = { value: 100 };

  it.each([
    ['<', 70, 'low'],
    ['<', 90, 'low'],
    ['<=', 90, undefined],
    ['<', 120, undefined],
    ['>', 120, 'high'],
    ['>', 100, 'high'],
    ['>=', 100, undefined],
    ['>', 70, undefined],
  ] as const)(
    'says a bound of a value as it is, and marks it only where it tells: %s %d',
    (comparator, value, side) => {
      const found = measured({ comparator, value, unit: '%' }, [{ low, high }]);
      expect([found.digits, beyondRange(found)]).toEqual([`${comparator} ${value}`, side]);
    },
  );

  it('compares with a range of the same unit only', () => {
    const fahrenheit = { value: 98.6, unit: 'degF', code: '[degF]' };
    const celsius = {
      low: { value: 36, unit: 'C', code: 'Cel' },
      high: { value: 37.5, unit: 'C', code: 'Cel' },
    };
    const found = measured(fahrenheit, [celsius]);
    expect([beyondRange(found), found.range]).toEqual([undefined, '36 C – 37.5 C']);
    expect(beyondRange(measured({ value: 38, unit: '°C', code: 'Cel' }, [celsius]))).toBe('high');
    expect(beyondRange(measured({ value: 38, unit: 'C' }, [celsius]))).toBe('high');
  });

  it('compares with the normal range, and with none where several or only others are given', () => {
    const critical = {
      low: { value: 20 },
      high: { value: 40 },
      type: { text: 'Critical', coding: [{ code: 'critical' }] },
    };
    const normal = { low: { value: 60 }, high: { value: 100 }, type: { coding: [{ code: 'normal' }] } };
    const women = { low: { value: 10 }, high: { value: 20 }, appliesTo: [{ text: 'Women' }] };
    const ofAll = measured({ value: 70 }, [critical, normal]);
    expect([beyondRange(ofAll), ofAll.range]).toEqual([undefined, '60 – 100']);
    expect(beyondRange(measured({ value: 101 }, [critical, normal]))).toBe('high');
    const unknown = measured({ value: 70 }, [critical, women]);
    expect([beyondRange(unknown), unknown.range]).toEqual([undefined, 'Critical: 20 – 40; Women: 10 – 20']);
    expect(beyondRange(measured({ value: 70 }, [normal, { high: { value: 50 } }]))).toBeUndefined();
    expect(measured({ value: 70 }, [{ text: 'below 80' }]).range).toBe('below 80');
  });
});
