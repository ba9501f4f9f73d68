/** Resources in the style of a national guide, each broken in one place: the errors are there, and nowhere else. */
import { openSharedServer, type HttpServer } from '../support/shared-server';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const URL = 'http://nation.example/StructureDefinition';
const CODES = 'http://nation.example/codes';
const VALUE_SETS = 'http://nation.example/ValueSet';
const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';

type Element = Readonly<Record<string, unknown>> & { readonly path: string };
type Resource = Readonly<Record<string, unknown>> & { readonly resourceType: string };

const codeable = (system: string, ...codes: string[]): object => ({
  coding: codes.map((code) => ({ system, code })),
});

function profile(id: string, type: string, element: readonly Element[], more: object = {}): object {
  // Paths are written with the names of slices, as ids have them.
  const elements = element.map(({ path, ...rest }) => ({
    id: path,
    path: path.replace(/:[^.]*/g, ''),
    ...rest,
  }));
  return {
    resourceType: 'StructureDefinition',
    id,
    url: `${URL}/${id}`,
    name: id.replace(/-/g, ''),
    status: 'active',
    fhirVersion: '4.0.1',
    kind: 'resource',
    abstract: false,
    type,
    baseDefinition: `http://hl7.org/fhir/StructureDefinition/${type}`,
    derivation: 'constraint',
    differential: {
      element: element.some(({ path }) => path === type) ? elements : [{ id: type, path: type }, ...elements],
    },
    ...more,
  };
}
/** An element of a slice: `Observation.component:systolic.code`. */
const slice = (path: string, more: object = {}): Element => ({
  path,
  sliceName: /:([^.]*)$/.exec(path)?.[1],
  ...more,
});
const sliced = (path: string, type: string, by: string, rules = 'open'): Element => ({
  path,
  slicing: { discriminator: [{ type, path: by }], rules },
});
const required = (valueSet: string): object => ({
  binding: { strength: 'required', valueSet: `${VALUE_SETS}/${valueSet}` },
});
const constraint = (key: string, human: string, expression: string): object => ({
  constraint: [{ key, severity: 'error', human, expression }],
});
const referTo = (...types: string[]): object => ({
  type: [
    {
      code: 'Reference',
      targetProfile: types.map((type) => `http://hl7.org/fhir/StructureDefinition/${type}`),
    },
  ],
});
const valueSet = (id: string, ...codes: string[]): object => ({
  resourceType: 'ValueSet',
  id,
  url: `${VALUE_SETS}/${id}`,
  status: 'active',
  compose: { include: [{ system: CODES, concept: codes.map((code) => ({ code })) }] },
});

const quantity = (path: string): readonly Element[] => [
  { path: `${path}.value[x]`, type: [{ code: 'Quantity' }] },
  { path: `${path}.value[x].value`, min: 1 },
  { path: `${path}.value[x].system`, min: 1, fixedUri: UCUM },
  { path: `${path}.value[x].code`, min: 1, fixedCode: 'mm[Hg]' },
];

const DEFINITIONS: readonly object[] = [
  valueSet('race', 'a', 'b'),
  valueSet('problems', 'x', 'y'),
  valueSet('kinds', 'problem', 'concern'),
  profile(
    'race',
    'Extension',
    [
      sliced('Extension.extension', 'value', 'url'),
      slice('Extension.extension:category', { min: 0, max: '2' }),
      { path: 'Extension.extension:category.url', fixedUri: 'category' },
      {
        path: 'Extension.extension:category.value[x]',
        min: 1,
        type: [{ code: 'Coding' }],
        ...required('race'),
      },
      slice('Extension.extension:text', { min: 1, max: '1' }),
      { path: 'Extension.extension:text.url', fixedUri: 'text' },
      { path: 'Extension.extension:text.value[x]', min: 1, type: [{ code: 'string' }] },
      { path: 'Extension.url', fixedUri: `${URL}/race` },
      { path: 'Extension.value[x]', max: '0' },
    ],
    { kind: 'complex-type', context: [{ type: 'element', expression: 'Patient' }] },
  ),
  profile('patient', 'Patient', [
    sliced('Patient.extension', 'value', 'url'),
    slice('Patient.extension:race', {
      min: 0,
      max: '1',
      type: [{ code: 'Extension', profile: [`${URL}/race`] }],
    }),
    { path: 'Patient.identifier', min: 1 },
    { path: 'Patient.identifier.system', min: 1 },
    { path: 'Patient.identifier.value', min: 1, maxLength: 10 },
    {
      path: 'Patient.name',
      min: 1,
      ...constraint('nat-1', 'A family or given name', 'family.exists() or given.exists()'),
    },
    { path: 'Patient.telecom.system', min: 1 },
    { path: 'Patient.telecom.value', min: 1 },
    { path: 'Patient.gender', min: 1 },
    { path: 'Patient.birthDate', ...constraint('nat-2', 'To the day', '$this.toString().length() = 10') },
    { path: 'Patient.address.country', patternString: 'NA' },
    { path: 'Patient.photo', max: '0' },
    { path: 'Patient.deceased[x]', type: [{ code: 'dateTime' }] },
  ]),
  profile('laboratory', 'Observation', [
    {
      path: 'Observation',
      ...constraint('nat-3', 'A value or its absence', 'value.exists() or dataAbsentReason.exists()'),
    },
    sliced('Observation.category', 'pattern', '$this'),
    slice('Observation.category:lab', {
      min: 1,
      max: '1',
      patternCodeableConcept: codeable(CATEGORY, 'laboratory'),
    }),
    { path: 'Observation.code.coding', min: 1 },
    { path: 'Observation.subject', min: 1, ...referTo('Patient') },
    { path: 'Observation.effective[x]', min: 1, type: [{ code: 'dateTime' }, { code: 'Period' }] },
    { path: 'Observation.performer', ...referTo('Practitioner', 'Organization') },
    { path: 'Observation.interpretation', max: '1' },
  ]),
  profile('pressure', 'Observation', [
    { path: 'Observation.code', patternCodeableConcept: codeable(LOINC, '85354-9') },
    { ...sliced('Observation.component', 'pattern', 'code'), min: 2 },
    ...(['systolic', 'diastolic'] as const).flatMap((name, index): Element[] => [
      slice(`Observation.component:${name}`, { min: 1, max: '1' }),
      {
        path: `Observation.component:${name}.code`,
        patternCodeableConcept: codeable(LOINC, index === 0 ? '8480-6' : '8462-4'),
      },
      ...quantity(`Observation.component:${name}`),
    ]),
    { path: 'Observation.value[x]', max: '0' },
  ]),
  profile('problem', 'Condition', [
    { path: 'Condition.clinicalStatus', min: 1 },
    sliced('Condition.category', 'value', '$this'),
    slice('Condition.category:kind', { min: 1, ...required('kinds') }),
    { path: 'Condition.code', min: 1, ...required('problems') },
    { path: 'Condition.subject', ...referTo('Patient') },
    { path: 'Condition.onset[x]', type: [{ code: 'dateTime' }, { code: 'Age' }] },
    { path: 'Condition.note.text', maxLength: 20 },
  ]),
  profile('prescription', 'MedicationRequest', [
    { path: 'MedicationRequest.intent', fixedCode: 'order' },
    { path: 'MedicationRequest.medication[x]', type: [{ code: 'CodeableConcept' }] },
    { path: 'MedicationRequest.requester', min: 1, ...referTo('Practitioner') },
    { path: 'MedicationRequest.authoredOn', min: 1, minValueDateTime: '2000-01-01T00:00:00Z' },
    { path: 'MedicationRequest.dosageInstruction', max: '2' },
    { path: 'MedicationRequest.dosageInstruction.text', min: 1 },
    {
      path: 'MedicationRequest.substitution',
      ...constraint('nat-4', 'A reason if it is not allowed', 'allowed = true or reason.exists()'),
    },
    { path: 'MedicationRequest.dispenseRequest.numberOfRepeatsAllowed', maxValueUnsignedInt: 12 },
  ]),
];

const component = (code: string): object => ({
  code: codeable(LOINC, code),
  valueQuantity: { value: 120, unit: 'mmHg', system: UCUM, code: 'mm[Hg]' },
});
const VALID: Readonly<Record<string, Resource>> = {
  patient: {
    resourceType: 'Patient',
    extension: [
      {
        url: `${URL}/race`,
        extension: [
          { url: 'category', valueCoding: { system: CODES, code: 'a' } },
          { url: 'text', valueString: 'A' },
        ],
      },
    ],
    identifier: [{ system: 'urn:ids', value: '1' }],
    name: [{ family: 'F' }],
    telecom: [{ system: 'phone', value: '1' }],
    gender: 'female',
    birthDate: '2000-01-01',
    deceasedDateTime: '2020',
    address: [{ country: 'NA' }],
  },
  laboratory: {
    resourceType: 'Observation',
    status: 'final',
    category: [codeable(CATEGORY, 'laboratory')],
    code: codeable(LOINC, '1-8'),
    subject: { reference: 'Patient/1' },
    effectiveDateTime: '2020-01-01',
    performer: [{ reference: 'Practitioner/1' }],
    valueString: 'a',
  },
  pressure: {
    resourceType: 'Observation',
    status: 'final',
    code: codeable(LOINC, '85354-9'),
    component: [component('8480-6'), component('8462-4')],
  },
  problem: {
    resourceType: 'Condition',
    clinicalStatus: codeable('http://terminology.hl7.org/CodeSystem/condition-clinical', 'active'),
    category: [codeable(CODES, 'problem')],
    code: codeable(CODES, 'x'),
    subject: { reference: 'Patient/1' },
    onsetDateTime: '2020',
    note: [{ text: 'a' }],
  },
  prescription: {
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    medicationCodeableConcept: { text: 'a' },
    subject: { reference: 'Patient/1' },
    requester: { reference: 'Practitioner/1' },
    authoredOn: '2020-01-01T00:00:00Z',
    dosageInstruction: [{ text: 'a' }],
    substitution: { allowedBoolean: true },
    dispenseRequest: { numberOfRepeatsAllowed: 3 },
  },
};

/** The profile, the members to change (`identifier.0.value`; undefined removes one), and the place of the error. */
const BROKEN: readonly (readonly [profile: string, change: string, value: unknown, place: string])[] = [
  ['patient', 'identifier', undefined, 'identifier'],
  ['patient', 'identifier.0.system', undefined, 'identifier[0].system'],
  ['patient', 'identifier.0.value', undefined, 'identifier[0].value'],
  ['patient', 'identifier.0.value', '12345678901', 'identifier[0].value'],
  ['patient', 'name', undefined, 'name'],
  ['patient', 'name.0', { text: 'F' }, 'name[0]'],
  ['patient', 'telecom.0.system', undefined, 'telecom[0]|telecom[0].system'],
  ['patient', 'telecom.0.value', undefined, 'telecom[0].value'],
  ['patient', 'gender', undefined, 'gender'],
  ['patient', 'birthDate', '2000', 'birthDate'],
  ['patient', 'address.0.country', 'XX', 'address[0].country'],
  ['patient', 'photo', [{ title: 'a' }], 'photo'],
  ['patient', 'extension.0.extension.1', undefined, 'extension[0].extension'],
  ['patient', 'extension.0.extension.0.valueCoding.code', 'z', 'extension[0].extension[0].value.ofType(Coding).code'],
  ['patient', 'extension.0.extension.0', { url: 'category', valueString: 'a' }, 'extension[0].extension[0].value.ofType(string)'],
  ['patient', 'extension.0.extension.1.valueString', undefined, 'extension[0].extension[1]|extension[0].extension[1].value'],
  ['laboratory', 'category', undefined, 'category'],
  ['laboratory', 'category.0.coding.0.code', 'imaging', 'category'],
  ['laboratory', 'code', { text: 'a' }, 'code.coding'],
  ['laboratory', 'subject', undefined, 'subject'],
  ['laboratory', 'subject.reference', 'Group/1', 'subject'],
  ['laboratory', 'effectiveDateTime', undefined, 'effective'],
  ['laboratory', 'performer.0.reference', 'Patient/1', 'performer[0]'],
  ['laboratory', 'valueString', undefined, ''],
  ['laboratory', 'interpretation', [{ text: 'a' }, { text: 'b' }], 'interpretation'],
  ['laboratory', 'status', undefined, 'status'],
  ['pressure', 'code', codeable(LOINC, '1-8'), 'code'],
  ['pressure', 'component.1.code', codeable(LOINC, '1-8'), 'component'],
  ['pressure', 'component.0.valueQuantity.code', 'kPa', 'component[0].value.ofType(Quantity).code'],
  ['pressure', 'component.0.valueQuantity.system', 'urn:units', 'component[0].value.ofType(Quantity).system'],
  ['pressure', 'component.1.valueQuantity.value', undefined, 'component[1].value.ofType(Quantity).value'],
  ['pressure', 'component.1.code', codeable(LOINC, '8480-6'), 'component|component[1]'],
  ['pressure', 'component.0', { code: codeable(LOINC, '8480-6'), valueString: '120' }, 'component[0].value.ofType(string)'],
  ['pressure', 'valueString', 'a', 'value'],
  ['pressure', 'status', 'done', 'status'],
  ['problem', 'clinicalStatus', undefined, 'clinicalStatus'],
  ['problem', 'category', undefined, 'category'],
  ['problem', 'category.0.coding.0.code', 'other', 'category'],
  ['problem', 'code', undefined, 'code'],
  ['problem', 'code.coding.0.code', 'z', 'code.coding[0].code'],
  ['problem', 'subject.reference', 'Group/1', 'subject'],
  ['problem', 'onsetDateTime', '2020-13', 'onset.ofType(dateTime)'],
  ['problem', 'note.0.text', 'a text that is too long', 'note[0].text'],
  ['prescription', 'intent', 'plan', 'intent'],
  ['prescription', 'requester', undefined, 'requester'],
  ['prescription', 'requester.reference', 'Patient/1', 'requester'],
  ['prescription', 'authoredOn', undefined, 'authoredOn'],
  ['prescription', 'authoredOn', '1999-01-01T00:00:00Z', 'authoredOn'],
  ['prescription', 'dosageInstruction.0.text', undefined, 'dosageInstruction[0]'],
  ['prescription', 'dosageInstruction', [{ text: 'a' }, { text: 'b' }, { text: 'c' }], 'dosageInstruction'],
  ['prescription', 'substitution.allowedBoolean', false, 'substitution'],
  ['prescription', 'dispenseRequest.numberOfRepeatsAllowed', 13, 'dispenseRequest.numberOfRepeatsAllowed'],
]; // prettier-ignore

function changed(resource: Resource, path: string, value: unknown): object {
  const copy = structuredClone(resource) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at: Record<string, unknown> = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (Array.isArray(at)) at.splice(Number(last), 1, ...(value === undefined ? [] : [value]));
  else if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

describe('a resource of a guide', () => {
  const send = (method: string, rest: string, body: object) =>
    server.request(method, `${server.path('system', 'r4')}/${rest}`, body);
  const errorsOf = async (resource: object, canonical: string): Promise<readonly string[]> => {
    const { json } = await send('POST', '$validate', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'resource', resource },
        { name: 'profile', valueUri: `${URL}/${canonical}` },
      ],
    });
    const issues = json.issue as readonly {
      severity: string;
      expression?: readonly string[];
      diagnostics: string;
    }[];
    return issues
      .filter(({ severity }) => severity === 'error')
      .map(({ expression = [], diagnostics }) => expression[0] ?? diagnostics);
  };

  beforeAll(async () => {
    for (const definition of DEFINITIONS as readonly { resourceType: string; id: string }[]) {
      const { status, text } = await send('PUT', `${definition.resourceType}/${definition.id}`, definition);
      expect([definition.id, status, status === 201 ? '' : text]).toEqual([definition.id, 201, '']);
    }
  });

  it.each(Object.entries(VALID))('%s is valid as it is', async (canonical, resource) => {
    expect(await errorsOf(resource, canonical)).toEqual([]);
  });

  it.each(BROKEN)('%s: a wrong %s (%j) is found at %s', async (canonical, change, value, place) => {
    const resource = VALID[canonical];
    if (resource === undefined) throw new Error(canonical);
    const { resourceType } = resource;
    expect((await errorsOf(changed(resource, change, value), canonical)).toSorted()).toEqual(
      place.split('|').map((each) => (each === '' ? resourceType : `${resourceType}.${each}`)),
    );
  });

  it('fifty places are tried', () => {
    expect(BROKEN.length).toBeGreaterThanOrEqual(50);
  });
});
