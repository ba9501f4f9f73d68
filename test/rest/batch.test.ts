/** Batches: https://hl7.org/fhir/R4/http.html#batch. */
import type { Release } from '../../src/core';
import { entryOf, bundleOf } from '../support/bundles';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

interface Entry {
  readonly response: { readonly status: string; readonly outcome?: { issue: { expression?: string[] }[] } };
}
const statuses = ({ json }: Answer): string[] =>
  json.entry.map(({ response }: Entry) => response.status.slice(0, 3));

/** Padding that makes a body long: characters that are not part of any value. */
const BLANKS = ' '.repeat(300_000);

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('a batch under %s of the tenant %s', (release, tenant) => {
  const send = (
    method: string,
    rest: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => server.request(method, `${server.path(tenant, release)}${rest}`, body, headers);

  it('without entries answers a batch-response without entries', async () => {
    const { status, json } = await send('POST', '', { resourceType: 'Bundle', type: 'batch' });
    expect([status, json]).toEqual([200, { resourceType: 'Bundle', type: 'batch-response' }]);
  });

  it.each([
    ['short', ''],
    ['long', BLANKS],
  ])('executes each entry separately and writes the valid ones; a %s one', async (kind, blanks) => {
    const id = `batch-${kind}-${release}`;
    const code = { text: 'x' };
    const body = bundleOf(
      'batch',
      { resource: { resourceType: 'Patient', id }, ...entryOf('PUT', `Patient/${id}`) },
      { resource: { resourceType: 'Patient', birthDate: 'yesterday' }, ...entryOf('POST', 'Patient') },
      { resource: { resourceType: 'Basic', code }, ...entryOf('POST', 'Basic') },
      entryOf('GET', 'Patient/nobody'),
      entryOf('DELETE', ''),
      entryOf('FETCH', 'Patient'),
      { resource: { resourceType: 'Patient', id }, ...entryOf('PUT', 'Patient/another') },
      { resource: { resourceType: 'Basic', code }, ...entryOf('POST', 'Basic'), unknown: 1 },
      entryOf('GET', `Patient?_id=batch-absent`),
      entryOf('GET', 'http://elsewhere.example/fhir/Patient/1'),
      entryOf('GET', 'Patient/$nothing'),
    );
    const answer = await send('POST', '', JSON.stringify(body) + blanks);
    expect([answer.status, answer.json.type]).toEqual([200, 'batch-response']);
    expect(statuses(answer)).toEqual([
      '201',
      '400',
      '201',
      '404',
      '400',
      '400',
      '400',
      '400',
      '200',
      '400',
      '404',
    ]);
    const place = (index: number): unknown => answer.json.entry[index].response.outcome.issue[0].expression;
    expect(place(1)).toEqual(['Bundle.entry[1].resource.birthDate']);
    expect(place(4)).toEqual(['Bundle.entry[4].request.url']);
    expect(place(6)).toEqual(['Bundle.entry[6].resource.id']);
    expect(place(7)).toEqual(['Bundle.entry[7].unknown']);
    expect((await send('GET', `/Patient/${id}`)).status).toBe(200);
    expect((await send('GET', `/Basic/${answer.json.entry[2].resource.id}`)).status).toBe(200);
  });

  it('refuses an entry that refers to another by a urn, which has no id yet', async () => {
    const fullUrl = 'urn:uuid:00000000-0000-4000-8000-000000000001';
    const answer = await send(
      'POST',
      '',
      bundleOf(
        'batch',
        { fullUrl, resource: { resourceType: 'Patient' }, ...entryOf('POST', 'Patient') },
        {
          resource: {
            resourceType: 'Observation',
            status: 'final',
            code: { text: 'x' },
            subject: { reference: fullUrl },
          },
          ...entryOf('POST', 'Observation'),
        },
      ),
    );
    expect(statuses(answer)).toEqual(['201', '400']);
    expect(answer.json.entry[1].response.outcome.issue[0].expression).toEqual([
      'Bundle.entry[1].resource.subject.reference',
    ]);
  });

  it('accepts conditional entries and patches with a condition each', async () => {
    const system = `http://example.org/${release}`;
    const resource = { resourceType: 'Patient', identifier: [{ system, value: '1' }] };
    const url = `Patient?identifier=${system}|1`;
    const patch = [{ op: 'add', path: '/active', value: true }];
    const data = Buffer.from(JSON.stringify(patch)).toString('base64');
    const binary = { resourceType: 'Binary', contentType: 'application/json-patch+json', data };
    const make = bundleOf('batch', {
      resource,
      ...entryOf('POST', 'Patient', { ifNoneExist: `identifier=${system}|1` }),
    });
    expect(statuses(await send('POST', '', make))).toEqual(['201']);
    expect(statuses(await send('POST', '', make))).toEqual(['200']);
    const change = (ifMatch: string): object =>
      bundleOf(
        'batch',
        { resource: binary, ...entryOf('PATCH', url, { ifMatch }) },
        { resource: binary, ...entryOf('PATCH', 'Patient?identifier=nobody') },
      );
    expect(statuses(await send('POST', '', change('W/"1"')))).toEqual(['200', '404']);
    expect(statuses(await send('POST', '', change('W/"1"')))).toEqual(['412', '404']);
    const found = await send('GET', `/${url}`);
    expect(found.json.entry[0].resource).toMatchObject({ active: true, meta: { versionId: '2' } });
    expect(
      statuses(
        await send(
          'POST',
          '',
          bundleOf('batch', entryOf('DELETE', url), entryOf('GET', 'Patient/1?_format=json')),
        ),
      ),
    ).toEqual(['200', '404']);
  });

  it('applies preferences to all entries: minimal responses, and the handling of searches', async () => {
    const body = bundleOf(
      'batch',
      { resource: { resourceType: 'Patient' }, ...entryOf('POST', 'Patient') },
      entryOf('GET', 'Patient?unknown=1'),
    );
    const strict = await send('POST', '', body, { prefer: 'return=minimal, handling=strict' });
    expect(statuses(strict)).toEqual(['201', '400']);
    expect(Object.keys(strict.json.entry[0])).toEqual(['response']);
    const lenient = await send('POST', '', body, { prefer: 'handling=lenient' });
    expect(statuses(lenient)).toEqual(['201', '200']);
  });

  it.each(['batch', 'transaction'])('with too many entries is refused as a %s', async (type) => {
    const entries = Array.from({ length: 10_001 }, () => entryOf('GET', 'Patient/1'));
    const { status, json } = await send('POST', '', bundleOf(type, ...entries));
    expect([status, json.issue[0].code]).toEqual([413, 'too-long']);
  });
});
