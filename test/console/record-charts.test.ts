import { parseJson, type JsonObject } from '../../console/src/api/json';
import { dateElementsOf, dateOf, inOrder } from '../../console/src/fhir/date-elements';
import { linePoints } from '../../console/src/fhir/line-points';
import { findMeasures, lastOf, limitsOf, measuresOf } from '../../console/src/fhir/measures';
import { observedText } from '../../console/src/fhir/observed-text';
import { byMonth, settled, toEntry, type TypeList } from '../../console/src/fhir/timeline';
import { chartHash, parseHash, patientChart } from '../../console/src/screens/resource/charts/chart-address';

const json = (text: string): JsonObject => parseJson(text) as JsonObject;

/** `value` as it is written in JSON. */
function glucose(id: string, date: string, value: string, unit = 'mmol/L'): JsonObject {
  return json(`{
    "resourceType": "Observation", "id": "${id}", "effectiveDateTime": "${date}",
    "subject": {"reference": "Patient/p"},
    "code": {"coding": [{"system": "http://loinc.org", "code": "15074-8", "display": "Glucose"}]},
    "valueQuantity": {"value": ${value}, "unit": "${unit}"},
    "referenceRange": [{"low": {"value": 3.1}, "high": {"value": 6.2}}]
  }`);
}

const PRESSURE = json(`{
  "resourceType": "Observation", "id": "bp", "effectivePeriod": {"start": "2024-01-03T10:00:00Z"},
  "code": {"text": "Blood pressure"},
  "component": [
    {"code": {"text": "Systolic"}, "valueQuantity": {"value": 120, "unit": "mm[Hg]"}},
    {"code": {"text": "Diastolic"}, "valueQuantity": {"value": 80, "unit": "mm[Hg]"}}
  ]
}`);

describe('The measurements of a patient', () => {
  it('are listed with how often they were taken and their last value, with all its digits', () => {
    const measures = measuresOf([
      glucose('b', '2024-02-01', '6.10'),
      glucose('a', '2024-01-01', '5.4'),
      PRESSURE,
    ]);
    expect(measures.map(({ name, count }) => [name, count])).toEqual([
      ['Glucose', 2],
      ['Blood pressure', 1],
    ]);
    const [first] = measures;
    const last = first === undefined ? undefined : lastOf(first);
    expect([last?.row.id, last?.row.values.get('Glucose')?.digits, last?.unit]).toEqual([
      'b',
      '6.10',
      'mmol/L',
    ]);
  });

  it('keep different units apart, and sort the values by time', () => {
    const [measure] = measuresOf([
      glucose('b', '2024-02-01', '6.1'),
      glucose('c', '2024-03-01', '98', 'mg/dL'),
      glucose('a', '2024-01-01', '5.4'),
    ]);
    expect(measure?.units.map(({ unit, rows }) => [unit, rows.map(({ id }) => id)])).toEqual([
      ['mmol/L', ['a', 'b']],
      ['mg/dL', ['c']],
    ]);
  });

  it('with components have a line for each component', () => {
    const [measure] = measuresOf([PRESSURE]);
    expect(measure?.units.map(({ series }) => series)).toEqual([['Systolic', 'Diastolic']]);
    const [group] = measure?.units ?? [];
    expect(group === undefined ? [] : linePoints(group, 100, 20)).toHaveLength(2);
  });

  it('leave out observations without a number or a date', () => {
    const noDate = json('{"resourceType": "Observation", "code": {"text": "A"}, "valueInteger": 1}');
    const noNumber = json(
      '{"resourceType": "Observation", "code": {"text": "A"}, "issued": "2024-01-01T00:00:00Z", "valueString": "1"}',
    );
    expect(measuresOf([noDate, noNumber])).toEqual([]);
  });

  it('are found by words and codes, also by those of their components', () => {
    const measures = measuresOf([glucose('a', '2024-01-01', '5.4'), PRESSURE]);
    const find = (text: string): readonly string[] => findMeasures(measures, text).map(({ name }) => name);
    expect(find('gluc')).toEqual(['Glucose']);
    expect(find('15074')).toEqual(['Glucose']);
    expect(find('systolic blood')).toEqual(['Blood pressure']);
    expect(find('heart')).toEqual([]);
  });

  it('show a reference range where all values have the same', () => {
    const other = json('{"low": {"value": 4}}');
    const groupOf = (records: readonly JsonObject[]) => measuresOf(records)[0]?.units[0];
    const same = groupOf([glucose('a', '2024-01-01', '5.4'), glucose('b', '2024-01-02', '5.5')]);
    expect(same && limitsOf(same, 'Glucose')).toEqual({ low: 3.1, high: 6.2 });
    const mixed = groupOf([
      glucose('a', '2024-01-01', '5.4'),
      { ...glucose('b', '2024-01-02', '5.5'), referenceRange: [other] },
    ]);
    expect(mixed && limitsOf(mixed, 'Glucose')).toBeUndefined();
  });

  it('have addresses that lead back to the chart', () => {
    const chart = patientChart(glucose('a', '2024-01-01', '5.4'));
    expect(chart).toEqual({ patient: 'p', hash: chartHash('http://loinc.org|15074-8') });
    expect(parseHash(chart?.hash ?? '')).toEqual({ tab: 'charts', argument: 'http://loinc.org|15074-8' });
    expect(patientChart(json('{"code": {"text": "A"}, "valueString": "x"}'))).toBeUndefined();
  });

  it('are said in one line, with those of components', () => {
    expect(observedText(glucose('a', '2024-01-01', '5.40'))).toBe('5.40 mmol/L');
    expect(observedText(PRESSURE)).toBe('Systolic 120 mm[Hg], Diastolic 80 mm[Hg]');
  });
});

describe('The timeline of a patient', () => {
  const parameter = (code: string, base: readonly string[], expression: string): object => ({
    resource: { resourceType: 'SearchParameter', code, base, expression },
  });
  const dates = dateElementsOf(
    json(
      JSON.stringify({
        entry: [
          parameter(
            'date',
            ['Encounter', 'Procedure'],
            'Encounter.period | (Procedure.performed as dateTime)',
          ),
          parameter('abatement-date', ['Condition'], 'Condition.abatement.as(dateTime)'),
          parameter('onset-date', ['Condition'], 'Condition.onset.as(dateTime)'),
          parameter('date', ['MedicationRequest'], 'MedicationRequest.dosageInstruction.timing.event'),
          parameter('birthdate', ['RelatedPerson'], 'RelatedPerson.birthDate'),
        ],
      }),
    ),
  );

  it('takes the dates of types from their search parameters, and no dates of persons or of inner elements', () => {
    expect(dates.get('Encounter')).toEqual([{ code: 'date', element: 'period' }]);
    expect(dates.get('Procedure')).toEqual([{ code: 'date', element: 'performed' }]);
    expect(dates.has('MedicationRequest')).toBe(false);
    expect(dates.has('RelatedPerson')).toBe(false);
  });

  it('prefers the date that comes first in the definition', () => {
    const elements = ['onset', 'abatement'].map((name) => ({
      name,
      label: name,
      short: '',
      types: [],
      isChoice: true,
      isSummary: true,
      isModifier: false,
      children: [],
    }));
    const ordered = inOrder(dates.get('Condition') ?? [], elements);
    expect(ordered.map(({ code }) => code)).toEqual(['onset-date', 'abatement-date']);
    const condition = json('{"abatementDateTime": "2021", "onsetPeriod": {"start": "2020-05"}}');
    expect(dateOf(condition, ordered)).toBe('2020-05');
  });

  const list = (type: string, days: readonly string[], hasMore: boolean): TypeList => ({
    type,
    hasMore,
    entries: days.map((day) =>
      toEntry(json(`{"resourceType": "${type}", "id": "${day}", "period": {"start": "${day}"}}`), [
        { code: 'date', element: 'period' },
      ]),
    ),
  });

  it('is newest first over all types, and shows nothing that could still get an older neighbour', () => {
    const entries = settled([
      list('Encounter', ['2024-03-01', '2024-02-01'], true),
      list('Procedure', ['2024-02-15', '2023-01-01'], false),
    ]);
    expect(entries.map(({ id }) => id)).toEqual(['2024-03-01', '2024-02-15', '2024-02-01']);
  });

  it('has a leap second in its place, which browsers do not read', () => {
    const entries = settled([
      list('Encounter', ['2016-12-31T23:59:59Z', '2016-12-31T23:59:60Z', '2016-12-30T00:00:00Z'], false),
    ]);
    expect(entries[0]?.id).toBe('2016-12-31T23:59:60Z');
  });

  it('is grouped by month, with those without a date at the end', () => {
    const undated = toEntry(json('{"resourceType": "Flag", "id": "x"}'), []);
    const entries = settled([
      list('Encounter', ['2024-03-09', '2024-03-01', '2023-12-31'], false),
      { type: 'Flag', hasMore: false, entries: [undated] },
    ]);
    expect(byMonth(entries).map(({ month, entries: ofMonth }) => [month, ofMonth.length])).toEqual([
      ['2024-03', 2],
      ['2023-12', 1],
      ['', 1],
    ]);
  });
});
