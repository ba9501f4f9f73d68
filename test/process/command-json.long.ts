/** `--json` of the commands: one document, the same as the HTTP API answers, and nothing else on the standard output. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packResources } from '../packages/make-package';
import { eventually } from '../support/eventually';
import { createShell, type Shell } from '../support/run-command';
import { startServer, toEnvironment, type TestServer } from '../support/server';

const TENANTS = '/w/system/api/v1/tenants';
const RULES = { rules: [{ types: ['Observation'], interactions: 'rs', criteria: ['status=final'] }] };

let server: TestServer;
let shell: Shell;
beforeAll(async () => {
  server = await startServer({ environment: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*' } });
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-json-'));
  shell = await createShell(folder, toEnvironment(server.database));
  await server.createTenant('acme');
});
afterAll(async () => {
  await server.close();
  await rm(shell.folder, { recursive: true, force: true });
});

async function run(line: string): Promise<Readonly<Record<string, unknown>>> {
  const { code, output, errors } = await shell.run(`andiron ${line} --json`);
  expect([code, errors.replace(/^The \w+ is not shown again\n/, '')]).toEqual([0, '']);
  expect(output).toMatch(/^\{.*\}\n$/);
  return JSON.parse(output) as Readonly<Record<string, unknown>>;
}

async function answer(address: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, json } = await server.request('GET', `${TENANTS}${address}`);
  expect(status).toBe(200);
  return json as Readonly<Record<string, unknown>>;
}

it('andiron tenant', async () => {
  const made = await run('tenant create beta validation=lenient');
  expect(made).toEqual({
    ...{ name: 'beta', display: 'beta', status: 'active' },
    created: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(await run('tenant create beta gamma')).toEqual({
    created: [expect.objectContaining({ name: 'gamma', status: 'active' })],
    existing: ['beta'],
  });
  expect(await run('tenant list')).toEqual(await answer(''));
  expect(await run('tenant show beta')).toEqual(await answer('/beta'));
  expect(await run('tenant set beta validation=structure')).toEqual({
    ...(await answer('/beta')),
    settings: expect.objectContaining({ validation: 'structure' }),
    own: ['validation'],
  });
  expect(await run('tenant rename beta Beta Clinic')).toMatchObject({ display: 'Beta Clinic' });
  expect(await run('tenant disable beta')).toMatchObject({ name: 'beta', status: 'disabled' });
  expect(await run('tenant enable beta')).toMatchObject({ name: 'beta', status: 'active' });
  await shell.run('andiron tenant export beta --to beta-export');
  expect(await run('tenant import beta-2 --from beta-export')).toEqual({
    ...{ name: 'beta-2', versions: 0, resources: 0, subscriptionsOff: 0, subscriptionsKept: 0 },
  });
  expect(await run('tenant delete beta-2 --confirm beta-2')).toMatchObject({
    ...{ name: 'beta-2', isComplete: true },
    tables: expect.arrayContaining([expect.objectContaining({ table: 'resource', left: 0 })]),
  });
});

it('andiron client, with secrets that are shown once', async () => {
  const made = await run('client create --tenant acme --name "Ward app" --scopes system/*.rs --days 9');
  const { id, secret } = made as { id: string; secret: { id: string; secret: string } };
  expect(secret).toEqual({
    ...{ id: expect.any(String), secret: expect.stringMatching(/^andiron_/) },
    expires: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const { secret: _secret, ...client } = made;
  expect(client).toEqual(await answer(`/acme/clients/${id}`));
  expect(await run(`client change ${id} --tenant acme --auditor`)).toMatchObject({ auditor: true });
  expect(await run(`client disable ${id} --tenant acme`)).toMatchObject({ id, disabled: true });
  expect(await run(`client enable ${id} --tenant acme`)).toMatchObject({ id, disabled: false });
  const added = await run(`client secret add ${id} --tenant acme`);
  expect(Object.keys(added)).toEqual(['id', 'secret']);
  expect(await run(`client secret remove ${id} ${String(added['id'])} --tenant acme`)).toEqual({
    removed: added['id'],
  });
  const listed = await run('client list --tenant acme');
  expect(listed).toEqual(await answer('/acme/clients'));
  expect(JSON.stringify(listed)).not.toContain(secret.secret);
});

it('andiron user, with a password that is shown once', async () => {
  const made = await run('user create --tenant acme --name dora --fhir-user Practitioner/doc');
  const { password, ...user } = made;
  expect(String(password)).toHaveLength(24);
  expect(user).toEqual(await answer(`/acme/users/${String(made['id'])}`));
  expect(await run('user list --tenant acme')).toEqual(await answer('/acme/users'));
  const id = String(made['id']);
  expect(await run(`user change ${id} --tenant acme --display Dora`)).toEqual({ ...user, display: 'Dora' });
  expect(await run(`user password ${id} --tenant acme`)).toMatchObject({ id, password: expect.any(String) });
  expect(await run(`user disable ${id} --tenant acme`)).toMatchObject({ id, disabled: true });
  expect(await run(`user remove ${id} --tenant acme`)).toEqual({ removed: id });
});

it('andiron issuer, policy and keys', async () => {
  const { id } = (await run('client create --tenant acme --name Portal --public')) as { id: string };
  const issuer = 'https://login.example';
  const details = `--client ${id} --audience andiron --jwks-url ${issuer}/keys --map "doctors=user/*.rs"`;
  const put = await run(`issuer put ${issuer} --tenant acme ${details}`);
  expect(put).toEqual(await answer('/acme/issuers'));
  expect(await run('issuer list --tenant acme')).toEqual(put);
  expect(await run(`issuer remove ${issuer} --tenant acme`)).toEqual({ removed: issuer });

  await writeFile(path.join(shell.folder, 'ward.json'), JSON.stringify(RULES));
  expect(await run('policy put ward ward.json --tenant acme')).toMatchObject({ name: 'ward' });
  expect(await run('policy list --tenant acme')).toEqual(await answer('/acme/policies'));
  expect(await run('policy delete ward --tenant acme')).toEqual({ removed: 'ward' });

  const { keys } = await run('keys rotate --tenant acme');
  expect(keys).toEqual([expect.any(String), expect.any(String)]);
});

it('andiron subscription, with what failed and without secrets', async () => {
  const channel = {
    ...{
      type: 'rest-hook',
      endpoint: 'http://127.0.0.1:1/hook?token=hidden',
      payload: 'application/fhir+json',
    },
    header: ['Authorization: Bearer hidden'],
  };
  const { status, json } = await server.request('POST', `${server.path('acme', 'r4')}/Subscription`, {
    ...{ resourceType: 'Subscription', status: 'requested', reason: 'A ward', channel },
    criteria: 'https://andiron.example/fhir/SubscriptionTopic/Patient',
  });
  expect(status).toBe(201);
  const { id } = json as { id: string };
  const delivery = {
    ...{ tenant: 'acme', release: 'r4', id, status: 'error', endpoint: 'http://127.0.0.1:1' },
    ...{ events: 0, delivered: 0, waiting: 0, attempts: 0, failingSince: null, nextAttempt: null },
    ...{ lastArrival: null, resumable: false },
    failure: 'The handshake failed: it refuses connections',
  };
  await eventually(async () => {
    const { subscriptions } = await run('subscription list --tenant acme --status error');
    return JSON.stringify(subscriptions).includes(id);
  }, 60_000);
  expect(await run('subscription list')).toEqual({ subscriptions: [delivery] });
  const { output } = await shell.run('andiron subscription list --tenant acme');
  expect(output).toContain(
    `acme  r4  ${id}  error  http://127.0.0.1:1\n  0 events, 0 delivered, 0 waiting\n`,
  );
  expect(output).not.toContain('hidden');
  expect(await run(`subscription retry ${id} --tenant acme`)).toEqual({
    retried: [{ release: 'r4', id, status: 'requested' }],
  });
  expect(await shell.run('andiron subscription retry nobody --tenant acme')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('Subscription/nobody of tenant acme is not retried'),
  });
  expect(await shell.run('andiron subscription list --status paused')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('--status must be error or active or requested or off'),
  });
});

it('andiron import-package', async () => {
  const manifest = { name: 'guide.example', version: '1.0.0', fhirVersions: ['4.0.1'] };
  const valueSet = { resourceType: 'ValueSet', url: 'http://ward.example/rooms', status: 'active' };
  const file = await packResources(shell.folder, manifest, { 'ValueSet-rooms.json': valueSet });
  const lists = { withoutSnapshot: [], replaced: [], switchedOff: [], warned: [], refused: [] };
  expect(await run(`import-package ${file} --tenant acme`)).toEqual({
    packages: [
      {
        ...{ name: 'guide.example', version: '1.0.0', tenant: 'acme', release: 'r4' },
        ...{ stored: 1, unchanged: 0, types: [{ type: 'ValueSet', stored: 1, unchanged: 0 }] },
        ...{ snapshots: 0, examplesLeftOut: 0, missing: [], renamed: expect.any(Array), ...lists },
      },
    ],
  });
});

it('a failure leaves the standard output empty', async () => {
  expect(await shell.run('andiron client list --tenant nobody --json')).toEqual({
    ...{ code: 1, output: '', errors: "andiron: The tenant 'nobody' does not exist\n" },
  });
});
