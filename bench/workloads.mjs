/**
 * The tests of the bench: for each, the requests to Andiron and to the limit server.
 *
 * The limit server's part is "the same body": it reads a Patient of the same data, stores the resource that Andiron
 * stores (for a patch the patched resource, for a delete the resource that is deleted), answers the same metadata.
 */
import { makeGraphqlWorkloads } from './graphql-workloads.mjs';
import { postResource } from './load.mjs';

const PAGE_SIZE = 20;
const OBSERVATION_CODES = ['8302-2', '29463-7', '2339-0', '4548-4', '85354-9'];
/** Resources that update and patch use in turn, and responses of a search that are checked before its rounds. */
const POOL_SIZE = 512;
const EXAMPLE_COUNT = 10;

/** Returns repeatable numbers from 0 to 1 (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * @param {{ patients: object[], andironIds: string[], limitIds: string[], clients: number, imports: object }} loaded
 *   `patients`: the data of load.mjs for each; the ids have the same order
 * @returns list of { name, title, target, beside, andiron, limit, verify?, prepare? }: `andiron` and `limit` make the
 *   next request of a worker; `verify(client)` throws where a sample of responses is wrong; `prepare(client, seconds)`
 *   runs before each round and outside its time
 */
export function makeWorkloads({ patients, andironIds, limitIds, clients, imports }) {
  const random = createRandom(7);
  const pickIndex = () => Math.floor(random() * patients.length);
  const pickFrom = (list) => list[Math.floor(random() * list.length)];
  const bodies = makeBodies(random);

  const limitRead = () => ({ method: 'GET', path: `/Patient/${pickFrom(limitIds)}`, expected: 200 });
  const postPatient = () => post('Patient', bodies.patient());
  const observationOf = (ids) => () => post('Observation', bodies.observation(`Patient/${pickFrom(ids)}`));

  const readWorkload = {
    name: 'read',
    title: 'read Patient by id',
    target: 1.0,
    beside: 'GET',
    limit: limitRead,
    andiron: () => ({ method: 'GET', path: `/Patient/${pickFrom(andironIds)}`, expected: 200 }),
    async verify(client) {
      for (let example = 0; example < EXAMPLE_COUNT; example++) {
        const index = pickIndex();
        const patient = await getJson(client, `/Patient/${andironIds[index]}`);
        demand(
          patient.id === andironIds[index] &&
            patient.identifier?.[0]?.value === patients[index].recordNumber &&
            patient.meta?.versionId === '1',
          'read answered another resource',
          patient,
        );
      }
    },
  };

  return [
    readWorkload,
    ...makeSearches({ patients, andironIds, pickIndex, pickFrom, limitRead }),
    ...makeGraphqlWorkloads({
      families: patients.map(({ family }) => family),
      patientIds: andironIds,
      limitRead,
      pickFrom,
    }),
    {
      name: 'metadata',
      title: 'metadata',
      target: 0.8,
      beside: 'the same bytes',
      limit: () => ({ method: 'GET', path: '/metadata', expected: 200 }),
      andiron: () => ({ method: 'GET', path: '/metadata', expected: 200 }),
      async verify(client) {
        const statement = await getJson(client, '/metadata');
        demand(
          statement.resourceType === 'CapabilityStatement',
          'metadata is no CapabilityStatement',
          statement,
        );
      },
    },
    {
      name: 'create-patient',
      title: 'create Patient',
      target: 0.4,
      beside: 'POST',
      limit: postPatient,
      andiron: postPatient,
      verify: (client) => verifyCreate(client, 'Patient', bodies.patient()),
    },
    {
      name: 'create-observation',
      title: 'create Observation',
      target: 0.55,
      beside: 'POST',
      limit: observationOf(limitIds),
      andiron: observationOf(andironIds),
      verify: (client) => verifyCreate(client, 'Observation', bodies.observation(`Patient/${andironIds[0]}`)),
    },
    ...makeChanges({ bodies, clients, postPatient }),
    makeImport(imports),
  ];
}

/** Imports patients with all their resources as transactions; counted in resources. */
function makeImport({ bundles, resources }) {
  let nextBundle = 0;
  let nextResource = 0;
  const importNext = () => {
    const { text, count } = bundles[nextBundle++ % bundles.length];
    return { ...post('', text), expected: 200, weight: count };
  };
  return {
    name: 'import',
    title: 'import of patients as transactions, resources/s, 4 clients',
    target: 1.0,
    beside: 'POST of such resources one by one',
    clients: 4,
    limit: () => {
      const { type, text } = resources[nextResource++ % resources.length];
      return post(type, text);
    },
    andiron: importNext,
    async verify(client) {
      const { body, weight } = importNext();
      const { status, text } = await client.send(post('', body), true);
      const answer = JSON.parse(text);
      const made = (answer.entry ?? []).filter(({ response }) => response.status.startsWith('201'));
      demand(status === 200 && made.length === weight, 'an import did not store everything', answer);
      demand(
        !text.includes('urn:uuid') && !text.includes('?identifier='),
        'a reference was not resolved',
        answer,
      );
    },
  };
}

function makeSearches({ patients, andironIds, pickIndex, pickFrom, limitRead }) {
  const search = (name, title, makeCase) => ({
    name,
    title,
    target: 0.3,
    beside: 'GET of one Patient',
    limit: limitRead,
    andiron: () => ({ method: 'GET', path: makeCase().path, expected: 200 }),
    async verify(client) {
      for (let example = 0; example < EXAMPLE_COUNT; example++) {
        const { path, count, isRight } = makeCase();
        const page = await getJson(client, path);
        const matches = (page.entry ?? []).filter((entry) => entry.search?.mode === 'match');
        const found = matches.map((entry) => entry.resource);
        demand(found.length === count, `${path}: ${count} entries expected, got ${found.length}`, page);
        demand(isRight(found), `${path}: an entry does not match or is out of order`, page);
      }
    },
  });
  const page = `_count=${PAGE_SIZE}`;
  const startsWith = (part, prefix) => part.toLowerCase().startsWith(prefix.toLowerCase());
  return [
    search('search-name', 'Patient?name', () => {
      const { family } = patients[pickIndex()];
      const fits = (parts) => parts.some((part) => startsWith(part, family));
      const total = patients.filter((patient) => fits(patient.nameParts)).length;
      return {
        path: `/Patient?name=${encodeURIComponent(family)}&${page}`,
        count: Math.min(PAGE_SIZE, total),
        isRight: (found) =>
          found.every(({ name: [name] }) => fits([name.family, ...name.given, ...(name.prefix ?? [])])),
      };
    }),
    search('search-identifier', 'Patient?identifier', () => {
      const { recordNumber } = patients[pickIndex()];
      return {
        path: `/Patient?identifier=${encodeURIComponent(`http://bench.example/mrn|${recordNumber}`)}&${page}`,
        count: 1,
        isRight: ([found]) => found.identifier[0].value === recordNumber,
      };
    }),
    search('search-subject', 'Observation?subject', () => {
      const index = pickIndex();
      const subject = `Patient/${andironIds[index]}`;
      return {
        path: `/Observation?subject=${subject}&${page}`,
        count: Math.min(PAGE_SIZE, patients[index].observationCodes.length),
        isRight: (found) => found.every((observation) => observation.subject.reference === subject),
      };
    }),
    search('search-code-sorted', 'Observation?code&_sort=-date', () => {
      const code = pickFrom(OBSERVATION_CODES);
      const total = patients.reduce(
        (sum, patient) => sum + patient.observationCodes.filter((each) => each === code).length,
        0,
      );
      return {
        path: `/Observation?code=${encodeURIComponent(`http://loinc.org|${code}`)}&_sort=-date&${page}`,
        count: Math.min(PAGE_SIZE, total),
        isRight: (found) =>
          found.every(
            (observation, position) =>
              observation.code.coding[0].code === code &&
              (position === 0 ||
                Date.parse(observation.effectiveDateTime) <=
                  Date.parse(found[position - 1].effectiveDateTime)),
          ),
      };
    }),
  ];
}

function makeChanges({ bodies, clients, postPatient }) {
  // Each worker changes its own resources: the bench measures writes, not races.
  let pool = [];
  let turn = 0;
  const preparePool = async (client) => {
    if (pool.length === 0) pool = await createPatients(client, bodies, clients, { count: POOL_SIZE });
  };
  const nextOf = (worker) => {
    const share = Math.floor(pool.length / clients);
    return pool[worker * share + (turn++ % share)];
  };
  let doomed = [];
  return [
    {
      name: 'update',
      title: 'update Patient',
      target: 0.35,
      beside: 'POST',
      prepare: preparePool,
      limit: postPatient,
      andiron: (worker) => {
        const id = nextOf(worker);
        const body = JSON.stringify({ ...bodies.patientTree(), id });
        return { method: 'PUT', path: `/Patient/${id}`, body, expected: 200 };
      },
    },
    {
      name: 'patch',
      title: 'patch Patient',
      target: 0.35,
      beside: 'POST of the patched resource',
      prepare: preparePool,
      limit: postPatient,
      andiron: (worker) => ({
        method: 'PATCH',
        path: `/Patient/${nextOf(worker)}`,
        contentType: 'application/json-patch+json',
        body: JSON.stringify([{ op: 'replace', path: '/telecom/0/value', value: bodies.telephone() }]),
        expected: 200,
      }),
      async verify(client) {
        await preparePool(client);
        const body = JSON.stringify([{ op: 'replace', path: '/telecom/0/value', value: '555-1' }]);
        const contentType = 'application/json-patch+json';
        const path = `/Patient/${pool[0]}`;
        await client.send({ method: 'PATCH', path, body, contentType });
        const patched = await getJson(client, path);
        demand(patched.telecom?.[0]?.value === '555-1', 'the patch did not arrive', patched);
      },
    },
    {
      name: 'delete',
      title: 'delete Patient',
      target: 0.4,
      beside: 'POST',
      // A round ends early when all are deleted.
      prepare: async (client, seconds) => {
        doomed = await createPatients(client, bodies, clients, { seconds: 1.5 * seconds });
      },
      limit: postPatient,
      andiron: () => {
        const id = doomed.pop();
        return id && { method: 'DELETE', path: `/Patient/${id}`, expected: 200 };
      },
      async verify(client) {
        const id = await postResource(client, 'Patient', bodies.patient());
        await client.send({ method: 'DELETE', path: `/Patient/${id}` });
        const { status, text } = await client.send({ method: 'GET', path: `/Patient/${id}` });
        demand(status === 410, `a deleted resource is 410, got ${status}`, text);
      },
    },
  ];
}

function post(type, body) {
  return { method: 'POST', path: `/${type}`, body, expected: 201 };
}

/** Creates `count` patients, or as many as `seconds` allow. @returns their ids */
async function createPatients(client, bodies, clients, { count = Infinity, seconds = Infinity }) {
  const ids = [];
  const end = performance.now() + seconds * 1000;
  let begun = 0;
  const work = async () => {
    while (begun < count && performance.now() < end) {
      begun++;
      ids.push(await postResource(client, 'Patient', bodies.patient()));
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return ids;
}

async function verifyCreate(client, type, body) {
  const id = await postResource(client, type, body);
  const { id: storedId, meta, ...stored } = await getJson(client, `/${type}/${id}`);
  demand(storedId === id && meta?.versionId === '1', 'a create is version 1 of the id in Location', meta);
  demand(JSON.stringify(stored) === body, 'what was created comes back unchanged', stored);
}

async function getJson(client, path) {
  const { status, text } = await client.send({ method: 'GET', path }, true);
  demand(status === 200, `GET ${path}: ${status}`, text);
  return JSON.parse(text);
}

function demand(condition, sentence, evidence) {
  if (condition) return;
  const shown = typeof evidence === 'string' ? evidence : JSON.stringify(evidence);
  throw new Error(`${sentence}: ${String(shown).slice(0, 400)}`);
}

/** Makes resources to create: a Patient of about 1.6 kB and an Observation of about 0.9 kB, all different. */
function makeBodies(random) {
  let sequence = 0;
  const run = Date.now().toString(36);
  const coded = (system, code, display) => ({ coding: [{ system, code, display }], text: display });
  const terminology = 'http://terminology.hl7.org/CodeSystem';
  const telephone = () => `555-${Math.floor(random() * 1e9)}`;
  const patientTree = () => {
    const number = `${run}-${++sequence}`;
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
          type: coded(`${terminology}/v2-0203`, 'MR', 'Medical Record Number'),
          system: 'http://hospital.smarthealthit.org',
          value: `h-${number}`,
        },
      ],
      active: true,
      name: [
        {
          use: 'official',
          family: `Benchfam${sequence % 500}`,
          given: ['Bench', 'Quill'],
          prefix: ['Mr.'],
        },
      ],
      telecom: [
        { system: 'phone', value: telephone(), use: 'home' },
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
      maritalStatus: coded(`${terminology}/v3-MaritalStatus`, 'M', 'Married'),
      multipleBirthBoolean: false,
      communication: [{ language: coded('urn:ietf:bcp:47', 'en-US', 'English') }],
    };
  };
  const observation = (subject) =>
    JSON.stringify({
      resourceType: 'Observation',
      status: 'final',
      category: [
        {
          coding: [
            { system: `${terminology}/observation-category`, code: 'vital-signs', display: 'Vital signs' },
          ],
        },
      ],
      code: coded('http://loinc.org', '8310-5', 'Body temperature'),
      subject: { reference: subject },
      effectiveDateTime: '1999-07-02T09:30:10+01:00',
      issued: '1999-07-02T09:30:10.000Z',
      valueQuantity: {
        value: Math.round(350 + random() * 60) / 10,
        unit: 'Cel',
        system: 'http://unitsofmeasure.org',
        code: 'Cel',
      },
      interpretation: [
        {
          coding: [{ system: `${terminology}/v3-ObservationInterpretation`, code: 'N', display: 'Normal' }],
        },
      ],
    });
  return { patientTree, patient: () => JSON.stringify(patientTree()), observation, telephone };
}
