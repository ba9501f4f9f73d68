/** Parts of resources: https://hl7.org/fhir/R4/search.html#summary and #elements. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

type Resource = Readonly<Record<string, unknown>> & {
  readonly meta: { readonly tag?: readonly { code: string }[] };
};

const NARRATIVE = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Anna</div>' };
const PATIENT = {
  resourceType: 'Patient',
  id: 'whole',
  text: NARRATIVE,
  name: [{ family: 'Anna', period: { start: '2001' } }],
  _birthDate: { extension: [{ url: 'http://example.org/x', valueString: 'y' }] },
  birthDate: '1980-01-01',
  maritalStatus: { text: 'unknown' },
  contact: [{ name: { family: 'Karl' } }],
  multipleBirthInteger: 2,
  deceasedBoolean: false,
};
const OBSERVATION = {
  resourceType: 'Observation',
  id: 'whole',
  text: NARRATIVE,
  status: 'final',
  code: { text: 'x' },
  subject: { reference: 'Patient/whole' },
  valueQuantity: { value: '#1.00#' },
  note: [{ text: 'a note' }],
  component: [{ code: { text: 'y' }, valueString: 'z', interpretation: [{ text: 'high' }] }],
};

describe.each(TESTED_RELEASES)('parts of resources under %s', (release) => {
  beforeAll(async () => {
    for (const resource of [PATIENT, OBSERVATION]) {
      const path = `${server.path('system', release)}/${resource.resourceType}/${resource.id}`;
      const body = JSON.stringify(resource).replace(/"#([^#]*)#"/g, '$1');
      const { status, text } = await server.request('PUT', path, body);
      if (status !== 201) throw new Error(text);
    }
  });

  async function partOf(query: string): Promise<{ members: string[]; resource: Resource; text: string }> {
    const { status, json, text } = await server.request('GET', `${server.path('system', release)}/${query}`);
    expect([query, status]).toEqual([query, 200]);
    const resource = json.entry[0].resource as Resource;
    const members = Object.keys(resource).filter((name) => !['resourceType', 'id', 'meta'].includes(name));
    return { members: members.sort(), resource, text };
  }

  it.each<[string, string[]]>([
    ['Patient?_id=whole&_summary=true', ['_birthDate', 'birthDate', 'deceasedBoolean', 'name']],
    ['Patient?_id=whole&_summary=text', ['text']],
    ['Observation?_id=whole&_summary=text', ['code', 'status', 'text']],
    [
      'Observation?_id=whole&_summary=data',
      ['code', 'component', 'note', 'status', 'subject', 'valueQuantity'],
    ],
    ['Observation?_id=whole&_elements=value', ['code', 'status', 'valueQuantity']],
    ['Observation?_id=whole&_elements=subject,note', ['code', 'note', 'status', 'subject']],
    ['Patient?_id=whole&_elements=Patient.name', ['deceasedBoolean', 'name']],
    ['Patient?_id=whole&_elements=birthDate', ['_birthDate', 'birthDate', 'deceasedBoolean']],
  ])('%s has %j', async (query, expected) => {
    const { members, resource } = await partOf(query);
    expect(members).toEqual([...expected].sort());
    expect(resource.meta.tag?.map(({ code }) => code)).toEqual(['SUBSETTED']);
  });

  it('a summary has the summary elements of a component, and the digits of a value', async () => {
    const { resource, text } = await partOf('Observation?_id=whole&_summary=true');
    expect(resource['component']).toEqual([{ code: { text: 'y' }, valueString: 'z' }]);
    expect(resource['note']).toBeUndefined();
    expect(text).toContain('"value":1.00');
  });

  it('_summary=false and no preference at all return the whole, without the tag, and a count nothing of it', async () => {
    for (const query of ['Observation?_id=whole&_summary=false', 'Observation?_id=whole']) {
      const { members, resource } = await partOf(query);
      expect(members).toHaveLength(7);
      expect(resource.meta.tag).toBeUndefined();
    }
    const path = `${server.path('system', release)}/Observation?_id=whole&_summary=count`;
    const { json } = await server.request('GET', path);
    expect([json.total, json.entry]).toEqual([1, undefined]);
  });

  it('_elements of another type apply to included resources', async () => {
    const { json } = await server.request(
      'GET',
      `${server.path('system', release)}/Observation?_id=whole&_include=Observation:subject&_elements=Patient.birthDate`,
    );
    const [observation, patient] = json.entry as { resource: Resource }[];
    expect(Object.keys(observation?.resource ?? {})).toContain('note');
    expect(Object.keys(patient?.resource ?? {})).not.toContain('name');
  });

  it('a part cannot be stored as if it were the whole', async () => {
    const { resource } = await partOf('Observation?_id=whole&_summary=true');
    const path = `${server.path('system', release)}/Observation/whole`;
    expect((await server.request('PUT', path, JSON.stringify(resource))).status).toBe(422);
  });

  it.each([
    '_summary=some',
    '_elements=nothing',
    '_elements=Patient.nothing',
    '_elements=name.family',
    '_elements=No.name',
  ])('%s is refused', async (query) => {
    const { status, json } = await server.request(
      'GET',
      `${server.path('system', release)}/Patient?${query}`,
    );
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain(query.split('=')[0]);
  });

  describe('in a history', () => {
    const get = (query: string) => server.request('GET', `${server.path('system', release)}/${query}`);
    beforeAll(async () => {
      const path = `${server.path('system', release)}/Patient/changed`;
      for (const gender of ['male', 'female', 'other'])
        await server.request('PUT', path, JSON.stringify({ ...PATIENT, id: 'changed', gender }));
      await server.request('DELETE', path);
    });
    const membersOf = (json: { entry: { resource?: Resource }[] }): (string[] | undefined)[] =>
      json.entry.map(({ resource }) => resource && Object.keys(resource).sort());

    it.each<[string, string[]]>([
      ['Patient/changed/_history?_summary=text', ['id', 'meta', 'resourceType', 'text']],
      [
        'Patient/changed/_history?_elements=gender',
        ['deceasedBoolean', 'gender', 'id', 'meta', 'resourceType'],
      ],
      [
        'Patient/changed/_history?_elements=Patient.gender',
        ['deceasedBoolean', 'gender', 'id', 'meta', 'resourceType'],
      ],
    ])('%s has a part of each version, and no resource for a deletion', async (query, expected) => {
      const { status, json } = await get(query);
      expect([status, json.total]).toEqual([200, 4]);
      expect(membersOf(json)).toEqual([undefined, expected, expected, expected]);
      const [, ...versions] = json.entry as { resource: Resource; response: { etag: string } }[];
      expect(versions.map(({ resource: { meta } }) => meta.tag?.map(({ code }) => code))).toEqual(
        Array.from({ length: 3 }, () => ['SUBSETTED']),
      );
      expect(versions.map(({ response }) => response.etag)).toEqual(['W/"3"', 'W/"2"', 'W/"1"']);
    });

    it.each(['Patient/changed/_history', 'Patient/_history', '_history'])(
      'pages of %s keep it in their links',
      async (address) => {
        const { json } = await get(`${address}?_count=2&_summary=data`);
        const links = json.link as { relation: string; url: string }[];
        expect(links.map(({ relation, url }) => [relation, url.includes('_summary=data')])).toEqual([
          ['self', true],
          ['next', true],
        ]);
        const next = await server.request('GET', links[1]?.url ?? '');
        expect(next.status).toBe(200);
        const parts = (next.json.entry as { resource: Resource }[]).map(({ resource }) => resource);
        expect(parts.map(({ text, meta }) => [text, meta.tag?.length])).toEqual(
          parts.map(() => [undefined, 1]),
        );
      },
    );

    it('that of all types takes elements that all types have, or Type.element', async () => {
      for (const elements of ['meta', 'Patient.gender,Observation.note']) {
        const { status, json } = await get(`_history?_count=1&_elements=${elements}`);
        expect([elements, status, json.type]).toEqual([elements, 200, 'history']);
      }
      const { status, json } = await get('_history?_elements=gender');
      expect([status, json.issue[0].diagnostics]).toEqual([
        400,
        expect.stringContaining("'gender' is not an element of all resource types") as string,
      ]);
    });

    it('also in a batch', async () => {
      const { json } = await server.request('POST', server.path('system', release), {
        resourceType: 'Bundle',
        type: 'batch',
        entry: [{ request: { method: 'GET', url: 'Patient/changed/_history?_elements=gender&_count=2' } }],
      });
      const bundle = json.entry[0].resource as { entry: { resource?: Resource }[] };
      expect(membersOf(bundle)).toEqual([
        undefined,
        ['deceasedBoolean', 'gender', 'id', 'meta', 'resourceType'],
      ]);
    });

    it.each(['_summary=some', '_summary=count', '_elements=nothing', '_elements=a&_elements=b'])(
      '%s is refused, also where there is nothing to show',
      async (query) => {
        const { status, json } = await get(`Patient/changed/_history?_since=2999&${query}`);
        expect(status).toBe(400);
        expect(json.issue[0].diagnostics).toContain(query.split('=')[0]);
      },
    );
  });
});
