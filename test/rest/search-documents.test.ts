/**
 * Chains into the first resource of a stored document or message find the Bundle (docs/use/search-reference.md,
 * Reference).
 */
import { createClient, type MadeClient } from '../support/access';
import { gatewayPath } from '../graphql/gateway-client';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { finder, storeAll } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';
import { coding, composition, document, entry, to, TYPES, UUID } from '../support/documents';

const JSON_TYPE = { 'content-type': 'application/json' };
const patientPp = { resourceType: 'Patient', id: 'pp', birthDate: '1999-01-01' };
const LONG = 30;

/** `root`: the address of the server in this release. */
const resourcesAt = (root: string): readonly object[] => [
  document(
    'doc-1',
    entry(`${root}/Composition/1`, composition('1', {})),
    entry(`${root}/Patient/pp`, patientPp),
  ),
  // A stored Composition with the same id is another resource.
  { ...composition('1', {}), status: 'preliminary', title: 'Stored' },
  document(
    'uuids',
    entry(`${UUID}1`, {
      ...composition('2', { subject: to(`${UUID}2`), author: [to('#them')] }),
      type: { coding: [coding(TYPES, 'report')] },
      contained: [{ resourceType: 'Organization', id: 'them', name: 'Inner House' }],
      confidentiality: 'R',
    }),
    entry(`${UUID}2`, {
      resourceType: 'Patient',
      id: 'second',
      birthDate: '1970',
      managingOrganization: to('Organization/stored'),
    }),
  ),
  // The entries of long sections leave a place for the subject.
  document(
    'long',
    entry(
      `${root}/Composition/3`,
      composition('3', {
        type: { coding: [coding(TYPES, 'summary')] },
        subject: to('Patient/third'),
        author: [to('Patient/third')],
        section: [
          { title: 'All', entry: Array.from({ length: LONG }, (_, index) => to(`Observation/o${index}`)) },
        ],
      }),
    ),
    entry(`${root}/Patient/third`, { resourceType: 'Patient', id: 'third', birthDate: '1950-05-05' }),
    ...Array.from({ length: LONG }, (_, index) =>
      entry(`${root}/Observation/o${index}`, {
        ...{ resourceType: 'Observation', id: `o${index}`, status: 'final', code: { text: 'x' } },
      }),
    ),
  ),
  {
    resourceType: 'Bundle',
    id: 'message',
    type: 'message',
    timestamp: '2024-01-01T00:00:00Z',
    entry: [
      entry(`${UUID}5`, {
        resourceType: 'MessageHeader',
        id: 'header',
        eventCoding: coding('http://example.org/events', 'admit'),
        source: { endpoint: 'http://example.org/ward', name: 'Ward' },
        sender: to('Organization/stored'),
        focus: [to(`${UUID}6`)],
      }),
      entry(`${UUID}6`, { resourceType: 'Patient', id: 'focused', gender: 'female' }),
    ],
  },
  {
    resourceType: 'Bundle',
    id: 'others',
    type: 'collection',
    entry: [entry(`${root}/Patient/pp`, patientPp)],
  },
  // The targets of the subject have room beside long sections.
  document(
    'deep',
    entry(
      `${UUID}1`,
      composition('4', {
        type: { coding: [coding(TYPES, 'plan')] },
        subject: to(`${UUID}2`),
        author: [to(`${UUID}2`)],
        section: [
          {
            title: 'All',
            entry: Array.from({ length: LONG }, (_, index) => to(`${root}/Observation/d${index}`)),
          },
        ],
      }),
    ),
    entry(`${UUID}2`, {
      ...{ resourceType: 'Patient', id: 'fourth', birthDate: '1944', managingOrganization: to(`${UUID}3`) },
      generalPractitioner: [to('#gp')],
      contained: [
        {
          ...{ resourceType: 'PractitionerRole', id: 'gp', organization: to(`${UUID}4`) },
          practitioner: to('Practitioner/stored'),
        },
      ],
    }),
    entry(`${UUID}3`, { resourceType: 'Organization', id: '3', name: 'Entry House', partOf: to(`${UUID}4`) }),
    entry(`${UUID}4`, { resourceType: 'Organization', id: '4', name: 'Upper House', partOf: to(`${UUID}5`) }),
    entry(`${UUID}5`, {
      ...{ resourceType: 'Organization', id: '5', name: 'Top House' },
      partOf: to('Organization/stored'),
    }),
    ...Array.from({ length: LONG }, (_, index) =>
      entry(`${root}/Observation/d${index}`, {
        ...{ resourceType: 'Observation', id: `d${index}`, status: 'final', code: { text: 'x' } },
        subject: to(`${UUID}2`),
      }),
    ),
  ),
  document(
    'nested',
    entry(
      `${UUID}1`,
      composition('5', {
        type: { coding: [coding(TYPES, 'plan')] },
        subject: to(`${UUID}2`),
        author: [to(`${UUID}2`)],
        section: [{ title: 'Inner', entry: [to(`${UUID}6`)] }],
      }),
    ),
    entry(`${UUID}2`, { resourceType: 'Patient', id: 'fifth', birthDate: '1955' }),
    entry(`${UUID}6`, {
      ...{ resourceType: 'Bundle', type: 'document', timestamp: '2024-01-01T00:00:00Z' },
      identifier: { system: 'http://example.org/i', value: 'inner' },
      entry: [
        entry(
          'http://elsewhere.example/fhir/Composition/inner',
          composition('inner', { title: 'Enclosed', subject: to('Patient/in'), author: [to('Patient/in')] }),
        ),
        entry('http://elsewhere.example/fhir/Patient/in', {
          ...{ resourceType: 'Patient', id: 'in', birthDate: '1911' },
        }),
      ],
    }),
  ),
  { resourceType: 'Organization', id: 'stored', name: 'Whole House' },
  { resourceType: 'Practitioner', id: 'stored', name: [{ family: 'Outer' }] },
  {
    resourceType: 'List',
    id: 'list',
    status: 'current',
    mode: 'working',
    entry: [{ item: to('Bundle/doc-1') }],
  },
];

describe.each([
  ['found from the inside', 'open'],
  ['tested one by one', 'scanning'],
] as const)('chains into stored documents and messages, %s', (_how, kind) => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await openSharedServer(kind);
  });
  afterAll(() => server.close());

  describe.each(TESTED_RELEASES)('under %s', (release) => {
    beforeAll(() => storeAll(server, release, resourcesAt(server.root('system', release))));

    it.each<[string, string[]]>([
      ['Bundle?composition.status=final', ['deep', 'doc-1', 'long', 'nested', 'uuids']],
      ['Bundle?composition.status=preliminary', []],
      ['Bundle?composition:Composition.status=final', ['deep', 'doc-1', 'long', 'nested', 'uuids']],
      [`Bundle?composition.type=${TYPES}|letter`, ['doc-1']],
      ['Bundle?composition.type=report,summary', ['long', 'uuids']],
      ['Bundle?composition.type:not=letter', ['deep', 'long', 'nested', 'uuids']],
      ['Bundle?composition.type=letter&composition.title=stored', []],
      ['Bundle?composition.patient=Patient/pp', ['doc-1']],
      ['Bundle?composition.patient=pp', ['doc-1']],
      ['Bundle?composition.subject=Patient/third', ['long']],
      ['Bundle?composition.author=Patient/pp', ['doc-1']],
      ['Bundle?composition.date=2016', ['deep', 'doc-1', 'long', 'nested', 'uuids']],
      ['Bundle?composition._id=2', ['uuids']],
      ['Bundle?composition=Composition/1', ['doc-1']],
      ['Bundle?composition=Patient/pp', []],
      ['Bundle?composition.subject:Patient.birthdate=1999-01-01', ['doc-1']],
      ['Bundle?composition.patient.birthdate=lt1980', ['deep', 'long', 'nested', 'uuids']],
      ['Bundle?composition.patient.birthdate:missing=true', []],
      ['Bundle?composition.patient._id=second', ['uuids']],
      ['Bundle?composition.patient.organization.name=whole', ['uuids']],
      ['Bundle?composition.author:Organization.name=inner', ['uuids']],
      ['Bundle?composition.patient.organization.name=entry', ['deep']],
      ['Bundle?composition.subject:Patient.organization:Organization.name=entry', ['deep']],
      ['Bundle?composition.patient.organization.name=upper', []],
      ['Bundle?composition.patient.organization.partof.name=upper', ['deep']],
      ['Bundle?composition.patient.organization.partof.partof.name=top', ['deep']],
      ['Bundle?composition.patient.organization.partof.partof.partof.name=whole', ['deep']],
      ['Bundle?composition.patient.organization.partof.partof.partof.name=top', []],
      ['Bundle?composition.patient.organization.name:contains=tity,ntry', ['deep']],
      ['Bundle?composition.patient.organization.partof._content=upper', ['deep']],
      ['Bundle?composition.patient.organization.partof.partof._content=top', ['deep']],
      ['Bundle?composition.patient.organization.partof.partof._content=upper', []],
      ['Bundle?composition.patient.general-practitioner:PractitionerRole.organization.name=upper', ['deep']],
      ['Bundle?composition.patient.general-practitioner:PractitionerRole.practitioner.name=outer', ['deep']],
      ['Bundle?composition.entry:Observation.subject:Patient.organization.partof.name=upper', ['deep']],
      ['Bundle?composition.author.organization.partof.name=upper', ['deep']],
      ['Bundle?composition.patient.organization.partof.partof.partof._id=stored', ['deep']],
      ['Bundle?composition.entry:Bundle.composition.title=enclosed', ['nested']],
      ['Bundle?composition.entry:Bundle.composition.title=letter', []],
      ['Bundle?composition.entry:Bundle.composition.patient.birthdate=1911', ['nested']],
      ['Bundle?composition.entry:Bundle.composition.patient=Patient/in', []],
      [
        'Bundle?composition.entry:Bundle.composition=http://elsewhere.example/fhir/Composition/inner',
        ['nested'],
      ],
      ['Bundle?composition.entry:Bundle.type=document', ['nested']],
      [
        'Bundle?_filter=composition.patient%5Bbirthdate%20eq%201944%5D.organization.name%20eq%20"Entry%20House"',
        ['deep'],
      ],
      [
        'Bundle?_filter=composition.patient%5Bbirthdate%20eq%201945%5D.organization.name%20eq%20"Entry%20House"',
        [],
      ],
      ['Bundle?composition.type:text=discharge', ['doc-1']],
      ['Bundle?composition.patient:Patient.birthdate=1999-01-01&composition.type=summary', []],
      ['Bundle?_filter=composition%5Btype%20eq%20letter%5D.status%20eq%20final', ['doc-1']],
      ['Bundle?_filter=composition.patient.birthdate%20lt%201960', ['deep', 'long', 'nested']],
      ['Bundle?message.event=admit', ['message']],
      ['Bundle?message.event=discharge', []],
      ['Bundle?message.source-uri=http://example.org/ward', ['message']],
      ['Bundle?message.sender.name=whole', ['message']],
      ['Bundle?message.focus:Patient.gender=female', ['message']],
      ['Bundle?message.focus:Patient.gender=male', []],
      ['Bundle?composition:missing=false', ['deep', 'doc-1', 'long', 'nested', 'uuids']],
      ['Bundle?message:missing=false', ['message']],
      ['Bundle?composition:missing=true', ['message', 'others']],
      ['Bundle?message:missing=true&type=document', ['deep', 'doc-1', 'long', 'nested', 'uuids']],
      ['Bundle?composition:missing=true&message:missing=true', ['others']],
      ['List?item:Bundle.composition.type=letter', ['list']],
      ['List?item:Bundle.composition.type=report', []],
      // An entry is no resource of its own, and not contained.
      ['Patient?birthdate=1999-01-01', []],
      ['Patient?birthdate=1999-01-01&_contained=true', []],
      ['Composition?status=final', []],
    ])('%s finds %j', async (query, expected) => {
      expect(await finder(server, release)(query)).toEqual(expected);
      const path = `${server.path('system', release)}/${query}&_total=accurate&_count=1`;
      expect((await server.request('GET', path)).json.total).toBe(expected.length);
    });

    it.each([
      'Bundle?composition:identifier=http://example.org/i|1',
      'Bundle?composition:below=Composition/1',
      'Bundle?composition:Patient.birthdate=1999-01-01',
      'Bundle?composition.birthdate=1999-01-01',
      'Bundle?message.title=Letter',
      'Bundle?composition._lastUpdated=gt2000',
      'Bundle?composition._has:List:item:_id=list',
      'Bundle?composition._list=list',
      'Bundle?message._lastUpdated=gt2000',
      'Bundle?_filter=composition._lastUpdated%20gt%202000',
      'List?item:Bundle.composition._lastUpdated=gt2000',
    ])('%s is refused, because nothing could match', async (query) => {
      const { status, json } = await server.request('GET', `${server.path('system', release)}/${query}`);
      expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
    });

    it.each<[string, string[]]>([
      [`{composition: {Composition: {type: {eq: "letter"}}}}`, ['doc-1']],
      [
        `{composition: {Composition: {subject: {Patient: {birthdate: {eq: "1999-01-01"}}} type: {eq: "letter"}}}}`,
        ['doc-1'],
      ],
      [`{composition: {Composition: {type: {eq: "report"} status: {eq: "preliminary"}}}}`, []],
      [
        `{composition: {Composition: {subject: {Patient: {organization: {Organization: {name: {startsWith: "entry"}}}}}}}}`,
        ['deep'],
      ],
      [`{composition: {missing: true} message: {missing: true}}`, ['others']],
      ...(release === 'r4' ? [[`{message: {MessageHeader: {event: {eq: "admit"}}}}`, ['message']]] : []),
    ] as [string, string[]][])('GraphQL finds by %s', async (where, expected) => {
      const query = `{ BundleConnection(where: ${where}) { nodes { id } } }`;
      const address = gatewayPath(server.tenant('system'), release);
      const { json, text } = await server.request('POST', address, { query }, JSON_TYPE);
      const nodes = json.data?.BundleConnection?.nodes as { id: string }[] | undefined;
      expect([text, nodes?.map(({ id }) => id).sort()]).toEqual([text, expected]);
    });

    it('a search parameter of the tenant is refused behind them, and never says that its value is missing', async () => {
      const path = server.path('system', release);
      const parameter = makeParameter('own-title', {
        ...{ type: 'string', base: ['Composition'], expression: 'Composition.title' },
      });
      const { status } = await server.request('PUT', `${path}/SearchParameter/own-title`, parameter);
      expect(status).toBe(201);
      const search = () => server.request('GET', `${path}/Composition?own-title=stored`);
      await eventually(async () => (await search()).json.total === 1);
      for (const query of [
        'Bundle?composition.own-title=letter',
        'Bundle?composition.own-title:missing=true',
        'Bundle?composition.own-title:contains=etter',
        'Bundle?_filter=composition.own-title%20eq%20letter',
        'Bundle?_filter=composition%5Btype%20eq%20letter%20and%20own-title%20eq%20letter%5D.status%20eq%20final',
      ]) {
        const answer = await server.request('GET', `${path}/${query}`);
        expect([query, answer.status, answer.text]).toEqual([
          query,
          400,
          expect.stringContaining('inside the Bundle'),
        ]);
      }
    });

    it('the rows go when the document changes or is deleted', async () => {
      const find = finder(server, release);
      const path = `${server.path('system', release)}/Bundle/changing`;
      const put = (title: string): Promise<Answer> =>
        server.request(
          'PUT',
          path,
          JSON.stringify(
            document(
              'changing',
              entry(
                `${UUID}8`,
                composition('8', { title, subject: to(`${UUID}9`), author: [to(`${UUID}9`)] }),
              ),
              entry(`${UUID}9`, patientPp),
            ),
          ),
        );
      await put('First');
      expect(await find('Bundle?composition.title=first')).toEqual(['changing']);
      await put('Second');
      expect(await find('Bundle?composition.title=first')).toEqual([]);
      expect(await find('Bundle?composition.title=second')).toEqual(['changing']);
      await server.request('DELETE', path);
      expect(await find('Bundle?composition.title=second')).toEqual([]);
    });
  });

  it('documents of another tenant are not found', async () => {
    await server.createTenant('elsewhere');
    const find = finder(server, 'r4', 'elsewhere');
    expect(await find('Bundle?composition.patient=Patient/pp')).toEqual([]);
    expect(await find('Bundle?composition.patient.birthdate=1999-01-01')).toEqual([]);
  });
});

describe('a client that may not find every Composition and Patient', () => {
  let server: SharedServer;
  const ask = async (client: MadeClient, query: string): Promise<string[] | number> => {
    const path = `${server.path('system', 'r4')}/${query}`;
    const { status, json } = await server.request('GET', path, undefined, { authorization: client.basic });
    const entries = (json.entry ?? []) as { resource: { id: string } }[];
    return status === 200 ? entries.map(({ resource }) => resource.id).sort() : status;
  };
  const withScopes = (...scopes: string[]): Promise<MadeClient> => createClient(server, 'system', { scopes });
  beforeAll(async () => {
    server = await openSharedServer('enforced');
    const { basic } = await withScopes('system/*.cruds');
    for (const resource of resourcesAt(server.root('system', 'r4'))) {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      const path = `${server.path('system', 'r4')}/${resourceType}/${id}`;
      const { status, text } = await server.request('PUT', path, resource, { authorization: basic });
      if (status !== 201) throw new Error(text);
    }
  });
  afterAll(() => server.close());

  it('needs a scope for each type of the chain', async () => {
    const bundles = await withScopes('system/Bundle.rs');
    expect(await ask(bundles, 'Bundle?type=document')).toEqual(['deep', 'doc-1', 'long', 'nested', 'uuids']);
    expect(await ask(bundles, 'Bundle?composition.title=letter')).toBe(403);
    const compositions = await withScopes('system/Bundle.rs', 'system/Composition.s');
    expect(await ask(compositions, 'Bundle?composition.title=letter')).toEqual([
      'deep',
      'doc-1',
      'long',
      'nested',
      'uuids',
    ]);
    expect(await ask(compositions, 'Bundle?composition.patient.birthdate=1999-01-01')).toBe(403);
  });

  it('finds a document only by a Composition and a Patient that meet the conditions of its scopes', async () => {
    const organizations = await withScopes(
      ...['system/Bundle.rs', 'system/Composition.s', 'system/Patient.s'],
      'system/Organization.s?name=entry',
    );
    const inside = 'Bundle?composition.patient.organization';
    expect(await ask(organizations, `${inside}.name:missing=false`)).toEqual(['deep']);
    expect(await ask(organizations, `${inside}.partof.name:missing=false`)).toEqual([]);
    const letters = await withScopes(
      'system/Bundle.rs',
      `system/Composition.s?type=${TYPES}|letter`,
      'system/Patient.s?birthdate=lt1980',
    );
    expect(await ask(letters, 'Bundle?composition.title=letter')).toEqual(['doc-1']);
    expect(await ask(letters, 'Bundle?composition.type=report')).toEqual([]);
    expect(await ask(letters, 'Bundle?composition.type:not=letter')).toEqual([]);
    expect(await ask(letters, 'Bundle?composition.patient.birthdate=1999-01-01')).toEqual([]);
    const all = await withScopes(
      'system/Bundle.rs',
      'system/Composition.s',
      'system/Patient.s?birthdate=lt1980',
    );
    expect(await ask(all, 'Bundle?composition.patient.birthdate=gt1900')).toEqual([
      ...['deep', 'long', 'nested', 'uuids'],
    ]);
  });
});
