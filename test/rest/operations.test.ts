/** `$code` over HTTP at the three levels (specification, sections 4.1 to 4.3). Numbers are rows of checks.md. */
import type { Release } from '../../src/core';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const GENDERS = 'http://hl7.org/fhir/ValueSet/administrative-gender';

describe.each<[Release]>([['r4'], ['r4b']])('an operation under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);
  const parameters = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });

  it.each([['/$unknown'], ['/Patient/$unknown'], ['/Patient/1/$unknown']])('160: %s is 404', async (rest) => {
    const { status, json } = await send('POST', rest, parameters());
    expect([status, json.issue[0].code]).toEqual([404, 'not-supported']);
  });

  it('161: expands a value set by its url, with and without a version', async () => {
    for (const url of [GENDERS, `${GENDERS}|${release === 'r4' ? '4.0.1' : '4.3.0'}`]) {
      const { status, json } = await send(
        'POST',
        '/ValueSet/$expand',
        parameters({ name: 'url', valueUri: url }),
      );
      expect(status).toBe(200);
      expect(json.resourceType).toBe('ValueSet');
      expect(json.expansion.timestamp).toBeDefined();
      const codes = json.expansion.contains.map(({ code }: { code: string }) => code);
      expect(codes.sort()).toEqual(['female', 'male', 'other', 'unknown']);
    }
  });

  it('162: an unknown url is 404; none, or one of another type, is 400', async () => {
    const expand = (...parameter: object[]) => send('POST', '/ValueSet/$expand', parameters(...parameter));
    expect((await expand({ name: 'url', valueUri: 'http://example.org/nothing' })).status).toBe(404);
    expect((await expand()).status).toBe(400);
    const wrong = await expand({ name: 'url', valueInteger: 3 });
    expect(wrong.status).toBe(400);
    expect(wrong.json.issue[0].expression).toEqual(['Parameters.parameter[0].valueInteger']);
  });

  it('164: at a level it is not defined for, it is 400 or 404', async () => {
    expect([400, 404]).toContain((await send('POST', '/$expand', parameters())).status);
    expect([400, 404]).toContain((await send('POST', '/Patient/$expand', parameters())).status);
  });

  it('165: of a body that is neither Parameters nor a fitting resource is 400', async () => {
    expect((await send('POST', '/ValueSet/$expand', { resourceType: 'Patient' })).status).toBe(400);
    expect((await send('POST', '/ValueSet/$expand', '{')).status).toBe(400);
    expect((await send('POST', '/ValueSet/$expand', '{}', { 'content-type': 'text/plain' })).status).toBe(
      415,
    );
  });

  it('167: is asked by GET where it changes nothing, the dollar percent-encoded or not', async () => {
    for (const code of ['$expand', '%24expand']) {
      const { status, json } = await send(
        'GET',
        `/ValueSet/${code}?url=${encodeURIComponent(GENDERS)}&_format=json`,
      );
      expect(status).toBe(200);
      expect(json.expansion.contains).toHaveLength(4);
    }
  });

  it('$meta answers at all three levels', async () => {
    const { json: created } = await send('POST', '/Patient', {
      resourceType: 'Patient',
      meta: { tag: [{ system: 'http://example.org/tags', code: 'vip' }] },
    });
    for (const rest of ['/$meta', '/Patient/$meta', `/Patient/${created.id}/$meta`]) {
      const { status, text } = await send('GET', rest);
      expect(status).toBe(200);
      expect(text).toContain('vip');
    }
    expect((await send('GET', '/Patient/not-there/$meta')).status).toBe(404);
  });
});
