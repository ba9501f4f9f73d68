/**
 * The GraphQL tests of the bench, at HL7's address: the queries of the shared driver, compared with reads of the limit
 * server; and twenty patients with five observations each and their encounters, compared with the same resources as whole
 * texts by REST.
 */

const PATIENTS = 20;
const GROUPS = 12;

/** @param {string} query @param {object} [variables] */
function graphql(query, variables) {
  const body = JSON.stringify(variables === undefined ? { query } : { query, variables });
  return { method: 'POST', path: '/$graphql', body, contentType: 'application/json', expected: 200 };
}

async function send(client, request) {
  const { status, text } = await client.send(request, true);
  const answer = JSON.parse(text);
  if (status !== 200 || answer.errors !== undefined) throw new Error(`${status} ${text.slice(0, 400)}`);
  return answer.data;
}

/**
 * @param {{ families: string[], patientIds: string[], limitRead: () => object, pickFrom: <T>(list: T[]) => T }} sample
 * @returns workloads as those of makeWorkloads
 */
export function makeGraphqlWorkloads({ families, patientIds, limitRead, pickFrom }) {
  const byName = () =>
    graphql(
      `{ PatientList(name: "${pickFrom(families)}", _count: 10) { id name { family given } ObservationList(_reference: subject, _count: 5) { id code { text } } } }`,
    );
  return [
    {
      name: 'graphql',
      title: 'GraphQL: ten patients by name, five observations each',
      target: 0.1,
      beside: 'GET of one Patient',
      limit: limitRead,
      andiron: byName,
      async verify(client) {
        const { PatientList } = await send(client, byName());
        if (!PatientList.some(({ ObservationList }) => ObservationList.length === 5))
          throw new Error('patients by name have no observations');
      },
    },
    makeNested({ patientIds, pickFrom }),
  ];
}

const NESTED = `query($ids: [token], $count: Int) {
  PatientList(_id: $ids, _count: $count) {
    id birthDate gender active
    name { family given }
    identifier { value }
    ObservationList(_reference: subject, _count: 5) {
      id status effectiveDateTime
      code { text }
      valueQuantity { value unit }
      encounter { resource { id ... on Encounter { status class { code } } } }
    }
  }
}`;

function makeNested({ patientIds, pickFrom }) {
  /** Each has the ids of some patients, and of all resources of the response. */
  const groups = [];
  return {
    name: 'graphql-nested',
    title: 'GraphQL: twenty patients × five observations × encounter',
    target: 0.7,
    beside: 'the same resources, whole, by one REST search',
    /** Here both sides of the comparison are Andiron. */
    isBesideItself: true,
    async verify(client) {
      for (let group = 0; group < GROUPS; group++) {
        const ids = new Set();
        while (ids.size < PATIENTS) ids.add(pickFrom(patientIds));
        const { PatientList } = await send(client, graphql(NESTED, { ids: [...ids], count: PATIENTS }));
        const observations = PatientList.flatMap(({ ObservationList }) => ObservationList);
        const encounters = observations.flatMap(({ encounter }) => encounter?.resource?.id ?? []);
        if (PatientList.length !== PATIENTS || observations.length < PATIENTS * 4)
          throw new Error(`${PatientList.length} patients, ${observations.length} observations`);
        const all = [...ids, ...observations.map(({ id }) => id), ...new Set(encounters)];
        groups.push({ ids: [...ids], all });
        const page = await client.send(wholeTexts(all), true);
        const found = JSON.parse(page.text).entry?.length;
        if (found !== all.length)
          throw new Error(`REST found ${found} of ${all.length}: ${page.text.slice(0, 200)}`);
      }
    },
    limit: () => wholeTexts(pickFrom(groups).all),
    andiron: () => graphql(NESTED, { ids: pickFrom(groups).ids, count: PATIENTS }),
  };
}

function wholeTexts(ids) {
  const query = `_type=Patient,Observation,Encounter&_id=${ids.join(',')}&_count=500`;
  return { method: 'GET', path: `/?${query}`, expected: 200 };
}
