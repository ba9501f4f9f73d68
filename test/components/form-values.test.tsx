/** What is typed into a field of a form stands in the draft, so that nothing else is saved than what is shown. */
import { fireEvent, screen } from '@testing-library/dom';
import { useState } from 'react';
import { parseJson, type JsonObject } from '../../console/src/api/json';
import { fieldOf, readForm } from '../../console/src/fhir/form/form-definition';
import type { FormField } from '../../console/src/fhir/form/form-types';
import { FormDraftContext, valueAt } from '../../console/src/screens/resource/form/form-draft';
import { FieldView } from '../../console/src/screens/resource/form/field-view';
import { CodingInput, ConceptInput } from '../../console/src/screens/resource/form/coded-input';
import { ReferencePicker } from '../../console/src/screens/resource/form/reference-picker';
import { PrimitiveInput } from '../../console/src/screens/resource/form/primitive-input';
import { render } from './render';

const SPACE = { tenant: 'acme', release: 'r4' } as const;
const FIELD: FormField = {
  ...{ id: 'value', name: 'value', label: 'Value', short: '', isRequired: false, isMustSupport: false },
  ...{ isSummary: false, most: 1, isList: false, types: [], forbidden: [], binding: undefined, slices: [] },
  ...{ fixed: undefined, pattern: undefined },
};
const DEFINITION = { root: '', elements: new Map(), children: new Map(), slices: new Map() };

let draft = '';

function Field({ code, text }: { readonly code: string; readonly text: string }) {
  const [now, setNow] = useState(text);
  draft = now;
  const record = parseJson(now) as JsonObject;
  const edit = (change: (before: string) => string): void => setNow(change);
  return (
    <FormDraftContext value={{ space: SPACE, record, issues: [], edit }}>
      <PrimitiveInput
        path={['value']}
        value={valueAt(record, ['value'])}
        field={FIELD}
        type={{ code, member: 'value', profiles: [], targets: [] }}
        place={{ definition: DEFINITION, id: '' }}
        label="Value"
        isNew={false}
      />
    </FormDraftContext>
  );
}

const field = () => screen.getByRole<HTMLInputElement>('textbox');

function type(...texts: readonly string[]): void {
  for (const value of texts) fireEvent.change(field(), { target: { value } });
  fireEvent.blur(field());
}

it.each([
  ['decimal', ['1', '1,', '1,5'], 'Write a number such as'],
  ['date', ['2026', '2026-', '2026-1'], 'Write it like 1970'],
  ['integer', ['1', '1.', '1.5'], 'Write a whole number'],
] as const)(
  'a wrong %s is in the draft as it is shown, and never what was right before',
  (code, texts, fault) => {
    render(<Field code={code} text='{"value": 7}' />);
    type(...texts);
    const last = texts.at(-1) ?? '';
    expect(field().value).toBe(last);
    expect(parseJson(draft)).toEqual({ value: last });
    expect(document.body.textContent).toContain(fault);
  },
);

it('a decimal is in the draft with the digits that were typed', () => {
  render(<Field code="decimal" text='{"value": 7}' />);
  type('1', '1.', '1.5', '1.50');
  expect(draft).toBe('{"value": 1.50}');
});

function Reference({ text }: { readonly text: string }) {
  const [now, setNow] = useState(text);
  draft = now;
  const record = parseJson(now) as JsonObject;
  return (
    <FormDraftContext value={{ space: SPACE, record, issues: [], edit: setNow }}>
      <ReferencePicker
        path={['value']}
        value={valueAt(record, ['value'])}
        field={FIELD}
        type={{ code: 'Reference', member: 'value', profiles: [], targets: ['Practitioner'] }}
        place={{ definition: DEFINITION, id: '' }}
        label="Performer"
        isNew={false}
      />
    </FormDraftContext>
  );
}

it.each([
  ['a name', '{"value": {"display": "Dr Nobody", "identifier": {"value": "77"}}}', 'Dr Nobody (no record)'],
  ['an identifier', '{"value": {"identifier": {"value": "77"}}}', '77 (no record)'],
])('a reference that has only %s is shown, and stays as it is', async (_what, text, shown) => {
  render(<Reference text={text} />);
  const input = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Performer' });
  expect(input.value).toBe(shown);
  fireEvent.focus(input);
  fireEvent.blur(input);
  expect([input.value, draft]).toEqual([shown, text]);
});

function List() {
  const [now, setNow] = useState('{}');
  const record = parseJson(now) as JsonObject;
  const type = { code: 'string', member: 'given', profiles: [], targets: [] };
  const given: FormField = { ...FIELD, id: 'given', name: 'given', label: 'Given', most: 9, isList: true };
  return (
    <FormDraftContext value={{ space: SPACE, record, issues: [], edit: setNow }}>
      <FieldView
        field={{ ...given, types: [type] }}
        place={{ definition: DEFINITION, id: '' }}
        path={[]}
        around={record}
      />
    </FormDraftContext>
  );
}

it('the focus goes to a value that is added, and after a removal to the button that adds', () => {
  render(<List />);
  const add = () => screen.getByRole('button', { name: 'Add Given' });
  fireEvent.click(add());
  expect(document.activeElement).toBe(field());
  fireEvent.change(field(), { target: { value: 'Ana' } });
  fireEvent.click(screen.getByRole('button', { name: 'Remove Given' }));
  expect(document.activeElement).toBe(add());
  fireEvent.click(add());
  expect(document.activeElement).toBe(field());
});

const VALUE_SET = { strength: 'preferred', valueSet: 'http://hospital.example/codes' } as const;

it.each([
  ['Coding', CodingInput, ['value'], (coding: string) => coding],
  [
    'CodeableConcept',
    ConceptInput,
    ['value'],
    (coding: string) => `{"coding": [${coding}], "text": "Sodium"}`,
  ],
] as const)(
  'a code in a %s that is corrected keeps its system, where codes cannot be listed',
  async (code, Input, path, around) => {
    globalThis.fetch = () =>
      Promise.resolve(Response.json({ resourceType: 'OperationOutcome' }, { status: 422 }));
    const own = around(
      '{"system": "http://loinc.org", "version": "2.80", "code": "2951-3", "display": "Sodium"}',
    );
    function Coded() {
      const [text, setText] = useState(`{"value": ${own}}`);
      draft = text;
      const record = parseJson(text) as JsonObject;
      return (
        <FormDraftContext value={{ space: SPACE, record, issues: [], edit: (change) => setText(change) }}>
          <Input
            path={path}
            value={valueAt(record, path)}
            field={{ ...FIELD, binding: VALUE_SET }}
            type={{ code, member: 'value', profiles: [], targets: [] }}
            place={{ definition: DEFINITION, id: '' }}
            label="Value"
            isNew={false}
          />
        </FormDraftContext>
      );
    }
    render(<Coded />);
    fireEvent.focusIn(document.querySelector('#field-value') ?? document.body);
    await screen.findByText(/cannot be listed/i);
    fireEvent.change(document.querySelector('#field-value') ?? document.body, {
      target: { value: '2951-2' },
    });
    const [, now] = /("system".*?)}/.exec(draft) ?? [];
    expect(now).toBe('"system": "http://loinc.org", "version": "2.80", "code": "2951-2"');
  },
);

/** A concept of a value set, with the list of codes that the server has. */
function Concept({ of }: { readonly of: string }) {
  const [text, setText] = useState(of);
  draft = text;
  const record = parseJson(text) as JsonObject;
  return (
    <FormDraftContext value={{ space: SPACE, record, issues: [], edit: (change) => setText(change) }}>
      <ConceptInput
        path={['value']}
        value={valueAt(record, ['value'])}
        field={{ ...FIELD, binding: VALUE_SET }}
        type={{ code: 'CodeableConcept', member: 'value', profiles: [], targets: [] }}
        place={{ definition: DEFINITION, id: '' }}
        label="Value"
        isNew={false}
      />
    </FormDraftContext>
  );
}

const SODIUM = { system: 'http://loinc.org', code: '2951-2', display: 'Sodium' };
const GLUCOSE = { system: 'http://loinc.org', code: '2345-7', display: 'Glucose' };

it.each([
  ['that were the name of the code before become those of the new one', 'Sodium', 'Glucose'],
  ['of a person stay', 'salt in the blood', 'salt in the blood'],
])('words of a concept %s', async (_title, before, after) => {
  const expansion = { timestamp: '2026-01-01', contains: [SODIUM, GLUCOSE] };
  globalThis.fetch = () => Promise.resolve(Response.json({ resourceType: 'ValueSet', expansion }));
  render(<Concept of={JSON.stringify({ value: { coding: [SODIUM], text: before } })} />);
  const input = document.querySelector('#field-value') ?? document.body;
  fireEvent.focusIn(input);
  fireEvent.click(input);
  fireEvent.click(await screen.findByText('Glucose (2345-7)'));
  expect(parseJson(draft)).toEqual({ value: { coding: [GLUCOSE], text: after } });
});

it('a slice that fixes no value can be added, and is shown as what it was added as', () => {
  const reference = (id: string, target: string): [string, JsonObject] => [
    id,
    {
      ...{ id, path: 'Observation.hasMember', max: '*', short: id.replace(/^.*:/, '') },
      ...(id.includes(':') ? { sliceName: id.replace(/^.*:/, '') } : {}),
      type: [{ code: 'string', targetProfile: [`http://hl7.org/fhir/StructureDefinition/${target}`] }],
    },
  ];
  const id = 'Observation.hasMember';
  const definition = {
    root: 'Observation',
    elements: new Map([reference(id, 'Resource'), reference(`${id}:survey`, 'QuestionnaireResponse')]),
    children: new Map([['Observation', [id]]]),
    slices: new Map([[id, [`${id}:survey`]]]),
  };
  function Members() {
    const [now, setNow] = useState('{}');
    const record = parseJson(now) as JsonObject;
    return (
      <FormDraftContext value={{ space: SPACE, record, issues: [], edit: setNow }}>
        <FieldView
          field={fieldOf(definition, id)}
          place={{ definition, id: 'Observation' }}
          path={[]}
          around={record}
        />
      </FormDraftContext>
    );
  }
  render(<Members />);
  fireEvent.click(screen.getByRole('combobox', { name: 'Add to Has member' }));
  fireEvent.click(screen.getByText('Survey: survey'));
  expect(screen.getByRole('textbox', { name: 'Has member: Survey' })).toBeDefined();
});

/** A profile of blood glucose: the value is an amount in mmol/L, and never a text. */
function amounts(unit: object, parts: Readonly<Record<string, object>> = {}): JsonObject {
  const element = (id: string, more: object): object => ({ id, max: '1', base: { max: '1' }, ...more });
  const types = ['Quantity', 'string', 'Range'].map((code) => ({ code }));
  return parseJson(
    JSON.stringify({
      resourceType: 'StructureDefinition',
      snapshot: {
        element: [
          element('Observation', { max: '*' }),
          element('Observation.value[x]', {
            slicing: { discriminator: [{ type: 'type', path: '$this' }], rules: 'open' },
            type: types,
          }),
          element('Observation.value[x]:valueQuantity', {
            ...{ sliceName: 'valueQuantity', type: [{ code: 'Quantity' }], ...unit },
          }),
          ...Object.entries({
            comparator: {
              type: [{ code: 'code' }],
              binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/quantity-comparator' },
            },
            value: { type: [{ code: 'decimal' }] },
            unit: { type: [{ code: 'string' }] },
            system: { type: [{ code: 'uri' }] },
            code: { type: [{ code: 'code' }] },
          }).map(([name, more]) =>
            element(`Observation.value[x]:valueQuantity.${name}`, { ...more, ...parts[name] }),
          ),
          element('Observation.value[x]:valueString', {
            ...{ sliceName: 'valueString', max: '0', type: [{ code: 'string' }] },
          }),
        ],
      },
    }),
  ) as JsonObject;
}

function Measured({ of, text }: { readonly of: JsonObject; readonly text: string }) {
  const [now, setNow] = useState(text);
  draft = now;
  const record = parseJson(now) as JsonObject;
  const definition = readForm(of);
  return (
    <FormDraftContext value={{ space: SPACE, record, issues: [], edit: setNow }}>
      <FieldView
        field={fieldOf(definition, 'Observation.value[x]')}
        place={{ definition, id: 'Observation' }}
        path={[]}
        around={record}
      />
    </FormDraftContext>
  );
}

const MMOL = { system: 'http://unitsofmeasure.org', code: 'mmol/L' };
const offered = () =>
  [...screen.getByRole<HTMLSelectElement>('combobox', { name: 'Value: type' }).options].map(
    ({ text }) => text,
  );
const number = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Value: Value' });

it('a type that a profile forbids is not offered', () => {
  render(<Measured of={amounts({})} text="{}" />);
  expect(offered()).toEqual(['Quantity', 'Range']);
});

it('a value of a type that a profile forbids is shown, and can be replaced by an allowed one', () => {
  render(<Measured of={amounts({})} text='{"valueString": "high"}' />);
  expect(offered()).toEqual(['Quantity', 'Range', 'string']);
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Value' }).value).toBe('high');
  fireEvent.change(screen.getByRole('combobox', { name: 'Value: type' }), { target: { value: 'Quantity' } });
  fireEvent.change(number(), { target: { value: '5.50' } });
  expect(parseJson(draft)).toEqual({ valueQuantity: { value: parseJson('5.50') } });
});

it.each([
  ['as a pattern of the amount', amounts({ patternQuantity: MMOL })],
  [
    'as fixed parts of the amount',
    amounts({}, { system: { fixedUri: MMOL.system }, code: { fixedCode: MMOL.code } }),
  ],
  [
    'as patterns of the parts of the amount',
    amounts({}, { system: { patternUri: MMOL.system }, code: { patternCode: MMOL.code } }),
  ],
])('the unit that a profile states %s is written with the number, and goes with it', (_how, of) => {
  render(<Measured of={of} text="{}" />);
  expect(screen.queryByRole('button', { name: /^Set to/ })).toBeNull();
  fireEvent.change(number(), { target: { value: '5.50' } });
  expect(parseJson(draft)).toEqual({ valueQuantity: { value: parseJson('5.50'), ...MMOL } });
  fireEvent.change(number(), { target: { value: '' } });
  fireEvent.focusOut(number());
  expect(parseJson(draft)).toEqual({});
});

it('a unit that a record has stays, also where the profile states another one', () => {
  render(
    <Measured
      of={amounts({ patternQuantity: MMOL })}
      text='{"valueQuantity": {"value": 90, "code": "mg/dL"}}'
    />,
  );
  fireEvent.change(number(), { target: { value: '91' } });
  expect(draft).toBe('{"valueQuantity": {"value": 91, "code": "mg/dL"}}');
});

it('the comparator of an amount stands beside its number', () => {
  render(<Measured of={amounts({})} text='{"valueQuantity": {"comparator": "<", "value": 5}}' />);
  const input = screen.getByRole<HTMLInputElement>('combobox', { name: 'Value: Comparator' });
  expect(input.value).toBe('<');
});

it('a comparator is not asked for where a profile allows none, and is shown where a record has one', () => {
  const none = amounts({}, { comparator: { max: '0' } });
  render(<Measured of={none} text='{"valueQuantity": {"value": 5}}' />);
  expect(screen.queryByLabelText('Value: Comparator')).toBeNull();
  render(<Measured of={none} text='{"valueQuantity": {"comparator": "<", "value": 5}}' />);
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Value: Comparator' }).value).toBe('<');
});
