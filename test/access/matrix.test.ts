/**
 * Every address that the router has, and every field of the roots of GraphQL, with every kind of credential and its exact
 * answer (docs/run/access.md). The addresses come from the program: a new one is closed, or has a row in `ROOMS`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
} from 'graphql';
import { FORM, makeClient, type MadeClient } from '../support/access';
import {
  getToken,
  GUESSES,
  KINDS,
  makeCredentials,
  STATUSES,
  type Credentials,
  type Kind,
} from '../support/credentials';
import { startServer, type Answer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';
import { IS_FULL } from '../support/rounds';
import { takeRoutes } from './taken-routes';

const JSON_TYPE = { 'content-type': 'application/json' };
const ROOT = '/w/:tenant/api/v1/fhir/:release';
const ADMINISTRATION = '/w/system/api/v1';
const ADMINISTRATION_API = `${ADMINISTRATION}/openapi.json`;
const OIDC = '/w/:tenant/oidc';
/** The administration of a tenant by itself. */
const OWN_ADMINISTRATION = '/w/:tenant/api/v1';
const OWN_ADMINISTRATION_API = `${OWN_ADMINISTRATION}/openapi.json`;

let server: TestServer;
let ours: MadeClient;
let powerless: MadeClient;
let administrator: MadeClient;
let powerlessOfSystem: MadeClient;
/** An administrator of another tenant. A secret of one would be a guess each time. */
let foreignToken: string;
/** A client with every right. */
let auditor: MadeClient;
let ofAcme: Credentials;
let ofSystem: Credentials;

beforeAll(async () => {
  server = await startServer({
    because: 'its administrator is of the tenant system, and it lists its routes',
    // The tests take longer than a token lives on a slow machine.
    environment: { AUTH_MODE: 'enforced', ACCESS_TOKEN_SECONDS: '86400' },
  });
  const { core } = server.app;
  for (const name of ['acme', 'globex']) await core.tenants.create(name);
  ours = await makeClient(core, 'acme', { isAdministrator: true });
  auditor = await makeClient(core, 'acme', { isAdministrator: true, isAuditor: true });
  powerless = await makeClient(core, 'acme', { scopes: [] });
  administrator = await makeClient(core, 'system', { isAdministrator: true });
  powerlessOfSystem = await makeClient(core, 'system', { isAuditor: true });
  foreignToken = `Bearer ${await getToken(server, 'acme', ours)}`;
  ofAcme = await makeCredentials(server, 'acme', await makeClient(core, 'acme'), 'globex');
  ofSystem = await makeCredentials(server, 'system', await makeClient(core, 'system'), 'acme');
});
afterAll(() => server.close());

/** The access to one address, by the kind of credentials. */
interface AddressRow {
  readonly credentials: () => Credentials;
  /** The status of all kinds, or those that differ from STATUSES. */
  readonly statuses?: number | Partial<Record<Kind, number>>;
  /** Good credentials of the tenant that reach nothing, with the status. */
  readonly powerless?: () => readonly (readonly [authorization: string, status: number])[];
  /** Good ones, and the status that they have; undefined: any that does not send them away. */
  readonly right: () => string;
  readonly status?: number;
  readonly body?: object | string;
  readonly query?: string;
  /** Clients without rights get the same answer. */
  readonly isSame?: boolean;
}

const CLOSED: AddressRow = {
  credentials: () => ofAcme,
  powerless: () => [[powerless.basic, 403]],
  right: () => ours.basic,
};
/** Without data of a tenant. */
const KNOWN_TO_CLIENTS: AddressRow = { ...CLOSED, powerless: () => [[powerless.basic, 200]] };
/** A client that does not own the job gets 404. */
const JOB: AddressRow = { ...CLOSED, powerless: () => [[powerless.basic, 404]] };
const NOT_ASYNCHRONOUS: AddressRow = { ...CLOSED, powerless: () => [[powerless.basic, 400]], status: 400 };
const SEARCH: AddressRow = { ...CLOSED, body: '_count=1' };
const QUERY = '{ search(type: Patient) { __typename } }';
const byQuery = (query: string): Pick<AddressRow, 'query' | 'body'> => ({
  query: `?query=${encodeURIComponent(query)}`,
  body: { query },
});
const ADMINISTERED: AddressRow = {
  credentials: () => ofSystem,
  powerless: () => [
    [powerlessOfSystem.basic, 403],
    [foreignToken, 403],
  ],
  right: () => administrator.basic,
};
/** It does not exist for the credentials of another tenant. */
const ADMINISTERED_BY_ITSELF: AddressRow = { ...CLOSED, statuses: { 'token of another tenant': 404 } };
const open = (status: number, body?: object | string): AddressRow => ({
  credentials: () => ofAcme,
  statuses: status,
  right: () => ours.basic,
  status,
  ...(body === undefined ? {} : { body }),
});
/** Addresses at which clients authenticate by parameters of OAuth 2.0; tokens are not accepted there. */
const proving = (body: string): AddressRow => ({
  credentials: () => ofAcme,
  statuses: 401,
  right: () => ours.basic,
  status: 200,
  body,
});

function rows(
  pattern: string,
  methods: readonly string[],
  entry: AddressRow,
): Readonly<Record<string, AddressRow>> {
  return Object.fromEntries(methods.map((method) => [`${method} ${pattern}`, entry]));
}

/** Those that are not closed, or have more to be said of them. */
const GRAPHQL = ROOT.replace('fhir', 'graphql');
const GRAPHQL_ADDRESSES = [
  ...[
    '',
    '/stream',
    '/schema.graphql',
    '/schema.json',
    '/subgraph.graphql',
    '/possibleTypes.json',
    '/nodeFields.json',
  ].map((ending) => GRAPHQL + ending),
  `${ROOT}/$graphql`,
  `${ROOT}/:type/:id/$graphql`,
];

const ADDRESS_ROWS: Readonly<Record<string, AddressRow>> = {
  'GET /health/live': open(200),
  // It has no data, and is the same everywhere.
  [`GET ${ADMINISTRATION_API}`]: open(200),
  [`GET ${OWN_ADMINISTRATION_API}`]: open(200),
  'GET /health/ready': open(200),
  'GET /graphiql/assets/:name': open(404),
  // The page of the console has no data either. These are the answers to programs; console.test.ts has those to people.
  'GET /': open(404),
  'GET /w/:tenant': open(404),
  'GET /w/:tenant/console': open(404),
  'GET /w/:tenant/console/*': open(404),
  'GET /console/*': open(404),
  'GET /docs': open(301),
  'GET /docs/*': open(404),
  [`GET ${ROOT}/metadata`]: open(200),
  [`GET ${ROOT}/.well-known/smart-configuration`]: open(200),
  [`GET ${ROOT}/openapi.json`]: KNOWN_TO_CLIENTS,
  [`GET ${ROOT}/_async/:job`]: JOB,
  [`DELETE ${ROOT}/_async/:job`]: JOB,
  [`GET ${ROOT}/_bulk/:job`]: JOB,
  [`DELETE ${ROOT}/_bulk/:job`]: JOB,
  [`GET ${ROOT}/_bulk/:job/:file`]: JOB,
  // Without `Prefer: respond-async`; rest/bulk-export-access.test.ts has the others.
  ...rows(`${ROOT}/$export`, ['GET', 'POST'], NOT_ASYNCHRONOUS),
  [`POST ${ROOT}/$import`]: NOT_ASYNCHRONOUS,
  [`POST ${ROOT}/CodeSystem/$import`]: NOT_ASYNCHRONOUS,
  ...rows(`${ROOT}/Patient/$export`, ['GET', 'POST'], NOT_ASYNCHRONOUS),
  ...rows(`${ROOT}/Group/:id/$export`, ['GET', 'POST'], NOT_ASYNCHRONOUS),
  // It answers upgrades only; what a WebSocket may do: rest/subscriptions/websocket-access.test.ts.
  [`GET ${ROOT}/websocket`]: { ...CLOSED, powerless: () => [[powerless.basic, 400]], status: 400 },
  // All of a tenant is for the operator.
  [`GET ${OWN_ADMINISTRATION}/export`]: { ...ADMINISTERED_BY_ITSELF, query: '?current=true' },
  [`POST ${ROOT}/_search`]: SEARCH,
  [`POST ${ROOT}/:type/_search`]: SEARCH,
  [`POST ${ROOT}/:type/:id/_search`]: SEARCH,
  [`POST ${ROOT}/:type/:id/:member/_search`]: SEARCH,
  ...rows(GRAPHQL, ['GET', 'POST'], { ...CLOSED, ...byQuery(QUERY) }),
  ...rows(`${ROOT}/$graphql`, ['GET', 'POST'], { ...CLOSED, ...byQuery(QUERY) }),
  ...rows(`${ROOT}/:type/:id/$graphql`, ['GET', 'POST'], { ...CLOSED, ...byQuery('{ id }') }),
  // A stream is answered 200 and has its errors in it.
  ...rows(`${GRAPHQL}/stream`, ['GET', 'POST'], KNOWN_TO_CLIENTS),
  // It is long, so that it is requested once.
  [`GET ${GRAPHQL}/schema.graphql`]: { ...KNOWN_TO_CLIENTS, isSame: true },
  [`GET ${GRAPHQL}/schema.json`]: { ...KNOWN_TO_CLIENTS, isSame: true },
  // It is off here.
  [`GET ${GRAPHQL}/subgraph.graphql`]: {
    ...KNOWN_TO_CLIENTS,
    powerless: () => [[powerless.basic, 404]],
    status: 404,
  },
  [`GET ${GRAPHQL}/possibleTypes.json`]: KNOWN_TO_CLIENTS,
  [`GET ${GRAPHQL}/nodeFields.json`]: KNOWN_TO_CLIENTS,
  // The same for every tenant, also for one that does not exist.
  ...Object.fromEntries(GRAPHQL_ADDRESSES.map((pattern) => [`OPTIONS ${pattern}`, open(204)])),
  [`GET ${OIDC}/jwks`]: open(200),
  [`GET ${OIDC}/style/1`]: open(200),
  [`GET ${OIDC}/.well-known/openid-configuration`]: open(200),
  [`GET ${OIDC}/.well-known/smart-configuration`]: open(200),
  // Addresses of users with passwords: they need the request of an app.
  [`GET ${OIDC}/authorize`]: open(400),
  [`POST ${OIDC}/authorize`]: open(400, 'step=sign-in&user=doc&password=guess'),
  [`GET ${OIDC}/logout`]: open(400),
  // Pages for people: a link and a password prove who they are.
  [`GET ${OIDC}/invitation`]: open(200),
  [`POST ${OIDC}/invitation`]: open(403, 'secret=guess'),
  [`GET ${OIDC}/second-factor`]: open(200),
  [`POST ${OIDC}/second-factor`]: open(403, 'step=sign-in&user=doc&password=guess'),
  [`POST ${OIDC}/logout`]: open(400, 'id_token_hint=x'),
  [`POST ${OIDC}/token`]: proving('grant_type=client_credentials'),
  [`POST ${OIDC}/revoke`]: proving('token=x'),
  [`POST ${OIDC}/introspect`]: proving('token=x'),
  [`POST ${OIDC}/launch`]: { ...CLOSED, status: 400, body: {} },
};

function rowOf(method: string, pattern: string): AddressRow | undefined {
  const listed = ADDRESS_ROWS[`${method === 'HEAD' ? 'GET' : method} ${pattern}`];
  if (listed !== undefined) return listed;
  if (pattern === ADMINISTRATION_API || pattern === OWN_ADMINISTRATION_API) return undefined;
  if (pattern.startsWith(ADMINISTRATION)) return ADMINISTERED;
  if (/^\/w\/:tenant\/api\/v1\/(fhir|graphql)\/:release/.test(pattern)) return CLOSED;
  return pattern.startsWith(`${OWN_ADMINISTRATION}/`) ? ADMINISTERED_BY_ITSELF : undefined;
}

function toPath(pattern: string): string {
  const named = pattern.startsWith(ADMINISTRATION) ? pattern.replace(':name', 'acme') : pattern;
  return named
    .replace(':tenant', 'acme')
    .replace(':release', 'r4')
    .replace(':type', 'Patient')
    .replace(':member', 'Observation')
    .replace('$:code', '$validate')
    .replace(':vid', '1')
    .replace(/:\w+/g, 'nobody');
}

const send = (
  method: string,
  at: string,
  authorization: string | undefined,
  body: object | string | undefined,
): Promise<Answer> =>
  server.request(method, at, body, {
    ...(typeof body === 'string' ? FORM : JSON_TYPE),
    accept: 'application/json, text/event-stream',
    ...(authorization === undefined ? {} : { authorization }),
  });

/** The status that REST would answer, which GraphQL has in its errors. */
function statusOf({ status, text }: Answer): number {
  if (status !== 200 || !text.startsWith('{"errors"')) return status;
  const { errors } = JSON.parse(text) as { errors: { extensions: { status: number } }[] };
  return errors[0]?.extensions.status ?? status;
}

/** Signing in, whether the server is well, the docs, the files of the console, and the description of administration. */
const OPEN =
  /^\/w\/:tenant\/oidc\/|^\/health\/|^\/docs|^\/console\/|^\/w\/(?:system|:tenant)\/api\/v1\/openapi\.json$/;

/** The method is not allowed, or is the same as GET. */
const BRIEFLY: readonly Kind[] = ['none', 'forged', 'token of another tenant'];

/**
 * Every address and document gets these; of the others one in turn, because the same code refuses them all. With
 * `ROUNDS=full` each gets all.
 */
const EVERYWHERE: readonly Kind[] = ['none', 'token of another tenant', ...GUESSES];
let turn = 0;

function chosenOf(kinds: readonly Kind[]): readonly Kind[] {
  const others = kinds.filter((kind) => !EVERYWHERE.includes(kind));
  const next = others[turn++ % others.length];
  return kinds.filter((kind) => IS_FULL || kind === next || EVERYWHERE.includes(kind));
}

describe('every address', () => {
  const guessed = new Set([OIDC, OWN_ADMINISTRATION]);
  const OF_DATA = ['/w/:tenant/api/v1/fhir', '/w/:tenant/api/v1/graphql'];
  const ROOTS = [...OF_DATA, OIDC, ADMINISTRATION, OWN_ADMINISTRATION, ''];

  it.each(ROOTS)('of %s is answered exactly as the credential deserves', async (root) => {
    const wrong: string[] = [];
    const routes = server.app.routes.filter(
      ({ pattern }) => ROOTS.find((one) => pattern.startsWith(one)) === root,
    );
    expect(routes.length).toBeGreaterThan(5);
    for (const { method, pattern } of takeRoutes(routes)) {
      const entry = rowOf(method, pattern);
      const isRead = ['GET', 'HEAD', 'TRACE'].includes(method);
      const at = toPath(pattern) + (isRead ? (entry?.query ?? '') : '');
      const record = (kind: string, { status, text }: Answer): void =>
        void wrong.push(`${kind}: ${method} ${pattern} → ${status} ${text.slice(0, 150)}`);
      if (entry === undefined) {
        // Addresses that are open to everybody have no other methods.
        const answer = await send(method, at, undefined, undefined);
        if (answer.status !== 405 || !OPEN.test(pattern)) record('no row', answer);
        continue;
      }
      const body = isRead ? undefined : (entry.body ?? {});
      const { statuses } = entry;
      const [strangerClient] = entry.powerless?.() ?? [];
      const isShared = entry.isSame === true && strangerClient !== undefined;
      const right = await send(method, at, isShared ? strangerClient[0] : entry.right(), body);
      if (entry.status === undefined ? [401, 403, 500].includes(right.status) : right.status !== entry.status)
        record('right', right);
      // After five of them guesses begin a pause, which has a test of its own.
      const isGuess = statuses === 401 || (statuses === undefined && !guessed.has(root));
      guessed.add(root);
      const possible = (right.status === 405 || method === 'HEAD' ? BRIEFLY : KINDS).filter(
        (kind) => isGuess || !GUESSES.includes(kind),
      );
      const kinds = statuses === undefined ? chosenOf(possible) : possible;
      const answers = kinds.map(async (kind) => {
        const answer = await send(method, at, entry.credentials()[kind], body);
        const status = (typeof statuses === 'number' ? statuses : statuses?.[kind]) ?? STATUSES[kind];
        const challenge = String(answer.headers['www-authenticate'] ?? '');
        if (answer.status !== status || (status === 401 && !/^(Bearer|Basic) /.test(challenge)))
          record(kind, answer);
      });
      const refused = (entry.powerless?.() ?? []).map(async ([authorization, status]) => {
        const answer = isShared ? right : await send(method, at, authorization, body);
        if (statusOf(answer) !== status && right.status !== 405) record('powerless', answer);
      });
      await Promise.all([...answers, ...refused]);
    }
    expect(wrong).toEqual([]);
  });

  it('that has a row exists', () => {
    expect(Object.keys(ADDRESS_ROWS).filter((row) => !isRoute(row))).toEqual([]);
    expect(server.app.routes.length).toBeGreaterThan(250);
  });
});

function isRoute(row: string): boolean {
  return server.app.routes.some(({ method, pattern }) => row === `${method} ${pattern}`);
}

const TRANSACTION =
  '{resourceType: "Bundle" type: "transaction" entry: [{request: {method: "DELETE" url: "Patient/1"}}]}';

/** The value of an argument; undefined: not needed. */
function toArgument({ name, type }: GraphQLArgument, field: string): string | undefined {
  const named = getNamedType(type).name;
  const [, resource = 'Patient'] = /^([A-Z]\w+)(?:Create|Update)$/.exec(field) ?? [];
  if (name === 'type') return named === 'ResourceType' ? 'Patient' : '"Patient"';
  if (name === 'code') return '"validate"';
  if (name === 'patch') return '[{op: remove path: "/active"}]';
  if (name === 'bundle') return TRANSACTION;
  if (name === '_key' || name === '_keys') return '"Patient/1"';
  if (named === 'ResourceInput')
    return isNonNullType(type) ? `{resourceType: "${resource}" id: "1"}` : undefined;
  if (name === 'id' || isNonNullType(type)) return named === 'Int' ? '1' : '"1"';
  return undefined;
}

function toSelection(field: GraphQLField<unknown, unknown>): string {
  const given = field.args.flatMap((argument) => {
    const value = toArgument(argument, field.name);
    return value === undefined ? [] : [`${argument.name}: ${value}`];
  });
  // A total is counted only on request.
  const leaf = field.name.endsWith(COUNTED) ? 'count' : '__typename';
  const below = isLeafType(getNamedType(field.type)) ? '' : ` { ${leaf} }`;
  return `${field.name}${given.length > 0 ? `(${given.join(' ')})` : ''}${below}`;
}

/** Statuses with the right: missing ids, resources and operations with incomplete input. */
const LET_IN: readonly string[] = [
  ...['answered', 'required', 'not-found', 'processing', 'invalid', 'invariant', 'not-supported'],
  'too-costly',
];
const COUNTED = 'Aggregate';

/** The code of each field that came to an error. */
function codesOf({ json }: Answer): ReadonlyMap<string, string> {
  return new Map(
    (json.errors ?? []).map((error: { path?: string[]; extensions: { code: string } }) => [
      error.path?.[0] ?? '',
      error.extensions.code,
    ]),
  );
}

/** Fields of one request. */
const AT_ONCE = 25;
/** Guesses come to a pause, which has a test of its own. */
const UNGUESSED = KINDS.filter((one) => !GUESSES.includes(one));

describe.each(TESTED_RELEASES)('every field of the roots of GraphQL, %s', (release) => {
  const text = readFileSync(path.resolve(__dirname, `../../schema/${release}.graphql`), 'utf8');
  const schema = buildSchema(text, { assumeValid: true });
  const address = `/w/acme/api/v1/graphql/${release}`;
  /** The capabilities of the server. */
  const TOLD_TO_CLIENTS = ['metadata', 'operations'];
  /** Read-only resources. */
  const RECORDS = ['AuditEventPatch', 'AuditEventDelete'];
  const wanted = (field: string): string =>
    TOLD_TO_CLIENTS.includes(field) ? 'answered' : RECORDS.includes(field) ? 'not-supported' : 'forbidden';
  it.each([
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const)('%s: is answered exactly as the credential deserves', async (kind, type) => {
    const fields = Object.values(type?.getFields() ?? {});
    expect(fields.length).toBeGreaterThan(500);
    const wrong: string[] = [];
    for (let first = 0; first < fields.length; first += AT_ONCE) {
      const some = fields.slice(first, first + AT_ONCE);
      const query = `${kind} { ${some.map(toSelection).join('\n')} }`;
      for (const each of chosenOf(UNGUESSED)) {
        const { status } = await send('POST', address, ofAcme[each], { query });
        if (status !== STATUSES[each]) wrong.push(`${each}: ${status} for ${query.slice(0, 200)}`);
      }
      const refused = await send('POST', address, powerless.basic, { query });
      const codes = codesOf(refused);
      // Each field is refused by itself, counts below the field.
      if (refused.status !== 200) wrong.push(`powerless: ${refused.status} for ${query.slice(0, 200)}`);
      for (const { name } of some)
        if (wanted(name) !== (codes.get(name) ?? 'answered'))
          wrong.push(`powerless: ${name} → ${codes.get(name) ?? 'answered'}`);
      const answered = await send('POST', address, auditor.basic, { query });
      const given = codesOf(answered);
      for (const { name } of some) {
        const code = given.get(name) ?? 'answered';
        if (!LET_IN.includes(code)) wrong.push(`right: ${name} → ${code}`);
      }
      if (answered.status !== 200) wrong.push(`right: ${answered.status} for ${query.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
  });

  it('subscription: is refused exactly as the credential deserves', async () => {
    const [field, ...others] = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
    expect(others).toEqual([]);
    const answers = { query: `subscription { ${field}(type: Patient) { id } }` };
    const { status, text } = await send('POST', `${address}/stream`, powerless.basic, answers);
    expect([status, text]).toEqual([200, expect.stringContaining('"code":"forbidden"')]);
  });
});
