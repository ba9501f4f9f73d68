/** Two patients, and resources without a patient, for $everything. */
export type Resource = { resourceType: string; id: string; meta?: object } & Record<string, unknown>;
const reference = (to: string) => ({ reference: to });
const text = (words: string) => ({ text: words });
const LOINC = { coding: [{ system: 'http://loinc.org', code: '8867-4' }], text: 'Heart rate' };

export function observation(id: string, subject: string | undefined, rest: object = {}): Resource {
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: LOINC,
    ...(subject === undefined ? {} : { subject: reference(subject) }),
    ...rest,
  };
}

function encounter(id: string, start: string, end: string, rest: object = {}): Resource {
  return {
    resourceType: 'Encounter',
    id,
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: reference('Patient/ann'),
    period: { start, end },
    ...rest,
  };
}

/** A resource without a patient: it is included with those that refer to it. */
export const SHARED: readonly Resource[] = [
  { resourceType: 'Organization', id: 'clinic', name: 'Clinic' },
  { resourceType: 'Practitioner', id: 'doctor', name: [{ family: 'Adler' }] },
  { resourceType: 'Practitioner', id: 'nurse', name: [{ family: 'Berg' }] },
  { resourceType: 'Practitioner', id: 'stranger', name: [{ family: 'Curie' }] },
  {
    resourceType: 'Location',
    id: 'ward',
    name: 'Ward',
    managingOrganization: reference('Organization/clinic'),
  },
  { resourceType: 'Medication', id: 'aspirin', code: text('Aspirin') },
  { resourceType: 'Binary', id: 'scan', contentType: 'text/plain', data: 'c2Nhbg==' },
  observation('air', undefined, { device: reference('Device/monitor') }),
  { resourceType: 'Device', id: 'monitor', status: 'active' },
];

export const ANN: readonly Resource[] = [
  {
    resourceType: 'Patient',
    id: 'ann',
    birthDate: '1950-01-01',
    generalPractitioner: [reference('Practitioner/doctor')],
    managingOrganization: reference('Organization/clinic'),
    link: [{ other: reference('Patient/bob'), type: 'seealso' }],
  },
  encounter('visit-2019', '2019-12-30', '2020-01-02', {
    participant: [{ individual: reference('Practitioner/doctor') }],
    location: [{ location: reference('Location/ward') }],
  }),
  encounter('visit-2021', '2021-05-01T10:00:00Z', '2021-05-01T11:00:00Z', {
    partOf: reference('Encounter/visit-2019'),
  }),
  observation('pulse-2019', 'Patient/ann', {
    effectiveDateTime: '2019-12-31',
    encounter: reference('Encounter/visit-2019'),
    performer: [reference('Practitioner/nurse')],
  }),
  observation('pulse-2021', 'Patient/ann', {
    effectiveDateTime: '2021-05-01T10:30:00Z',
    encounter: reference('Encounter/visit-2021'),
    // Targets of another patient, without a patient, and missing.
    hasMember: [
      reference('Observation/bobs'),
      reference('Observation/air'),
      reference('Observation/missing'),
    ],
  }),
  observation('pulse-undated', 'Patient/ann', { device: reference('Device/monitor') }),
  {
    resourceType: 'MedicationRequest',
    id: 'prescription',
    status: 'active',
    intent: 'order',
    subject: reference('Patient/ann'),
    authoredOn: '2021-05-01',
    encounter: reference('Encounter/visit-2021'),
    medicationReference: reference('Medication/aspirin'),
    requester: reference('Practitioner/doctor'),
  },
  {
    resourceType: 'DocumentReference',
    id: 'letter',
    status: 'current',
    subject: reference('Patient/ann'),
    date: '2021-05-02T00:00:00Z',
    content: [{ attachment: { contentType: 'text/plain', url: 'Binary/scan' } }],
  },
  {
    resourceType: 'RelatedPerson',
    id: 'mother',
    patient: reference('Patient/ann'),
    birthDate: '1930-01-01',
  },
  {
    resourceType: 'Coverage',
    id: 'policy',
    status: 'active',
    beneficiary: reference('Patient/ann'),
    payor: [reference('Organization/clinic')],
  },
];

export const BOB: readonly Resource[] = [
  { resourceType: 'Patient', id: 'bob', generalPractitioner: [reference('Practitioner/stranger')] },
  observation('bobs', 'Patient/bob', { effectiveDateTime: '2021-05-01' }),
];

export const addressOf = ({ resourceType, id }: Resource): string => `${resourceType}/${id}`;
export const namesOf = (resources: readonly Resource[]): string[] => resources.map(addressOf).sort();
export const ANNS = namesOf(ANN);
export const BROUGHT = [
  'Binary/scan',
  'Device/monitor',
  'Location/ward',
  'Medication/aspirin',
  'Observation/air',
  'Organization/clinic',
  'Practitioner/doctor',
  'Practitioner/nurse',
];
