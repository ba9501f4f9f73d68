/** The plus of a time zone, sent as it is in a query, where it means a blank. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

describe.each(TESTED_RELEASES)('A moment with an unencoded plus in %s', (release) => {
  let server: HttpServer;
  let root: string;
  beforeAll(async () => {
    server = await openSharedServer();
    root = server.path('system', release);
    const observation = (id: string, effectiveDateTime: string): Promise<{ status: number }> =>
      server.request('PUT', `${root}/Observation/${id}`, {
        resourceType: 'Observation',
        id,
        status: 'final',
        code: { text: 'plus' },
        identifier: [{ system: 'urn:plus', value: release }],
        effectiveDateTime,
      });
    expect((await observation('before', '2020-05-01T11:59:59+02:00')).status).toBeLessThan(202);
    expect((await observation('at', '2020-05-01T12:00:00+02:00')).status).toBeLessThan(202);
  });
  afterAll(() => server.close());

  const QUERY = 'identifier=urn:plus|&date=ge2020-05-01T12:00:00+02:00';
  const idsOf = (bundle: { entry?: { resource: { id: string } }[] }): string[] =>
    (bundle.entry ?? []).map(({ resource }) => resource.id);

  it('is understood in the address of a search', async () => {
    const { status, json } = await server.request('GET', `${root}/Observation?${QUERY}`);
    expect([status, idsOf(json)]).toEqual([200, ['at']]);
  });

  it('is understood in the form of a search by POST', async () => {
    const { status, json } = await server.request('POST', `${root}/Observation/_search`, QUERY, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([status, idsOf(json)]).toEqual([200, ['at']]);
  });

  it('is understood in the address of an entry', async () => {
    const { status, json } = await server.request('POST', root, {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [{ request: { method: 'GET', url: `Observation?${QUERY}` } }],
    });
    expect([status, idsOf(json.entry[0].resource)]).toEqual([200, ['at']]);
  });

  it('is understood with fractions of seconds, in lists, and in _lastUpdated and _since', async () => {
    const list = 'date=2019-01-01T00:00:00.5+01:00,2020-05-01T12:00:00+02:00';
    const searched = await server.request('GET', `${root}/Observation?identifier=urn:plus|&${list}`);
    expect([searched.status, idsOf(searched.json)]).toEqual([200, ['at']]);
    const updated = await server.request(
      'GET',
      `${root}/Observation?_lastUpdated=ge2020-01-01T00:00:00+02:00`,
    );
    expect(updated.status).toBe(200);
    const history = await server.request(
      'GET',
      `${root}/Observation/_history?_since=2020-01-01T00:00:00+02:00`,
    );
    expect(history.status).toBe(200);
  });

  it('does not change other texts with a blank', async () => {
    const { status, json } = await server.request('GET', `${root}/Observation?code:text=plus+sign`);
    expect([status, idsOf(json)]).toEqual([200, []]);
  });
});
