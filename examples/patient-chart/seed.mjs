/**
 * `npm run seed`: three patients with a record and ten months of measurements, stored by one transaction. A second run only
 * changes their versions. ANDIRON is the address of the server, TENANT the tenant, AUTHORIZATION a header where access is enforced.
 */
const { ANDIRON = 'http://localhost:3000', TENANT = 'system', AUTHORIZATION } = process.env;

const vitalSigns = [
  { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
];
const loinc = (code, text) => ({ coding: [{ system: 'http://loinc.org', code }], text });
const quantity = (value, unit, code) => ({ value, unit, system: 'http://unitsofmeasure.org', code });

const practice = { resourceType: 'Organization', id: 'chart-practice', name: 'Practice at the Harbour' };

const patients = [
  {
    id: 'chart-anders',
    family: 'Anders',
    given: ['Ida'],
    gender: 'female',
    birthDate: '1958-04-12',
    weight: 82,
  },
  {
    id: 'chart-brandt',
    family: 'Brandt',
    given: ['Jonas'],
    gender: 'male',
    birthDate: '1971-11-30',
    weight: 96,
  },
  {
    id: 'chart-celik',
    family: 'Çelik',
    given: ['Defne'],
    gender: 'female',
    birthDate: '1990-07-03',
    weight: 61,
  },
];

function toPatient({ id, family, given, gender, birthDate }) {
  const name = [{ use: 'official', family, given }];
  return {
    resourceType: 'Patient',
    id,
    active: true,
    name,
    gender,
    birthDate,
    telecom: [{ system: 'phone', value: '+49 30 5550123' }],
    managingOrganization: { reference: `Organization/${practice.id}` },
  };
}

function toObservation({ id }, month, kind, rest) {
  return {
    resourceType: 'Observation',
    id: `${id}-${kind}-${month}`,
    status: 'final',
    category: vitalSigns,
    subject: { reference: `Patient/${id}` },
    effectiveDateTime: `2026-${String(month).padStart(2, '0')}-10T09:00:00Z`,
    ...rest,
  };
}

/** Waves instead of random numbers, so that the values are the same each time. */
function toObservations(patient, month) {
  const wave = Math.sin((month + patient.weight) / 1.7);
  const rounded = (value) => Math.round(value * 10) / 10;
  const pressure = (value) => quantity(Math.round(value), 'mmHg', 'mm[Hg]');
  return [
    toObservation(patient, month, 'weight', {
      code: loinc('29463-7', 'Body weight'),
      valueQuantity: quantity(rounded(patient.weight - month * 0.6 + wave), 'kg', 'kg'),
    }),
    toObservation(patient, month, 'pulse', {
      code: loinc('8867-4', 'Heart rate'),
      valueQuantity: quantity(Math.round(72 - wave * 6), '/min', '/min'),
    }),
    toObservation(patient, month, 'pressure', {
      code: loinc('85354-9', 'Blood pressure'),
      component: [
        { code: loinc('8480-6', 'Systolic'), valueQuantity: pressure(146 - month * 1.5 + wave * 5) },
        { code: loinc('8462-4', 'Diastolic'), valueQuantity: pressure(92 - month + wave * 3) },
      ],
    }),
  ];
}

const text = (words) => ({ text: words });
const clinical = (kind) => ({
  coding: [{ system: `http://terminology.hl7.org/CodeSystem/${kind}-clinical`, code: 'active' }],
});

/** What a summary shows: problems, an allergy, drugs (the second one contained), and the encounters of the year. */
function toRecord({ id }) {
  const subject = { reference: `Patient/${id}` };
  const request = { status: 'active', intent: 'order', subject, authoredOn: '2026-03-02' };
  const visit = (month, kind, code, display, hours) => ({
    resourceType: 'Encounter',
    id: `${id}-visit-${month}`,
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code, display },
    type: [text(kind)],
    subject,
    period: {
      start: `2026-${String(month).padStart(2, '0')}-10T08:30:00Z`,
      end: new Date(Date.UTC(2026, month - 1, 10, 8, 30) + hours * 3_600_000).toISOString(),
    },
  });
  return [
    {
      ...{ resourceType: 'Condition', id: `${id}-hypertension`, subject, code: text('Hypertension') },
      ...{ clinicalStatus: clinical('condition'), onsetDateTime: '2019-05-20' },
    },
    {
      ...{ resourceType: 'AllergyIntolerance', id: `${id}-penicillin`, patient: subject },
      ...{ clinicalStatus: clinical('allergyintolerance'), code: text('Penicillin'), criticality: 'high' },
    },
    {
      ...{ resourceType: 'MedicationRequest', id: `${id}-ramipril`, ...request },
      medicationCodeableConcept: text('Ramipril 5 mg'),
      dosageInstruction: [{ text: 'one in the morning' }],
    },
    {
      ...{ resourceType: 'MedicationRequest', id: `${id}-metoprolol`, ...request },
      contained: [{ resourceType: 'Medication', id: 'drug', code: text('Metoprolol 47.5 mg') }],
      medicationReference: { reference: '#drug' },
      dosageInstruction: [{ text: 'one in the evening' }],
    },
    visit(1, 'Check-up', 'AMB', 'ambulatory', 0.5),
    visit(4, 'Observation after a fall', 'IMP', 'inpatient', 72),
    visit(7, 'Check-up', 'AMB', 'ambulatory', 0.5),
    visit(10, 'Check-up', 'AMB', 'ambulatory', 0.5),
  ];
}

const months = Array.from({ length: 10 }, (_, index) => index + 1);
const resources = [
  practice,
  ...patients.map(toPatient),
  ...patients.flatMap(toRecord),
  ...patients.flatMap((patient) => months.flatMap((month) => toObservations(patient, month))),
];
const bundle = {
  resourceType: 'Bundle',
  type: 'transaction',
  entry: resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  })),
};

const response = await fetch(`${ANDIRON}/w/${TENANT}/api/v1/graphql/r4`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(AUTHORIZATION ? { authorization: AUTHORIZATION } : {}) },
  body: JSON.stringify({
    query: 'mutation Seed($bundle: ResourceInput!) { transaction(bundle: $bundle) { id } }',
    variables: { bundle },
  }),
});
const { errors } = await response.json();
if (errors) throw new Error(errors[0].message);
console.log(`Stored ${resources.length} resources at ${ANDIRON}, tenant ${TENANT}`);
