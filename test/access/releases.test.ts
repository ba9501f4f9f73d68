/** An issuer and an account name people of one release, or of both: ids of r4 open nothing in r4b (docs/run/access.md). */
import { Client } from 'pg';
import { createApp } from '../../src/app';
import { RELEASE_NAMES, type Release, type ReleaseScope } from '../../src/core';
import { makeClient, WITH_LOCAL_KEYS, type MadeClient } from '../support/access';
import { andiron } from '../support/andiron';
import { makeIssuer } from '../support/issuer';
import { APP, Browsers, FORM, makeProof, toAuthorize, toReturned } from '../support/sign-in';
import { makeSettings, startServer, type Answer, type TestServer } from '../support/server';

const PASSWORD = 'correct horse battery';
const SCOPES = ['openid', 'fhirUser', 'launch', 'launch/patient', 'patient/*.rs', 'user/*.rs'];
const SCOPED: readonly ReleaseScope[] = ['r4', 'r4b', 'both'];
const opens = (scope: ReleaseScope, release: Release): boolean => scope === 'both' || scope === release;

let server: TestServer;
let administrator: MadeClient;
let app: string;

beforeAll(async () => {
  server = await startServer({
    because: 'commands, and a second start, on its database',
    environment: { AUDIT: 'off', ...WITH_LOCAL_KEYS, AUTH_MODE: 'enforced', VALIDATION: 'structure' },
  });
  const { core } = server.app;
  await core.tenants.create('acme');
  administrator = await makeClient(core, 'system', { isAdministrator: true });
  const writer = await makeClient(core, 'acme');
  for (const release of RELEASE_NAMES)
    for (const [type, id] of [
      ['Patient', 'ann'],
      ['Practitioner', 'doc'],
      ['RelatedPerson', 'mother'],
      ['RelatedPerson', 'former'],
    ] as const) {
      const more =
        type === 'RelatedPerson' ? { active: id === 'mother', patient: { reference: 'Patient/ann' } } : {};
      const { status } = await server.request(
        'PUT',
        `${server.path('acme', release)}/${type}/${id}`,
        { resourceType: type, id, ...more },
        { authorization: writer.basic },
      );
      if (status !== 201) throw new Error(`${type}/${id} was not made`);
    }
  const details = { name: 'Growth chart', scopes: SCOPES, redirectUris: [APP], isPublic: true };
  ({ id: app } = await core.tenants.clients.create('acme', details));
});
afterAll(() => server.close());

const get = (authorization: string, release: Release, path = '/Patient/ann') =>
  server.request('GET', server.path('acme', release) + path, undefined, { authorization });
const administer = (method: string, path: string, body?: object): Promise<Answer> =>
  server.request(method, `/w/system/api/v1/tenants/acme${path}`, body, {
    ...{ 'content-type': 'application/json', authorization: administrator.basic },
  });
const andironAcme = (...words: string[]): Promise<string> =>
  andiron(server.database, ...words, '--tenant', 'acme');

describe('an issuer', () => {
  it.each(SCOPED)('of %s opens its own release, and nothing else', async (scope) => {
    const named = `https://login.example/${scope}`;
    const issuer = await makeIssuer(server.app.core, 'acme', SCOPES, { issuer: named, release: scope });
    const tokens = [
      issuer.issueToken({ scope: 'user/*.rs', fhirUser: 'Practitioner/doc' }),
      issuer.issueToken({ scope: 'user/*.rs', fhirUser: 'RelatedPerson/mother' }),
      issuer.issueToken({ scope: 'patient/*.rs', patient: 'ann' }),
    ];
    for (const token of tokens)
      for (const release of [...RELEASE_NAMES, ...RELEASE_NAMES]) {
        const { status, text } = await get(token, release);
        expect([release, status]).toEqual([release, opens(scope, release) ? 200 : 401]);
        if (status === 401) expect(text).toMatch(/other release/);
        const graphql = await server.request(
          'POST',
          `/w/acme/api/v1/graphql/${release}`,
          { query: '{ Patient(id: "ann") { id } }' },
          {
            ...{ authorization: token, 'content-type': 'application/json' },
          },
        );
        expect(graphql.status).toBe(status);
      }
    await issuer.close();
  });

  it('without a release is of r4, by command and over HTTP too', async () => {
    const details = { client: app, audience: 'andiron', jwksUrl: 'https://a.example/keys' };
    const list = async () =>
      Object.fromEntries(
        (await server.app.core.tenants.issuers.list('acme')).map(({ issuer, release }) => [issuer, release]),
      );
    expect((await administer('PUT', '/issuers', { issuer: 'https://a.example', ...details })).status).toBe(
      200,
    );
    expect(
      (await administer('PUT', '/issuers', { issuer: 'https://b.example', ...details, release: 'both' }))
        .text,
    ).toContain('"both"');
    expect(
      (await administer('PUT', '/issuers', { issuer: 'https://c.example', ...details, release: 'r5' }))
        .status,
    ).toBe(400);
    const words = ['--client', app, '--audience', 'andiron', '--jwks-url', 'https://a.example/keys'];
    expect(await andironAcme('issuer', 'put', 'https://d.example', ...words, '--release', 'r4b')).toContain(
      'release: r4b',
    );
    expect(await list()).toMatchObject({
      'https://a.example': 'r4',
      'https://b.example': 'both',
      'https://d.example': 'r4b',
    });
    await expect(
      andironAcme('issuer', 'put', 'https://e.example', ...words, '--release', 'r5'),
    ).rejects.toThrow('r4, r4b or both');
  });

  it('that was stored before there were releases is of r4, and named in the log once', async () => {
    const issuer = await makeIssuer(server.app.core, 'acme', SCOPES, {
      issuer: 'https://old.example',
      release: 'both',
    });
    const database = new Client(server.database.settings);
    await database.connect();
    await database.query(
      "update andiron.token_issuer set release = null where issuer = 'https://old.example'",
    );
    await database.end();
    const token = issuer.issueToken({ scope: 'user/*.rs', fhirUser: 'Practitioner/doc' });
    const logs: string[] = [];
    for (let start = 0; start < 2; start++) {
      const lines: string[] = [];
      const record = (details: object): void => void lines.push(JSON.stringify(details));
      const app = await createApp(makeSettings(server.database, { AUTH_MODE: 'enforced' }), {
        ...{ debug: () => undefined, info: record, warn: record, error: record },
      });
      await app.listen();
      await app.close();
      logs.push(lines.join());
    }
    expect(logs[0]).toContain('"tenant":"acme"');
    expect(logs[1]).not.toContain('https://old.example');
    expect([(await get(token, 'r4')).status, (await get(token, 'r4b')).status]).toEqual([200, 401]);
    await issuer.close();
  });

  it.each<[string, object, number]>([
    ['for an hour', {}, 200],
    ['for a day that has begun', { iat: -82_000, exp: 4_000 }, 200],
    ['for more than a day', { exp: 90_000 }, 401],
    ['for more than a day since it was made', { iat: -86_000, exp: 4_000 }, 401],
    ['for a year, made in the future', { iat: 31_000_000, exp: 31_500_000 }, 401],
    ['for ever', { exp: undefined }, 401],
  ])('may issue tokens for a day: one that is valid %s', async (_long, times, wanted) => {
    const issuer = await makeIssuer(server.app.core, 'acme', SCOPES, { issuer: 'https://long.example' });
    const now = Math.floor(Date.now() / 1000);
    const moved = Object.fromEntries(
      Object.entries(times).map(([name, seconds]) => [
        name,
        typeof seconds === 'number' ? now + seconds : undefined,
      ]),
    );
    const token = issuer.issueToken({ scope: 'user/*.rs', fhirUser: 'Practitioner/doc', ...moved });
    expect((await get(token, 'r4')).status).toBe(wanted);
    await issuer.close();
  });
});

describe('an account', () => {
  let browsers: Browsers;
  beforeAll(() => {
    browsers = new Browsers(server);
  });

  /** The response to an app, or its error. */
  const signIn = async (
    name: string,
    release: Release,
    scope: string,
    launch?: string,
  ): Promise<{ token: string } | { error: string; description: string }> => {
    const proof = makeProof();
    const aud = `${server.base}${server.path('acme', release)}`;
    const start = toAuthorize(server, 'acme', app, proof, {
      scope,
      aud,
      ...(launch === undefined ? {} : { launch }),
    });
    const { browser, page } = await browsers.open(start, name, PASSWORD);
    const { answer } = toReturned(
      page.status === 200 ? await browser.send(page, { step: 'allow', patient: 'ann' }) : page,
    );
    if (answer['code'] === undefined)
      return { error: answer['error'] ?? '', description: answer['error_description'] ?? '' };
    const form = {
      grant_type: 'authorization_code',
      client_id: app,
      redirect_uri: APP,
      code: answer['code'],
      code_verifier: proof.verifier,
    };
    const { json } = await server.request(
      'POST',
      '/w/acme/oidc/token',
      new URLSearchParams(form).toString(),
      FORM,
    );
    return { token: `Bearer ${String(json.access_token)}` };
  };
  const make = async (name: string, details: object): Promise<Answer> =>
    administer('POST', '/users', { name, password: PASSWORD, ...details });

  it.each(SCOPED)('of %s signs in for its release, and its tokens open nothing else', async (scope) => {
    const made = await make(`doc-${scope}`, { fhirUser: 'Practitioner/doc', release: scope });
    expect([made.status, made.json.release]).toEqual([201, scope]);
    for (const release of RELEASE_NAMES)
      for (const requestedScope of ['openid user/*.rs', 'launch/patient patient/*.rs']) {
        const got = await signIn(`doc-${scope}`, release, requestedScope);
        if (!opens(scope, release)) {
          expect(got).toEqual({
            error: 'access_denied',
            description: 'The account has no person in this release',
          });
          continue;
        }
        const token = 'token' in got ? got.token : '';
        for (const at of RELEASE_NAMES)
          expect((await get(token, at)).status).toBe(at === release ? 200 : 401);
      }
  });

  it('is of r4 by default, and of both by command', async () => {
    expect((await make('plain', { fhirUser: 'Practitioner/doc' })).json.release).toBe('r4');
    expect((await make('wrong', { release: 'r5' })).status).toBe(400);
    await andironAcme(
      'user',
      'create',
      '--name',
      'everywhere',
      '--fhir-user',
      'Practitioner/doc',
      '--release',
      'both',
    );
    expect(await andironAcme('user', 'list')).toMatch(/everywhere {2}everywhere: Practitioner\/doc \(both\)/);
  });

  const launchOf = async (release: Release, patient?: string): Promise<string> => {
    const ehr = await makeClient(server.app.core, 'acme', { isAdministrator: true });
    const made = await server.request(
      'POST',
      '/w/acme/oidc/launch',
      { client: app, release, ...(patient === undefined ? {} : { patient }) },
      {
        ...{ 'content-type': 'application/json', authorization: ehr.basic },
      },
    );
    return String(made.json.launch);
  };

  it('without a FHIR identity gets no data, by a launch neither', async () => {
    await make('nobody', {});
    const refused = { error: 'access_denied', description: 'The account has no person in this release' };
    for (const scope of ['user/*.rs', 'openid user/*.rs', 'patient/*.rs', 'openid launch/patient'])
      expect(await signIn('nobody', 'r4', scope)).toEqual(refused);
    for (const patient of ['ann', undefined])
      for (const scope of ['launch', 'launch patient/*.rs', 'launch user/*.rs openid'])
        expect(await signIn('nobody', 'r4', scope, await launchOf('r4', patient))).toEqual(refused);
    expect(await signIn('nobody', 'r4', 'openid fhirUser')).toHaveProperty('token');
  });

  it('a launch is valid for its release', async () => {
    await make('launched', { fhirUser: 'Practitioner/doc', release: 'both' });
    const launch = await launchOf('r4', 'ann');
    expect(await signIn('launched', 'r4b', 'launch patient/*.rs', launch)).toMatchObject({
      error: 'invalid_request',
    });
    const got = await signIn('launched', 'r4', 'launch patient/*.rs', launch);
    const token = 'token' in got ? got.token : '';
    expect([(await get(token, 'r4')).status, (await get(token, 'r4b')).status]).toEqual([200, 401]);
  });

  it('of a RelatedPerson reaches their Patient, and nothing once they are not active', async () => {
    await make('mother', { fhirUser: 'RelatedPerson/mother' });
    await make('former', { fhirUser: 'RelatedPerson/former' });
    for (const scope of ['user/*.rs', 'launch/patient patient/*.rs']) {
      const got = await signIn('mother', 'r4', scope);
      expect((await get('token' in got ? got.token : '', 'r4')).status).toBe(200);
      expect(await signIn('former', 'r4', scope)).toMatchObject({ error: 'access_denied' });
    }
  });
});
