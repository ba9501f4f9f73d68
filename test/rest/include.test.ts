/** `_include` and `_revinclude`: https://hl7.org/fhir/R4/search.html#include; docs/use/search-reference.md, Includes. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

interface Entry {
  readonly fullUrl: string;
  readonly resource: {
    readonly resourceType: string;
    readonly id: string;
    readonly meta: { versionId: string };
  };
  readonly search: { readonly mode: string };
}

const CODE = { text: 'x', coding: [{ system: 'urn:s', code: 'c' }] };
const RESOURCES: readonly { resourceType: string; id: string; [member: string]: unknown }[] = [
  { resourceType: 'Organization', id: 'root', name: 'Root' },
  { resourceType: 'Organization', id: 'ward', name: 'Ward', partOf: { reference: 'Organization/root' } },
  // A circle.
  { resourceType: 'Organization', id: 'a', name: 'A', partOf: { reference: 'Organization/b' } },
  { resourceType: 'Organization', id: 'b', name: 'B', partOf: { reference: 'Organization/a' } },
  { resourceType: 'Patient', id: 'p1', managingOrganization: { reference: 'Organization/ward' } },
  { resourceType: 'Patient', id: 'p2', managingOrganization: { reference: 'Organization/ward' } },
  {
    resourceType: 'Observation',
    id: 'o1',
    status: 'final',
    code: CODE,
    subject: { reference: 'Patient/p1' },
  },
  {
    resourceType: 'Observation',
    id: 'o2',
    status: 'final',
    code: CODE,
    subject: { reference: 'Patient/p1' },
  },
  {
    resourceType: 'Observation',
    id: 'o3',
    status: 'final',
    code: CODE,
    subject: { reference: 'Patient/p2/_history/1' },
    performer: [{ reference: 'Organization/root' }, { reference: 'Patient/gone' }],
  },
  { resourceType: 'Questionnaire', id: 'q', url: 'http://example.org/Questionnaire/q', status: 'active' },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'r',
    status: 'completed',
    questionnaire: 'http://example.org/Questionnaire/q',
  },
  {
    resourceType: 'Questionnaire',
    id: 'v',
    url: 'http://example.org/Questionnaire/v',
    version: '1.2.3',
    status: 'active',
  },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'named',
    status: 'completed',
    questionnaire: 'http://example.org/Questionnaire/v|1.2.3',
  },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'shortened',
    status: 'completed',
    questionnaire: 'http://example.org/Questionnaire/v|1',
  },
];

/** The second version of p2; a reference points to its first version. */
const SECOND_VERSION = {
  resourceType: 'Patient',
  id: 'p2',
  active: true,
  managingOrganization: { reference: 'Organization/ward' },
};

describe.each(TESTED_RELEASES)('includes under %s', (release) => {
  beforeAll(async () => {
    for (const resource of [...RESOURCES, SECOND_VERSION]) {
      const path = `${server.path('system', release)}/${resource.resourceType}/${resource.id}`;
      const { status, text } = await server.request('PUT', path, JSON.stringify(resource));
      if (status >= 300) throw new Error(`${path}: ${text}`);
    }
  });

  async function find(
    query: string,
    tenant = 'system',
  ): Promise<{ matches: string[]; included: string[]; json: Bundle }> {
    const { status, json } = await server.request('GET', `${server.path(tenant, release)}/${query}`);
    expect([query, status]).toEqual([query, 200]);
    const entries = ((json as Bundle).entry ?? []).filter(({ search }) => search.mode !== 'outcome');
    const names = (mode: string): string[] =>
      entries
        .filter(({ search }) => search.mode === mode)
        .map(({ resource }) => `${resource.resourceType}/${resource.id}`)
        .sort();
    return { matches: names('match'), included: names('include'), json: json as Bundle };
  }
  interface Bundle {
    readonly total?: number;
    readonly link: readonly { readonly relation: string; readonly url: string }[];
    readonly entry?: readonly Entry[];
  }

  it.each<[string, string[]]>([
    ['Observation?_id=o1,o2&_include=Observation:subject', ['Patient/p1']],
    ['Observation?_id=o1&_include=Observation:patient', ['Patient/p1']],
    ['Observation?_id=o3&_include=Observation:performer', ['Organization/root']],
    ['Observation?_id=o3&_include=Observation:performer:Patient', []],
    ['Observation?_id=o3&_include=*', ['Organization/root', 'Patient/p2']],
    ['Observation?_id=o3&_include=Observation:*', ['Organization/root', 'Patient/p2']],
    ['Observation?_id=o1&_include=Patient:organization', []],
    [
      'Observation?_id=o1&_include=Observation:subject&_include:iterate=Patient:organization',
      ['Organization/ward', 'Patient/p1'],
    ],
    [
      'Observation?_id=o1&_include=Observation:subject&_include:iterate=Patient:organization&_include:iterate=Organization:partof',
      ['Organization/root', 'Organization/ward', 'Patient/p1'],
    ],
    ['Organization?_id=a&_include:iterate=Organization:partof', ['Organization/b']],
    ['Patient?_id=p1&_revinclude=Observation:subject', ['Observation/o1', 'Observation/o2']],
    [
      'Patient?_id=p1,p2&_revinclude=Observation:patient',
      ['Observation/o1', 'Observation/o2', 'Observation/o3'],
    ],
    ['Patient?_id=p1&_revinclude=Observation:performer', []],
    [
      'Organization?_id=ward&_revinclude=Patient:organization&_revinclude:iterate=Observation:subject',
      ['Observation/o1', 'Observation/o2', 'Observation/o3', 'Patient/p1', 'Patient/p2'],
    ],
    ['Patient?_id=p1&_revinclude=*', ['Observation/o1', 'Observation/o2']],
    ['Organization?_id=ward&_revinclude=*', ['Patient/p1', 'Patient/p2']],
    [
      'Organization?_id=ward&_revinclude:iterate=*',
      ['Observation/o1', 'Observation/o2', 'Observation/o3', 'Patient/p1', 'Patient/p2'],
    ],
    ['Questionnaire?_id=q&_revinclude=*', ['QuestionnaireResponse/r']],
    ['QuestionnaireResponse?_id=r&_include=QuestionnaireResponse:questionnaire', ['Questionnaire/q']],
    ['Questionnaire?_id=q&_revinclude=QuestionnaireResponse:questionnaire', ['QuestionnaireResponse/r']],
    ['QuestionnaireResponse?_id=named&_include=QuestionnaireResponse:questionnaire', ['Questionnaire/v']],
    ['QuestionnaireResponse?_id=shortened&_include=QuestionnaireResponse:questionnaire', []],
    ['Questionnaire?_id=v&_revinclude=QuestionnaireResponse:questionnaire', ['QuestionnaireResponse/named']],
    ['Observation?_id=none&_include=Observation:subject', []],
  ])('%s brings %j', async (query, expected) => {
    const { included } = await find(query);
    expect(included).toEqual([...expected].sort());
  });

  it('an included resource is neither counted nor repeated', async () => {
    const { json, matches } = await find(
      'Observation?code=c&_include=Observation:subject&_total=accurate&_count=2',
    );
    expect(json.total).toBe(3);
    expect(matches).toHaveLength(2);
    const urls = (json.entry ?? []).map(({ fullUrl }) => fullUrl);
    expect(new Set(urls).size).toBe(urls.length);
  });

  it('each page includes the targets of its own matches, independent of other pages', async () => {
    const pages: Record<string, string[]> = {};
    let path: string | undefined = 'Observation?_sort=_id&_count=1&_include=Observation:subject';
    while (path !== undefined) {
      const { matches, included, json } = await find(path);
      pages[matches.join()] = included;
      const next = json.link.find(({ relation }) => relation === 'next');
      path = next === undefined ? undefined : `Observation${new URL(next.url).search}`;
    }
    expect(pages).toEqual({
      'Observation/o1': ['Patient/p1'],
      'Observation/o2': ['Patient/p1'],
      'Observation/o3': ['Patient/p2'],
    });
  });

  describe('in rounds', () => {
    const LEVELS = 12;
    const limit = expect.stringContaining('at most 1000 resources and 10 rounds');
    const outcomes = ({ entry = [] }: Bundle): unknown[] =>
      entry
        .filter(({ search }) => search.mode === 'outcome')
        .map(
          ({ resource }) =>
            (resource as unknown as { issue: { diagnostics: string }[] }).issue[0]?.diagnostics,
        );
    beforeAll(async () => {
      for (let level = 0; level < LEVELS; level++) {
        const partOf = level === 0 ? {} : { partOf: { reference: `Organization/level-${level - 1}` } };
        const path = `${server.path('system', release)}/Organization/level-${level}`;
        const body = { resourceType: 'Organization', id: `level-${level}`, name: 'Level', ...partOf };
        expect((await server.request('PUT', path, body)).status).toBe(201);
      }
    });

    it.each([
      ['_include:iterate=Organization:partof', (from: number) => LEVELS - 1 - from],
      ['_revinclude:iterate=Organization:partof', (from: number) => from],
    ])('%s goes ten rounds, with a warning where there would be more', async (include, levelOf) => {
      // From where ten further ones are all, and from where there are eleven.
      for (const [from, isAll] of [
        [1, true],
        [0, false],
      ] as const) {
        const { json, included } = await find(`Organization?_id=level-${levelOf(from)}&${include}`);
        expect(included).toHaveLength(10);
        expect([from, outcomes(json)]).toEqual([from, isAll ? [] : [limit]]);
      }
    });

    it('a page includes a thousand resources, with a warning where there would be more', async () => {
      const ids = Array.from({ length: 1_001 }, (_, index) => `many-${index}`);
      const entry = ids.map((id) => ({
        resource: { resourceType: 'Basic', id, code: CODE },
        request: { method: 'PUT', url: `Basic/${id}` },
      }));
      const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
      expect((await server.request('POST', server.path('system', release), bundle)).status).toBe(200);
      for (const count of [1_000, 1_001]) {
        const items = ids.slice(0, count).map((id) => ({ item: { reference: `Basic/${id}` } }));
        const list = { resourceType: 'List', id: 'many', status: 'current', mode: 'working', entry: items };
        const put = await server.request('PUT', `${server.path('system', release)}/List/many`, list);
        expect([200, 201]).toContain(put.status);
        const { json, included } = await find('List?_id=many&_include=List:item');
        expect(new Set(included).size).toBe(1_000);
        expect([count, outcomes(json)]).toEqual([count, count === 1_000 ? [] : [limit]]);
      }
    });
  });

  it('a reference to a version includes that version', async () => {
    const { json } = await find('Observation?_id=o3&_include=Observation:subject');
    const patient = json.entry?.find(({ search }) => search.mode === 'include');
    expect(patient?.resource.meta.versionId).toBe('1');
  });

  it("another tenant's resources are never included", async () => {
    const body = JSON.stringify({ ...RESOURCES[6], subject: { reference: 'Patient/p1' } });
    expect(
      (await server.request('PUT', `${server.path('other', release)}/Observation/o1`, body)).status,
    ).toBe(201);
    expect((await find('Observation?_include=Observation:subject', 'other')).included).toEqual([]);
    expect((await find('Patient?_id=p1&_revinclude=Observation:subject')).included).toEqual([
      'Observation/o1',
      'Observation/o2',
    ]);
  });

  it.each([
    ['Observation?_include=subject', 'Type:parameter'],
    ['Observation?_include=Nothing:subject', 'not a resource type'],
    ['Observation?_include=Observation:code', 'reference parameters of Observation'],
    ['Observation?_include:below=Observation:subject', 'modifier'],
  ])('%s is refused', async (query, words) => {
    const { status, json } = await server.request('GET', `${server.path('system', release)}/${query}`);
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain(words);
  });
});
