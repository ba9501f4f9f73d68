/**
 * Two sets of the same data, which differ only in hidden data: elements of many kinds, types, and rows. Hidden data
 * of a side have the word of the side.
 */
import type { PolicyDefinition } from '../../../src/core/api/policy';

export type Side = 0 | 1;

/** By so many both sides are filled (two-sides.ts). */
export const CHANGES = 10;

/** In all that is hidden, and nowhere else. */
export const CANARY = 'canary';
export const wordOf = (side: Side): string => `${CANARY}${side}`;

interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly [name: string]: unknown;
}

/** The hidden data. */
export const VEIL: PolicyDefinition = {
  rules: [
    {
      types: [
        ...['Patient', 'Practitioner', 'Organization', 'Procedure', 'Encounter', 'List', 'Composition'],
        ...['Bundle', 'Binary', 'Questionnaire', 'QuestionnaireResponse', 'Provenance', 'SearchParameter'],
      ],
      interactions: 'cruds',
    },
    { types: ['Observation'], interactions: 'cruds', criteria: ['category=laboratory'] },
    { types: ['Condition'], interactions: 'cruds', criteria: ['clinical-status=active'] },
  ],
  hidden: [
    'Patient.telecom',
    'Patient.identifier',
    'Patient.name.given',
    'Patient.contact.telecom',
    'Patient.extension.value',
    'Patient.birthDate.extension',
    'Patient.generalPractitioner',
    'Observation.value',
    'Observation.note',
    'Observation.performer',
    'Observation.component.value',
    'Observation.component.referenceRange',
    'Observation.referenceRange.low',
    'Procedure.performed',
    'Encounter.subject',
    'List.entry',
    'Composition.section.entry',
    'Binary.data',
    'Questionnaire.item.item',
    'Questionnaire.item.prefix',
    'QuestionnaireResponse.item.answer',
  ],
  readOnly: ['Patient.active', 'Observation.status'],
};

const LAB = [
  {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }],
  },
];
const SOCIAL = [
  {
    coding: [
      { system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'social-history' },
    ],
  },
];
const to = (reference: string): { readonly reference: string } => ({ reference });
const coded = (code: string): object => ({ coding: [{ system: 'urn:codes', code }] });
const given = (isThere: boolean, members: object): object => (isThere ? members : {});
const narrative = (text: string): object => ({
  text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${text}</div>` },
});

function clinicalStatus(code: string): object {
  const system = 'http://terminology.hl7.org/CodeSystem/condition-clinical';
  return { clinicalStatus: { coding: [{ system, code }] } };
}

/** `round`: a later version, with other hidden data. */
export function patients(side: Side, round: number): readonly Resource[] {
  const word = wordOf(side);
  const first = side === 0;
  const [one, other] = first
    ? ['Practitioner/p1', 'Practitioner/p2']
    : ['Practitioner/p2', 'Practitioner/p1'];
  return [
    {
      resourceType: 'Patient',
      id: 'a',
      ...narrative(`${word} narrative ${round}`),
      extension: [{ url: 'urn:ext', valueString: `${word} extension` }],
      identifier: [{ system: 'urn:mrn', value: `${word}-mrn-${round}` }],
      active: true,
      name: [{ family: 'Abel', given: [`${word}-given`, 'Ann'] }],
      telecom: [{ system: 'phone', value: `${word}-phone` }],
      gender: 'female',
      birthDate: '1970-01-01',
      _birthDate: { extension: [{ url: 'urn:time', valueString: `${word} born` }] },
      generalPractitioner: [to(one)],
    },
    {
      resourceType: 'Patient',
      id: 'b',
      ...given(first, { identifier: [{ system: 'urn:mrn', value: `${word}-b` }] }),
      ...given(!first, { telecom: [{ system: 'email', value: `${word}@example.org` }] }),
      extension: [{ url: 'urn:ext', ...(first ? { valueString: word } : { valueInteger: 7 }) }],
      active: true,
      name: [{ family: 'Baker', ...given(first, { given: [word] }) }],
      contact: [
        { name: { text: 'Eve' }, ...given(first, { telecom: [{ system: 'phone', value: word }] }) },
        ...(first ? [{ telecom: [{ system: 'phone', value: `${word}-2` }] }] : []),
      ],
      gender: 'male',
      birthDate: '1980-02-02',
      generalPractitioner: [to(other)],
    },
    // One has something that is hidden, the other has nothing to hide.
    {
      resourceType: 'Patient',
      id: 'c',
      ...given(first, narrative(word)),
      ...given(first, {
        identifier: [{ system: 'urn:mrn', value: `${word}-c` }],
        name: [{ given: [`${word}-c`] }],
        telecom: [{ system: 'phone', value: `${word}-c` }],
        generalPractitioner: [to('Practitioner/p1')],
      }),
      active: false,
      gender: 'female',
    },
    {
      resourceType: 'Patient',
      id: 'd',
      ...given(!first, { identifier: [{ system: 'urn:mrn', value: `${wordOf(0)}-d` }] }),
      active: true,
      name: [{ family: 'Dorn' }],
      managingOrganization: to('Organization/o1'),
    },
  ];
}

export function observations(side: Side, round: number): readonly Resource[] {
  const word = wordOf(side);
  const first = side === 0;
  const quantity = (value: number): object => ({
    valueQuantity: { value, unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' },
  });
  const common = (id: string, patient: string, day: number): Resource => ({
    ...{ resourceType: 'Observation', id, status: 'final', category: LAB, code: coded('weight') },
    ...{ subject: to(`Patient/${patient}`), effectiveDateTime: `2020-01-${10 + day}` },
  });
  return [
    {
      ...common('v1', 'a', 1),
      ...quantity(first ? 10 + round : 90),
      note: [{ text: `${word} note` }],
      performer: [to(first ? 'Practitioner/p1' : 'Practitioner/p2')],
      component: [
        {
          code: coded('part'),
          ...quantity(first ? 1 : 2),
          referenceRange: [{ text: `${word} range`, low: { value: first ? 1 : 2 } }],
        },
      ],
      referenceRange: [{ low: { value: first ? 3 : 4 }, high: { value: 9 } }],
    },
    { ...common('v2', 'b', 2), ...(first ? { valueString: word } : quantity(10)) },
    {
      ...common('v3', 'a', 3),
      ...given(first, { valueCodeableConcept: coded(`${word}-code`), performer: [to('Organization/o1')] }),
      ...given(!first, { note: [{ text: wordOf(0) }] }),
    },
    {
      ...common('v4', 'b', 4),
      subject: to('#p'),
      contained: [
        {
          resourceType: 'Patient',
          id: 'p',
          gender: 'male',
          ...given(first, { telecom: [{ system: 'phone', value: `${word}-inside` }] }),
        },
      ],
    },
    // Rows that are not reached.
    { ...common('h1', 'a', 5), category: SOCIAL, code: coded(word), valueString: word },
  ];
}

/** Resources that leave the reach of the clients, and that enter it: only the last version of the latter is visible. */
export function movers(side: Side, round: 0 | 1): readonly Resource[] {
  const status = round === 0 ? (['active', 'inactive'] as const) : (['inactive', 'active'] as const);
  return ['c4', 'c5'].map((id, index) => ({
    ...{ resourceType: 'Condition', id, ...clinicalStatus(status[index === 0 ? 0 : 1]) },
    ...{ subject: to('Patient/a'), recordedDate: '2020-02-02' },
    ...given(status[index === 0 ? 0 : 1] === 'inactive' || id === 'c4', { code: coded(wordOf(side)) }),
  }));
}

/** All others. `only`: in the other set a resource of a type that no client reaches is written instead. */
export function others(side: Side): readonly Resource[] {
  const word = wordOf(side);
  const first = side === 0;
  const only = (resource: Resource): Resource =>
    first ? resource : { resourceType: 'Basic', id: resource.id, code: { text: wordOf(1) } };
  const day = (index: number): string => `2021-03-${10 + (first ? index : 9 - index)}`;
  return [
    { resourceType: 'Practitioner', id: 'p1', name: [{ family: 'Pick' }] },
    { resourceType: 'Practitioner', id: 'p2', name: [{ family: 'Quill' }] },
    { resourceType: 'Organization', id: 'o1', name: 'One' },
    ...['q1', 'q2', 'q3', 'q4'].map((id, index) => ({
      ...{ resourceType: 'Procedure', id, status: 'completed', code: coded('cut') },
      ...{ subject: to('Patient/a'), performedDateTime: day(index) },
    })),
    {
      ...{ resourceType: 'Encounter', id: 'e1', status: 'finished', class: { code: 'AMB' } },
      ...{ subject: to(first ? 'Patient/a' : 'Patient/b'), serviceProvider: to('Organization/o1') },
    },
    { ...{ resourceType: 'Condition', id: 'c1', ...clinicalStatus('active') }, subject: to('Patient/a') },
    {
      ...{ resourceType: 'Condition', id: 'c2', ...clinicalStatus('inactive'), code: coded(word) },
      subject: to(first ? 'Patient/a' : 'Patient/b'),
    },
    only({
      ...{ resourceType: 'Condition', id: 'c3', ...clinicalStatus('resolved'), code: coded(word) },
      ...{ subject: to('Patient/a'), encounter: to('Encounter/e1') },
    }),
    only({
      ...{ resourceType: 'Flag', id: 'f1', status: 'active', code: { text: word } },
      subject: to('Patient/a'),
    }),
    {
      ...{ resourceType: 'List', id: 'l1', status: 'current', mode: 'working', subject: to('Patient/a') },
      code: { coding: [{ system: 'http://loinc.org', code: '11450-4' }] },
      entry: [{ item: to(first ? 'Condition/c1' : 'Observation/v1') }],
    },
    {
      ...{ resourceType: 'Composition', id: 'comp', status: 'final', type: coded('doc'), title: 'Letter' },
      ...{ date: '2020-05-05', author: [to('Practitioner/p1')], subject: to('Patient/a') },
      section: [{ title: 'One', entry: [to(first ? 'Observation/v1' : 'Organization/o1')] }],
    },
    {
      ...{ resourceType: 'Bundle', id: 'bun', type: 'document', timestamp: '2020-05-05T00:00:00Z' },
      identifier: { system: 'urn:documents', value: 'bun' },
      entry: [
        {
          fullUrl: 'urn:uuid:0b9f1c1e-0000-4000-8000-000000000002',
          resource: {
            ...{
              resourceType: 'Composition',
              id: 'held',
              status: 'final',
              type: coded('doc'),
              title: 'Held',
            },
            ...{ date: '2020-05-05', author: [to('urn:uuid:0b9f1c1e-0000-4000-8000-000000000003')] },
            subject: to('urn:uuid:0b9f1c1e-0000-4000-8000-000000000003'),
            section: [
              {
                title: 'One',
                ...given(first, { entry: [to('urn:uuid:0b9f1c1e-0000-4000-8000-000000000003')] }),
              },
            ],
          },
        },
        {
          fullUrl: 'urn:uuid:0b9f1c1e-0000-4000-8000-000000000003',
          resource: {
            ...{ resourceType: 'Patient', gender: 'male' },
            ...given(first, { telecom: [{ system: 'phone', value: `${word}-held` }] }),
          },
        },
      ],
    },
    {
      ...{ resourceType: 'Binary', id: 'bin', contentType: 'text/plain' },
      data: Buffer.from(word).toString('base64'),
    },
    {
      ...{ resourceType: 'Questionnaire', id: 'ask', status: 'active', url: 'urn:ask' },
      item: [
        {
          ...{ linkId: '1', type: 'group', prefix: word },
          item: [{ linkId: '1.1', type: 'string', text: word, prefix: word }],
        },
      ],
    },
    {
      ...{
        resourceType: 'QuestionnaireResponse',
        id: 'answer',
        status: 'completed',
        questionnaire: 'urn:ask',
      },
      item: [
        {
          linkId: '1',
          item: [{ linkId: '1.1', answer: [{ valueString: word }] }],
        },
      ],
    },
    {
      ...{ resourceType: 'Provenance', id: 'prov', recorded: '2020-01-01T00:00:00Z' },
      ...{ target: [to('Patient/a')], agent: [{ who: to('Practitioner/p1') }] },
    },
  ];
}

/** Definitions by which the tenant itself would make hidden data searchable. */
export const OWN_PARAMETERS: readonly (readonly [
  code: string,
  base: string,
  type: string,
  expression: string,
])[] = [
  ['own-phone', 'Patient', 'token', "Patient.telecom.where(system='phone')"],
  ['own-given', 'Patient', 'string', 'Patient.name.given'],
  ['own-extension', 'Patient', 'string', "Patient.extension.where(url='urn:ext').value.ofType(string)"],
  ['own-inside', 'Observation', 'token', 'Observation.contained.ofType(Patient).telecom'],
  ['own-held', 'Bundle', 'token', 'Bundle.entry.resource.ofType(Patient).telecom'],
  ['own-any', 'Observation', 'token', 'Observation.descendants().ofType(ContactPoint)'],
  ['own-flag', 'Flag', 'token', 'Flag.status'],
  ['own-family', 'Patient', 'string', 'Patient.name.family'],
];
