/** Search parameters of a tenant that are written at once are stored one after the other. */
import { makeParameter } from '../support/search-parameters';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('twenty search parameters in %s', (release) => {
  const send = (method: string, address: string, body: unknown) =>
    server.request(method, `${server.path('system', release)}${address}`, body);
  const make = (prefix: string): Record<string, unknown>[] =>
    Array.from({ length: 20 }, (_, number) =>
      makeParameter(`${prefix}-${number}`, {
        ...{ type: 'string', base: ['Patient', 'Person'] },
        expression: 'Patient.name.given | Person.name.given',
      }),
    );

  it('are stored by one batch', async () => {
    const { json } = await send('POST', '', {
      ...{ resourceType: 'Bundle', type: 'batch' },
      entry: make('batch').map((resource) => ({
        resource,
        request: { method: 'PUT', url: `SearchParameter/${String(resource['id'])}` },
      })),
    });
    const entries = json.entry as { response: { status: string } }[];
    expect(entries.map(({ response }) => response.status.slice(0, 3))).toEqual(Array(20).fill('201'));
  });

  it('are stored by parallel requests, beside writes of what they index', async () => {
    const answers = await Promise.all([
      ...make('parallel').map((parameter) =>
        send('PUT', `/SearchParameter/${String(parameter['id'])}`, parameter),
      ),
      ...Array.from({ length: 20 }, (_, number) =>
        send('PUT', `/Patient/beside-${number}`, {
          ...{ resourceType: 'Patient', id: `beside-${number}`, name: [{ given: ['Ann'] }] },
        }),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(201));
  });
});
