/**
 * An error about data of another tenant takes the same class of time as one about a missing resource: measurements do
 * not disclose what exists there. Each case is tested by many pairs (error-times/compare-times.ts), of ids of which
 * every other one is a resource of the other tenant, which that tenant has just read, so that the server has cached
 * it.
 */
import { Client } from 'pg';
import { makeClient, toBasic, type MadeClient } from '../support/access';
import { getToken } from '../support/credentials';
import { startServer, type Answer, type TestServer } from '../support/server';
import { Browser, FORM, makeProof, toAuthorize } from '../support/sign-in';
import { findDifference, type PairSender } from './error-times/compare-times';
import { signInElsewhere, type StoredPerson } from './error-times/people';
import { rounds } from '../support/rounds';

const PUBLIC_URL = 'https://fhir.example.org';
const OWN = 'guest';
const OTHER = 'other';
/** As long as the name of the other tenant: there is none. */
const EMPTY_TENANT = 'empty';
const RESOURCES = 60;
const PAIRS = rounds(40, 120);
/** The number of pairs where each request hashes a password. */
const FEW_PAIRS = 12;
const JSON_TYPE = { 'content-type': 'application/json' };

jest.setTimeout(600_000);

let server: TestServer;
let token: string;
let foreign: MadeClient;
/** Like that of `foreign`, of an unknown client. */
let emptyTenantBasic: string;
let person: StoredPerson;
let ownApp: string;
const pages: string[] = [];
const jobs: string[] = [];

const at = (tenant: string): string => server.path(tenant, 'r4');
type Side = 'other' | 'nobody';

/** Ids of the other tenant and missing ids take turns, so that they are neighbours in an index. */
const idOf = (side: Side, index: number): string =>
  `p${String(2 * (index % RESOURCES) + (side === 'other' ? 0 : 1)).padStart(4, '0')}`;

function send(method: string, path: string, body?: unknown, headers: object = {}): Promise<Answer> {
  return server.request(method, path, body, { authorization: `Bearer ${token}`, ...headers });
}

beforeAll(async () => {
  server = await startServer({
    environment: { AUTH_MODE: 'enforced', PUBLIC_URL, TRUST_PROXY: 'true', ACCESS_TOKEN_SECONDS: '7200' },
  });
  const { core } = server.app;
  for (const tenant of [OWN, OTHER]) await core.tenants.create(tenant);
  foreign = await makeClient(core, OTHER);
  emptyTenantBasic = toBasic(spoil(foreign.id), spoil(foreign.secret));
  token = await getToken(server, OWN, await makeClient(core, OWN));
  await fill();
  person = await signInElsewhere(server, OTHER, PUBLIC_URL);
  const details = { name: 'App', scopes: ['openid', 'patient/*.rs'], redirectUris: [person.redirectUri] };
  ({ id: ownApp } = await core.tenants.clients.create(OWN, { ...details, isPublic: true }));
  await core.tenants.changeSettings(OWN, { 'referential-integrity': 'on-write' });
});
afterAll(() => server.close());

/** Stores the same kinds of resources for both tenants; those of the other one under every second id. */
async function fill(): Promise<void> {
  const headers = { authorization: foreign.basic };
  const put = async (tenant: string, resource: { resourceType: string; id: string }): Promise<void> => {
    const path = `${at(tenant)}/${resource.resourceType}/${resource.id}`;
    const { status, text } = await send('PUT', path, resource, tenant === OTHER ? headers : {});
    if (status !== 201) throw new Error(text);
  };
  for (let index = 0; index < RESOURCES; index++) {
    const id = idOf('other', index);
    for (const [tenant, name] of [
      [OTHER, id],
      [OWN, `own${index}`],
    ] as const) {
      await put(tenant, { resourceType: 'Patient', id: name, ...{ name: [{ family: `Family ${index}` }] } });
      const subject = { reference: `Patient/${name}` };
      await put(tenant, {
        ...{ resourceType: 'Observation', id: name },
        ...{ status: 'final', code: { text: 'weight' }, subject },
      });
      await put(tenant, {
        ...{ resourceType: 'List', id: name, ...{ status: 'current', mode: 'working' } },
        ...{ entry: [{ item: subject }] },
      });
      const data = Buffer.from(`content of ${name}`).toString('base64');
      await put(tenant, { resourceType: 'Binary', id: name, ...{ contentType: 'text/plain', data } });
      await put(tenant, {
        ...{ resourceType: 'ValueSet', id: name, ...{ url: `urn:set:${name}`, status: 'active' } },
        ...{ compose: { include: [{ system: 'urn:codes', concept: [{ code: 'x' }] }] } },
      });
    }
  }
  let page = `${at(OTHER)}/Patient?_count=2`;
  for (let index = 0; index < 20; index++) {
    const { json } = await send('GET', page, undefined, headers);
    const next = json.link.find(({ relation }: { relation: string }) => relation === 'next');
    if (next === undefined) throw new Error('there is no next page');
    const { pathname, search } = new URL(next.url);
    page = pathname + search;
    pages.push(search);
    const later = await send('GET', `${at(OTHER)}/Patient`, undefined, {
      ...headers,
      prefer: 'respond-async',
    });
    jobs.push(
      new URL(String(later.headers['content-location'])).pathname.replace(`/w/${OTHER}/`, `/w/${OWN}/`),
    );
  }
  // Recent reads of the other tenant are cached.
  for (const type of ['Patient', 'Observation', 'Binary', 'ValueSet'])
    for (let index = 0; index < RESOURCES; index++)
      await send('GET', `${at(OTHER)}/${type}/${idOf('other', index)}`, undefined, headers);
}

type Case = readonly [name: string, ask: (side: Side, index: number) => Promise<Answer>];

/** Sends both once, which must be answered with the same status, and then measures them. */
async function expectSameClass(sender: Case[1], pairs = PAIRS): Promise<void> {
  const sides = (['other', 'nobody'] as const).map(
    (side): PairSender =>
      (index) =>
        sender(side, index),
  );
  const [first, second] = sides;
  if (first === undefined || second === undefined) throw new Error('there are two sides');
  const [theirs, nothing] = [await sender('other', 1), await sender('nobody', 1)];
  expect(theirs.status).toBe(nothing.status);
  expect(theirs.text.length - nothing.text.length).toBeLessThan(10);
  expect(await findDifference(first, second, pairs)).toBeUndefined();
}

const graphql = (query: string, variables: object): Promise<Answer> =>
  send('POST', `/w/${OWN}/api/v1/graphql/r4`, { query, variables }, JSON_TYPE);

const spoiled = new Map<string, string>();
/**
 * Changes a character in the middle, so that it has the same length and is invalid. Made once: it is not part of the
 * measurement.
 */
const spoil = (text: string): string => {
  let made = spoiled.get(text);
  if (made === undefined) {
    const middle = text.length - 12;
    made = `${text.slice(0, middle)}${text[middle] === '0' ? '1' : '0'}${text.slice(middle + 1)}`;
    spoiled.set(text, made);
  }
  return made;
};
const spoilToken = (text: string): string => {
  let made = spoiled.get(text);
  if (made === undefined) spoiled.set(text, (made = text.split('.').map(spoil).join('.')));
  return made;
};
const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

const observe = (reference: string): object => ({
  ...{ resourceType: 'Observation', status: 'final', code: { text: 'x' } },
  subject: { reference },
});

it.each<Case>([
  ['a read', (side, index) => send('GET', `${at(OWN)}/Patient/${idOf(side, index)}`)],
  ['a read of a version', (side, index) => send('GET', `${at(OWN)}/Patient/${idOf(side, index)}/_history/1`)],
  ['a history', (side, index) => send('GET', `${at(OWN)}/Patient/${idOf(side, index)}/_history`)],
  ['content', (side, index) => send('GET', `${at(OWN)}/Binary/${idOf(side, index)}`)],
  ['$everything', (side, index) => send('GET', `${at(OWN)}/Patient/${idOf(side, index)}/$everything`)],
  ['a value set by id', (side, index) => send('GET', `${at(OWN)}/ValueSet/${idOf(side, index)}/$expand`)],
  [
    'a value set by url',
    (side, index) => send('GET', `${at(OWN)}/ValueSet/$expand?url=urn:set:${idOf(side, index)}`),
  ],
  ['a search by id', (side, index) => send('GET', `${at(OWN)}/Patient?_id=${idOf(side, index)}`)],
  [
    'a search by reference',
    (side, index) => send('GET', `${at(OWN)}/Observation?subject=Patient/${idOf(side, index)}`),
  ],
  ['a compartment', (side, index) => send('GET', `${at(OWN)}/Patient/${idOf(side, index)}/Observation`)],
  ['a search by list', (side, index) => send('GET', `${at(OWN)}/Patient?_list=${idOf(side, index)}`)],
])('%s of a resource of another tenant takes the time of a missing one', (_name, sender) =>
  expectSameClass(sender),
);

it.each<Case>([
  [
    'a patch',
    (side, index) =>
      send('PATCH', `${at(OWN)}/Patient/${idOf(side, index)}`, [{ op: 'remove', path: '/name' }], {
        'content-type': 'application/json-patch+json',
      }),
  ],
  [
    'an update of a version',
    (side, index) =>
      send(
        'PUT',
        `${at(OWN)}/Patient/${idOf(side, index)}`,
        { resourceType: 'Patient', id: idOf(side, index) },
        { 'if-match': 'W/"1"' },
      ),
  ],
  [
    'a reference to what must be there',
    (side, index) => send('POST', `${at(OWN)}/Observation`, observe(`Patient/${idOf(side, index)}`)),
  ],
  [
    'a reference to the address of a tenant',
    (side, index) => {
      const root = `${PUBLIC_URL}/w/${side === 'other' ? OTHER : EMPTY_TENANT}/api/v1/fhir/r4`;
      return send('POST', `${at(OWN)}/Observation`, observe(`${root}/Patient/${idOf('other', index)}`));
    },
  ],
])('%s that is refused takes the same time whether another tenant has it or nobody', (_name, sender) =>
  expectSameClass(sender),
);

it.each<Case>([
  [
    'a read',
    (side, index) => graphql('query($id: ID!) { Patient(id: $id) { id } }', { id: idOf(side, index) }),
  ],
  [
    'a read of the past',
    (side, index) =>
      graphql('query($id: ID!) { Patient(id: $id, asOf: "2099-01-01T00:00:00Z") { id } }', {
        id: idOf(side, index),
      }),
  ],
  [
    'a difference',
    (side, index) =>
      graphql('query($id: String!) { diff(type: Patient, id: $id, from: "1", to: "1") }', {
        id: idOf(side, index),
      }),
  ],
  [
    'a history',
    (side, index) =>
      graphql('query($id: String!) { history(type: Patient, id: $id) { total } }', { id: idOf(side, index) }),
  ],
])('%s by GraphQL of a resource of another tenant takes the time of a missing one', (_name, sender) =>
  expectSameClass(sender),
);

it.each<Case>([
  [
    'a page',
    (side, index) => {
      const search = pick(pages, index);
      return send('GET', `${at(OWN)}/Patient${side === 'other' ? search : spoil(search)}`);
    },
  ],
  [
    'an answer to come',
    (side, index) => {
      const job = pick(jobs, index);
      return send('GET', side === 'other' ? job : spoil(job));
    },
  ],
])('%s of another tenant takes the time of an unknown one', (_name, sender) => expectSameClass(sender));

let firstIndex = 0;
/** A network of its own for each request, so that no guess is one too many. */
const fromElsewhere = (): Record<string, string> => {
  firstIndex++;
  return { 'x-forwarded-for': `10.${(firstIndex >> 8) & 255}.${firstIndex & 255}.7` };
};

const tokenOf = (form: Readonly<Record<string, string>>, headers: object = {}): Promise<Answer> =>
  server.request('POST', `/w/${OWN}/oidc/token`, new URLSearchParams(form).toString(), {
    ...FORM,
    ...headers,
  });

it.each<Case>([
  [
    'a code',
    (side, index) => {
      const code = pick(person.codes, index);
      return tokenOf({
        ...{ grant_type: 'authorization_code', client_id: ownApp, redirect_uri: person.redirectUri },
        ...{ code_verifier: person.verifier, code: side === 'other' ? code : spoil(code) },
      });
    },
  ],
  [
    'a refresh token',
    (side, index) => {
      const refresh = pick(person.refreshTokens, index);
      const text = side === 'other' ? refresh : spoilToken(refresh);
      return tokenOf({ grant_type: 'refresh_token', client_id: ownApp, refresh_token: text });
    },
  ],
  [
    'a refresh token without its client',
    (side, index) => {
      const refresh = pick(person.refreshTokens, index);
      const text = side === 'other' ? refresh : spoilToken(refresh);
      return tokenOf({ grant_type: 'refresh_token', refresh_token: text });
    },
  ],
])('%s of another tenant is refused in the time of an unknown one', (_name, sender) =>
  expectSameClass(sender),
);

it.each<Case>([
  [
    'a client with its secret',
    (side) => {
      const authorization = side === 'other' ? foreign.basic : emptyTenantBasic;
      return tokenOf({ grant_type: 'client_credentials' }, { authorization, ...fromElsewhere() });
    },
  ],
  [
    'a client with its secret at the data',
    (side) => {
      const authorization = side === 'other' ? foreign.basic : emptyTenantBasic;
      return send('GET', `${at(OWN)}/Patient`, undefined, { authorization, ...fromElsewhere() });
    },
  ],
  [
    'a guess of the secret of a client',
    (side) => {
      const authorization = toBasic(side === 'other' ? foreign.id : spoil(foreign.id), 'guess');
      return send('GET', `${at(OTHER)}/Patient`, undefined, { authorization, ...fromElsewhere() });
    },
  ],
  [
    'a guess at a tenant',
    (side) => {
      const headers = { authorization: toBasic('somebody', 'guess'), ...fromElsewhere() };
      return send('GET', `${at(side === 'other' ? OTHER : EMPTY_TENANT)}/Patient`, undefined, headers);
    },
  ],
])('%s is refused in the time of an unknown one', (_name, sender) => expectSameClass(sender, FEW_PAIRS));

it.each<Case>([
  ['the data', (side) => send('GET', `${at(side === 'other' ? OTHER : EMPTY_TENANT)}/Patient`)],
  ['the statement', (side) => send('GET', `${at(side === 'other' ? OTHER : EMPTY_TENANT)}/metadata`)],
  ['the keys', (side) => server.request('GET', `/w/${side === 'other' ? OTHER : EMPTY_TENANT}/oidc/jwks`)],
])('%s of another tenant are answered in the time of those of no tenant', (_name, sender) =>
  expectSameClass(sender),
);

it('the name and password of a user of another tenant are refused in the time of an unknown user', async () => {
  const browser = new Browser(server);
  const more = { aud: `${PUBLIC_URL}${at(OWN)}`, redirect_uri: person.redirectUri };
  const page = await browser.open(toAuthorize(server, OWN, ownApp, makeProof(), more));
  expect(page.status).toBe(200);
  await expectSameClass(async (side, index) => {
    const headers = fromElsewhere();
    const name = pick(person.names, index);
    const fields = {
      ...{ step: 'sign-in', password: person.password },
      user: side === 'other' ? name : name.replace('person', 'nobody'),
    };
    const answer = await browser.send(page, fields, headers);
    expect(answer.headers['location']).toBeUndefined();
    return answer;
  }, FEW_PAIRS);
});

it('one statement more would be seen: a server that reads data of another tenant and does not return them', async () => {
  const owner = new Client(server.database.settings);
  await owner.connect();
  const read = (index: number): Promise<Answer> => send('GET', `${at(OWN)}/Patient/${idOf('nobody', index)}`);
  const found = await findDifference(
    async (index) => {
      await read(index);
      await owner.query('select from andiron.resource_version where id = $1 limit 1', [idOf('other', index)]);
    },
    read,
    PAIRS,
  );
  await owner.end();
  expect(found?.share).toBeGreaterThan(0.5);
});
