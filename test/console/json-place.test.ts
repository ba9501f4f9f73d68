import { diagnosticsOf } from '../../console/src/editor/diagnostics';
import { placeOfWords, placesIn } from '../../console/src/editor/json-place';

const OBSERVATION = `{
  "resourceType": "Observation",
  "status": "final",
  "_status": { "id": "s" },
  "category": [{ "text": "one" }, { "text": "two" }],
  "valueQuantity": { "value": 1.00, "code": "mg" },
  "component": [{ "valueCodeableConcept": { "coding": [{ "code": "a" }] } }],
  "contained": [{ "resourceType": "Patient", "deceasedBoolean": true }]
}`;

/** The text at the place of an expression. */
async function textAt(expression: string, text = OBSERVATION): Promise<string> {
  const { from, to } = (await placesIn(text))(expression);
  return text.slice(from, to);
}

describe('The place of a finding in the text', () => {
  it.each([
    ['Observation.status', '"status"'],
    ['Observation.value.ofType(Quantity)', '"valueQuantity"'],
    ['Observation.value.ofType(Quantity).code', '"code"'],
    ['Observation.component[0].value.ofType(CodeableConcept).coding[0].code', '"code"'],
    ['Observation.contained[0].deceased.ofType(boolean)', '"deceasedBoolean"'],
    ['Observation.category[1].text', '"text"'],
  ])('is the name of the member that %s means', async (expression, expected) => {
    expect(await textAt(expression)).toBe(expected);
  });

  it('is the right item of a list', async () => {
    const { from } = (await placesIn(OBSERVATION))('Observation.category[1]');
    expect(OBSERVATION.slice(from)).toMatch(/^\{ "text": "two" \}/);
  });

  it('is in the second member of a primitive for its id and extensions', async () => {
    const { from } = (await placesIn(OBSERVATION))('Observation.status.id');
    expect(OBSERVATION.slice(from)).toMatch(/^"id": "s"/);
  });

  it('is the element around one that is missing', async () => {
    expect(await textAt('Observation.code')).toBe('{');
    const { from } = (await placesIn(OBSERVATION))('Observation.contained[0].name[0].family');
    expect(OBSERVATION.slice(from)).toMatch(/^\{ "resourceType": "Patient"/);
  });

  it('is found in a text that is not complete', async () => {
    expect(await textAt('Patient.gender', '{"resourceType": "Patient", "gender": "mal')).toBe('"gender"');
  });

  it('is found in a text of megabytes, too', async () => {
    const long = OBSERVATION.replace('"one"', JSON.stringify('x'.repeat(2_000_000)));
    expect(await textAt('Observation.value.ofType(Quantity).code', long)).toBe('"code"');
    expect(await textAt('Observation.status.id', long)).toBe('"id"');
    expect(await textAt('Observation.status', long.slice(0, -5))).toBe('{');
  });

  it('is the line and column of an error of the parser', () => {
    const words =
      'The body is not valid JSON: line 2, column 3: a string is not closed, but the body ends here';
    expect(placeOfWords('{"a":1,\n  "b', words)).toEqual({ from: 10, to: 11 });
    expect(placeOfWords('{}', 'Something else')).toBeUndefined();
  });

  it('is marked with the severity of the finding', async () => {
    const issue = { severity: 'error', code: 'value', text: 'wrong', expression: ['Observation.status'] };
    const note = { severity: 'information', code: 'informational', text: 'a note', expression: [] };
    expect(await diagnosticsOf(OBSERVATION, [issue, note])).toEqual([
      { from: 37, to: 45, severity: 'error', message: 'wrong' },
      { from: 0, to: 1, severity: 'info', message: 'a note' },
    ]);
  });
});
