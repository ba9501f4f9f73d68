import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { isObject, parseJson, textOf, type JsonObject } from '../../console/src/api/json';
import { completeRecord } from '../../console/src/editor/completion';
import { nameElement } from '../../console/src/editor/element-at';
import { cursorAt } from '../../console/src/editor/scan';
import type { Code, Knowledge } from '../../console/src/editor/snapshots';
import { readBaseResources } from '../../src/core/fhir/definitions';

const definitions = new Map<string, JsonObject>();
for (const { type, text } of readBaseResources('r4')) {
  if (type !== 'StructureDefinition') continue;
  const definition = parseJson(text);
  if (!isObject(definition) || definition['derivation'] === 'constraint') continue;
  definitions.set(textOf(definition['type']) ?? '', definition);
}

/** The codes of a server, by the value set that is asked for. */
const CODES: Readonly<Record<string, readonly Code[]>> = {
  'http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1': [
    { system: 'http://hl7.org/fhir/administrative-gender', code: 'female', display: 'Female' },
  ],
  'http://hl7.org/fhir/ValueSet/condition-clinical|4.0.1': [
    { system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active', display: 'Active' },
  ],
};

const knowledge: Knowledge = {
  definition: (type) => Promise.resolve(definitions.get(type)),
  codes: (valueSet) => Promise.resolve(CODES[valueSet] ?? []),
  types: () => Promise.resolve(['Observation', 'Patient']),
};

/** Returns the proposals at the mark `|` of a text. */
async function proposed(text: string, type = 'Patient'): Promise<readonly string[]> {
  const position = text.indexOf('|');
  const doc = text.replace('|', '');
  const context = new CompletionContext(EditorState.create({ doc }), position, true);
  const result = await completeRecord(knowledge, type)(context);
  return (result?.options ?? []).map(({ label }) => label);
}

describe('The editor proposes', () => {
  it('the elements of the type that are not there yet', async () => {
    const names = await proposed('{"resourceType": "Patient", "birthDate": "1980", "|" }');
    expect(names).toEqual(expect.arrayContaining(['gender', 'name', 'deceasedBoolean', 'deceasedDateTime']));
    expect(names).not.toContain('birthDate');
    expect(names).not.toContain('deceased');
  });

  it('the elements of an element inside, also of one that is defined elsewhere', async () => {
    expect(await proposed('{"resourceType": "Patient", "name": [{"use": "old", "|"}]}')).toEqual(
      expect.arrayContaining(['family', 'given', 'period']),
    );
    expect(await proposed('{"resourceType": "Patient", "contact": [{ | }]}')).toContain('relationship');
    // Bundle.entry.link has the content of Bundle.link.
    expect(await proposed('{"resourceType": "Bundle", "entry": [{"link": [{"|"}]}]}', 'Bundle')).toEqual(
      expect.arrayContaining(['relation', 'url']),
    );
  });

  it('one type of a choice, once another is written', async () => {
    const names = await proposed('{"resourceType":"Observation","valueString":"x","|"}', 'Observation');
    expect(names.filter((name) => name.startsWith('value'))).toEqual([]);
  });

  it('the elements of a resource inside of another, by its own type', async () => {
    const inner = '{"resourceType": "Patient", "contained": [{"|", "resourceType": "Observation"}]}';
    expect(await proposed(inner)).toContain('valueQuantity');
    const entry = '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient", "|"}}]}';
    expect(await proposed(entry, 'Bundle')).toContain('birthDate');
  });

  it('the type of the record, and all types for one inside', async () => {
    expect(await proposed('{"resourceType": "|"}')).toEqual(['Patient']);
    expect(await proposed('{"resourceType": "Patient", "contained": [{"resourceType": "|"}]}')).toEqual([
      'Observation',
      'Patient',
    ]);
  });

  it('the codes of the value set of an element, also inside of a CodeableConcept', async () => {
    expect(await proposed('{"resourceType": "Patient", "gender": "|"}')).toEqual(['female']);
    const status = (member: string): string =>
      `{"resourceType":"Condition","clinicalStatus":{"coding":[{"${member}":"|"}]}}`;
    expect(await proposed(status('code'), 'Condition')).toEqual(['active']);
    expect(await proposed(status('system'), 'Condition')).toEqual([
      'http://terminology.hl7.org/CodeSystem/condition-clinical',
    ]);
    expect(await proposed(status('display'), 'Condition')).toEqual([]);
  });

  it('true and false for a boolean', async () => {
    expect(await proposed('{"resourceType": "Patient", "active": |}')).toEqual(['true', 'false']);
  });

  it('nothing where only a comma or a colon can stand', async () => {
    expect(await proposed('{"resourceType": "Patient" | }')).toEqual([]);
    expect(await proposed('{"resourceType" | : "Patient"}')).toEqual([]);
  });

  it('elements in a text that is not complete', async () => {
    expect(await proposed('{"resourceType": "Patient", "name": [{"fam|')).toContain('family');
  });
});

describe('The cursor', () => {
  it('knows the members after it', () => {
    const cursor = cursorAt('{ "a": 1, "": 2, "c": 3 }', 11);
    expect(cursor).toMatchObject({ kind: 'name', from: 10, to: 12 });
    expect(cursor?.frames[0]?.members).toEqual(['a', '', 'c']);
  });
});

describe('An element of a record is named', () => {
  it('by its FHIRPath and the words of its definition', async () => {
    const record = { resourceType: 'Observation', valueQuantity: { code: 'mg' } };
    expect(await nameElement(knowledge.definition, record, ['valueQuantity', 'code'])).toEqual({
      expression: 'Observation.value.ofType(Quantity).code',
      short: 'Coded form of the unit',
      type: 'code',
    });
  });

  it('by the definition of the resource inside', async () => {
    const record = {
      resourceType: 'Bundle',
      entry: [{ resource: { resourceType: 'Patient', birthDate: '1980' } }],
    };
    const path = ['entry', 0, 'resource', 'birthDate'];
    expect(await nameElement(knowledge.definition, record, path)).toMatchObject({
      expression: 'Bundle.entry[0].resource.birthDate',
      type: 'date',
    });
  });

  it('by its members where definitions cannot be read', async () => {
    const record = { resourceType: 'Patient', name: [{ family: 'Doe' }] };
    expect(await nameElement(() => Promise.resolve(undefined), record, ['name', 0, 'family'])).toEqual({
      expression: 'Patient.name[0].family',
      short: '',
      type: undefined,
    });
  });
});
