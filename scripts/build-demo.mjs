/**
 * Writes examples/demo.ndjson.gz: three made-up people with records long enough for timelines and charts, which the
 * official examples do not have. The quick start loads them in both releases. The numbers depend on nothing but this file;
 * `--check` changes nothing and fails if the file would change.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

const file = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../examples/demo.ndjson.gz');
const LOINC = 'http://loinc.org';
const SNOMED = 'http://snomed.info/sct';
const UCUM = 'http://unitsofmeasure.org';
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2024, 10, 4, 8);

/** A generator of numbers from 0 to 1 that are the same at each build (mulberry32). */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const at = (day, minute = 0) =>
  `${new Date(BEGIN + day * DAY_MS + minute * 60_000).toISOString().slice(0, 19)}Z`;
const concept = (system, code, display) => ({ coding: [{ system, code, display }], text: display });
const reference = (type, id, display) => ({ reference: `${type}/${id}`, display });
const DOCTOR = reference('Practitioner', 'demo-doe', 'Dr. Dora Doe');
const CLINIC = reference('Organization', 'demo-clinic', 'Andiron Demo Clinic');

/** A value that wanders around `middle` and comes slowly nearer to `aim`. `digits`: after the decimal point. */
function series({ random, count, middle, aim, spread, digits }) {
  return Array.from({ length: count }, (_, step) => {
    const trend = middle + ((aim - middle) * step) / count;
    return (trend + (random() - 0.5) * 2 * spread).toFixed(digits);
  });
}

const MEASURED = {
  glucose: {
    code: concept(LOINC, '2339-0', 'Glucose [Mass/volume] in Blood'),
    unit: 'mg/dL',
    of: 'laboratory',
    low: 70,
    high: 110,
  },
  hba1c: {
    code: concept(LOINC, '4548-4', 'Hemoglobin A1c/Hemoglobin.total in Blood'),
    unit: '%',
    of: 'laboratory',
    low: 4,
    high: 6,
  },
  weight: { code: concept(LOINC, '29463-7', 'Body weight'), unit: 'kg', of: 'vital-signs' },
  pulse: { code: concept(LOINC, '8867-4', 'Heart rate'), unit: '/min', of: 'vital-signs' },
};
const PRESSURE = concept(LOINC, '85354-9', 'Blood pressure panel with all children optional');
const SYSTOLIC = concept(LOINC, '8480-6', 'Systolic blood pressure');
const DIASTOLIC = concept(LOINC, '8462-4', 'Diastolic blood pressure');

/** JSON numbers are written with the digits of the measurement, such as 5.10. */
const quantity = (text, unit) => ({ value: { digits: text }, unit, system: UCUM, code: unit });

function observation(patient, name, number, { code, of, when, ...value }) {
  return {
    resourceType: 'Observation',
    id: `demo-${patient.key}-${name}-${number}`,
    status: 'final',
    category: [{ coding: [{ system: CATEGORY, code: of }] }],
    code,
    subject: patient.reference,
    effectiveDateTime: when,
    performer: [DOCTOR],
    ...value,
  };
}

function measurements(patient, name, { every, ...wanted }) {
  const { code, unit, of, low, high } = MEASURED[name];
  const range =
    low === undefined
      ? {}
      : { referenceRange: [{ low: quantity(String(low), unit), high: quantity(String(high), unit) }] };
  return series({ random: patient.random, ...wanted }).map((text, step) =>
    observation(patient, name, step + 1, {
      ...{ code, of, when: at(step * every, Math.floor(patient.random() * 120)) },
      valueQuantity: quantity(text, unit),
      ...range,
    }),
  );
}

function pressures(patient, { every, count, systolic, diastolic }) {
  const { random } = patient;
  const [upper, lower] = [systolic, diastolic].map((wanted) =>
    series({ random, count, digits: 0, spread: 7, ...wanted }),
  );
  return upper.map((text, step) =>
    observation(patient, 'pressure', step + 1, {
      ...{ code: PRESSURE, of: 'vital-signs', when: at(step * every, 10) },
      component: [
        { code: SYSTOLIC, valueQuantity: quantity(text, 'mm[Hg]') },
        { code: DIASTOLIC, valueQuantity: quantity(lower[step], 'mm[Hg]') },
      ],
    }),
  );
}

function visits(patient, every, count) {
  return Array.from({ length: count }, (_, step) => ({
    resourceType: 'Encounter',
    id: `demo-${patient.key}-visit-${step + 1}`,
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB', display: 'ambulatory' },
    type: [concept(SNOMED, '185349003', 'Encounter for check up')],
    subject: patient.reference,
    participant: [{ individual: DOCTOR }],
    period: { start: at(step * every), end: at(step * every, 25) },
    serviceProvider: CLINIC,
  }));
}

const clinical = (code) => concept('http://terminology.hl7.org/CodeSystem/condition-clinical', code, code);
const verified = concept(
  'http://terminology.hl7.org/CodeSystem/condition-ver-status',
  'confirmed',
  'confirmed',
);

const condition = (patient, name, code, onset) => ({
  resourceType: 'Condition',
  id: `demo-${patient.key}-${name}`,
  clinicalStatus: clinical('active'),
  verificationStatus: verified,
  category: [
    concept(
      'http://terminology.hl7.org/CodeSystem/condition-category',
      'problem-list-item',
      'Problem List Item',
    ),
  ],
  code,
  subject: patient.reference,
  onsetDateTime: onset,
});

const drug = (patient, name, text, dose) => ({
  resourceType: 'MedicationRequest',
  id: `demo-${patient.key}-${name}`,
  status: 'active',
  intent: 'order',
  medicationCodeableConcept: { text },
  subject: patient.reference,
  authoredOn: at(0),
  requester: DOCTOR,
  dosageInstruction: [{ text: dose }],
});

function makePatient(key, seed, { given, family, gender, birthDate, city }) {
  const name = `${given} ${family}`;
  return {
    key,
    random: createRandom(seed),
    reference: reference('Patient', `demo-${key}`, name),
    resource: {
      resourceType: 'Patient',
      id: `demo-${key}`,
      identifier: [{ system: 'http://clinic.example/record', value: `A-${seed}` }],
      active: true,
      name: [{ use: 'official', family, given: [given] }],
      gender,
      birthDate,
      address: [{ city, country: 'DK' }],
      generalPractitioner: [DOCTOR],
      managingOrganization: CLINIC,
    },
  };
}

const ida = makePatient('ida', 1_001, {
  given: 'Ida',
  family: 'Anders',
  gender: 'female',
  birthDate: '1958-04-12',
  city: 'Aarhus',
});
const jonas = makePatient('jonas', 1_002, {
  given: 'Jonas',
  family: 'Brandt',
  gender: 'male',
  birthDate: '1971-11-30',
  city: 'Odense',
});
const defne = makePatient('defne', 1_003, {
  given: 'Defne',
  family: 'Çelik',
  gender: 'female',
  birthDate: '1990-07-03',
  city: 'Vejle',
});

const resources = [
  { resourceType: 'Organization', id: 'demo-clinic', active: true, name: 'Andiron Demo Clinic' },
  {
    resourceType: 'Practitioner',
    id: 'demo-doe',
    active: true,
    name: [{ family: 'Doe', given: ['Dora'], prefix: ['Dr.'] }],
  },
  ...[ida, jonas, defne].map(({ resource }) => resource),
  condition(ida, 'diabetes', concept(SNOMED, '44054006', 'Diabetes mellitus type 2'), '2016-02-11'),
  condition(ida, 'hypertension', concept(SNOMED, '38341003', 'Hypertensive disorder'), '2019-05-20'),
  drug(ida, 'metformin', 'Metformin 500 mg', 'one in the morning and one in the evening'),
  drug(ida, 'ramipril', 'Ramipril 5 mg', 'one in the morning'),
  {
    ...{
      resourceType: 'AllergyIntolerance',
      id: 'demo-ida-penicillin',
      criticality: 'high',
      patient: ida.reference,
    },
    clinicalStatus: concept(
      'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical',
      'active',
      'Active',
    ),
    code: concept(SNOMED, '91936005', 'Allergy to penicillin'),
  },
  ...visits(ida, 91, 8),
  ...measurements(ida, 'glucose', { every: 14, count: 52, middle: 172, aim: 128, spread: 24, digits: 1 }),
  ...measurements(ida, 'hba1c', { every: 91, count: 8, middle: 8.4, aim: 6.8, spread: 0.25, digits: 2 }),
  ...measurements(ida, 'weight', { every: 45, count: 16, middle: 84, aim: 78, spread: 1.2, digits: 1 }),
  ...pressures(ida, {
    every: 30,
    count: 24,
    systolic: { middle: 152, aim: 134 },
    diastolic: { middle: 94, aim: 82 },
  }),
  condition(jonas, 'hypertension', concept(SNOMED, '38341003', 'Hypertensive disorder'), '2022-09-01'),
  drug(jonas, 'amlodipine', 'Amlodipine 5 mg', 'one in the morning'),
  ...visits(jonas, 182, 4),
  ...pressures(jonas, {
    every: 60,
    count: 12,
    systolic: { middle: 158, aim: 138 },
    diastolic: { middle: 96, aim: 86 },
  }),
  ...measurements(jonas, 'pulse', { every: 60, count: 12, middle: 78, aim: 70, spread: 6, digits: 0 }),
  ...visits(defne, 240, 3),
  ...measurements(defne, 'weight', { every: 90, count: 8, middle: 61, aim: 62, spread: 0.8, digits: 1 }),
  ...measurements(defne, 'glucose', { every: 120, count: 6, middle: 92, aim: 90, spread: 8, digits: 0 }),
];

/** The text of a resource's narrative: its kind and its values. */
function describe({
  resourceType,
  name,
  code,
  type,
  medicationCodeableConcept,
  valueQuantity,
  component = [],
}) {
  const [first = name] = Array.isArray(name) ? name : [];
  const named = first?.family === undefined ? first : `${first.given.join(' ')} ${first.family}`;
  const what = named ?? code?.text ?? medicationCodeableConcept?.text ?? type?.[0].text ?? resourceType;
  const values = [valueQuantity, ...component.map((part) => part.valueQuantity)].filter(Boolean);
  return [what, values.map(({ value, unit }) => `${value.digits} ${unit}`).join(', ')]
    .filter(Boolean)
    .join(': ');
}

function withNarrative({ resourceType, id, ...rest }) {
  const words = describe({ resourceType, ...rest });
  const text = { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${words}</div>` };
  return { resourceType, id, text, ...rest };
}

const toLine = (resource) => JSON.stringify(resource).replaceAll(/\{"digits":"([^"]*)"\}/g, '$1');
const text = resources.map((resource) => `${toLine(withNarrative(resource))}\n`).join('');
if (process.argv.includes('--check')) {
  if (gunzipSync(readFileSync(file)).toString() !== text) {
    console.error(
      'examples/demo.ndjson.gz is out of date: run node scripts/build-demo.mjs and commit the result.',
    );
    process.exit(1);
  }
} else {
  writeFileSync(file, gzipSync(text, { level: 9 }));
  console.log(`examples/demo.ndjson.gz: ${resources.length} resources`);
}
