/** `:in`, `:not-in`, `:above` and `:below` of tokens: https://hl7.org/fhir/R4/search.html#token */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Entry {
  readonly resource: { readonly id: string };
}

const SCT = 'http://snomed.info/sct';
const LOINC = 'http://loinc.org';
const ACME = 'http://acme.org/fhir';

function condition(id: string, codings: readonly object[], members: object = {}): object {
  return {
    resourceType: 'Condition',
    id,
    subject: { reference: 'Patient/ada' },
    ...(codings.length === 0 ? {} : { code: { coding: codings } }),
    ...members,
  };
}

/** A part of SNOMED CT's disorders, as a tenant that has a licence would store it. */
const DISORDERS = {
  resourceType: 'CodeSystem',
  id: 'disorders',
  url: SCT,
  status: 'active',
  content: 'fragment',
  concept: [
    {
      code: '64572001',
      display: 'Disease',
      concept: [
        {
          code: '126851005',
          display: 'Neoplasm of liver',
          concept: [
            { code: '93870000', display: 'Malignant neoplasm of liver' },
            { code: '92200009', display: 'Benign neoplasm of liver' },
          ],
        },
        { code: '38341003', display: 'Hypertensive disorder' },
      ],
    },
  ],
};

const WARDS = {
  resourceType: 'CodeSystem',
  id: 'wards',
  url: `${ACME}/CodeSystem/wards`,
  status: 'active',
  content: 'complete',
  caseSensitive: false,
  concept: [{ code: 'North', concept: [{ code: 'N-Ward-1' }, { code: 'N-Ward-2' }] }, { code: 'South' }],
};

function valueSet(id: string, compose: object, members: object = {}): object {
  return {
    resourceType: 'ValueSet',
    id,
    url: `${ACME}/ValueSet/${id}`,
    status: 'active',
    compose,
    ...members,
  };
}

const liver = { system: SCT, filter: [{ property: 'concept', op: 'is-a', value: '126851005' }] };

const RESOURCES: readonly object[] = [
  DISORDERS,
  WARDS,
  valueSet('liver', { include: [liver] }),
  valueSet('liver-or-acme', {
    include: [
      { valueSet: [`${ACME}/ValueSet/liver`] },
      { system: `${ACME}/codes`, concept: [{ code: 'HA125' }] },
    ],
  }),
  valueSet('not-benign', {
    include: [liver],
    exclude: [{ system: SCT, concept: [{ code: '92200009' }] }],
  }),
  valueSet('old', { include: [{ system: SCT, concept: [{ code: '38341003' }] }] }, { version: '1' }),
  {
    ...valueSet('new', { include: [{ system: SCT, concept: [{ code: '93870000' }] }] }, { version: '2' }),
    url: `${ACME}/ValueSet/old`,
  },
  valueSet('loinc', { include: [{ system: LOINC }] }),
  valueSet('women', {
    include: [{ system: 'http://hl7.org/fhir/administrative-gender', concept: [{ code: 'female' }] }],
  }),
  valueSet('lost', {
    include: [{ system: 'http://nowhere.org', filter: [{ property: 'concept', op: 'is-a', value: 'x' }] }],
  }),
  valueSet('nobody', { include: [{ system: `${ACME}/codes`, concept: [{ code: 'unused' }] }] }),
  { resourceType: 'Patient', id: 'ada', gender: 'female' },
  { resourceType: 'Patient', id: 'bob', gender: 'male' },
  { resourceType: 'Patient', id: 'cid' },
  condition('malignant', [{ system: SCT, code: '93870000' }]),
  condition('both', [
    { system: SCT, code: '92200009' },
    { system: `${ACME}/codes`, code: 'ha125' },
  ]),
  condition('pressure', [{ system: SCT, code: '38341003' }], { subject: { reference: 'Patient/bob' } }),
  condition('same-code-elsewhere', [{ system: 'http://elsewhere.org', code: '93870000' }]),
  condition('without-code', []),
  {
    resourceType: 'Observation',
    id: 'loinc',
    status: 'final',
    code: { coding: [{ system: LOINC, code: '8867-4' }] },
  },
  {
    resourceType: 'Observation',
    id: 'other',
    status: 'final',
    code: { coding: [{ system: SCT, code: '364075005' }] },
  },
  {
    resourceType: 'Location',
    id: 'one',
    type: [{ coding: [{ system: `${ACME}/CodeSystem/wards`, code: 'n-ward-1' }] }],
  },
  {
    resourceType: 'Location',
    id: 'south',
    type: [{ coding: [{ system: `${ACME}/CodeSystem/wards`, code: 'SOUTH' }] }],
  },
  ...['text/xml', 'text/xml; charset=UTF-8', 'text/plain', 'image/png', 'IMAGE/jpeg'].map(
    (contentType, index) => ({
      resourceType: 'DocumentReference',
      id: `document-${index}`,
      status: 'current',
      content: [{ attachment: { contentType, url: 'http://example.org/x' } }],
    }),
  ),
];

const ALL_CONDITIONS = ['both', 'malignant', 'pressure', 'same-code-elsewhere', 'without-code'];

describe.each(TESTED_RELEASES)('token search by terminology under %s', (release) => {
  const put = async (resource: object): Promise<void> => {
    const { resourceType, id } = resource as { resourceType: string; id: string };
    const { status, text } = await server.request(
      'PUT',
      `${server.path('system', release)}/${resourceType}/${id}`,
      JSON.stringify(resource),
    );
    if (status !== 201 && status !== 200) throw new Error(`${resourceType}/${id}: ${status} ${text}`);
  };
  beforeAll(async () => {
    for (const resource of RESOURCES) await put(resource);
  });

  const search = (query: string): ReturnType<SharedServer['request']> =>
    server.request('GET', `${server.path('system', release)}/${query}`);
  const find = async (query: string): Promise<string[]> => {
    const { status, json, text } = await search(query);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    const entries = (json.entry ?? []) as Entry[];
    return entries.map(({ resource }) => resource.id).sort();
  };

  it.each<[string, string[]]>([
    // "tests whether the coding is in the specified value set"
    [`Condition?code:in=${ACME}/ValueSet/liver`, ['both', 'malignant']],
    ['Condition?code:in=ValueSet/liver', ['both', 'malignant']],
    [`Condition?code:in=${ACME}/ValueSet/liver-or-acme`, ['both', 'malignant']],
    [`Condition?code:in=${ACME}/ValueSet/not-benign`, ['malignant']],
    // Without a version the newest; with one, that one.
    [`Condition?code:in=${ACME}/ValueSet/old`, ['malignant']],
    [`Condition?code:in=${ACME}/ValueSet/old|1`, ['pressure']],
    [`Condition?code:in=${ACME}/ValueSet/old|2`, ['malignant']],
    // A comma is OR, a repeated parameter AND.
    [`Condition?code:in=${ACME}/ValueSet/old|1,ValueSet/not-benign`, ['malignant', 'pressure']],
    ['Condition?code:in=ValueSet/liver&code:in=ValueSet/liver-or-acme&code=ha125', ['both']],
    [`Condition?code:in=${ACME}/ValueSet/nobody`, []],
    // None of all codings is in it; those without a code are among them.
    ['Condition?code:not-in=ValueSet/liver', ['pressure', 'same-code-elsewhere', 'without-code']],
    ['Condition?code:not-in=ValueSet/liver,ValueSet/old', ['same-code-elsewhere', 'without-code']],
    [
      'Condition?code:not-in=ValueSet/liver,ValueSet/liver-or-acme,ValueSet/nobody&code:missing=false',
      ['pressure', 'same-code-elsewhere'],
    ],
    ['Condition?code:not-in=ValueSet/nobody', ALL_CONDITIONS],
    // A value set of a whole code system that is not here has each code of it.
    [`Observation?code:in=${ACME}/ValueSet/loinc`, ['loinc']],
    ['Observation?code:not-in=ValueSet/loinc', ['other']],
    // Value sets that a code system has without a resource.
    [`Condition?code:in=${encodeURIComponent(`${SCT}?fhir_vs=isa/126851005`)}`, ['both', 'malignant']],
    [`Condition?code:in=${encodeURIComponent(`${SCT}?fhir_vs`)}`, ['both', 'malignant', 'pressure']],
    // An element of type code has the system of its binding.
    ['Patient?gender:in=ValueSet/women', ['ada']],
    ['Patient?gender:not-in=ValueSet/women', ['bob', 'cid']],
    ['Patient?gender:in=http://hl7.org/fhir/ValueSet/administrative-gender', ['ada', 'bob']],
    // "the coding in the resource has an is-a relationship with the search concept, and this includes the coding itself"
    [`Condition?code:below=${SCT}|126851005`, ['both', 'malignant']],
    [`Condition?code:below=${SCT}|93870000`, ['malignant']],
    [`Condition?code:below=${SCT}|64572001`, ['both', 'malignant', 'pressure']],
    [`Condition?code:below=${SCT}|93870000,${SCT}|38341003`, ['malignant', 'pressure']],
    // "the search concept has an is-a relationship with the coding in the resource"
    [`Condition?code:above=${SCT}|93870000`, ['malignant']],
    [`Condition?code:above=${SCT}|126851005`, []],
    // A code system of which the case makes no difference.
    [`Location?type:below=${ACME}/CodeSystem/wards|north`, ['one']],
    [`Location?type:below=${ACME}/CodeSystem/wards|South`, ['south']],
    // A code whose binding defines the system.
    ['Patient?gender:below=female', ['ada']],
    ['Patient?gender:above=http://hl7.org/fhir/administrative-gender|male', ['bob']],
    // Chains and _has.
    ['Condition?subject:Patient.gender:in=ValueSet/women&code:in=ValueSet/liver', ['both', 'malignant']],
    ['Condition?subject:Patient.gender:not-in=ValueSet/women', ['pressure']],
    ['Patient?_has:Condition:subject:code:in=ValueSet/liver', ['ada']],
    [`Patient?_has:Condition:subject:code:below=${SCT}|38341003`, ['bob']],
    // Media types.
    ['DocumentReference?contenttype=text/xml', ['document-0']],
    ['DocumentReference?contenttype:below=text/xml', ['document-0', 'document-1']],
    ['DocumentReference?contenttype:below=text', ['document-0', 'document-1', 'document-2']],
    ['DocumentReference?contenttype:below=image', ['document-3', 'document-4']],
    ['DocumentReference?contenttype:below=urn:ietf:bcp:13|image/png', ['document-3']],
    ['DocumentReference?contenttype:below=imag', []],
    ['DocumentReference?contenttype:below=text/xml;%20charset=UTF-8', ['document-1']],
    ['DocumentReference?contenttype:below=text/xml;%20charset=ASCII', []],
  ])('%s finds %j', async (query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  it('finds by the address of a value set on this server', async () => {
    const address = `${PUBLIC_ADDRESS}${server.path('system', release)}/ValueSet/liver`;
    expect(await find(`Condition?code:in=${address}`)).toEqual(['both', 'malignant']);
  });

  it.each<[string, number, RegExp]>([
    [
      'Condition?code:in=http://acme.org/nothing',
      400,
      /'http:\/\/acme.org\/nothing'.*'code:in'.*value set does not exist/,
    ],
    ['Condition?code:not-in=ValueSet/nothing', 400, /value set does not exist/],
    [`Condition?code:in=${ACME}/ValueSet/old|3`, 400, /value set does not exist/],
    [`Condition?code:in=${encodeURIComponent(`${SCT}?fhir_vs=isa/0`)}`, 422, /names the code '0'/],
    [`Condition?code:in=${encodeURIComponent(`${SCT}?fhir_vs=refset/1`)}`, 400, /value set does not exist/],
    ['Condition?code:in=ValueSet/lost', 422, /http:\/\/nowhere.org is not loaded here/],
    [
      'Condition?code:below=http://nowhere.org|1',
      400,
      /The code system http:\/\/nowhere.org is not loaded here/,
    ],
    [`Condition?code:below=${SCT}|0`, 400, /does not exist in the code system/],
    ['Condition?code:below=126851005', 400, /system\|code/],
    ['Condition?code:above=|126851005', 400, /system\|code/],
    ['Patient?active:in=ValueSet/women', 400, /':in' cannot be used with the search parameter 'active'/],
    ['Patient?identifier:below=urn:x|1', 400, /':below' cannot be used/],
    ['Patient?gender:inn=x', 400, /'gender'.*text, in, not-in, above, below/],
    ['DocumentReference?contenttype:above=text/xml', 400, /with :below only/],
  ])('%s is %i', async (query, expected, diagnostics) => {
    const { status, json } = await search(query);
    expect([status, JSON.stringify(json)]).toEqual([expected, expect.stringMatching(diagnostics)]);
  });

  it('sees at once that a value set has changed', async () => {
    const changing = (code: string): object =>
      valueSet('changing', { include: [{ system: SCT, concept: [{ code }] }] });
    await put(changing('93870000'));
    expect(await find('Condition?code:in=ValueSet/changing')).toEqual(['malignant']);
    await put(changing('38341003'));
    expect(await find('Condition?code:in=ValueSet/changing')).toEqual(['pressure']);
    expect(await find(`Condition?code:in=${ACME}/ValueSet/changing`)).toEqual(['pressure']);
    await server.request('DELETE', `${server.path('system', release)}/ValueSet/changing`);
    expect((await search('Condition?code:in=ValueSet/changing')).status).toBe(400);
  });

  it('uses the terminology of the tenant alone', async () => {
    const tenant = `elsewhere-${release}`;
    await server.createTenant(tenant);
    const root = server.path(tenant, release);
    const send = (resource: object): ReturnType<SharedServer['request']> => {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      return server.request('PUT', `${root}/${resourceType}/${id}`, JSON.stringify(resource));
    };
    await send(condition('pressure', [{ system: SCT, code: '38341003' }]));
    await send(condition('malignant', [{ system: SCT, code: '93870000' }]));
    for (const value of [
      'ValueSet/liver',
      `${ACME}/ValueSet/liver`,
      `${PUBLIC_ADDRESS}${server.path('system', release)}/ValueSet/liver`,
    ]) {
      expect((await server.request('GET', `${root}/Condition?code:in=${value}`)).status).toBe(400);
    }
    expect((await server.request('GET', `${root}/Condition?code:below=${SCT}|126851005`)).status).toBe(400);
    await send(valueSet('liver', { include: [{ system: SCT, concept: [{ code: '38341003' }] }] }));
    const { json } = await server.request('GET', `${root}/Condition?code:in=${ACME}/ValueSet/liver`);
    expect((json.entry as Entry[]).map(({ resource }) => resource.id)).toEqual(['pressure']);
    expect(await find('Condition?code:in=ValueSet/liver')).toEqual(['both', 'malignant']);
  });

  it('refuses a value set of more codes than can be searched for at once', async () => {
    const part = (name: string, size: number): object =>
      valueSet(name, {
        include: [
          {
            system: 'http://many.org',
            concept: Array.from({ length: size }, (_, index) => ({ code: `${name}-${index}` })),
          },
        ],
      });
    await put(part('many-a', 10_000));
    await put(part('many-b', 10_001));
    await put(
      valueSet('many', {
        include: ['a', 'b'].map((name) => ({ valueSet: [`${ACME}/ValueSet/many-${name}`] })),
      }),
    );
    const { status, json } = await search('Condition?code:in=ValueSet/many');
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringMatching(/At most 20000 codes/)]);
    await put(part('many-b', 10_000));
    expect(await find('Condition?code:in=ValueSet/many')).toEqual([]);
  });

  it('pages, sorts and counts its matches like any other search', async () => {
    const first = await search('Condition?code:not-in=ValueSet/liver&_count=2&_total=accurate&_sort=_id');
    expect(first.json['total']).toBe(3);
    expect((first.json.entry as Entry[]).map(({ resource }) => resource.id)).toEqual([
      'pressure',
      'same-code-elsewhere',
    ]);
    expect((await search('Condition?code:in=ValueSet/liver&_summary=count')).json['total']).toBe(2);
  });
});
