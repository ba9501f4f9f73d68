// Measures the time to make the index rows of a resource, without HTTP and PostgreSQL: `node scripts/build.mjs && node
// bench/extract.mjs`. Budget: 60 µs for the Patient and the Observation that bench/drive.mjs creates.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { loadDefinitions } = require('../dist/src/core/fhir/definitions.js');
const { createReferenceResolver } = require('../dist/src/core/fhir/reference.js');
const { createExtractor } = require('../dist/src/core/search/extract.js');
const { createHasher } = require('../dist/src/core/search/hash.js');
const { fold } = require('../dist/src/core/search/fold.js');
const { dateRange } = require('../dist/src/core/fhir/date.js');

const hasher = createHasher(Buffer.from('0123456789abcdef'));
let number = 0;

function makePatient() {
  number++;
  return {
    resourceType: 'Patient',
    text: {
      status: 'generated',
      div: '<div xmlns="http://www.w3.org/1999/xhtml">Benchmark patient created by the load driver</div>',
    },
    extension: [
      {
        url: 'http://hl7.org/fhir/us/core/StructureDefinition/us-core-race',
        extension: [
          {
            url: 'ombCategory',
            valueCoding: { system: 'urn:oid:2.16.840.1.113883.6.238', code: '2106-3', display: 'White' },
          },
          { url: 'text', valueString: 'White' },
        ],
      },
      {
        url: 'http://hl7.org/fhir/StructureDefinition/patient-birthPlace',
        valueAddress: { city: 'Boston', state: 'MA', country: 'US' },
      },
    ],
    identifier: [
      { system: 'http://bench.example/crud', value: `B${number}` },
      {
        type: {
          coding: [
            {
              system: 'http://terminology.hl7.org/CodeSystem/v2-0203',
              code: 'MR',
              display: 'Medical Record Number',
            },
          ],
          text: 'Medical Record Number',
        },
        system: 'http://hospital.smarthealthit.org',
        value: `h-${number}`,
      },
    ],
    active: true,
    name: [
      { use: 'official', family: `Benchfam${number % 500}`, given: ['Bench', 'Quill'], prefix: ['Mr.'] },
    ],
    telecom: [
      { system: 'phone', value: '555-000-0000', use: 'home' },
      { system: 'email', value: `b${number}@example.com` },
    ],
    gender: 'male',
    birthDate: '1901-05-07',
    address: [
      {
        use: 'home',
        line: ['12 Bench Street'],
        city: 'Boston',
        state: 'MA',
        postalCode: '02134',
        country: 'US',
      },
    ],
    maritalStatus: {
      coding: [
        { system: 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', code: 'M', display: 'Married' },
      ],
      text: 'Married',
    },
    multipleBirthBoolean: false,
    communication: [
      {
        language: {
          coding: [{ system: 'urn:ietf:bcp:47', code: 'en-US', display: 'English' }],
          text: 'English',
        },
      },
    ],
  };
}

function makeObservation() {
  number++;
  return {
    resourceType: 'Observation',
    status: 'final',
    category: [
      {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/observation-category',
            code: 'vital-signs',
            display: 'Vital signs',
          },
        ],
      },
    ],
    code: {
      coding: [{ system: 'http://loinc.org', code: '8310-5', display: 'Body temperature' }],
      text: 'Body temperature',
    },
    subject: { reference: `Patient/${number}` },
    encounter: { reference: `Encounter/${number}` },
    effectiveDateTime: '1999-07-02T09:30:10+01:00',
    issued: '1999-07-02T09:30:10.000Z',
    valueQuantity: {
      value: 35 + (number % 60) / 10,
      unit: 'Cel',
      system: 'http://unitsofmeasure.org',
      code: 'Cel',
    },
    interpretation: [
      {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
            code: 'N',
            display: 'Normal',
          },
        ],
      },
    ],
  };
}

/** Microseconds per call: the best of seven rounds of `count` calls. */
function measure(name, count, call) {
  for (let i = 0; i < count; i++) call(i);
  let best = Infinity;
  for (let round = 0; round < 7; round++) {
    const started = process.hrtime.bigint();
    for (let i = 0; i < count; i++) call(i);
    best = Math.min(best, Number(process.hrtime.bigint() - started) / 1000 / count);
  }
  console.log(`${name.padEnd(44)} ${best.toFixed(3).padStart(9)} µs`);
}

measure('hash of 30 characters', 200_000, (i) => hasher.text(`urn:oid:2.16.840.1.113883.${1000 + (i & 63)}`));
measure('folding of a plain name', 200_000, (i) => fold(`Benchfam${i & 63}`));
measure('folding of a name with accents', 50_000, () => fold('Carreño Quiñones'));
measure('range of a dateTime', 200_000, () => dateRange('1999-07-02T09:30:10+01:00'));

for (const release of ['r4', 'r4b']) {
  const definitions = loadDefinitions(release);
  const resolver = createReferenceResolver({
    publicUrls: ['http://127.0.0.1:3000'],
    tenant: 'system',
    release,
    resourceTypes: definitions.resourceTypes,
  });
  const extract = createExtractor({
    definitions,
    hasher,
    localReference: (reference) => resolver.local(reference),
    zoneOffset: 0,
  });
  for (const [type, make] of [
    ['Patient', makePatient],
    ['Observation', makeObservation],
  ]) {
    const resources = Array.from({ length: 1000 }, make);
    const rows = extract(type, resources[0]);
    const counts = Object.entries(rows)
      .filter(([, value]) => Array.isArray(value))
      .map(([kind, value]) => `${value.length} ${kind}`);
    measure(`${release} ${type}`, 10_000, (i) => extract(type, resources[i % 1000]));
    console.log(`  ${counts.join(', ')}`);
  }
}
