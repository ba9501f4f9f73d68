/**
 * Documents and messages of other servers, which have resources with the ids of ours (docs/use/search-reference.md, Reference;
 * https://hl7.org/fhir/R4/bundle.html#references).
 */
import { createClient, type MadeClient } from '../support/access';
import { gatewayPath } from '../graphql/gateway-client';
import { coding, composition, document, entry, to, UUID } from '../support/documents';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { finder, storeAll } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Another server, which has resources with the ids of ours. */
const ELSEWHERE = 'http://elsewhere.example/fhir';
/** Documents and messages whose relative references are those of another server, and the Patients of this one. */
const OURS = { birthDate: '1980-01-01', managingOrganization: to('Organization/house') };
const theirs = { resourceType: 'Patient', id: 'one', birthDate: '1933-03-03' };
const about = (id: string, more: object = {}) =>
  composition(id, { subject: to('Patient/one'), author: [to('Patient/one')], ...more });
const HEADER = {
  eventCoding: coding('http://example.org/events', 'admit'),
  source: { endpoint: 'http://example.org/ward' },
};
const message = (id: string, fullUrl: string): object => ({
  ...{ resourceType: 'Bundle', id, type: 'message', timestamp: '2024-01-01T00:00:00Z' },
  entry: [
    entry(fullUrl, { resourceType: 'MessageHeader', id: 'm', ...HEADER, sender: to('Organization/house') }),
  ],
});
const elsewhere = (root: string): readonly object[] => [
  { resourceType: 'Patient', id: 'one', ...OURS },
  { resourceType: 'Organization', id: 'house', name: 'Our House' },
  composition('c1', { status: 'preliminary' }),
  composition('c2', { status: 'preliminary' }),
  { resourceType: 'MessageHeader', id: 'm', ...HEADER },
  document(
    'theirs',
    entry(`${ELSEWHERE}/Composition/c1`, about('c1')),
    entry(`${ELSEWHERE}/Patient/one`, { ...theirs, managingOrganization: to('Organization/house') }),
  ),
  document(
    'ours',
    entry(`${root}/Composition/c2`, about('c2')),
    entry(`${root}/Patient/one`, { resourceType: 'Patient', id: 'one', ...OURS }),
  ),
  // Without the address of a server the entry of that name is meant.
  document('named', entry(`${UUID}1`, about('c3')), entry(`${UUID}2`, theirs)),
  document('unnamed', entry(`${UUID}1`, about('c4')), { resource: theirs }),
  document('copied', entry(`${UUID}1`, about('c5')), entry(`${root}/Patient/one`, theirs)),
  message('message-theirs', `${ELSEWHERE}/MessageHeader/m`),
  message('message-page', 'http://elsewhere.example/messages?id=m'),
  message('message-urn', `${UUID}1`),
  message('message-ours', `${root}/MessageHeader/m`),
];

describe('a document or message of another server', () => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await openSharedServer('open');
    await server.createTenant('receiver');
  });
  afterAll(() => server.close());

  describe.each(TESTED_RELEASES)('under %s', (release) => {
    beforeAll(() => storeAll(server, release, elsewhere(server.root('receiver', release)), 'receiver'));

    it.each<[string, string[]]>([
      ['Bundle?composition.patient=Patient/one', ['copied', 'ours']],
      ['Bundle?composition.author=one', ['copied', 'ours']],
      ['Bundle?composition.subject:Patient.birthdate=1980-01-01', ['copied', 'ours']],
      ['Bundle?composition.patient.organization.name=our', ['copied', 'ours']],
      ['Bundle?composition.patient.organization=Organization/house', ['copied', 'ours']],
      ['Bundle?_filter=composition.patient%20re%20Patient/one', ['copied', 'ours']],
      [`Bundle?composition.patient=${ELSEWHERE}/Patient/one`, ['theirs']],
      ['Bundle?composition.patient.birthdate=1933-03-03', ['copied', 'named', 'theirs', 'unnamed']],
      ['Bundle?composition.patient._id=one', ['copied', 'named', 'ours', 'theirs', 'unnamed']],
      [`Bundle?composition.patient.organization=${ELSEWHERE}/Organization/house`, ['theirs']],
      [`Bundle?composition.subject=${UUID}2`, ['named']],
      ['Bundle?composition=Composition/c1', []],
      [`Bundle?composition=${ELSEWHERE}/Composition/c1`, ['theirs']],
      ['Bundle?composition=c2', ['ours']],
      ['Bundle?composition=c3', []],
      [`Bundle?composition=${UUID}1`, ['copied', 'named', 'unnamed']],
      ['Bundle?composition._id=c3', ['named']],
      ['Composition?_has:Bundle:composition:type=document', ['c2']],
      ['MessageHeader?_has:Bundle:message:type=message', ['m']],
      ['Bundle?message.sender=Organization/house', ['message-ours', 'message-urn']],
      ['Bundle?message.sender.name=our', ['message-ours', 'message-urn']],
      [`Bundle?message.sender=${ELSEWHERE}/Organization/house`, ['message-theirs']],
      [
        'Bundle?message.sender:missing=false',
        ['message-ours', 'message-page', 'message-theirs', 'message-urn'],
      ],
    ])('%s finds %j', async (query, expected) => {
      expect(await finder(server, release, 'receiver')(query)).toEqual(expected);
    });

    it('is found by a patient of this server in no field of GraphQL', async () => {
      const query = `{
        refers: BundleConnection(where: {composition: {Composition: {patient: {eq: "Patient/one"}}}}) { nodes { id } }
        leads: BundleConnection(where: {composition: {Composition: {patient: {Patient: {birthdate: {eq: "1980-01-01"}}}}}})
          { nodes { id } }
      }`;
      const address = gatewayPath(server.tenant('receiver'), release);
      const { json, text } = await server.request('POST', address, { query }, JSON_TYPE);
      const ids = (field: string): unknown =>
        (json.data?.[field]?.nodes as { id: string }[] | undefined)?.map(({ id }) => id).sort();
      expect([text, ids('refers'), ids('leads')]).toEqual([text, ['copied', 'ours'], ['copied', 'ours']]);
    });

    it.each<[string, string[]]>([
      ['Bundle?_id=ours&_include=Bundle:composition', ['Composition/c2']],
      ['Bundle?_id=ours&_include=Bundle:composition:MessageHeader', []],
      ['Bundle?_id=ours,theirs,named,unnamed,copied&_include=*', ['Composition/c2']],
      ['Bundle?_id=theirs,named,unnamed,copied&_include=Bundle:composition', []],
      ['Bundle?_id=message-ours&_include=Bundle:message', ['MessageHeader/m']],
      ['Bundle?_id=message-theirs,message-urn&_include=Bundle:message', []],
      ['Composition?_id=c1&_revinclude=Bundle:composition', []],
      ['Composition?_id=c2&_revinclude=Bundle:composition', ['Bundle/ours']],
      ['MessageHeader?_id=m&_revinclude=Bundle:message', ['Bundle/message-ours']],
    ])('%s includes %j', async (query, expected) => {
      const path = `${server.path('receiver', release)}/${query}`;
      const { status, json } = await server.request('GET', path);
      const entries = (json.entry ?? []) as {
        resource: { resourceType: string; id: string };
        search: { mode: string };
      }[];
      const included = entries.filter(({ search }) => search.mode === 'include');
      expect([status, included.map(({ resource: { resourceType, id } }) => `${resourceType}/${id}`)]).toEqual(
        [200, expected],
      );
    });

    it('a document that the server makes and stores itself is found by its patient', async () => {
      const path = server.path('receiver', release);
      await storeAll(
        server,
        release,
        [composition('own', { subject: to('Patient/one'), author: [to('Patient/one')] })],
        'receiver',
      );
      const made = await server.request('POST', `${path}/Composition/own/$document?persist=true`);
      expect([made.status, made.text]).toEqual([200, made.text]);
      const find = finder(server, release, 'receiver');
      expect(await find('Bundle?composition=Composition/own&composition.patient=Patient/one')).toEqual([
        made.json.id,
      ]);
      if (release === 'r4') {
        const query =
          '{ own: Composition(id: "own") { BundleList(_reference: composition) { id } } other: Composition(id: "c1") { BundleList(_reference: composition) { id } } }';
        const address = gatewayPath(server.tenant('receiver'), release);
        const { json } = await server.request('POST', address, { query }, JSON_TYPE);
        expect(json.data).toEqual({
          own: { BundleList: [{ id: made.json.id }] },
          other: { BundleList: [] },
        });
      }
      await server.request('DELETE', `${path}/Bundle/${made.json.id}`);
    });
  });
});

describe('a client that may read the documents about one patient', () => {
  let server: SharedServer;
  const ask = async (client: MadeClient, query: string): Promise<string[] | number> => {
    const path = `${server.path('receiver', 'r4')}/${query}`;
    const { status, json } = await server.request('GET', path, undefined, { authorization: client.basic });
    const entries = (json.entry ?? []) as { resource: { id: string } }[];
    return status === 200 ? entries.map(({ resource }) => resource.id).sort() : status;
  };
  const withScopes = (...scopes: string[]): Promise<MadeClient> =>
    createClient(server, 'receiver', { scopes });
  beforeAll(async () => {
    server = await openSharedServer('enforced');
    await server.createTenant('receiver');
    const { basic } = await withScopes('system/*.cruds');
    for (const resource of elsewhere(server.root('receiver', 'r4'))) {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      const path = `${server.path('receiver', 'r4')}/${resourceType}/${id}`;
      const { status, text } = await server.request('PUT', path, resource, { authorization: basic });
      if (status !== 201) throw new Error(text);
    }
  });
  afterAll(() => server.close());

  it('reads the documents about its patient, and none about a patient of another server with the same id', async () => {
    const scopes = [
      'system/Bundle.rs?composition.patient=Patient/one',
      'system/Bundle.rs?composition.patient.birthdate=1980-01-01',
    ];
    for (const scope of scopes) {
      const client = await withScopes(scope);
      expect(await ask(client, 'Bundle?type=document')).toEqual(['copied', 'ours']);
      const read = [];
      for (const id of ['ours', 'theirs', 'named', 'unnamed']) read.push(await ask(client, `Bundle/${id}`));
      expect(read).toEqual([['c2', 'one'], 404, 404, 404]);
    }
    // The conditions of a type hold for the resources inside.
    const compositions = await withScopes('system/Bundle.rs', 'system/Composition.s?patient=Patient/one');
    expect(await ask(compositions, 'Bundle?composition.title=letter')).toEqual(['copied', 'ours']);
  });
});
