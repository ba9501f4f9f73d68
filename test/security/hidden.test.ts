/**
 * Two tenants that differ only in data that a policy hides get the same requests from a client without access to
 * them, of every known kind: all answers are the same, byte by byte, except instants and ids that the server assigns,
 * and have none of the hidden words. A client with full access sees a difference by most of these requests, so that
 * each of them would show data that are not hidden. Random requests: hidden.long.ts.
 */
import { subscribeByEvents } from '../graphql/live/subscriber';
import type { TestServer } from '../support/server';
import { CHANGES, wordOf } from './hidden/data';
import { graphqlReads } from './hidden/graphql-reads';
import { graphqlPast, historiesOfThen } from './hidden/past';
import {
  direct,
  guessesOf,
  inBatches,
  parametersOf,
  QUERIES,
  READS,
  VEILED_TYPES,
  waysOf,
} from './hidden/questions';
import { openTwoSides, startTwoSidesServer, TENANTS, type Question, type TwoSides } from './hidden/two-sides';
import { writes } from './hidden/writes';
import { rounds } from '../support/rounds';

const RELEASE = 'r4';
const MOST_SHOWN = 5;
/** One of this many requests for each parameter is sent; the rest is sent at random. */
const STRIDE = rounds(16, 4);
/** The stride of questions about the past: their number at each moment has no common divisor with it. */
const PAST_STRIDE = rounds(9, 3);

let server: TestServer;
let sides: TwoSides;

beforeAll(async () => {
  server = await startTwoSidesServer();
  sides = await openTwoSides(server, RELEASE);
});
afterAll(() => server.close());

async function wrongOf(questions: readonly Question[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const question of questions) {
    const found = await sides.compare(question);
    if (found !== undefined) wrong.push(found);
    if (wrong.length === MOST_SHOWN) break;
  }
  return wrong;
}

async function countDiffering(questions: readonly Question[]): Promise<number> {
  let differing = 0;
  for (const question of questions) if (await sides.differs(question)) differing++;
  return differing;
}

it('reads, histories and operations on resources are answered as if nothing were hidden, in batches', async () => {
  const questions = inBatches(RELEASE, READS);
  expect(await wrongOf(questions)).toEqual([]);
  expect(await countDiffering(questions.slice(0, 2))).toBe(2);
});

it('so are searches, compartments, records and histories of many', async () => {
  const questions = inBatches(RELEASE, QUERIES);
  expect(await wrongOf(questions)).toEqual([]);
  expect(await countDiffering(questions.slice(0, 2))).toBe(2);
});

it('so are pages, headers, forms, asynchronous requests, and content', async () => {
  expect(await wrongOf(direct(RELEASE))).toEqual([]);
});

it('by every search parameter, also those that the tenant has made, in every position', async () => {
  const urls = VEILED_TYPES.flatMap((type) =>
    parametersOf(RELEASE, type).flatMap(([code, kind], index) => {
      const guesses = guessesOf(kind);
      return waysOf(type, code, kind, guesses[index % guesses.length] ?? '');
    }),
  ).filter((_url, index) => index % STRIDE === 0);
  const questions = inBatches(RELEASE, urls);
  expect(urls.length).toBeGreaterThan(rounds(125, 500));
  expect(await wrongOf(questions)).toEqual([]);
});

it('so is GraphQL: fields, arguments, where, counts, groups, differences, histories and lists of the past', async () => {
  const questions = graphqlReads(RELEASE);
  expect(await wrongOf(questions)).toEqual([]);
  expect(await countDiffering(questions.slice(0, 24))).toBeGreaterThan(12);
});

it('so is GraphQL after a client with full access has just sent the same', async () => {
  for (const question of graphqlReads(RELEASE)) {
    await sides.differs(question);
    expect(await wrongOf([question])).toEqual([]);
  }
});

it('so is the past: at each moment between two changes of both sides', async () => {
  const questions = graphqlPast(RELEASE);
  // At each moment another third of them; all of them at random (hidden.long.ts).
  expect(await wrongOf(questions.filter((_question, index) => index % PAST_STRIDE === 0))).toEqual([]);
  // Right after the Patients were written, and at the last of the moments.
  const each = questions.length / (CHANGES + 2);
  expect(await countDiffering(questions.slice(2 * each, 3 * each))).toBeGreaterThan(10);
  expect(await countDiffering(questions.slice(CHANGES * each, (CHANGES + 1) * each))).toBeGreaterThan(25);
  const histories = inBatches(RELEASE, historiesOfThen());
  expect(await wrongOf(histories)).toEqual([]);
  expect(await countDiffering(histories)).toBe(histories.length);
});

it('live queries report the same changes, and none by hidden elements', async () => {
  const subscribers = await Promise.all(
    TENANTS.map(async (tenant, side) => {
      const follow = (type: string, query?: string): ReturnType<typeof subscribeByEvents> =>
        subscribeByEvents({
          ...{ base: server.base, tenant, release: RELEASE },
          variables: { type, after: 0, ...(query === undefined ? {} : { query }) },
          headers: { authorization: sides.clients[side]?.basic ?? '' },
        });
      const [conditions, observations, patients] = await Promise.all(
        ['Condition', 'Observation', 'Patient'].map((type) => follow(type)),
      );
      const refused = await Promise.all([
        follow('Patient', `identifier=${wordOf(0)}-mrn-1`),
        follow('Patient', 'telecom:missing=true'),
        follow('Observation', `subject:Patient.identifier=${wordOf(0)}-mrn-1`),
        follow('Patient', `_content=${wordOf(0)}`),
        follow('Flag'),
      ]);
      await conditions?.received(3);
      await observations?.received(8);
      await patients?.received(6);
      const seen = [conditions, observations, patients, ...refused].map((one) => {
        one?.close();
        const changes = one?.changes.map(({ json, ...rest }) => ({ ...rest, text: JSON.stringify(json) }));
        return JSON.stringify([changes, one?.errors]).replace(/20\d\d-\d\d-\d\dT[^"\\]*/g, 'INSTANT');
      });
      return seen;
    }),
  );
  const [left = [], right = []] = subscribers;
  expect(left).toEqual(right);
  expect(left.filter((text) => text.includes('canary'))).toEqual([]);
  expect(left.slice(3).every((text) => text.includes('OperationOutcome'))).toBe(true);
});

it('so are attempts of changes: conditions, patches, updates, transactions, mutations and dry runs', async () => {
  expect(await wrongOf(writes(RELEASE))).toEqual([]);
  // Hidden elements are not lost by the writes of a client.
  const [patient, observation, bundle] = await Promise.all(
    ['Patient/a', 'Observation/v4', 'Bundle/bun'].map((address) => sides.stored(0, address)),
  );
  for (const answer of [patient, observation, bundle]) expect(answer?.json.meta.versionId).toMatch(/^[12]$/);
  expect(patient?.json.telecom[0].value).toContain(wordOf(0));
  expect(observation?.json.contained[0].telecom[0].value).toContain(wordOf(0));
  expect(bundle?.json.entry[1].resource.telecom[0].value).toContain(wordOf(0));
});

it('where references are checked, a refusal does not list the referring resources', async () => {
  const { tenants } = server.app.core;
  for (const tenant of TENANTS)
    expect(await tenants.changeSettings(tenant, { 'referential-integrity': 'on-write-and-delete' })).toBe(
      true,
    );
  const questions = ['Practitioner/p1', 'Practitioner/p2'].map((address): Question => ({
    method: 'DELETE',
    path: `/fhir/${RELEASE}/${address}`,
  }));
  expect(await wrongOf(questions)).toEqual([]);
  expect(await countDiffering(questions)).toBe(2);
});

it('so are searches that the tenant has given a name, and requests of more than 256 kB', async () => {
  const url = 'https://andiron.example/fhir/StructureDefinition/search-criteria';
  const parameter = ['number', 'word'].map((name) => ({
    ...{ name, use: 'in', min: 0, max: '1', type: 'string' },
    searchType: name === 'word' ? 'string' : 'token',
  }));
  const named = {
    ...{ resourceType: 'OperationDefinition', id: 'named', url: 'urn:named', name: 'Named', code: 'named' },
    ...{ status: 'active', kind: 'query', resource: ['Patient'], system: false, type: true, instance: false },
    extension: [{ url, valueString: 'identifier={number}&given={word}&_sort=identifier' }],
    parameter,
  };
  const root = `/fhir/${RELEASE}`;
  for (const tenant of TENANTS) {
    const at = `/w/${tenant}/api/v1${root}/OperationDefinition/named`;
    const { status } = await server.request('PUT', at, named, { 'content-type': 'application/json' });
    expect(status).toBe(201);
  }
  const searches = [`number=${wordOf(0)}-mrn-1`, `word=${wordOf(0)}`, '', 'word=Ann'].map(
    (search): Question => ({ method: 'GET', path: `${root}/Patient?_query=named&${search}` }),
  );
  const long = inBatches(RELEASE, READS).map(({ body, ...question }): Question => {
    const identifier = { value: 'x'.repeat(300_000) };
    return { ...question, body: { ...(body as object), identifier } };
  });
  const questions = [...searches, ...long.slice(0, 1)];
  expect(await wrongOf(questions)).toEqual([]);
  expect(await countDiffering(questions)).toBeGreaterThan(2);
});
