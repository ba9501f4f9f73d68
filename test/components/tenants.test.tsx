/** Which tenant one is in as what, the way to another one, and whose administration is shown. */
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { listUsers, readTenant, listSettings } from '../../console/src/api/administration';
import { request } from '../../console/src/api/send';
import { takeAnswer, type Person } from '../../console/src/api/session';
import { App } from '../../console/src/app';
import { administrationPath } from '../../console/src/place';
import { render } from './render';

/** The requests of the page. */
const sent: { readonly path: string; readonly token: string | undefined }[] = [];

beforeEach(() => {
  sent.length = 0;
  sessionStorage.clear();
  localStorage.clear();
  globalThis.fetch = (input, init) => {
    const authorization = new Headers(init?.headers).get('authorization') ?? undefined;
    sent.push({ path: input instanceof Request ? input.url : String(input), token: authorization });
    return Promise.resolve(Response.json({ users: [], settings: [] }));
  };
});

function signIn(tenant: string, person: Partial<Person>, release = 'r4'): void {
  const whole: Person = { name: 'Dora Doe', tenant, isAdministrator: false, isAuditor: false, ...person };
  const expires = Date.now() + 3_600_000;
  const session = { id: tenant, accessToken: `token-of-${tenant}`, expires, person: whole };
  sessionStorage.setItem(`andiron/session/${tenant}/${release}`, JSON.stringify(session));
}

const atGraphiql = (tenant: string): void => render(<App />, `/w/${tenant}/console/r4/graphiql`);
const administration = (): string | null | undefined =>
  within(screen.getByRole('navigation', { name: 'Main' }))
    .queryByRole('link', { name: 'Administration' })
    ?.getAttribute('href');

it('the account menu says in which tenant one is what', async () => {
  signIn('acme', {
    ...{ tenant: 'Acme Hospital', record: 'Practitioner/doc' },
    ...{ isAdministrator: true, isAuditor: true },
  });
  atGraphiql('acme');
  fireEvent.click(screen.getByRole('button', { name: 'Dora Doe' }));
  const menu = await screen.findByRole('menu');
  expect(menu.textContent).toContain('Tenant: acme · Acme Hospital');
  expect(menu.textContent).toContain('practitioner, administrator, auditor');
  expect(within(menu).getByRole('menuitem', { name: 'Own record' }).getAttribute('href')).toBe(
    '/w/acme/api/v1/fhir/r4/Practitioner/doc',
  );
  expect(within(menu).getByRole('menuitem', { name: 'Second factor' }).getAttribute('href')).toBe(
    '/w/acme/oidc/second-factor',
  );
});

it('who cancels the sign-in is told so, and finds the way back', async () => {
  const [issuer, state] = ['http://localhost/w/acme', 'state-of-the-sign-in'];
  globalThis.fetch = () => Promise.resolve(Response.json({ issuer }));
  const begun = {
    space: { tenant: 'acme', release: 'r4' },
    verifier: 'v',
    state,
    nonce: 'n',
    back: '/w/acme/console/r4/graphiql',
  };
  sessionStorage.setItem('andiron/sign-in', JSON.stringify(begun));
  const refusal = new URLSearchParams({
    error: 'access_denied',
    error_description: 'The person has not allowed it',
    state,
  });
  history.replaceState(null, '', `/w/acme/console/signed-in?${refusal.toString()}`);
  takeAnswer();
  render(<App />, '/w/acme/console/signed-in');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('You are not signed in');
  expect(alert.textContent).toContain('The person has not allowed it');
  expect(within(alert).getByRole('link', { name: 'Go back' }).getAttribute('href')).toBe(begun.back);
});

it('a name that is written from right to left does not move the dot before it', async () => {
  const display = 'מרכז רפואי';
  globalThis.fetch = () => Promise.resolve(Response.json({ tenants: [{ name: 'acme', display }] }));
  signIn('system', { isAdministrator: true, tenant: display });
  atGraphiql('system');
  fireEvent.click(screen.getByRole('button', { name: 'Tenant system: change' }));
  const link = await screen.findByRole('link', { name: 'acme' });
  expect(link.parentElement?.querySelector('bdi')?.textContent).toBe(display);
  fireEvent.click(screen.getByRole('button', { name: 'Dora Doe' }));
  const menu = await screen.findByRole('menu');
  expect([...menu.querySelectorAll('bdi')].map((name) => name.textContent)).toEqual([
    'Dora Doe',
    'system',
    display,
  ]);
});

it('before the sign-in a server that asks for it has no administration in its navigation', () => {
  document.documentElement.dataset['access'] = 'enforced';
  try {
    atGraphiql('acme');
    expect(administration()).toBeUndefined();
  } finally {
    delete document.documentElement.dataset['access'];
  }
});

it('the switcher has the tenants where this browser was signed in, each as a page of its own', async () => {
  localStorage.setItem('andiron/tenants', JSON.stringify(['beta', 'acme']));
  signIn('acme', {});
  signIn('system', { name: 'Paul' });
  atGraphiql('acme');
  fireEvent.click(screen.getByRole('button', { name: 'Tenant acme: change' }));
  const dialog = await screen.findByRole('dialog');
  const links = within(dialog).getAllByRole('link');
  expect(links.map((link) => [link.getAttribute('href'), link.getAttribute('aria-current')])).toEqual([
    ['/w/beta', null],
    ['/w/acme', 'true'],
  ]);
  expect(within(dialog).getByRole<HTMLInputElement>('textbox', { name: /^Name of the tenant/ }).value).toBe(
    '',
  );
});

it('the switcher is closed by Escape, and by a click elsewhere', async () => {
  signIn('acme', {});
  atGraphiql('acme');
  for (const close of [
    (dialog: HTMLElement) => fireEvent.keyDown(dialog, { key: 'Escape' }),
    () => fireEvent.mouseDown(document.body),
  ]) {
    fireEvent.click(screen.getByRole('button', { name: 'Tenant acme: change' }));
    close(await screen.findByRole('dialog'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
});

it('the operator chooses among the tenants of the server', async () => {
  globalThis.fetch = () =>
    Promise.resolve(Response.json({ tenants: [{ name: 'acme', display: 'Acme Hospital' }] }));
  signIn('system', { isAdministrator: true });
  atGraphiql('system');
  fireEvent.click(screen.getByRole('button', { name: 'Tenant system: change' }));
  const dialog = await screen.findByRole('dialog');
  expect((await within(dialog).findByRole('link', { name: 'acme' })).getAttribute('href')).toBe('/w/acme');
  expect(dialog.textContent).toContain('Acme Hospital');
});

it('no request has the token of another tenant', async () => {
  signIn('acme', { isAdministrator: true });
  history.replaceState(null, '', '/w/beta');
  for (const path of ['fhir/r4/Patient', 'graphql/r4b', 'users']) await request(`/w/beta/api/v1/${path}`);
  await request('/w/acme/api/v1/fhir/r4/Patient');
  expect(sent.map(({ token }) => token)).toEqual([undefined, undefined, undefined, 'Bearer token-of-acme']);
});

describe('the link to the administration', () => {
  it.each([
    ['an administrator of the tenant', { acme: { isAdministrator: true } }, '/w/acme/console/administration'],
    ['the operator', { system: { isAdministrator: true } }, '/w/system/console/administration/acme'],
    [
      'the operator who is a person of the tenant too',
      { system: { isAdministrator: true }, acme: {} },
      '/w/system/console/administration/acme',
    ],
    ['a person without the right', { acme: {} }, undefined],
    ['an auditor of the tenant', { acme: { isAuditor: true } }, undefined],
    // A server in open mode asks for nothing.
    ['nobody', {}, '/w/system/console/administration/acme'],
  ] as const)('is that of %s', (_who, people, path) => {
    for (const [tenant, person] of Object.entries(people)) signIn(tenant, person);
    atGraphiql('acme');
    expect(administration()).toBe(path);
  });
});

describe('the requests of the administration', () => {
  it('go to the tenant where its own administrator is, with its token', async () => {
    signIn('acme', { isAdministrator: true }, 'r4b');
    history.replaceState(null, '', '/w/acme/console/administration/users');
    await listUsers('acme');
    await readTenant('acme');
    await listSettings();
    expect(sent.map(({ path }) => path)).toEqual([
      '/w/acme/api/v1/users',
      '/w/acme/api/v1/tenant',
      '/w/acme/api/v1/settings',
    ]);
    expect(new Set(sent.map(({ token }) => token))).toEqual(new Set(['Bearer token-of-acme']));
    expect(administrationPath('acme', 'users')).toBe('/w/acme/console/administration/users');
  });

  it('go to the addresses of the operator from the screens of the operator', async () => {
    signIn('system', { isAdministrator: true });
    signIn('acme', { isAdministrator: true });
    history.replaceState(null, '', '/w/system/console/administration/acme/users');
    await listUsers('acme');
    expect(sent).toEqual([{ path: '/w/system/api/v1/tenants/acme/users', token: 'Bearer token-of-system' }]);
    expect(administrationPath('acme', 'users')).toBe('/w/system/console/administration/acme/users');
  });
});

it('what only the operator may do is not shown to the administrator of a tenant', async () => {
  const described = {
    ...{ name: 'acme', display: 'Acme Hospital', status: 'active', created: '2026-01-01T00:00:00Z' },
    ...{ settings: {}, own: [], usage: { resources: 1, bytes: 1 } },
  };
  globalThis.fetch = () => Promise.resolve(Response.json(described));
  signIn('acme', { isAdministrator: true });
  signIn('system', { isAdministrator: true });
  render(<App />, '/w/acme/console/administration');
  await screen.findByRole('heading', { level: 1, name: 'Acme Hospital' });
  expect(screen.queryByRole('button', { name: 'Remove the tenant' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull();
  const tabs = within(screen.getByRole('navigation', { name: 'Administration of the tenant' }));
  expect(tabs.getByRole('link', { name: 'Users' }).getAttribute('href')).toBe(
    '/w/acme/console/administration/users',
  );
  render(<App />, '/w/system/console/administration/acme');
  await screen.findByRole('button', { name: 'Remove the tenant' });
  expect(screen.getByRole('button', { name: 'Disable' })).toBeTruthy();
});

it('the start of a tenant that does not exist says so', async () => {
  const text = "The tenant 'nosuch' does not exist here, or is disabled";
  const issue = [{ severity: 'error', code: 'not-found', diagnostics: text }];
  const answer = { resourceType: 'OperationOutcome', issue };
  globalThis.fetch = () => Promise.resolve(Response.json(answer, { status: 404 }));
  render(<App />, '/w/nosuch');
  expect((await screen.findByRole('alert')).textContent).toContain(text);
});

it('an address of a tenant that does not exist shows nothing but that, and the one that was meant', async () => {
  globalThis.fetch = (input) => {
    const path = input instanceof Request ? input.url : String(input);
    if (path.includes('/tenants'))
      return Promise.resolve(Response.json({ tenants: [{ name: 'system', display: 'system' }] }));
    if (path.includes('/health/')) return Promise.resolve(Response.json({ status: 'ready' }));
    const issue = [
      { severity: 'error', code: 'not-found', diagnostics: "The tenant 'systm' does not exist here" },
    ];
    return Promise.resolve(Response.json({ resourceType: 'OperationOutcome', issue }, { status: 404 }));
  };
  render(<App />, '/w/systm');
  await screen.findByText("The tenant 'systm' does not exist here");
  const main = within(screen.getByRole('main'));
  await waitFor(() =>
    expect(main.getAllByRole('link', { name: 'system' })[0]?.getAttribute('href')).toBe('/w/system'),
  );
  expect(main.getByText(/^Did you mean/).textContent).toBe('Did you mean system?');
  for (const part of ['What would you like to do?', 'Addresses', 'Health'])
    expect(main.queryByRole('heading', { name: part })).toBeNull();
});

it('a client says which of its scopes and policies have no effect', async () => {
  signIn('system', { isAdministrator: true });
  const warning = "The policy 'wards' does not exist, so that it allows nothing; did you mean ward?";
  const client = {
    ...{ id: 'a1', name: 'Ward app', created: '2026-11-28T00:00:00Z', disabled: false, public: false },
    ...{ scopes: ['system/*.rs'], policies: ['wards'], administrator: false, auditor: false, secrets: [] },
    ...{ jwks: null, jwksUrl: null, redirectUris: [], idTokenAlgorithm: 'RS256', warnings: [warning] },
  };
  const tenant = { name: 'acme', display: 'Acme', status: 'active', settings: {}, own: [], usage: {} };
  globalThis.fetch = (input) => {
    const path = input instanceof Request ? input.url : String(input);
    if (path.endsWith('/clients/a1')) return Promise.resolve(Response.json(client));
    if (path.endsWith('/tenants/acme')) return Promise.resolve(Response.json(tenant));
    return Promise.resolve(Response.json({ policies: [], tenants: [], settings: [], clients: [] }));
  };
  render(<App />, '/w/system/console/administration/acme/clients/a1');
  await screen.findByText('Some of this has no effect');
  expect(screen.getByText(warning)).toBeDefined();
});

describe('the setting that requires a second factor', () => {
  const described = {
    ...{ name: 'second-factor', meaning: 'Who needs one', default: 'optional', defaultFrom: 'SECOND_FACTOR' },
    ...{ values: ['optional', 'required'], operator: false, fixed: false },
  };
  const changes: unknown[] = [];
  const start = (own: string): void => {
    changes.length = 0;
    const settings = { 'second-factor': own, validation: 'lenient' };
    const tenant = { name: 'acme', display: 'Acme', status: 'active', settings, own: ['second-factor'] };
    globalThis.fetch = (input, init) => {
      const path = input instanceof Request ? input.url : String(input);
      if (path.endsWith('/settings'))
        return Promise.resolve(Response.json({ settings: [described], mail: false }));
      if (typeof init?.body === 'string') changes.push(JSON.parse(init.body));
      return Promise.resolve(Response.json(tenant));
    };
    signIn('acme', { isAdministrator: true });
    render(<App />, '/w/acme/console/administration/settings');
  };
  const choose = async (value: string): Promise<void> => {
    fireEvent.click(await screen.findByRole('combobox', { name: 'second-factor' }));
    fireEvent.click(await screen.findByRole('option', { name: value }));
  };

  it.each(['Save second-factor', 'Save all changes'])(
    'says first that it signs people out, the administrator too (%s)',
    async (name) => {
      start('optional');
      await choose('required');
      fireEvent.click(await screen.findByRole('button', { name }));
      const dialog = await screen.findByRole('dialog', { name: 'Require a second factor?' });
      expect(dialog.textContent).toContain('so are you if you have none');
      fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      expect(changes).toEqual([]);
      fireEvent.click(screen.getByRole('button', { name }));
      fireEvent.click(await screen.findByRole('button', { name: 'Require it' }));
      await waitFor(() => expect(changes).toEqual([{ settings: { 'second-factor': 'required' } }]));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    },
  );

  it('asks nothing when it ends', async () => {
    start('required');
    await choose('optional');
    fireEvent.click(await screen.findByRole('button', { name: 'Save second-factor' }));
    await waitFor(() => expect(changes).toEqual([{ settings: { 'second-factor': 'optional' } }]));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
