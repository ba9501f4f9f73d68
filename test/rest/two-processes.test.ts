/** Two processes of one installation, which get no notices from each other: what one stores applies in the other at once. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSender } from '../graphql/gateway-client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { TESTED_RELEASES } from '../support/releases';
import { eventually } from '../support/eventually';
import { startServer, type Answer, type TestServer } from '../support/server';
import { Browser } from '../support/sign-in';
import { finder } from '../support/stored';
import { toCode } from '../support/totp';

const EXTENSIONS = 'https://fhir.example.org/ext';
const DEFINITION = 'http://example.org/OperationDefinition/short';
const SCT = 'http://snomed.info/sct';

let database: TestDatabase;
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  const because = 'it needs two of one database, and FHIR_EXTENSION_BASE';
  const environment = { FHIR_EXTENSION_BASE: EXTENSIONS };
  server = await startServer({ because, database, environment });
  other = await startServer({ because, database, environment });
});
afterAll(async () => {
  await server.close();
  await other.close();
  await database.drop();
});

describe('a sign-in in two processes at once', () => {
  const PASSWORD = 'correct horse battery';
  const FACTOR = '/w/system/oidc/second-factor';
  const proofOf = ({ text }: Answer): string => /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? '';

  it('takes a code of the second factor in one of them', async () => {
    await server.app.core.tenants.users.create('system', { name: 'ida', password: PASSWORD });
    const browser = new Browser(server);
    const page = await browser.signIn(FACTOR, 'ida', PASSWORD);
    const secret = (/<code id="secret">([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
    const set = await browser.send(page, { step: 'enrol', proof: proofOf(page), code: toCode(secret, -1) });
    expect(set.status).toBe(200);
    const pages = await Promise.all(
      [server, other].map(async (at) => {
        const each = new Browser(at);
        return { each, asked: await each.signIn(FACTOR, 'ida', PASSWORD) };
      }),
    );
    const code = toCode(secret);
    const answers = await Promise.all(
      pages.map(({ each, asked }) => each.send(asked, { step: 'code', proof: proofOf(asked), code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('sets a password by a link in one of them', async () => {
    const { users } = server.app.core.tenants;
    const { id } = await users.create('system', { name: 'joe' });
    const { link = '' } = (await users.invite('system', { id, base: server.base })) ?? {};
    const { pathname, hash } = new URL(link);
    const answers = await Promise.all(
      [server, other].map(async (at, index) => {
        const password = `${PASSWORD} ${index}`;
        const browser = new Browser(at);
        return browser.send(await browser.open(pathname), {
          secret: hash.slice(1),
          password,
          again: password,
        });
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});

const observation = (more: object): object => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'pulse' },
  ...more,
});

describe.each(TESTED_RELEASES)('of two processes under %s', (release) => {
  const root = (): string => server.path('system', release);
  async function put(resource: object, at = server): Promise<void> {
    const { resourceType, id } = resource as { resourceType: string; id: string };
    const { status } = await at.request('PUT', `${root()}/${resourceType}/${id}`, resource);
    expect([200, 201]).toContain(status);
  }

  it('a search by a value set sees at once that another process has changed it', async () => {
    for (const [id, code] of [
      ['pressure', '38341003'],
      ['malignant', '93870000'],
    ] as const)
      await put({
        resourceType: 'Condition',
        id,
        ...{ subject: { reference: 'Patient/ada' }, code: { coding: [{ system: SCT, code }] } },
      });
    const find = finder(server, release);
    const wanted = (code: string): object => ({
      ...{
        resourceType: 'ValueSet',
        id: 'shared',
        url: 'http://acme.org/fhir/ValueSet/shared',
        status: 'active',
      },
      compose: { include: [{ system: SCT, concept: [{ code }] }] },
    });
    for (const [code, expected] of [
      ['93870000', 'malignant'],
      ['38341003', 'pressure'],
      ['93870000', 'malignant'],
    ] as const) {
      await put(wanted(code), other);
      expect(await find('Condition?code:in=ValueSet/shared')).toEqual([expected]);
    }
  });

  it('a profile applies in every process as soon as it is stored', async () => {
    const url = 'http://clinic.example/fhir/StructureDefinition/Changing';
    const changing = (min: number): object => ({
      ...{ resourceType: 'StructureDefinition', id: 'Changing', url, name: 'Changing', status: 'active' },
      ...{ kind: 'resource', abstract: false, type: 'Patient', derivation: 'constraint' },
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
      differential: { element: [{ id: 'Patient.gender', path: 'Patient.gender', min }] },
    });
    const claimed = { resourceType: 'Patient', meta: { profile: [url] }, name: [{ family: 'Chalmers' }] };
    const create = async (at: TestServer): Promise<number> =>
      (await at.request('POST', `${root()}/Patient`, claimed)).status;
    for (const min of [1, 0, 1, 0]) {
      await put(changing(min));
      const expected = min === 1 ? 422 : 201;
      expect([await create(server), await create(other)]).toEqual([expected, expected]);
    }
    const removed = await server.request('DELETE', `${root()}/StructureDefinition/Changing`);
    expect([removed.status, await create(other)]).toEqual([200, 201]);
  });

  it('a named query is listed, searched by and a field of GraphQL in every process', async () => {
    const named = (criteria: string, status = 'active'): object => ({
      ...{ resourceType: 'OperationDefinition', id: 'short', url: DEFINITION, name: 'Query', status },
      ...{ kind: 'query', code: 'short', resource: ['Basic'], system: false, type: true, instance: false },
      extension: [{ url: `${EXTENSIONS}/search-criteria`, valueString: criteria }],
    });
    for (const id of ['one', 'two']) await put({ resourceType: 'Basic', id, code: { text: id } });
    const listed = async (): Promise<object[]> => {
      const { json } = await other.request('GET', `${root()}/metadata`);
      const types = json.rest[0].resource as { type: string; operation?: { name: string }[] }[];
      const found = types.find(({ type }) => type === 'Basic');
      return (found?.operation ?? []).filter(({ name }) => name === 'short');
    };
    const find = finder(other, release);
    const send = createSender(other, 'system', release);
    const FIELD = '{ BasicShort { count } }';
    // Asked before the query is there: the process knows the schema without it.
    expect([await listed(), (await send(FIELD)).status]).toEqual([[], 400]);
    await put(named('_id=one,two'));
    expect(await listed()).toEqual([{ name: 'short', definition: DEFINITION }]);
    expect(await find('Basic?_query=short')).toEqual(['one', 'two']);
    await eventually(async () => (await send(FIELD)).status === 200);
    expect((await send(FIELD)).found).toEqual({ BasicShort: { count: 2 } });
    const { json } = await other.request('GET', `${root()}/Basic?_query=short&_count=1`);
    await put(named('_id=one'));
    expect(await find('Basic?_query=short')).toEqual(['one']);
    // A page of an earlier definition is not valid for the current one.
    const links = json.link as { relation: string; url: string }[];
    const next = new URL(links.find(({ relation }) => relation === 'next')?.url ?? '');
    expect((await other.request('GET', next.pathname + next.search)).status).toBe(400);
    await put(named('_id=one', 'retired'));
    expect(await listed()).toEqual([]);
    expect((await other.request('GET', `${root()}/Basic?_query=short`)).status).toBe(400);
  });
});

it('concurrent references and deletions in both leave no broken reference', async () => {
  await server.createTenant('kept', { 'referential-integrity': 'on-write-and-delete' });
  const root = server.path('kept', 'r4');
  const servers = [server, other];
  const outcomes = ['create 201', 'create 422', 'delete 200', 'delete 409'];
  const seen = new Set<string>();
  const count = (what: string, { status }: Answer): void => void seen.add(`${what} ${status}`);
  // On a busy machine the same ones are always first: the later ones wait longer each round, until both ways were seen.
  for (let round = 0; round < 6 || (round < 40 && seen.size < outcomes.length); round++) {
    await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        server.request('PUT', `${root}/Patient/p${at}`, { resourceType: 'Patient', id: `p${at}` }),
      ),
    );
    await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const by = servers[at % 2] ?? server;
        const id = `p${at % 4}`;
        const isDeletion = at % 3 === 0;
        // Now the ones begin, now the others, closely enough that they meet.
        const isBeginning = isDeletion === ((round + at) % 2 === 0);
        if (!isBeginning) await delay(Math.random() * 10 * (1 + round));
        if (isDeletion) count('delete', await by.request('DELETE', `${root}/Patient/${id}`));
        else
          count(
            'create',
            await by.request(
              'POST',
              `${root}/Observation`,
              observation({ subject: { reference: `Patient/${id}` } }),
            ),
          );
      }),
    );
    const { json } = await server.request(
      'GET',
      `${root}/Observation?_count=1000&_include=Observation:subject`,
    );
    const entries: { resource: { resourceType: string; id: string; subject?: { reference: string } } }[] =
      json.entry ?? [];
    const patients = new Set(
      entries.flatMap(({ resource: { resourceType, id } }) =>
        resourceType === 'Patient' ? [`Patient/${id}`] : [],
      ),
    );
    const broken = entries.filter(
      ({ resource: { subject } }) => subject !== undefined && !patients.has(subject.reference),
    );
    expect(broken).toEqual([]);
    await Promise.all(
      entries.map(async ({ resource: { resourceType, id } }) =>
        resourceType === 'Observation'
          ? expect((await other.request('DELETE', `${root}/Observation/${id}`)).status).toBe(200)
          : undefined,
      ),
    );
  }
  expect([...seen].sort()).toEqual(outcomes);
});
