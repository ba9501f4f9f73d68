/** Group/{id}/$everything over HTTP: https://hl7.org/fhir/R4/group-operation-everything.html */
import { gatewayPath } from '../graphql/gateway-client';
import type { Searchset } from '../support/bundles';
import type { Answer } from '../support/http';
import {
  ANN,
  BOB,
  BROUGHT,
  SHARED,
  addressOf,
  namesOf,
  observation,
  type Resource,
} from '../support/patient-record';
import { TESTED_RELEASES } from '../support/releases';
import { openSharedServer, type HttpServer } from '../support/shared-server';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const entity = (to: string, rest: object = {}) => ({ entity: { reference: to }, ...rest });
  const group = (id: string, member: object[], type = 'person'): Resource => ({
    ...{ resourceType: 'Group', id, type, actual: true },
    ...(member.length === 0 ? {} : { member }),
  });
  const OUT: readonly Resource[] = ['left', 'ended', 'outside'].flatMap((id) => [
    { resourceType: 'Patient', id },
    observation(`of-${id}`, `Patient/${id}`),
  ]);
  const INNER = group('inner', [entity('Patient/bob')]);
  const WARD = group('ward', [
    entity('Patient/ann'),
    entity('Group/inner'),
    entity('Patient/left', { inactive: true }),
    entity('Patient/ended', { period: { end: '2001-01-01' } }),
  ]);
  const OF_WARD = namesOf([...ANN, ...BOB, INNER, WARD]);
  const INCLUDED = [...BROUGHT, 'Practitioner/stranger'].sort();

  const send = (
    method: string,
    address: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> => server.request(method, `${server.path('system', release)}/${address}`, body, headers);
  const withMode = ({ entry = [] }: Searchset<Resource>, mode: string): string[] =>
    entry
      .filter(({ search }) => search.mode === mode)
      .map(({ resource }) => addressOf(resource))
      .sort();
  const matchesOf = async (address: string): Promise<string[]> =>
    withMode((await send('GET', address)).json, 'match');

  beforeAll(async () => {
    const all = [
      ...SHARED,
      ...BOB,
      ...ANN,
      ...OUT,
      INNER,
      WARD,
      group('things', [entity('Device/monitor')], 'device'),
    ];
    for (const resource of all) {
      const { status, text } = await send('PUT', addressOf(resource), resource);
      if (status !== 201) throw new Error(text);
    }
  });

  it('the record of a group is the group and the records of its current members, those of groups in it too', async () => {
    const { status, json } = await send('GET', 'Group/ward/$everything');
    expect([status, json.type, json.total]).toEqual([200, 'searchset', OF_WARD.length]);
    expect(withMode(json, 'match')).toEqual(OF_WARD);
    expect(withMode(json, 'include')).toEqual(INCLUDED);
    const posted = await send('POST', 'Group/ward/$everything', {
      resourceType: 'Parameters',
      parameter: [{ name: '_type', valueCode: 'Patient' }],
    });
    expect(withMode(posted.json, 'match')).toEqual(['Patient/ann', 'Patient/bob']);
  });

  it('a client that accepts NDJSON has the record on lines, all pages in one answer', async () => {
    const accept = { accept: 'application/fhir+ndjson' };
    const { status, headers, text } = await send('GET', 'Group/ward/$everything?_count=2', undefined, accept);
    expect([status, headers['content-type']]).toEqual([
      200,
      expect.stringMatching(/^application\/fhir\+ndjson/),
    ]);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => addressOf(JSON.parse(line)));
    expect(lines.sort()).toEqual([...OF_WARD, ...INCLUDED].sort());
  });

  it('_format decides before Accept whether the record is on lines', async () => {
    const typeOf = async (format: string, accept: string): Promise<unknown> => {
      const { status, headers } = await send('GET', `Group/ward/$everything?_format=${format}`, undefined, {
        accept,
      });
      return status === 200 ? String(headers['content-type']).split(';')[0] : status;
    };
    const [json, lines] = ['application/fhir+json', 'application/fhir+ndjson'];
    expect(await typeOf(lines, json)).toBe(lines);
    expect(await typeOf(encodeURIComponent(lines), json)).toBe(lines);
    expect(await typeOf('json', lines)).toBe(json);
    expect(await typeOf('application/fhir%2Bxml', lines)).toBe(406);
  });

  it('its parameters limit the record as that of a patient, and members stay members', async () => {
    expect(await matchesOf('Group/ward/$everything?_type=Observation&start=2021&end=2021')).toEqual([
      ...['Observation/bobs', 'Observation/pulse-2021', 'Observation/pulse-undated'],
    ]);
    const changed = await send('PUT', 'Observation/bobs', { ...BOB[1], note: [{ text: 'seen' }] });
    const since = encodeURIComponent(changed.json.meta.lastUpdated);
    expect(await matchesOf(`Group/ward/$everything?_since=${since}`)).toEqual(['Observation/bobs']);
  });

  it('the next page is that of this group alone', async () => {
    const { json } = await send('GET', 'Group/ward/$everything?_count=2');
    const next = new URL(json.link.find(({ relation }: { relation: string }) => relation === 'next').url);
    expect((await server.request('GET', next.pathname + next.search)).status).toBe(200);
    for (const other of ['Group/inner', 'Patient/ann', 'Patient']) {
      const { status } = await send('GET', `${other}/$everything${next.search}`);
      expect([other, status]).toEqual([other, 400]);
    }
  });

  it.each([
    ['Group/nothing/$everything', 404, 'Group/nothing does not exist'],
    ['Group/$everything', 400, 'cannot be called on the type Group'],
    ['Group/ward/$everything?name=x', 400, "'name' is not a parameter of $everything"],
  ])('%s is %d', async (address, expected, message) => {
    const { status, json } = await send('GET', address);
    expect([status, json.issue[0].diagnostics]).toEqual([expected, expect.stringContaining(message)]);
  });

  it('a group of devices has no record but itself', async () => {
    const { json } = await send('GET', 'Group/things/$everything');
    expect([withMode(json, 'match'), withMode(json, 'include')]).toEqual([
      ['Group/things'],
      ['Device/monitor'],
    ]);
  });

  it('GraphQL has it as a field, and the CapabilityStatement declares it', async () => {
    const query =
      '{ GroupEverything(id: "ward", _type: [Patient]) { entry { resource { ... on Patient { id } } } } }';
    const { json } = await server.request(
      'POST',
      gatewayPath(server.tenant('system'), release),
      { query },
      {
        'content-type': 'application/json',
      },
    );
    expect(json.errors).toBeUndefined();
    const ids = json.data.GroupEverything.entry.map(
      ({ resource }: { resource: { id: string } }) => resource.id,
    );
    expect(ids.sort()).toEqual(['ann', 'bob']);
    const { json: metadata } = await send('GET', 'metadata');
    const declared = metadata.rest[0].resource.find(
      ({ type }: { type: string }) => type === 'Group',
    ).operation;
    expect(declared).toContainEqual(
      expect.objectContaining({
        name: 'everything',
        definition: 'http://hl7.org/fhir/OperationDefinition/Group-everything',
      }),
    );
  });
});
