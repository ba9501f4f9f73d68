/** The form of search answers over HTTP: https://hl7.org/fhir/R4/search.html. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Entry {
  readonly fullUrl: string;
  readonly resource: { readonly id: string };
  readonly search: { readonly mode: string };
}

describe.each(TESTED_RELEASES)('a search under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  beforeAll(async () => {
    for (const family of ['Müller', 'Muller', 'Mueller', 'Miller', 'Möller']) {
      const text = JSON.stringify({ resourceType: 'Patient', name: [{ family }], gender: 'female' });
      expect((await send('POST', '/Patient', text)).status).toBe(201);
    }
  });

  it('answers a searchset with absolute fullUrls, modes and its own address', async () => {
    const { status, json } = await send('GET', '/Patient?name=M%C3%BCller&_total=accurate');
    expect(status).toBe(200);
    expect(json).toMatchObject({ resourceType: 'Bundle', type: 'searchset', total: 2 });
    const root = server.root('system', release);
    for (const { fullUrl, resource, search } of json.entry as Entry[]) {
      expect(fullUrl).toBe(`${root}/Patient/${resource.id}`);
      expect(search.mode).toBe('match');
    }
    expect(json.link[0].relation).toBe('self');
    expect(json.link[0].url).toContain(`${root}/Patient?`);
    expect(json.link[0].url).toContain('name=M%C3%BCller');
  });

  it('pages through all matches once, keeping _pretty', async () => {
    const found: string[] = [];
    let next: string | undefined =
      `${server.path('system', release)}/Patient?gender=female&_count=2&_pretty=true`;
    for (let pages = 0; next !== undefined && pages < 10; pages += 1) {
      const { text, json } = await server.request('GET', next);
      expect(text).toContain('\n  "type": "searchset"');
      for (const entry of json.entry as Entry[]) found.push(entry.resource.id);
      const link = json.link.find(({ relation }: { relation: string }) => relation === 'next');
      next = link === undefined ? undefined : new URL(link.url).pathname + new URL(link.url).search;
    }
    expect(found).toHaveLength(5);
    expect(new Set(found).size).toBe(5);
  });

  it('by POST counts the form and the address alike', async () => {
    const { status, json } = await send('POST', '/Patient/_search?gender=female', 'name=miller', form);
    expect(status).toBe(200);
    expect(json.entry).toHaveLength(1);
    expect((await send('POST', '/Patient/_search', 'gender=male', form)).json.entry).toBeUndefined();
    expect((await send('POST', '/Patient/_search', 'name=miller&_format=xml', form)).status).toBe(406);
    expect((await send('POST', '/Patient/_search', { name: 'miller' })).status).toBe(415);
    expect((await send('POST', '/Patient/_search', 'name=%', form)).status).toBe(400);
  });

  it('refuses an unknown parameter, unless the client prefers lenient handling', async () => {
    const strict = await send('GET', '/Patient?nme=x');
    expect(strict.status).toBe(400);
    expect(strict.json.issue[0].diagnostics).toContain('nme');
    const lenient = await send('GET', '/Patient?nme=x&gender=female', undefined, {
      prefer: 'handling=lenient',
    });
    expect(lenient.status).toBe(200);
    expect(lenient.json.link[0].url).not.toContain('nme');
    expect(lenient.json.entry.map((entry: Entry) => entry.search.mode)).toContain('outcome');
  });

  it.each([
    ['_sort=name%ff'],
    ['_count=-1'],
    ['birthdate=yesterday'],
    ['name:nonsense=x'],
    ['_cursor=forged'],
    ['name=%00'],
  ])('answers %s with 400', async (query) => {
    const { status, json } = await send('GET', `/Patient?${query}`);
    expect(status).toBe(400);
    expect(json.resourceType).toBe('OperationOutcome');
  });
});
