/** AuditEvents record each sign-in, and tokens that were issued or refused (docs/run/audit.md). */
import { create, createClient } from '../support/access';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { APP, Browser, FORM, makeProof, toAuthorize, toReturned } from '../support/sign-in';

const PASSWORD = 'correct horse battery';
const WRONG = 'wrong horse battery';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('audited');
});
afterAll(() => server.close());

interface RecordedEvent {
  readonly type: { code: string };
  readonly subtype: { system: string; code: string }[];
  readonly outcome: string;
  readonly outcomeDesc?: string;
  readonly agent: { altId?: string; who: { reference?: string; identifier?: { value: string } } }[];
  readonly entity: { query?: string }[];
}

it('each sign-in, token, refusal and revocation leaves one AuditEvent, and no secret is in it', async () => {
  await server.createTenant('acme');
  const acme = server.tenant('acme');
  const scopes = ['launch/patient', 'offline_access', 'patient/*.rs', 'system/*.cruds'];
  const client = await createClient(server, 'acme', { name: 'Chart', scopes, redirectUris: [APP] });
  await server.request(
    'PUT',
    `${server.path('acme', 'r4')}/Patient/ann`,
    { resourceType: 'Patient', id: 'ann' },
    {
      authorization: client.basic,
    },
  );
  const users = `/tenants/${acme}/users`;
  const unlinked = await create(server, users, { name: 'nobody', display: 'N', password: PASSWORD });
  await create(server, users, {
    ...{ name: 'ann', display: 'Ann', password: PASSWORD },
    fhirUser: 'Patient/ann',
  });

  const secrets = [client.basic.slice(6), PASSWORD, WRONG];
  const expected: string[] = [];
  const post = async (
    path: string,
    form: Record<string, string>,
    expectedEvent: string,
    authorization = client.basic,
  ) => {
    const body = new URLSearchParams(form).toString();
    const answer = await server.request('POST', `/w/${acme}/oidc/${path}`, body, { ...FORM, authorization });
    for (const name of ['access_token', 'refresh_token']) {
      const { [name]: token } = answer.json as Record<string, unknown>;
      if (typeof token === 'string') secrets.push(token);
    }
    expected.push(expectedEvent);
    return answer.json as Record<string, string>;
  };
  const chart = client.id;
  const own = { grant_type: 'client_credentials' };
  const basicOf = (id: string, secret: string) =>
    `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  await post('token', own, `110122 0 ${chart} | oidc/token?grant_type=client_credentials`);
  const unproven = '| oidc/token?grant_type=client_credentials HTTP 401: invalid_client';
  await post('token', own, `110122 4 ${chart} ${unproven}`, basicOf(chart, WRONG));
  await post('token', own, `110122 4 anonymous ${unproven}`, basicOf(WRONG, WRONG));
  await post(
    'token',
    { grant_type: WRONG },
    `110122 4 anonymous | oidc/token HTTP 400: unsupported_grant_type`,
  );

  const proof = makeProof();
  const browser = new Browser(server);
  const page = await browser.open(
    toAuthorize(server, acme, chart, proof, { scope: scopes.slice(0, 3).join(' ') }),
  );
  await browser.send(page, { step: 'sign-in', user: 'unknown', password: WRONG });
  expected.push(`110122 4 ${chart} | oidc/authorize HTTP 403`);
  await browser.send(page, { step: 'sign-in', user: 'nobody', password: WRONG });
  expected.push(`110122 4 ${chart} ${unlinked.id} | oidc/authorize HTTP 403`);
  const consent = await browser.send(page, { step: 'sign-in', user: 'ann', password: PASSWORD });
  expected.push(`110122 0 ${chart} Patient/ann | oidc/authorize`);
  const { code = '' } = toReturned(await browser.send(consent, { step: 'allow' })).answer;
  secrets.push(code, proof.verifier);
  const form = { code, code_verifier: proof.verifier, redirect_uri: APP };
  const given = await post(
    'token',
    { grant_type: 'authorization_code', ...form },
    `110122 0 ${chart} Patient/ann | oidc/token?grant_type=authorization_code`,
  );
  const refresh = { grant_type: 'refresh_token', refresh_token: given['refresh_token'] ?? '' };
  const refreshed = `${chart} Patient/ann | oidc/token?grant_type=refresh_token`;
  const next = await post('token', refresh, `110122 0 ${refreshed}`);
  const again = { grant_type: 'refresh_token', refresh_token: next['refresh_token'] ?? '' };
  const last = await post('token', again, `110122 0 ${refreshed}`);
  await post('token', refresh, `110122 4 ${refreshed} HTTP 400: invalid_grant`);
  await post('revoke', { token: last['access_token'] ?? '' }, `110123 0 ${chart} Patient/ann | oidc/revoke`);
  await browser.send(consent, { step: 'sign-out' });
  expected.push(`110123 0 ${chart} Patient/ann | oidc/authorize`);

  const auditor = await createClient(server, 'acme', { scopes: ['system/*.rs'], auditor: true });
  const trail = await server.request(
    'GET',
    `${server.path('acme', 'r4')}/AuditEvent?type=110114&_count=100`,
    undefined,
    { authorization: auditor.basic },
  );
  const found = (trail.json.entry as { resource: RecordedEvent }[]).map(({ resource }) => resource);
  const events = found.toReversed();
  const expectedEvent = events.map(({ subtype, outcome, outcomeDesc, agent, entity }) => {
    const who = agent.map(({ altId, who }) => altId ?? who.reference ?? who.identifier?.value);
    const queries = entity.flatMap(({ query }) =>
      query === undefined ? [] : Buffer.from(query, 'base64').toString(),
    );
    return [subtype[0]?.code, outcome, ...who, '|', ...queries, outcomeDesc ?? ''].join(' ').trim();
  });
  expect(expectedEvent).toEqual(expected);
  const texts = found
    .map((event) => JSON.stringify(event))
    .map((text) => `${text} ${Buffer.from(text, 'base64').toString()}`)
    .join();
  expect(
    secrets.filter(
      (secret) => secret === '' || texts.includes(secret) || expectedEvent.join().includes(secret),
    ),
  ).toEqual([]);
  const { json } = await server.request(
    'POST',
    `${server.path('acme', 'r4')}/AuditEvent/$validate`,
    found[0],
    { authorization: client.basic, 'content-type': 'application/json' },
  );
  const { issue } = json as { issue: { severity: string; diagnostics: string }[] };
  expect(
    issue.filter(({ severity, diagnostics }) => severity !== 'information' && !diagnostics.includes('dom-6')),
  ).toEqual([]);
});
