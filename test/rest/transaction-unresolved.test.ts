/** References of a transaction that lead nowhere: all of them are reported, and none is stored in silence. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('in a transaction of %s', (release) => {
  const root = (): string => server.path('system', release);
  const observation = (reference: string): object => ({
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'weight' },
    subject: { reference },
  });
  const transaction = (entries: readonly object[]): object => ({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: entries.map((resource) => ({
      resource,
      request: { method: 'POST', url: (resource as { resourceType: string }).resourceType },
    })),
  });
  const criteriaOf = (value: string): string => `Patient?identifier=https://example.org/records|${value}`;

  it('all conditional references that match nothing or several resources are reported, with their criteria', async () => {
    const twin = {
      resourceType: 'Patient',
      identifier: [{ system: 'https://example.org/records', value: `twin-${release}` }],
    };
    for (let round = 0; round < 2; round++)
      expect((await server.request('POST', `${root()}/Patient`, twin)).status).toBe(201);
    const missing = ['a', 'b', 'c'].map((value) => criteriaOf(`missing-${release}-${value}`));
    const several = criteriaOf(`twin-${release}`);
    const { status, json } = await server.request(
      'POST',
      root(),
      transaction([...missing, several].map(observation)),
    );
    expect(status).toBe(412);
    expect(json.issue).toHaveLength(4);
    missing.forEach((criteria, index) => {
      expect(json.issue[index]).toMatchObject({
        severity: 'error',
        code: 'conflict',
        expression: [`Bundle.entry[${index}].resource.subject.reference`],
      });
      expect(json.issue[index].diagnostics).toContain(`'${criteria}'`);
    });
    expect(json.issue[3]).toMatchObject({ code: 'multiple-matches' });
    expect(json.issue[3].diagnostics).toContain(`'${several}'`);
  });

  it('of many unresolved conditional references, a hundred are reported', async () => {
    const all = Array.from({ length: 130 }, (_, index) => criteriaOf(`many-${release}-${index}`));
    const { status, json } = await server.request('POST', root(), transaction(all.map(observation)));
    expect(status).toBe(412);
    expect(json.issue).toHaveLength(100);
  });

  it('a urn that names no entry is stored as it is, with a warning at its entry', async () => {
    const urn = 'urn:uuid:7c8c1dbc-1bd3-4d5c-9b53-5c8e0d0a8a11';
    const { status, json } = await server.request(
      'POST',
      root(),
      transaction([observation(urn), { resourceType: 'Patient' }]),
    );
    expect(status).toBe(200);
    const [first, second] = json.entry;
    expect(first.resource.subject.reference).toBe(urn);
    expect(first.response.outcome.issue).toEqual([
      {
        severity: 'warning',
        code: 'not-found',
        diagnostics: expect.stringContaining(urn) as string,
        expression: ['Observation.subject.reference'],
      },
    ]);
    expect(second.response.outcome).toBeUndefined();
  });

  it('a urn that names another entry is replaced, without a warning', async () => {
    const urn = 'urn:uuid:7c8c1dbc-1bd3-4d5c-9b53-5c8e0d0a8a12';
    const bundle = transaction([observation(urn), { resourceType: 'Patient' }]) as {
      entry: { fullUrl?: string }[];
    };
    const [, patient] = bundle.entry;
    if (patient !== undefined) patient.fullUrl = urn;
    const { status, json } = await server.request('POST', root(), bundle);
    expect(status).toBe(200);
    expect(json.entry[0].resource.subject.reference).toBe(`Patient/${json.entry[1].resource.id}`);
    expect(json.entry[0].response.outcome).toBeUndefined();
  });
});
