/**
 * A stranger (another tenant, or the same tenant's other release) gets the same answers whether the victim has data
 * or not, by every route; once with both checks, once with row-level security alone.
 */
import { Client } from 'pg';
import { Connections } from '../../src/core/storage/connection/connections';
import { Snapshot } from '../../src/core/storage/connection/snapshot';
import { forEachOf, type Example } from '../support/examples';
import { OPEN, startServer, type TestServer } from '../support/server';
import { readRightExamples } from '../support/wrong-examples';
import { attacksOn, CANARY, searchesFor, send, withCanary, type Attack, type Place } from './attacks';
import { rounds } from '../support/rounds';

const VICTIM: Place = { tenant: 'alice', release: 'r4' };
const STRANGERS: readonly Place[] = [
  { tenant: 'mallory', release: 'r4' },
  { tenant: 'mallory', release: 'r4b' },
  { tenant: 'alice', release: 'r4b' },
];
const ALWAYS = [
  'Patient',
  'Observation',
  'Encounter',
  'ValueSet',
  'CodeSystem',
  'Basic',
  'Condition',
  'Bundle',
];

/** Each stranger tries a part of the other types: together they try more of them than one could in this time. */
const STRIDE = rounds(30, 6);

/** An example of each type. */
function chooseExamples(): Example[] {
  const chosen = new Map<string, Example>();
  for (const example of readRightExamples('r4')) {
    if (!chosen.has(example.type) && example.text.length < 50_000) chosen.set(example.type, example);
  }
  return [...chosen.values()];
}

const all = chooseExamples();

/** The targets of this stranger: types that all try, and some that no other tries. */
const examplesFor = (stranger: Place): readonly Example[] =>
  all.filter(({ type }, index) => ALWAYS.includes(type) || index % STRIDE === STRANGERS.indexOf(stranger));

const CODES = {
  resourceType: 'CodeSystem',
  id: 'secret-codes',
  ...{ url: 'urn:alice:codes', status: 'active', content: 'complete' },
  meta: { tag: [{ system: 'urn:tenant', code: CANARY }] },
  concept: [{ code: CANARY, display: CANARY }],
};
const VALUES = {
  resourceType: 'ValueSet',
  id: 'secret-values',
  ...{ url: 'urn:alice:values', status: 'active', meta: CODES.meta },
  compose: { include: [{ system: 'urn:alice:codes' }] },
};

let server: TestServer;
let owner: Client;
beforeAll(async () => {
  server = await startServer({
    because: 'the tests confuse its statements',
    environment: { ...OPEN, PUBLIC_URL: 'https://fhir.example' },
  });
  owner = new Client(server.database.settings);
  await owner.connect();
  for (const name of ['alice', 'mallory']) await server.app.core.tenants.create(name);
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

async function spaceOf({ tenant, release }: Place): Promise<number> {
  const space = await server.app.core.access.findSpace(tenant, release);
  if (space === undefined) throw new Error(`${tenant} is missing`);
  return space.number;
}

/** All rows of the victim, as one digest. */
async function digestOfVictim(): Promise<string> {
  const space = await spaceOf(VICTIM);
  const digests: string[] = [];
  for (const table of [
    'resource',
    'resource_version',
    'token_index',
    'reference_index',
    'range_index',
    'string_index',
    'uri_index',
  ]) {
    const { rows } = await owner.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as digest
       from andiron.${table} t where space = $1`,
      [space],
    );
    digests.push(`${table} ${rows[0]?.digest ?? ''}`);
  }
  return digests.join('\n');
}

type SearchParameters = { readonly name: string; readonly type: string }[];

async function parametersOf({ tenant, release }: Place): Promise<Map<string, SearchParameters>> {
  const { json } = await server.request('GET', `${server.path(tenant, release)}/metadata`);
  const resources: { type: string; searchParam?: SearchParameters }[] = json.rest[0].resource;
  return new Map(resources.map(({ type, searchParam }) => [type, searchParam ?? []]));
}

async function allAttacks(stranger: Place): Promise<Attack[]> {
  const root = server.path(stranger.tenant, stranger.release);
  const parameters = await parametersOf(stranger);
  const code = `system=urn:alice:codes&code=${CANARY}`;
  return [
    ...examplesFor(stranger)
      .filter(({ type }) => parameters.has(type))
      .flatMap((example) => [
        ...attacksOn(example, stranger),
        ...searchesFor(example, parameters.get(example.type) ?? []).map((query) => ({
          method: 'GET',
          path: `${root}/${example.type}?${query}`,
        })),
        { method: 'GET', path: `${root}/${example.type}/$meta` },
      ]),
    { method: 'GET', path: `${root}?_count=0` },
    { method: 'GET', path: `${root}?_tag=urn:tenant|${CANARY}` },
    { method: 'GET', path: `${root}?_tag=urn:tenant|${CANARY}&_sort=-_lastUpdated&_total=accurate` },
    { method: 'GET', path: `${root}?_type=Patient,Observation&_tag=${CANARY}&_sort=_id` },
    { method: 'DELETE', path: `${root}/Patient?_tag=urn:tenant|${CANARY}` },
    {
      method: 'PATCH',
      path: `${root}/Patient?_tag=urn:tenant|${CANARY}`,
      body: [{ op: 'add', path: '/active', value: true }],
    },
    { method: 'GET', path: `${root}/Condition?patient=example&_list=$current-problems` },
    { method: 'GET', path: `${root}/$meta` },
    { method: 'GET', path: `${root}/ValueSet/$expand?url=urn:alice:values` },
    { method: 'GET', path: `${root}/ValueSet/secret-values/$expand` },
    { method: 'GET', path: `${root}/ValueSet/$validate-code?url=urn:alice:values&${code}` },
    { method: 'GET', path: `${root}/ValueSet/secret-values/$validate-code?${code}` },
    { method: 'GET', path: `${root}/CodeSystem/$lookup?${code}` },
    { method: 'GET', path: `${root}/CodeSystem/secret-codes/$validate-code?code=${CANARY}` },
    { method: 'GET', path: `${root}/Patient/$everything?_count=5` },
    { method: 'GET', path: `${root}/Patient/example/$everything` },
    { method: 'GET', path: `${root}/Encounter/example/$everything` },
    ...['meta-add', 'meta-delete'].map((operation) => ({
      method: 'POST',
      path: `${root}/Patient/example/$${operation}`,
      body: {
        resourceType: 'Parameters',
        parameter: [{ name: 'meta', valueMeta: { tag: [{ system: 'urn:tenant', code: CANARY }] } }],
      },
    })),
    { method: 'GET', path: `${root}/ConceptMap/$translate?${code}` },
    { method: 'GET', path: `${root}/Observation/$lastn?patient=example&category=${CANARY}` },
    { method: 'GET', path: `${root}/ValueSet?url=urn:alice:values` },
    { method: 'GET', path: `${root}/CodeSystem?url=urn:alice:codes` },
  ];
}

/** The answers to each stranger while the victim had no data; requested once, because it takes a while. */
const answersBefore = new Map<Place, string[]>();

async function answersToEmptiness(stranger: Place, attacks: readonly Attack[]): Promise<string[]> {
  const cached = answersBefore.get(stranger);
  if (cached !== undefined) return cached;
  const answers = await answersTo(attacks);
  answersBefore.set(stranger, answers);
  return answers;
}

/** The parts of an answer that a client can compare; not the instant and the request id. */
async function answersTo(attacks: readonly Attack[]): Promise<string[]> {
  const answers: string[] = [];
  await forEachOf(attacks, 8, async (attack, index) => {
    const answer = await send(server, attack);
    const { etag, location } = answer.headers;
    const text = answer.text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'INSTANT')
      .replace(/request id [^"\s]+/g, 'request id ID')
      .replace(/"id":"[^"]{20,}"/g, '"id":"ID"')
      .replace(/urn:uuid:[0-9a-f-]{36}/g, 'urn:uuid:ID');
    answers[index] =
      `${attack.method} ${attack.path} ${JSON.stringify(attack.body ?? '').slice(0, 200)} -> ${answer.status} ${etag ?? ''} ${location ?? ''} ${text}`;
  });
  return answers;
}

/** Stores these and the code systems of the look-ups under the victim. */
async function fillVictim(examples: readonly Example[]): Promise<void> {
  const root = server.path(VICTIM.tenant, VICTIM.release);
  await forEachOf(examples, 8, async (example) => {
    const answer = await server.request('PUT', `${root}/${example.type}/${example.id}`, withCanary(example));
    if (answer.status !== 201) throw new Error(`${example.type}/${example.id}: ${answer.text}`);
  });
  for (const resource of [CODES, VALUES]) {
    const { status } = await server.request(
      'PUT',
      `${root}/${resource.resourceType}/${resource.id}`,
      resource,
    );
    expect(status).toBe(201);
  }
}

async function emptyVictim(): Promise<void> {
  const space = await spaceOf(VICTIM);
  for (const table of [
    'resource',
    'resource_version',
    'token_index',
    'reference_index',
    'range_index',
    'string_index',
    'uri_index',
  ]) {
    await owner.query(`delete from andiron.${table} where space = $1`, [space]);
  }
}

beforeEach(emptyVictim);

describe('the data of the victim', () => {
  it('is found by the victim itself, by every kind of search that the attacks use', async () => {
    const examples = STRANGERS.slice(0, 1).flatMap(examplesFor);
    await fillVictim(examples);
    const parameters = await parametersOf(VICTIM);
    const found = new Set<string>();
    for (const example of examples) {
      const kinds = new Map((parameters.get(example.type) ?? []).map(({ name, type }) => [name, type]));
      for (const query of searchesFor(example, parameters.get(example.type) ?? [])) {
        const { json } = await server.request(
          'GET',
          `${server.path('alice', 'r4')}/${example.type}?${query}`,
        );
        if (JSON.stringify(json).includes(CANARY))
          found.add(kinds.get(query.split('=')[0] ?? '') ?? query.split('=')[0] ?? '');
      }
    }
    for (const kind of ['string', 'token', 'reference', 'date', 'uri', '_sort'])
      expect(found).toContain(kind);
    const expanded = await server.request(
      'GET',
      `${server.path('alice', 'r4')}/ValueSet/$expand?url=urn:alice:values`,
    );
    expect(expanded.text).toContain(CANARY);
  });

  it.each(STRANGERS)(
    'changes no answer to $tenant under $release, and is changed by none',
    async (stranger) => {
      const attacks = await allAttacks(stranger);
      expect(attacks.length).toBeGreaterThan(500);
      const before = await answersToEmptiness(stranger, attacks);
      await fillVictim(examplesFor(stranger));
      const digest = await digestOfVictim();
      const after = await answersTo(attacks);
      for (const [index, answer] of after.entries()) expect(answer).toBe(before[index]);
      expect(await digestOfVictim()).toBe(digest);
    },
  );
});

describe('row-level security alone', () => {
  const original = Connections.prototype.run;
  const originalWrite = Connections.prototype.write;
  const originalInSnapshot = Snapshot.prototype.run;
  const originalTransaction = Connections.prototype.transaction;
  afterEach(() => {
    Connections.prototype.run = original;
    Connections.prototype.write = originalWrite;
    Snapshot.prototype.run = originalInSnapshot;
    Connections.prototype.transaction = originalTransaction;
  });

  /** As if every statement of the stranger were given the victim's space; its connection is set to its own. */
  function confuse(stranger: number, victim: number): void {
    const confused = <Values extends Readonly<Record<string, unknown>>>(
      space: number | undefined,
      bound: Values,
    ): Values => (space === stranger && 'space' in bound ? { ...bound, space: victim } : bound);
    Connections.prototype.run = function (this: Connections, context, statement, bound) {
      return original.call(this, context, statement, confused(context.space, bound));
    };
    Connections.prototype.write = function (this: Connections, lane, space, written) {
      return originalWrite.call(this, lane, space, { ...written, bound: confused(space, written.bound) });
    };
    Snapshot.prototype.run = function (this: Snapshot, context, statement, bound) {
      return originalInSnapshot.call(this, context, statement, confused(context.space, bound));
    };
    Connections.prototype.transaction = function <T>(
      this: Connections,
      space: number,
      work: Parameters<Connections['transaction']>[1],
    ): Promise<T> {
      return originalTransaction.call(this, space, (run, database) =>
        work((statement, bound) => run(statement, confused(space, bound)), {
          run: (context, statement, bound) =>
            database.run(context, statement, confused(context.space, bound)),
        }),
      ) as Promise<T>;
    };
  }

  it('keeps the confused statements from the victim: without it they would find everything', async () => {
    const [stranger] = STRANGERS;
    if (stranger === undefined) throw new Error('there is no stranger');
    const [own, victim] = [await spaceOf(stranger), await spaceOf(VICTIM)];
    confuse(own, victim);
    await fillVictim(examplesFor(stranger));
    const root = server.path(stranger.tenant, stranger.release);
    const attack = { method: 'GET', path: `${root}/Patient` };
    expect((await send(server, attack)).text).not.toContain(CANARY);
    // Now the connection's setting is the victim's as well.
    Connections.prototype.run = function (this: Connections, { lane, space }, statement, bound) {
      return original.call(
        this,
        { lane, space: space === own ? victim : space },
        statement,
        space === own && 'space' in bound ? { ...bound, space: victim } : bound,
      );
    };
    expect((await send(server, attack)).text).toContain(CANARY);
  });

  it.each(STRANGERS)('shows $tenant under $release nothing of the victim', async (stranger) => {
    const attacks = await allAttacks(stranger);
    const root = server.path(stranger.tenant, stranger.release);
    const writes: Attack[] = examplesFor(stranger)
      .slice(0, 10)
      .flatMap((example) => [
        { method: 'PUT', path: `${root}/${example.type}/${example.id}`, body: example.text },
        { method: 'POST', path: `${root}/${example.type}`, body: example.text },
      ]);
    const honest = await answersToEmptiness(stranger, attacks);
    confuse(await spaceOf(stranger), await spaceOf(VICTIM));
    const refused = await answersTo(writes);
    await fillVictim(examplesFor(stranger));
    const digest = await digestOfVictim();
    const after = await answersTo([...attacks, ...writes]);
    const before = [...honest, ...refused];
    for (const [index, answer] of after.entries()) expect(answer).toBe(before[index]);
    expect(await digestOfVictim()).toBe(digest);
  });
});
