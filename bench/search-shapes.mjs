/**
 * The measured shapes of searches: those of the shared driver's search group, and those by which the storage design was
 * chosen. Each makes the path of one request from a sample of the loaded data.
 */
const LOINC = 'http://loinc.org|';
const encode = encodeURIComponent;
const any = (list) => list[Math.floor(Math.random() * list.length)];
const below = (limit) => Math.floor(Math.random() * limit);

/** @typedef {{ families: string[], recordNumbers: string[], patientIds: string[], encounterIds: string[] }} Sample */

/** Shapes whose name is in this list make up the blended mix. @type {Record<string, (sample: Sample) => string>} */
export const DRIVER_SHAPES = {
  name: ({ families }) => `/Patient?name=${encode(any(families))}`,
  'name-contains': ({ families }) =>
    `/Patient?name:contains=${encode(any(families).slice(1, 5).toLowerCase())}`,
  birthdate: () => `/Patient?birthdate=gt${1940 + below(80)}-0${1 + below(9)}-01`,
  identifier: ({ recordNumbers }) =>
    `/Patient?identifier=${encode('http://bench.example/mrn|' + any(recordNumbers))}`,
  'obs-code': () => `/Observation?code=${encode(LOINC + '8302-2')}&_count=20`,
  'obs-subject': ({ patientIds }) => `/Observation?subject=Patient/${any(patientIds)}`,
  'obs-subject-code-sort': ({ patientIds }) =>
    `/Observation?subject=Patient/${any(patientIds)}&code=${encode(LOINC + '85354-9')}&_sort=-date&_count=10`,
  'obs-date': () => `/Observation?date=ge${2018 + below(8)}-0${1 + below(9)}-15`,
  'obs-value-quantity': () => `/Observation?value-quantity=gt${100 + below(80)}`,
  'obs-component-code-value-quantity': () =>
    `/Observation?component-code-value-quantity=${encode(`${LOINC}8480-6$gt${135 + below(10)}`)}`,
  'obs-combo-code-value-quantity': () =>
    `/Observation?combo-code-value-quantity=${encode(`${LOINC}8480-6$gt${135 + below(10)}`)}`,
  'obs-code-value-quantity': () =>
    `/Observation?code-value-quantity=${encode(`${LOINC}8302-2$gt${165 + below(10)}`)}`,
  'enc-status': () => `/Encounter?status=finished,in-progress`,
  'enc-date': () => {
    const [year, month] = [2019 + below(7), 1 + below(9)];
    return `/Encounter?date=ge${year}-0${month}-01&date=lt${year}-${String(month + 1).padStart(2, '0')}-01`;
  },
  'obs-chained': ({ families }) => `/Observation?subject:Patient.name=${encode(any(families))}`,
  'pat-has': () =>
    `/Patient?_has:Observation:patient:code=${encode(LOINC + any(['4548-4', '2339-0', '18262-6', '8302-2']))}`,
  'medreq-include': () => `/MedicationRequest?_include=MedicationRequest:subject`,
  'pat-revinclude': ({ patientIds }) => `/Patient?_id=${any(patientIds)}&_revinclude=Observation:subject`,
  'total-name': ({ families }) => `/Patient?name=${encode(any(families))}&_total=accurate`,
  'total-obs-code': () => `/Observation?code=${encode(LOINC + '8302-2')}&_count=20&_total=accurate`,
  'subject-total': ({ patientIds }) => `/Observation?subject=Patient/${any(patientIds)}&_total=accurate`,
};

/** Not part of the blended mix, as in the shared driver. */
const APART = /^(total|subject-total|obs-(component-|combo-)?code-value)/;
export const BLENDED = Object.keys(DRIVER_SHAPES).filter((name) => !APART.test(name));

const CODES = ['8302-2', '29463-7', '8867-4', '9279-1', '39156-5'];

/** The table by which the storage design was chosen, where the driver has no such shape. */
export const DESIGN_SHAPES = {
  read: ({ patientIds }) => `/Patient/${any(patientIds)}`,
  'obs-code-updated': () => `/Observation?code=${encode(LOINC + '8302-2')}&_sort=-_lastUpdated&_count=20`,
  'obs-rare-code-updated': () =>
    `/Observation?code=${encode(LOINC + '4548-4')}&_sort=-_lastUpdated&_count=20`,
  'obs-code-date': () => `/Observation?code=${encode(LOINC + '8302-2')}&_sort=-date&_count=20`,
  'obs-day': () => `/Observation?date=${2019 + below(6)}-0${1 + below(9)}-1${below(9)}&_count=20`,
  'obs-quantity-unit': () =>
    `/Observation?value-quantity=${encode(`gt${150 + below(50)}|http://unitsofmeasure.org|cm`)}&_count=20`,
  'obs-five-codes': () =>
    `/Observation?code=${encode(CODES.map((code) => LOINC + code).join(','))}&_count=20`,
  'enc-class-not': () => `/Encounter?class:not=AMB&_count=20`,
  'obs-chained-code': ({ families }) =>
    `/Observation?subject:Patient.name=${encode(any(families))}&code=${encode(LOINC + '8302-2')}&_count=20`,
  'pat-has-popular': () => `/Patient?_has:Observation:patient:code=${encode(LOINC + '8302-2')}&_count=20`,
  'obs-encounter-include': ({ encounterIds }) =>
    `/Observation?encounter=Encounter/${any(encounterIds)}&_include=Observation:subject`,
  'pat-identifier-revinclude': ({ recordNumbers }) =>
    `/Patient?identifier=${encode('http://bench.example/mrn|' + any(recordNumbers))}&_revinclude=Observation:subject`,
  'obs-code-day': () =>
    `/Observation?code=${encode(LOINC + '8302-2')}&date=ge${2019 + below(6)}-0${1 + below(9)}-01&_sort=-date&_count=20`,
  'pat-sort-family': () => `/Patient?_sort=family&_count=20`,
  'obs-sort-quantity': () => `/Observation?code=${encode(LOINC + '8302-2')}&_sort=value-quantity&_count=20`,
};
