/** `_key`: what names a resource in the caches of clients, and node and nodes, which read by it. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';
import { createSender, type SendQuery } from './gateway-client';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('keys');
  await server.createTenant('other');
});
afterAll(() => server.close());

const coded = (text: string): object => ({
  code: { text, coding: [{ system: 'http://example.org/drugs', code: text }] },
});
const contained = (id: string, text: string): object => ({ resourceType: 'Medication', id, ...coded(text) });

describe.each(TESTED_RELEASES)('keys under %s', (release) => {
  let send: SendQuery;
  const put = async (resource: { resourceType: string; id: string }): Promise<void> => {
    const { status, text } = await server.request(
      'PUT',
      `${server.path('keys', release)}/${resource.resourceType}/${resource.id}`,
      resource,
    );
    expect(status < 300 ? '' : text).toBe('');
  };
  const request = (id: string, drugs: readonly object[], reference = '#med1') => ({
    resourceType: 'MedicationRequest',
    id,
    ...{ status: 'active', intent: 'order', subject: { reference: 'Patient/k' } },
    medicationReference: { reference },
    contained: drugs,
  });
  beforeAll(async () => {
    send = createSender(server, 'keys', release);
    await put({ resourceType: 'Patient', id: 'k' });
    await put({ resourceType: 'Patient', id: 'k', active: true } as { resourceType: string; id: string });
    await put(request('one', [contained('med1', 'aspirin')]));
    await put(request('two', [contained('med1', 'ibuprofen')]));
  });

  it('a resource has the same key wherever it is read, and a version another one', async () => {
    const { found, errors } = await send(`{
      read(type: Patient, id: "k") { _key }
      version: read(type: Patient, id: "k", versionId: "1") { _key }
      past: read(type: Patient, id: "k", asOf: "${new Date(Date.now() + 60_000).toISOString()}") { _key }
      Patient(id: "k") { _key MedicationRequestList(_reference: subject, _sort: "_id") { _key subject { resource { _key } } } }
      PatientConnection { edges { resource { _key } } }
      search(type: Patient) { resources { _key } }
      then: PatientList(asOf: "${new Date(Date.now() + 60_000).toISOString()}") { _key }
      history(type: Patient, id: "k") { versions { resource { _key } } }
    }`);
    expect(errors).toEqual([]);
    const key = { _key: 'Patient/k' };
    expect(found).toEqual({
      read: key,
      version: { _key: 'Patient/k/_history/1' },
      past: { _key: 'Patient/k/_history/2' },
      Patient: {
        ...key,
        MedicationRequestList: ['one', 'two'].map((id) => ({
          _key: `MedicationRequest/${id}`,
          subject: { resource: key },
        })),
      },
      PatientConnection: { edges: [{ resource: key }] },
      search: { resources: [key] },
      then: [{ _key: 'Patient/k/_history/2' }],
      history: {
        versions: [
          { resource: { _key: 'Patient/k/_history/2' } },
          { resource: { _key: 'Patient/k/_history/1' } },
        ],
      },
    });
  });

  it('contained resources of one id in two resources have two keys, those of a version their own', async () => {
    const drug =
      'contained { _key ... on Medication { code { text } } } medicationReference { resource { _key } }';
    const { found, errors } = await send(`{
      one: MedicationRequest(id: "one") { ${drug} }
      two: MedicationRequest(id: "two") { ${drug} }
      past: read(type: MedicationRequest, id: "one", versionId: "1") { ... on MedicationRequest { ${drug} } }
      found: search(type: Medication, query: "_contained=true&_containedType=contained&code=http://example.org/drugs|aspirin") { resources { _key } }
    }`);
    expect(errors).toEqual([]);
    const drugOf = (key: string, text: string) => ({
      contained: [{ _key: key, code: { text } }],
      medicationReference: { resource: { _key: key } },
    });
    expect(found).toEqual({
      one: drugOf('MedicationRequest/one#med1', 'aspirin'),
      two: drugOf('MedicationRequest/two#med1', 'ibuprofen'),
      past: drugOf('MedicationRequest/one/_history/1#med1', 'aspirin'),
      found: { resources: [{ _key: 'MedicationRequest/one#med1' }] },
    });
  });

  it('entries of a Bundle and parameters have the path to them in their keys', async () => {
    const inner = request('x', [contained('med1', 'a')]);
    await put({
      resourceType: 'Bundle',
      id: 'b',
      type: 'collection',
      entry: [
        { fullUrl: 'http://example.org/1', resource: { resourceType: 'Patient', id: 'k' } },
        { resource: inner },
      ],
    } as { resourceType: string; id: string });
    await put({
      resourceType: 'Parameters',
      id: 'p',
      parameter: [{ name: 'a', part: [{ name: 'b', resource: { resourceType: 'Patient', id: 'k' } }] }],
    } as { resourceType: string; id: string });
    const { found, errors } = await send(`{
      Bundle(id: "b") { entry { resource { _key ... on MedicationRequest {
        contained { _key } medicationReference { resource { _key } } } } } }
      Parameters(id: "p") { parameter { part { resource { _key } } } }
    }`);
    expect(errors).toEqual([]);
    const second = 'Bundle/b#entry[1].resource';
    expect(found).toEqual({
      Bundle: {
        entry: [
          { resource: { _key: 'Bundle/b#entry[0].resource' } },
          {
            resource: {
              _key: second,
              contained: [{ _key: `${second}#med1` }],
              medicationReference: { resource: { _key: `${second}#med1` } },
            },
          },
        ],
      },
      Parameters: {
        parameter: [{ part: [{ resource: { _key: 'Parameters/p#parameter[0].part[0].resource' } }] }],
      },
    });
  });

  it('ids are null only with an error, which says why there is none', async () => {
    const entry = [
      { fullUrl: 'urn:uuid:8a2c6f1e-3d52-4b8e-9c2a-5f0f3a1b7c11', resource: { resourceType: 'Patient' } },
    ];
    const bundle = { resourceType: 'Bundle', id: 'without', type: 'collection', entry };
    await put(bundle);
    const { found, errors } = await send(`{
      Bundle(id: "without") { id entry { resource { _key ... on Patient { id } } } }
      ValueSetExpand(url: "http://hl7.org/fhir/ValueSet/administrative-gender", filter: "fem") { id }
    }`);
    expect(found.Bundle).toEqual({
      id: 'without',
      entry: [{ resource: { _key: 'Bundle/without#entry[0].resource', id: null } }],
    });
    expect(errors.map(({ message, extensions: { code } }) => [message, code])).toEqual([
      ['This Patient has no id: it is inside of another resource', 'not-found'],
    ]);
    const { text } = await server.request(
      'GET',
      `${server.path('keys', release).replace('/fhir/', '/graphql/')}/schema.graphql`,
    );
    const idOf = (type: string): string | undefined =>
      new RegExp(`^type ${type} implements [^{]*\\{[^}]*?^ {2}(id: .*)$`, 'm').exec(text)?.[1];
    expect(['Patient', 'Observation', 'Bundle', 'ValueSet'].map(idOf)).toEqual([
      ...['id: ID @semanticNonNull', 'id: ID @semanticNonNull', 'id: ID', 'id: ID'],
    ]);
  });

  it('what is not stored has a digest, equal for equal answers', async () => {
    const expand = 'ValueSetExpand(url: "http://hl7.org/fhir/ValueSet/administrative-gender", filter: "fem")';
    const { found, errors } = await send(`{
      one: PatientEverything(id: "k") { _key entry { resource { _key } } }
      two: PatientEverything(id: "k") { _key }
      ${expand} { _key }
    }`);
    expect(errors).toEqual([]);
    expect(found.one._key).toMatch(/^sha256:[A-Za-z0-9_-]{22}$/);
    expect(found.two._key).toBe(found.one._key);
    expect(found.ValueSetExpand._key).not.toBe(found.one._key);
    expect(found.one.entry[0].resource._key).toBe(`${found.one._key as string}#entry[0].resource`);
    const dry = await send(
      'mutation($r: ResourceInput!) { PatientUpdate(id: "k", res: $r, dryRun: true) { resource { _key active meta { versionId versionSequence } } } }',
      { r: { resourceType: 'Patient', id: 'k', active: false } },
    );
    expect(dry.found.PatientUpdate.resource).toEqual({
      _key: expect.stringMatching(/^sha256:/),
      active: false,
      meta: { versionId: '3', versionSequence: expect.any(Number) },
    });
    const made = await send('mutation($r: ResourceInput!) { update(resource: $r) { resource { _key } } }', {
      r: { resourceType: 'Patient', id: 'k2' },
    });
    expect(made.found.update.resource._key).toBe('Patient/k2');
  });

  it('node and nodes read by key: resources, versions, and what is inside of them', async () => {
    await put({ resourceType: 'Patient', id: 'gone' });
    await server.request('DELETE', `${server.path('keys', release)}/Patient/gone`);
    const keys = [
      'Patient/k',
      'Patient/k/_history/1',
      'MedicationRequest/two#med1',
      'MedicationRequest/two/_history/1#med1',
    ];
    const nothing = [
      ...[
        'Patient/nobody',
        'Patient/gone',
        'Patient/k/_history/99',
        'MedicationRequest/two#med2',
        'Nothing/1',
      ],
      ...['sha256:abc', '', '#med1', 'Patient', 'http://example.org/Patient/k', 'MedicationRequest/two#'],
    ];
    const { found, errors } = await send(
      'query($k: [ID!]!) { nodes(_keys: $k) { _key ... on Medication { code { text } } } node(_key: "Patient/k") { __typename _key } }',
      { k: [...keys, ...nothing] },
    );
    expect(errors).toEqual([]);
    const drug = { code: { text: 'ibuprofen' } };
    expect(found.nodes).toEqual([
      ...keys.map((key) => ({ _key: key, ...(key.includes('#') ? drug : {}) })),
      ...nothing.map(() => null),
    ]);
    expect(found.node).toEqual({ __typename: 'Patient', _key: 'Patient/k' });
    const other = await createSender(server, 'other', release)('{ node(_key: "Patient/k") { _key } }');
    expect(other.found).toEqual({ node: null });
    const many = await send('query($k: [ID!]!) { nodes(_keys: $k) { _key } }', {
      k: Array.from({ length: 257 }, (_, index) => `Patient/${index}`),
    });
    expect(many.errors[0]?.message).toBe('At most 256 keys are read at once');
  });
});
