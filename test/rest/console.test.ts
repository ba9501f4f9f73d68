/** Requests that get the page of the console. Its files are those of a build (test/browser/console-files.browser.ts). */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const PEOPLE = { 'sec-fetch-mode': 'navigate', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** The title of the page, built or not. */
const TITLE = '<title>Andiron</title>';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const fhir = (rest = '', release: 'r4' | 'r4b' = 'r4'): string => `${server.path('system', release)}${rest}`;
const open = (address: string, headers: Record<string, string> = PEOPLE) =>
  server.request('GET', address, undefined, headers);

/** The page without the way to the root, which is longer below more folders. */
const withoutRoot = (text: string): string => text.replaceAll(/(?<==")(?:\.\.?\/?)+/g, '');

describe.each(TESTED_RELEASES)('under %s', (release) => {
  it('a person who opens a FHIR address in a browser sees the console', async () => {
    for (const rest of [
      '',
      '/Patient?name=x',
      '/Patient/example',
      '/Patient/example/_history/1',
      '/metadata',
    ]) {
      const { status, headers, text } = await open(fhir(rest, release));
      expect([rest, status, headers['content-type']]).toEqual([rest, 200, 'text/html; charset=utf-8']);
      expect(headers['vary']).toMatch(/Accept, Sec-Fetch-Mode/);
      expect(text).toContain(TITLE);
    }
  });

  it('a program gets JSON at the same address, and caches know that a browser does not', async () => {
    for (const headers of [{}, { ...PEOPLE, 'sec-fetch-mode': 'cors' }]) {
      const { headers: sent, json } = await open(fhir('/metadata', release), headers);
      expect(json).toMatchObject({ resourceType: 'CapabilityStatement' });
      expect(sent['vary']).toMatch(/Accept, Sec-Fetch-Mode/);
    }
  });
});

it('_format=html asks for the console, and another _format for the answer', async () => {
  for (const format of ['html', 'text/html', 'text%2Fhtml'])
    expect((await open(fhir(`/metadata?_format=${format}`), {})).text).toContain(TITLE);
  expect((await open(fhir('/metadata?_format=json'))).json).toMatchObject({
    resourceType: 'CapabilityStatement',
  });
});

it('a write that asks for HTML is refused, and changes nothing', async () => {
  const { status } = await server.request('POST', fhir('/Patient?_format=html'), { resourceType: 'Patient' });
  expect(status).toBe(406);
  expect((await open(fhir('/Patient?_summary=count'), {})).json.total).toBe(0);
});

it('the page is the same for every address, tenant and caller, so that it discloses nothing', async () => {
  const pages = await Promise.all(
    [
      open('/'),
      open('/w/system'),
      open('/w/nobody'),
      open('/w/nobody/console/r4/terminology'),
      open('/w/nobody/api/v1/fhir/r4/Patient'),
      open('/w/system/api/v1/fhir/r9/Patient'),
      open(fhir('/Patient/missing')),
      open(fhir('/Patient/example'), { ...PEOPLE, authorization: 'Bearer x' }),
    ].map(async (answer) => {
      const { status, text } = await answer;
      return `${status} ${withoutRoot(text)}`;
    }),
  );
  expect(new Set(pages).size).toBe(1);
});

it('other clients get no page at the addresses of the console', async () => {
  for (const address of ['/', '/w/system', '/w/system/console/r4/terminology']) {
    const { status, json } = await open(address, {});
    expect([address, status, json.resourceType]).toEqual([address, 404, 'OperationOutcome']);
  }
  expect((await server.request('POST', '/w/system', {}, PEOPLE)).status).toBe(404);
});

it('a Binary, discovery and the OpenAPI document are opened as they are', async () => {
  for (const rest of ['/Binary/none', '/openapi.json', '/.well-known/smart-configuration'])
    expect((await open(fhir(rest))).headers['content-type']).not.toContain('html');
});

it('scripts come from this server only, and no other page frames it', async () => {
  const policy = (await open('/')).headers['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
});
