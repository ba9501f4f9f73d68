/**
 * kill -9 of a server that issues tokens and makes clients, secrets, accounts and keys: issued credentials work
 * afterwards, revoked ones stay revoked, and nothing is incomplete.
 *
 * KILLS is the number of kills (8), at random moments.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { toBasic } from '../support/access';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { APP, Browser, FORM, makeProof, toAuthorize, toReturned, type Proof } from '../support/sign-in';
import type { Answer } from '../support/server';
import type { Headers } from '../support/http';
import { rounds } from '../support/rounds';

const KILLS = Number(process.env['KILLS'] ?? rounds(4, 8));
const TENANTS = '/w/system/api/v1/tenants';
const TENANT = 'acme';
const PASSWORD = 'correct horse battery';
const JSON_TYPE = { 'content-type': 'application/json' };
const SCOPES = ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs', 'offline_access', 'system/*.rs'];
// Addresses and tokens must be the same in each process.
const PUBLIC_URL = 'https://fhir.example.org';
const ENVIRONMENT = {
  PUBLIC_URL,
  AUTH_MODE: 'open',
  AUDIT: 'on',
  TRUST_PROXY: 'true',
  ACCESS_TOKEN_SECONDS: '7200',
};
/** Each of these must have been answered at least once, and not answered at least once. */
const KINDS = ['client', 'secret', 'account', 'rotation', 'token', 'refresh', 'sign-in'];
/** Until that has been, it goes on; so often at most. */
const MOST_KILLS = 4 * KILLS;

interface Secret {
  readonly tenant: string;
  readonly client: string;
  readonly secret: string;
}

/** An issued credential, and its state. */
interface Issued {
  readonly secrets: Secret[];
  readonly removed: Secret[];
  /** Access tokens with their tenants. */
  readonly tokens: { readonly tenant: string; readonly token: string }[];
  readonly people: string[];
  /** Answered and not answered, by kind. */
  readonly counts: Map<string, { answered: number; lost: number }>;
}

/** The credentials of an app with a signed-in user. */
interface Held {
  refresh: string;
  access: string;
  /** The last use was not answered: the server may have issued others, or not. */
  isUnsure: boolean;
}

let database: TestDatabase;
let owner: Client;
let appId: string;
let signIns = 0;
const issued: Issued = { secrets: [], removed: [], tokens: [], people: [], counts: new Map() };
const held: Held[] = [];
const proof: Proof = makeProof();
/** Codes that may have been used. */
const unsureCodes: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** The process was killed before it answered. */
class Gone extends Error {}

class Sender {
  constructor(readonly server: ServerProcess) {}

  /** Undefined: the process is gone. `kind` counts answered and unanswered requests. */
  async send(kind: string, ...sent: Parameters<ServerProcess['request']>): Promise<Answer> {
    const count = issued.counts.get(kind) ?? { answered: 0, lost: 0 };
    issued.counts.set(kind, count);
    let answer: Answer;
    try {
      answer = await this.server.request(...sent);
    } catch {
      count.lost++;
      throw new Gone();
    }
    count.answered++;
    return answer;
  }

  administer(kind: string, method: string, path: string, body?: object): Promise<Answer> {
    return this.send(kind, method, `${TENANTS}${path}`, body, body === undefined ? {} : JSON_TYPE);
  }

  token(
    kind: string,
    form: Readonly<Record<string, string>>,
    basic?: string,
    tenant = TENANT,
  ): Promise<Answer> {
    const headers = { ...FORM, ...(basic === undefined ? {} : { authorization: basic }) };
    return this.send(kind, 'POST', `/w/${tenant}/oidc/token`, new URLSearchParams(form).toString(), headers);
  }
}

function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}

/** A tenant with the first token of its first client, by which its first keys are made. */
async function makeTenant(sender: Sender, name: string): Promise<void> {
  expectStatus(await sender.administer('tenant', 'POST', '', { name }), 201);
  const { json } = expectStatus(
    await sender.administer('client', 'POST', `/${name}/clients`, { name: 'Job', scopes: SCOPES }),
    201,
  );
  const secret = { tenant: name, client: String(json.id), secret: String(json.secret.secret) };
  issued.secrets.push(secret);
  await giveToken(sender, 'first token', secret);
  expectStatus(await sender.send('keys', 'GET', `/w/${name}/oidc/jwks`), 200);
}

async function giveToken(sender: Sender, kind: string, { tenant, client, secret }: Secret): Promise<void> {
  const form = { grant_type: 'client_credentials' };
  const { json } = expectStatus(await sender.token(kind, form, toBasic(client, secret), tenant), 200);
  issued.tokens.push({ tenant, token: String(json.access_token) });
}

/** Another secret of a client, and away with the former. */
async function changeSecret(sender: Sender, former: { id: string; known: Secret }): Promise<void> {
  const path = `/${TENANT}/clients/${former.known.client}/secrets`;
  const { json } = expectStatus(await sender.administer('secret', 'POST', path), 201);
  const known = { ...former.known, secret: String(json.secret) };
  issued.secrets.push(known);
  await giveToken(sender, 'token', known);
  const at = issued.secrets.indexOf(former.known);
  // Until the answer it may be valid or not.
  if (at !== -1) issued.secrets.splice(at, 1);
  expectStatus(await sender.administer('removal', 'DELETE', `${path}/${former.id}`), 200);
  issued.removed.push(former.known);
  former.id = String(json.id);
  former.known = known;
}

async function addPerson(sender: Sender, name: string): Promise<void> {
  const person = { name, password: PASSWORD, fhirUser: 'Patient/ann' };
  expectStatus(await sender.administer('account', 'POST', `/${TENANT}/users`, person), 201);
  issued.people.push(name);
}

/** A code for a user who signs in. */
async function toCode(sender: Sender, name: string): Promise<string> {
  // A password that a killed process was looking at stays counted as wrong: so each comes from somewhere else.
  const address = `10.0.${Math.floor(signIns / 250)}.${(signIns++ % 250) + 1}`;
  const requester = {
    base: PUBLIC_URL,
    request: (method: string, path: string, body?: unknown, headers: Headers = {}) =>
      sender.send('sign-in', method, path, body, { ...headers, 'x-forwarded-for': address }),
  };
  const browser = new Browser(requester);
  const path = toAuthorize(requester, TENANT, appId, proof, { scope: SCOPES.slice(0, 5).join(' ') });
  const page = await browser.signIn(path, name, PASSWORD);
  const { code } = toReturned(await browser.send(page, { step: 'allow' })).answer;
  if (code === undefined) throw new Error(`${page.status}: ${String(page.headers['location'])} ${page.text}`);
  return code;
}

const redeem = (sender: Sender, code: string): Promise<Answer> =>
  sender.token('code', {
    ...{ grant_type: 'authorization_code', client_id: appId, redirect_uri: APP },
    ...{ code_verifier: proof.verifier, code },
  });

async function signIn(sender: Sender, name: string): Promise<void> {
  const code = await toCode(sender, name);
  let answer: Answer;
  try {
    answer = await redeem(sender, code);
  } catch (error) {
    unsureCodes.push(code);
    throw error;
  }
  const { json } = expectStatus(answer, 200);
  held.push({ refresh: String(json.refresh_token), access: String(json.access_token), isUnsure: false });
}

const refresh = (sender: Sender, one: Held): Promise<Answer> =>
  sender.token('refresh', { grant_type: 'refresh_token', client_id: appId, refresh_token: one.refresh });

async function refreshOnce(sender: Sender, one: Held): Promise<void> {
  one.isUnsure = true;
  const { json } = expectStatus(await refresh(sender, one), 200);
  Object.assign(one, {
    refresh: String(json.refresh_token),
    access: String(json.access_token),
    isUnsure: false,
  });
}

/** Goes on until the process is gone. */
async function untilGone(work: (round: number) => Promise<void>): Promise<void> {
  try {
    for (let round = 0; ; round++) await work(round);
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
  }
}

/** All kinds of work at the same time, of which the process is killed. */
async function workUntilKilled(sender: Sender, kill: number): Promise<void> {
  // Refreshed chains and new ones are separate, so that a chain is used by one request at a time.
  const chain = held.find(({ isUnsure }) => !isUnsure);
  if (chain === undefined) throw new Error('nobody is signed in');
  const { json } = expectStatus(
    await sender.administer('client', 'POST', `/${TENANT}/clients`, { name: 'Rotated', scopes: SCOPES }),
    201,
  );
  const former = {
    id: String(json.secret.id),
    known: { tenant: TENANT, client: String(json.id), secret: String(json.secret.secret) },
  };
  issued.secrets.push(former.known);
  const work = Promise.all([
    untilGone((round) => makeTenant(sender, `t${kill}-${round}`)),
    untilGone(() => changeSecret(sender, former)),
    untilGone((round) => addPerson(sender, `p${kill}-${round}`)),
    untilGone(() => signIn(sender, 'ann')),
    untilGone(() => refreshOnce(sender, chain)),
    untilGone(async () => {
      expectStatus(await sender.administer('rotation', 'POST', `/${TENANT}/keys`, {}), 201);
    }),
  ]);
  await delay(150 + Math.random() * 2_500);
  await sender.server.kill();
  await work;
}

const read = (server: ServerProcess, tenant: string, token: string): Promise<Answer> =>
  server.request('GET', `${server.path(tenant, 'r4')}/Patient?_count=1`, undefined, {
    authorization: `Bearer ${token}`,
  });

/** The results that clients have received still hold at a process that started later. */
async function expectConsistent(sender: Sender): Promise<void> {
  const { server } = sender;
  for (const { tenant, token } of issued.tokens.splice(0))
    expect([tenant, (await read(server, tenant, token)).status]).toEqual([tenant, 200]);
  for (const { tenant, client, secret } of issued.secrets.splice(0)) {
    const form = { grant_type: 'client_credentials' };
    const { status, json } = await sender.token('proof', form, toBasic(client, secret), tenant);
    expect([tenant, status]).toEqual([tenant, 200]);
    expect((await read(server, tenant, String(json.access_token))).status).toBe(200);
  }
  for (const { tenant, client, secret } of issued.removed.splice(0)) {
    const form = { grant_type: 'client_credentials' };
    const { status } = await sender.token('proof', form, toBasic(client, secret), tenant);
    // Beyond five wrong ones nothing is checked.
    expect([401, 429]).toContain(status);
  }
  for (const name of issued.people.splice(0)) expect(await toCode(sender, name)).toMatch(/^[\w-]{43}$/);
  for (const one of [...held]) {
    const isGood = (await read(server, TENANT, one.access)).status === 200;
    const { status, json } = await refresh(sender, one);
    if (!one.isUnsure) expect([isGood, status]).toEqual([true, 200]);
    // Either nothing was done, or it was used a moment ago, and the token is still good; or it was used before that, and all
    // that came of it ends now.
    expect([200, 400]).toContain(status);
    if (status === 200) {
      Object.assign(one, { refresh: json.refresh_token, access: json.access_token, isUnsure: false });
      expect((await read(server, TENANT, one.access)).status).toBe(200);
    } else {
      await untilRefused(server, one.access);
      held.splice(held.indexOf(one), 1);
    }
  }
  for (const code of unsureCodes.splice(0)) {
    const { status, json } = await redeem(sender, code);
    expect([200, 400]).toContain(status);
    if (status === 200) expect((await read(server, TENANT, String(json.access_token))).status).toBe(200);
  }
}

async function untilRefused(server: ServerProcess, token: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(50))
    if ((await read(server, TENANT, token)).status === 401) return;
  throw new Error('a token outlives what it came from');
}

/** Incomplete rows that would cause later faults. */
async function halves(): Promise<readonly unknown[]> {
  const { rows } = await owner.query(
    `select 'two keys sign' as what, tenant::text, algorithm as name from andiron.signing_key
       where retired is null group by tenant, algorithm having count(*) > 1
     union all
     select 'one of the keys of a rotation', tenant::text, created::text from andiron.signing_key
       where tenant = (select number from andiron.tenant where name = $1)
       group by tenant, created having count(*) <> 2
     union all
     select 'a client without a secret', c.tenant::text, c.name from andiron.client_application c
       where not c.public and not exists (
         select 1 from andiron.client_secret s where s.tenant = c.tenant and s.client = c.id)
     union all
     select 'a grant that is used and has no token', tenant::text, id from andiron.user_grant
       where code_used and not revoked and 'offline_access' = any(scopes)
         and (refresh_family is null or refresh_current is null)`,
    [TENANT],
  );
  return rows;
}

/** AuditEvents that are found when all are made. */
async function countRecorded(server: ServerProcess, tenant: string, query: string): Promise<number> {
  for (;;) {
    const address = `${server.path(tenant, 'r4')}/AuditEvent?${query}&_total=accurate&_count=1`;
    const { json } = expectStatus(await server.request('GET', address), 200);
    const modes = (json.entry ?? []).map(({ search }: { search: { mode: string } }) => search.mode);
    if (!modes.includes('outcome')) return Number(json.total);
  }
}

async function prepare(sender: Sender): Promise<void> {
  expectStatus(await sender.administer('tenant', 'POST', '', { name: TENANT }), 201);
  const patient = { resourceType: 'Patient', id: 'ann', name: [{ family: 'Archer' }] };
  expectStatus(
    await sender.send('patient', 'PUT', `${sender.server.path(TENANT, 'r4')}/Patient/ann`, patient),
    201,
  );
  await addPerson(sender, 'ann');
  const app = { name: 'App', scopes: SCOPES, redirectUris: [APP], public: true };
  const { json } = expectStatus(await sender.administer('client', 'POST', `/${TENANT}/clients`, app), 201);
  appId = String(json.id);
  // The first keys of a tenant are made one by one; a rotation makes two at once.
  expectStatus(await sender.administer('rotation', 'POST', `/${TENANT}/keys`, { revoke: true }), 201);
}

const sumOf = (kinds: readonly string[]): number =>
  kinds.reduce((sum, kind) => sum + (issued.counts.get(kind)?.answered ?? 0), 0);

function isEnough(kills: number): boolean {
  const isBoth = KINDS.every((kind) => {
    const { answered, lost } = issued.counts.get(kind) ?? { answered: 0, lost: 0 };
    return answered > 0 && lost > 0;
  });
  return kills >= MOST_KILLS || (kills >= KILLS && isBoth);
}

it(
  'credentials that were granted work after kills in the middle of it, removed ones do not, and none is incomplete',
  async () => {
    let kills = 0;
    for (; !isEnough(kills); kills++) {
      const sender = new Sender(await startProcess({ database, environment: ENVIRONMENT }));
      if (kills === 0) await prepare(sender);
      else await expectConsistent(sender);
      expect(await halves()).toEqual([]);
      await signIn(sender, 'ann');
      await workUntilKilled(sender, kills);
      await sender.server.close();
    }
    const given = sumOf(['token', 'first token', 'code', 'refresh']);
    const changes = sumOf(['client', 'secret', 'removal', 'account', 'rotation', 'tenant']);
    const server = await startProcess({ database, environment: ENVIRONMENT });
    await expectConsistent(new Sender(server));
    expect(await halves()).toEqual([]);
    // Issued and changed credentials have their audit records.
    const firstTokens = sumOf(['first token']);
    expect(await countRecorded(server, TENANT, 'type=110114&outcome=0')).toBeGreaterThanOrEqual(
      given - firstTokens,
    );
    expect(await countRecorded(server, 'system', 'action=E&outcome=0')).toBeGreaterThanOrEqual(changes);
    for (const kind of KINDS) {
      const { answered, lost } = issued.counts.get(kind) ?? { answered: 0, lost: 0 };
      expect([kind, answered > 0, lost > 0]).toEqual([kind, true, true]);
    }
    await server.close();
  },
  180_000 + MOST_KILLS * 30_000,
);
