/** What the page to sign in says and keeps (docs/run/access.md, People). */
import { createClient, create, administerWell } from '../support/access';
import { FROM_CONSOLE, startConsole } from '../support/console-sign-in';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { APP, Browser, makeProof, toAuthorize } from '../support/sign-in';

let server: SharedServer;
let app: string;
let acme: string;

beforeAll(async () => {
  server = await openSharedServer('enforced');
  await server.createTenant('acme');
  acme = server.tenant('acme');
  await administerWell(server, 'PATCH', `/tenants/${acme}`, { display: 'Acme <Hospital>' });
  const details = { name: 'Chart', scopes: ['openid'], redirectUris: [APP] };
  ({ id: app } = await createClient(server, 'acme', details));
  await create(server, `/tenants/${acme}/users`, { name: 'dora', password: 'correct horse battery' });
});
afterAll(() => server.close());

const toPage = () => toAuthorize(server, acme, app, makeProof(), { scope: 'openid' });

it('the page to sign in names the tenant as its people call it', async () => {
  const { text } = await new Browser(server).open(toPage());
  expect(text).toContain('your account of <strong><bdi>Acme &#60;Hospital&#62;</bdi></strong>');
});

it('the page to sign in to the console names every tenant alike, so that nobody learns which exist', async () => {
  const open = async (tenant: string) => {
    const { status, text } = await new Browser(server).open(
      startConsole(server, tenant, makeProof(), { andiron_begun_elsewhere: 'true' }),
      FROM_CONSOLE,
    );
    expect([status, text]).toEqual([200, expect.stringContaining(`<bdi>${tenant}</bdi>`)]);
    return text.replaceAll(tenant, 'TENANT').replace(/name="token" value="[^"]+"/, '');
  };
  expect(await open(acme)).toBe(await open(server.tenant('nope')));
});

it('the page keeps the user name after a wrong password, whether there is such a user or not', async () => {
  const answers = [];
  for (const user of ['dora', 'dori']) {
    const browser = new Browser(server);
    const { status, text } = await browser.signIn(toPage(), user, 'x'.repeat(201));
    expect([status, text]).toEqual([403, expect.stringContaining(`name="user" value="${user}"`)]);
    expect(text).toMatch(/id="password"[^>]* autofocus>/);
    answers.push(text.replaceAll(user, 'USER').replace(/name="token" value="[^"]+"/, ''));
  }
  expect(answers[0]).toBe(answers[1]);
});
