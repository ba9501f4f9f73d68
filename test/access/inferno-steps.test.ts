/**
 * The steps of Inferno's kits for SMART App Launch 2.2 and for ONC's criterion g(10), in words of our own
 * (docs/run/access.md, Inferno's test kits).
 */
import { SmartTenant, type TokenJson } from '../support/smart-app';
import { makeProof, toReturned } from '../support/sign-in';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { APP_ORIGIN } from '../support/shared-servers';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

const CATEGORY = 'category=http://terminology.hl7.org/CodeSystem/';
const GRANULAR = {
  Condition: [
    `patient/Condition.rs?${CATEGORY}condition-category|encounter-diagnosis`,
    `patient/Condition.rs?${CATEGORY}condition-category|problem-list-item`,
  ],
  Observation: [
    `patient/Observation.rs?${CATEGORY}observation-category|laboratory`,
    `patient/Observation.rs?${CATEGORY}observation-category|social-history`,
    `patient/Observation.rs?${CATEGORY}observation-category|vital-signs`,
  ],
};
const IDENTITY = 'openid fhirUser launch/patient offline_access';
const TYPES = ['Condition', 'Observation', 'Patient', 'Practitioner', 'Organization', 'Encounter'];
const RESOURCES = TYPES.map((type) => `patient/${type}.rs`).join(' ');
const SCOPE = `${IDENTITY} ${RESOURCES}`;

const partOf = (token: string, part: number) =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString());

describe.each(TESTED_RELEASES)('Inferno, in %s,', (release) => {
  let smart: SmartTenant;
  /** The same app with a secret. */
  let secret: SmartTenant;

  beforeAll(async () => {
    smart = await SmartTenant.make(server, `inferno-${release}`, release);
    const registered = [...IDENTITY.split(' '), 'launch', ...TYPES.map((type) => `patient/${type}.rs`)];
    const versionOne = ['patient/Patient.read', 'patient/Observation.read', 'user/*.read', 'user/*.rs'];
    const granular = Object.values(GRANULAR).flat();
    secret = await smart.confidential(`inferno-${release}`, [...registered, ...versionOne, ...granular]);
    const coded = (system: string, code: string) => [
      { coding: [{ system: `http://terminology.hl7.org/CodeSystem/${system}`, code }] },
    ];
    const subject = { reference: 'Patient/ann' };
    await smart.put(
      { resourceType: 'Patient', id: 'ann', generalPractitioner: [{ reference: 'Practitioner/doc' }] },
      { resourceType: 'Practitioner', id: 'doc' },
      { resourceType: 'RelatedPerson', id: 'mother', patient: subject },
      {
        ...{ resourceType: 'Person', id: 'me' },
        link: [{ target: subject, assurance: 'level4' }],
      },
      { resourceType: 'Encounter', id: 'visit', status: 'finished', class: { code: 'AMB' }, subject },
      ...['laboratory', 'vital-signs', 'survey'].map((code) => ({
        ...{ resourceType: 'Observation', id: code, status: 'final', code: { text: 'x' }, subject },
        category: coded('observation-category', code),
      })),
      ...['problem-list-item', 'encounter-diagnosis'].map((code) => ({
        ...{ resourceType: 'Condition', id: code, subject, category: coded('condition-category', code) },
      })),
    );
    for (const [name, reference] of [
      ['ann', 'Patient/ann'],
      ['doc', 'Practitioner/doc'],
      ['mother', 'RelatedPerson/mother'],
      ['me', 'Person/me'],
    ] as const)
      await smart.addPerson(name, reference);
  });

  const documentAt = (path: string) =>
    server.request('GET', path, undefined, { origin: 'https://inferno.example' });
  const idsOf = async (query: string, token: string): Promise<unknown> => {
    const { status, json } = await smart.get(query, token);
    const entries: { resource: { id: string } }[] = json.entry ?? [];
    return status === 200 ? entries.map(({ resource }) => resource.id).sort() : status;
  };

  it('discovers the configuration, from any origin', async () => {
    const { status, headers, json } = await documentAt(`${smart.root}/.well-known/smart-configuration`);
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(headers['content-type']).toMatch(/^application\/json/);
    for (const name of [
      'authorization_endpoint',
      'token_endpoint',
      'issuer',
      'jwks_uri',
      'introspection_endpoint',
    ])
      expect(new URL(json[name]).origin).toBe(server.base);
    expect(json.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'client_credentials']),
    );
    expect(json.code_challenge_methods_supported).toEqual(['S256']);
    expect(json.capabilities).toEqual(
      expect.arrayContaining([
        ...[
          'launch-ehr',
          'launch-standalone',
          'authorize-post',
          'client-public',
          'client-confidential-symmetric',
        ],
        ...['client-confidential-asymmetric', 'sso-openid-connect', 'context-banner', 'context-style'],
        ...[
          'context-ehr-patient',
          'context-ehr-encounter',
          'context-standalone-patient',
          'permission-offline',
        ],
        ...['permission-patient', 'permission-user', 'permission-v1', 'permission-v2'],
      ]),
    );
    const metadata = await documentAt(`${smart.root}/metadata`);
    expect([metadata.status, metadata.headers['access-control-allow-origin']]).toEqual([200, '*']);
  });

  it('launches a standalone app: code, state, token, patient; nothing without the token', async () => {
    const answer = await secret.launch({ scope: SCOPE });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(answer.json).toMatchObject({
      ...{ token_type: 'Bearer', expires_in: expect.any(Number), scope: SCOPE, patient: 'ann' },
      ...{
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        id_token: expect.any(String),
      },
    });
    expect((await smart.get('Patient/ann', answer.json.access_token)).status).toBe(200);
    expect((await server.request('GET', `${smart.root}/Patient/ann`)).status).toBe(401);
  });

  it('lets a public app read the answers of tokens and data from its own origin', async () => {
    const sent = { origin: APP_ORIGIN };
    const { json } = await smart.launch({ scope: SCOPE });
    const token = await smart.post(
      'token',
      { grant_type: 'refresh_token', refresh_token: json.refresh_token },
      sent,
    );
    const patient = await smart.get('Patient/ann', token.json.access_token, sent);
    for (const { status, headers } of [token, patient])
      expect([status, headers['access-control-allow-origin']]).toEqual([200, APP_ORIGIN]);
  });

  it('launches from an EHR with the patient and the encounter', async () => {
    const body = { client: secret.app, release, patient: 'ann', encounter: 'visit' };
    const headers = { 'content-type': 'application/json', authorization: smart.writer.basic };
    const made = await server.request('POST', `/w/${smart.tenant}/oidc/launch`, body, headers);
    const scope = SCOPE.replace('launch/patient', 'launch');
    const token = await secret.token({ scope, user: 'doc', more: { launch: made.json.launch } });
    expect(token).toMatchObject({ patient: 'ann', encounter: 'visit', need_patient_banner: true, scope });
    expect(token['smart_style_url']).toEqual(expect.stringMatching(/^http/));
    for (const path of ['Patient/ann', 'Encounter/visit'])
      expect((await smart.get(path, token.access_token)).status).toBe(200);
  });

  it.each([
    ['ann', 'Patient/ann'],
    ['doc', 'Practitioner/doc'],
    ['mother', 'RelatedPerson/mother'],
    ['me', 'Person/me'],
  ])('verifies the ID token of %s and reads its fhirUser', async (user, reference) => {
    const { json: configuration } = await server.request(
      'GET',
      `/w/${smart.tenant}/oidc/.well-known/openid-configuration`,
    );
    for (const name of [
      'issuer',
      'authorization_endpoint',
      'token_endpoint',
      'jwks_uri',
      'response_types_supported',
    ])
      expect(configuration[name]).toBeDefined();
    expect(configuration.subject_types_supported).toEqual(['public']);
    expect(configuration.id_token_signing_alg_values_supported).toContain('RS256');
    const { json: keys } = await server.request('GET', new URL(configuration.jwks_uri).pathname);
    const token = await secret.token({ scope: 'openid fhirUser', user });
    const { alg, kid } = partOf(token.id_token, 0);
    const key = keys.keys.find((one: { kid: string }) => one.kid === kid);
    expect([alg, key.kty]).toEqual(['RS256', 'RSA']);
    const { iss, aud, sub, exp, iat, fhirUser } = partOf(token.id_token, 1);
    expect([iss, aud]).toEqual([configuration.issuer, secret.app]);
    expect([sub.length > 0, sub.length < 256, exp > Date.now() / 1000, iat <= exp]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(fhirUser).toBe(`${server.base}${smart.root}/${reference}`);
    const { status, json } = await smart.get(reference, token.access_token);
    expect([status, `${json.resourceType}/${json.id}`]).toEqual([200, reference]);
  });

  it('refreshes with and without scopes, and not with an unknown token', async () => {
    let token = await secret.token({ scope: SCOPE });
    for (const scope of [undefined, token.scope]) {
      const { status, headers, json } = await secret.refresh(token.refresh_token, scope);
      expect([status, headers['cache-control'], headers['pragma']]).toEqual([200, 'no-store', 'no-cache']);
      expect(json).toMatchObject({ token_type: 'Bearer', scope: SCOPE, patient: 'ann', expires_in: 300 });
      token = json as TokenJson;
    }
    expect((await secret.refresh('1bd34cb2-6c11-4e1b-8d57-7ed7f0a4d7f5')).status).toBe(400);
  });

  it('introspects a token that is good, and one that is not', async () => {
    const token = await secret.token({ scope: SCOPE });
    const good = await secret.post('introspect', { token: token.access_token });
    const { iss, sub, fhirUser } = partOf(token.id_token, 1);
    expect([good.status, good.json]).toEqual([
      200,
      {
        ...{
          active: true,
          client_id: secret.app,
          scope: SCOPE,
          exp: expect.any(Number),
          token_type: 'Bearer',
        },
        ...{ patient: 'ann', iss, sub, fhirUser },
      },
    ]);
    const wrong = await secret.post('introspect', { token: 'invalid_token_value' });
    expect([wrong.status, wrong.json]).toEqual([200, { active: false }]);
  });

  it('revokes a token, and then neither reads nor refreshes', async () => {
    const token = await secret.token({ scope: SCOPE });
    expect((await secret.post('revoke', { token: token.refresh_token })).status).toBe(200);
    expect((await smart.get('Patient/ann', token.access_token)).status).toBe(401);
    expect((await secret.refresh(token.refresh_token)).status).toBe(400);
    expect((await secret.post('introspect', { token: token.access_token })).json).toEqual({ active: false });
  });

  it.each<[string, Record<string, string>]>([
    ['no verifier', { code_verifier: '' }],
    ['another verifier', { code_verifier: makeProof().verifier }],
    ['another code', { code: 'invalid_code' }],
    ['another redirect', { redirect_uri: 'https://other.example/back' }],
  ])('gets no token with %s', async (_what, exchange) => {
    expect((await secret.launch({ scope: SCOPE, exchange })).status).toBe(400);
  });

  it('gets no token with the challenge as verifier, or as another client', async () => {
    const { challenge } = makeProof();
    expect((await secret.launch({ scope: SCOPE, exchange: { code_verifier: challenge } })).status).toBe(400);
    const other = await secret.launch({ scope: SCOPE, exchange: { client_id: 'INVALID_CLIENT_ID' } });
    expect(other.status).toBe(401);
  });

  it('gets no code for data of another server', async () => {
    const aud = 'https://inferno.example/invalid_aud';
    const path = smart.authorizeAt(makeProof().challenge, SCOPE, { aud });
    const { answer } = toReturned(await server.request('GET', path));
    expect([answer['code'], answer['error']]).toEqual([undefined, 'invalid_request']);
  });

  it('reads what the person allowed, and not what the person took away', async () => {
    const withdrawn = ['patient/Condition.rs', 'patient/Encounter.rs'];
    const token = await secret.token({ scope: SCOPE, withdrawn });
    expect(await idsOf('Observation?patient=ann', token.access_token)).toHaveLength(3);
    expect(await idsOf('Practitioner', token.access_token)).toEqual(['doc']);
    for (const type of ['Condition', 'Encounter'])
      expect(await idsOf(`${type}?patient=ann`, token.access_token)).toBe(403);
  });

  it('lets the person choose granular scopes in the place of those of a whole type', async () => {
    const [diagnoses = '', problems = ''] = GRANULAR.Condition;
    const [laboratory = ''] = GRANULAR.Observation;
    const { page } = await secret.consent({ scope: SCOPE });
    expect(page.text).toContain('Or only to:');
    for (const scope of [diagnoses, problems, laboratory]) expect(page.text).toContain(`value="${scope}">`);
    const withdrawn = ['patient/Condition.rs', 'patient/Observation.rs'];
    const token = await secret.token({ scope: SCOPE, withdrawn, chosen: [problems, laboratory] });
    const granted = token.scope.split(' ');
    expect(granted).toEqual(expect.arrayContaining(['patient/Patient.rs', problems, laboratory]));
    for (const scope of [...withdrawn, diagnoses]) expect(granted).not.toContain(scope);
    expect(await idsOf('Condition', token.access_token)).toEqual(['problem-list-item']);
    expect(await idsOf('Observation', token.access_token)).toEqual(['laboratory']);
    const kept = await secret.token({ scope: SCOPE, chosen: [problems] });
    expect(kept.scope).toBe(SCOPE);
  });

  it('uses granular scopes, and those of version 1', async () => {
    const granular = Object.values(GRANULAR).flat().join(' ');
    const fine = await secret.token({ scope: `${IDENTITY} patient/Patient.rs ${granular}` });
    expect(fine.scope).toBe(`${IDENTITY} patient/Patient.rs ${granular}`);
    expect(await idsOf('Observation', fine.access_token)).toEqual(['laboratory', 'vital-signs']);
    expect((await smart.get('Observation/survey', fine.access_token)).status).toBe(404);
    const first = `${IDENTITY} patient/Patient.read patient/Observation.read`;
    const old = await secret.token({ scope: first });
    expect([old.scope, await idsOf('Observation', old.access_token)]).toEqual([
      first,
      ['laboratory', 'survey', 'vital-signs'],
    ]);
    const user = await secret.token({ scope: 'openid fhirUser user/*.read', user: 'doc' });
    expect(await idsOf('Patient', user.access_token)).toEqual(['ann']);
  });

  it.each<[string, Record<string, string>]>([
    ['another grant type', { grant_type: 'not_a_grant_type' }],
    ['another type of assertion', { client_assertion_type: 'not_an_assertion_type' }],
    ['an assertion that is no JWT', { client_assertion: 'not_a_jwt' }],
  ])('gets no token for a program with %s', async (_what, more) => {
    const { status, json } = await smart.post('token', {
      ...{ grant_type: 'client_credentials', scope: 'system/*.rs', client_assertion: 'e30.e30.e30' },
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      ...more,
    });
    expect([400, 401]).toContain(status);
    expect(json.error).toEqual(expect.any(String));
  });
});
