/** Code systems and value sets with more codes than the search index takes are stored, with a warning. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const LISTED = 20_000;

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const path = (rest: string): string => `${server.path('system', release)}/${rest}`;
  const codes = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ code: `c${index}`, display: `Code ${index}` }));
  const url = (name: string): string => `http://example.org/${release}/${name}`;
  const codeSystem = (count: number): object => ({
    resourceType: 'CodeSystem',
    id: `long-${count}`,
    url: url(`long-${count}`),
    status: 'active',
    content: 'complete',
    concept: codes(count),
  });
  const valueSet = {
    resourceType: 'ValueSet',
    id: 'long',
    url: url('long'),
    status: 'active',
    compose: { include: [{ system: url('long-20001'), concept: codes(LISTED + 1) }] },
  };
  const found = async (query: string): Promise<number> =>
    (await server.request('GET', path(query))).json.total;

  it.each([
    ['CodeSystem/long-20001', codeSystem(LISTED + 1), ['1; warning']],
    ['CodeSystem/long-20000', codeSystem(LISTED), [undefined]],
    ['ValueSet/long', valueSet, ['1; warning']],
  ])('%s is stored', async (address, resource, [issues]) => {
    const { status, headers } = await server.request('PUT', path(address), resource);
    expect(status).toBe(201);
    expect(headers['x-issues']).toBe(issues);
    const outcome = { prefer: 'return=OperationOutcome' };
    const { json } = await server.request('PUT', path(address), resource, outcome);
    if (issues !== undefined)
      expect(json.issue.at(-1)).toMatchObject({ severity: 'warning', code: 'incomplete' });
    const [type = '', id] = address.split('/');
    expect(await found(`${type}?code=c0&_id=${id}`)).toBe(1);
    expect(await found(`${type}?code=c${LISTED - 1}&_id=${id}`)).toBe(1);
    expect(await found(`${type}?code=c${LISTED}&_id=${id}`)).toBe(0);
  });

  it('all of their codes are known to operations', async () => {
    const query = `CodeSystem/$lookup?system=${url('long-20001')}&code=c${LISTED}`;
    expect((await server.request('GET', path(query))).status).toBe(200);
  });
});
