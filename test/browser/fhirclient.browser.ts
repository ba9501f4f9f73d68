/**
 * SMART's client for browsers (https://docs.smarthealthit.org/client-js) in a page of another origin, at a server that
 * answers nobody without a token.
 */
import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { RELEASE_NAMES } from '../../src/core/fhir/release';
import { withAdministrator } from '../support/access';
import { installApart } from '../support/install-apart';
import { startServer, type TestServer } from '../support/server';
import { PASSWORD, SmartTenant } from '../support/smart-app';
import { startChromium } from './chromium';

const BUNDLE = path.resolve(__dirname, '../clients/node_modules/fhirclient/build/fhir-client.min.js');
const SCOPE = 'openid fhirUser patient/*.rs offline_access';

let server: TestServer;
let app: Server;
/** The address of the app. */
let address: string;
let browser: Browser;
/** The client id of the app, which its first page sends. */
let clientId = '';

beforeAll(async () => {
  await installApart('test/clients');
  address = await startApp();
  server = await startServer({ environment: { AUTH_MODE: 'enforced', CORS_ORIGINS: address } });
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await new Promise<void>((resolve) => app.close(() => resolve()));
});

/** The app: `/start` begins with the parameters of its address, as an EHR opens it; `/back` shows what it has read. */
async function startApp(): Promise<string> {
  const bundle = await readFile(BUNDLE, 'utf8');
  const pageOf = (script: string): string =>
    `<!doctype html><title>Chart</title><pre></pre><script src="/fhir-client.js"></script><script>${script}</script>`;
  const show = `(value) => { document.querySelector('pre').textContent = JSON.stringify(value); }`;
  const fail = `(error) => (${show})({ fault: String(error) })`;
  app = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://app.example');
    const isBundle = pathname === '/fhir-client.js';
    response.setHeader('content-type', isBundle ? 'text/javascript' : 'text/html; charset=utf-8');
    if (isBundle) response.end(bundle);
    else if (pathname === '/start') response.end(pageOf(startingScript(fail)));
    else if (pathname === '/back') response.end(pageOf(`(${readRecord})().then(${show}, ${fail});`));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const at = app.address();
  return `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
}

function startingScript(fail: string): string {
  const options = JSON.stringify({ clientId, redirectUri: '/back' });
  return `
    const asked = new URLSearchParams(location.search);
    const launch = asked.has('launch') ? 'launch' : 'launch/patient';
    FHIR.oauth2.authorize({ ...${options}, iss: asked.get('iss'), scope: launch + ' ${SCOPE}' }).catch(${fail});`;
}

/** Runs in the page. */
const readRecord = `async () => {
  const client = await FHIR.oauth2.ready();
  const before = client.state.tokenResponse.access_token;
  const [patient, user, observations, doctors] = [
    await client.patient.read(),
    await client.user.read(),
    await client.patient.request('Observation', { flat: true }),
    await client.request('Practitioner', { flat: true }),
  ];
  await client.refresh();
  const again = await client.patient.read();
  const { need_patient_banner: banner, smart_style_url: style, scope } = client.state.tokenResponse;
  return {
    ...{ patient: patient.id, again: again.id, user: user.resourceType + '/' + user.id, banner, scope },
    ...{ encounter: client.encounter.id, isNew: client.state.tokenResponse.access_token !== before },
    observations: observations.map(({ id }) => id),
    doctors: doctors.map(({ id }) => id),
    style: style && Object.keys(await (await fetch(style)).json()).length > 5,
  };
}`;

describe.each(RELEASE_NAMES)('an app with fhirclient, in %s,', (release) => {
  let smart: SmartTenant;

  beforeAll(async () => {
    smart = await SmartTenant.make(await withAdministrator(server), `browser-${release}`, release, {
      redirectUris: [`${address}/back`],
    });
    clientId = smart.app;
    const observation = (id: string, patient: string, doctor: string) => ({
      ...{ resourceType: 'Observation', id, status: 'final', code: { text: 'weight' } },
      ...{
        subject: { reference: `Patient/${patient}` },
        performer: [{ reference: `Practitioner/${doctor}` }],
      },
    });
    await smart.put(
      ...['ann', 'ben'].map((id) => ({ resourceType: 'Patient', id })),
      ...['doc', 'other'].map((id) => ({ resourceType: 'Practitioner', id })),
      observation('of-ann', 'ann', 'doc'),
      observation('of-ben', 'ben', 'other'),
      {
        ...{ resourceType: 'Encounter', id: 'visit', status: 'finished', class: { code: 'AMB' } },
        subject: { reference: 'Patient/ann' },
      },
    );
    await smart.addPerson('ann', 'Patient/ann');
    await smart.addPerson('dora', 'Practitioner/doc');
  });

  /** Signs in, allows everything, and gives what the app shows. */
  async function run(user: string, query: Record<string, string>): Promise<unknown> {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${address}/start?${new URLSearchParams(query).toString()}`);
    await page.getByLabel('User name').fill(user);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const shown = await shownBy(page);
    await context.close();
    return shown;
  }

  async function shownBy(page: Page): Promise<unknown> {
    const shown = page.locator('pre').filter({ hasText: '{' });
    await shown.waitFor();
    return JSON.parse((await shown.textContent()) ?? '');
  }

  const record = { patient: 'ann', again: 'ann', observations: ['of-ann'], doctors: ['doc'], isNew: true };

  it('launches by itself, reads the record and what it refers to, and refreshes', async () => {
    expect(await run('ann', { iss: server.root(smart.tenant, release) })).toEqual({
      ...record,
      user: 'Patient/ann',
      encounter: null,
      scope: `launch/patient ${SCOPE}`,
    });
  });

  it('is launched by an EHR, with patient, encounter, banner and style', async () => {
    const body = {
      client: smart.app,
      release,
      patient: 'ann',
      encounter: 'visit',
      need_patient_banner: false,
    };
    const headers = { 'content-type': 'application/json', authorization: smart.writer.basic };
    const { json } = await server.request('POST', `/w/${smart.tenant}/oidc/launch`, body, headers);
    const iss = server.root(smart.tenant, release);
    expect(await run('dora', { iss, launch: json.launch })).toEqual({
      ...record,
      user: 'Practitioner/doc',
      encounter: 'visit',
      banner: false,
      style: true,
      scope: `launch ${SCOPE}`,
    });
  });
});
