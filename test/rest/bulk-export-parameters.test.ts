import { openSharedServer, type SharedServer } from '../support/shared-server';
import { ASYNC, exportData, idsOf, pathOf, readFiles, waitForExport } from '../support/bulk';

let server: SharedServer;
let root: string;

const put = async (resource: object): Promise<void> => {
  const { resourceType, id } = resource as { readonly resourceType: string; readonly id: string };
  const { status, text } = await server.request('PUT', `${root}/${resourceType}/${id}`, resource);
  if (status > 201) throw new Error(text);
};
const about = (id: string): object => ({ subject: { reference: `Patient/${id}` } });
const observation = (id: string, patient: string, code: string, status = 'final'): object => ({
  ...{ resourceType: 'Observation', id, status, code: { coding: [{ system: 'http://loinc.org', code }] } },
  ...about(patient),
});
const parameters = (...list: readonly object[]): object => ({ resourceType: 'Parameters', parameter: list });

beforeAll(async () => {
  server = await openSharedServer('open');
  root = server.path('system', 'r4');
  for (const id of ['ann', 'bob'])
    await put({ resourceType: 'Patient', id, name: [{ family: id }], gender: 'female' });
  await put(observation('a-weight', 'ann', '29463-7'));
  await put(observation('a-height', 'ann', '8302-2'));
  await put(observation('a-height-early', 'ann', '8302-2', 'preliminary'));
  await put(observation('b-weight', 'bob', '29463-7'));
  await put({ resourceType: 'Condition', id: 'a-pain', code: { text: 'pain' }, ...about('ann') });
  for (const id of ['p-old', 'p-new'])
    await put({
      ...{ resourceType: 'Provenance', id, recorded: '2026-01-01T00:00:00Z' },
      target: [{ reference: 'Observation/a-weight' }],
      agent: [{ who: { display: 'somebody' } }],
    });
  await put({
    ...{ resourceType: 'Provenance', id: 'p-other', recorded: '2026-01-01T00:00:00Z' },
    target: [{ reference: 'Basic/not-here' }],
    agent: [{ who: { display: 'somebody' } }],
  });
});
afterAll(() => server.close());

const refused = async (query: string, at = '$export'): Promise<string> => {
  const { status, json } = await server.request('GET', `${root}/${at}?${query}`, undefined, ASYNC);
  expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
  return json.issue[0].diagnostics;
};

describe('_type and _outputFormat', () => {
  it('limit the types, by a list, repeated, or in Parameters', async () => {
    for (const query of ['_type=Patient,Condition', '_type=Patient&_type=Condition']) {
      const { resources } = await exportData(server, `${root}/$export?${query}`);
      expect([...resources.keys()].sort()).toEqual(['Condition', 'Patient']);
    }
    const body = parameters(
      { name: '_type', valueString: 'Patient' },
      { name: '_type', valueString: 'Condition' },
      { name: '_outputFormat', valueString: 'application/fhir+ndjson' },
    );
    const { resources } = await exportData(server, `${root}/Patient/$export`, { body });
    expect([...resources.keys()].sort()).toEqual(['Condition', 'Patient']);
  });

  it('take the three names of the format', async () => {
    for (const format of ['application/fhir%2Bndjson', 'application/ndjson', 'ndjson']) {
      const { manifest } = await exportData(server, `${root}/$export?_type=Patient&_outputFormat=${format}`);
      expect(manifest.json).toMatchObject({
        outputFormat: 'application/fhir+ndjson',
        output: [{ type: 'Patient', count: 2 }],
      });
    }
  });
});

describe('refusals', () => {
  it('name what is wrong', async () => {
    expect(await refused('_type=Patiant')).toMatch(/'Patiant', which is not a resource type.*Patient/);
    expect(await refused('_outputFormat=text/csv')).toContain('text/csv');
    expect(await refused('_since=yesterday')).toContain('needs a date, a time and a time zone');
    expect(await refused('_since=2026-01-01')).toContain('needs a date, a time and a time zone');
    expect(await refused('_typeFilter=Observation')).toContain('write Type?search');
    expect(await refused('_typeFilter=Observation%3F_sort=date')).toContain("'_sort' cannot be used");
    expect(await refused('_typeFilter=Observation%3Fcolour=red')).toContain(
      "'colour' is not a search parameter",
    );
    expect(await refused('_type=Patient&_typeFilter=Observation%3Fcode=1')).toContain('not among the types');
    expect(await refused('_elements=Patient.colour')).toContain('Patient.colour');
    expect(await refused('includeAssociatedData=Everything')).toContain('LatestProvenanceResources');
    const filters = (count: number): string =>
      Array.from({ length: count }, (_each, place) => `_typeFilter=Patient%3Fname=${place}`).join('&');
    expect(await refused(`${filters(100)}&_type=Patiant`)).toContain('Patiant');
    expect(await refused(filters(101))).toContain('more than 100 searches');
    expect(await refused('_type=Organization', 'Patient/$export')).toContain('None of the types');
    expect(await refused('patient=Patient/ann', 'Patient/$export')).toContain('by POST');
  });

  it('name what is not supported, unless the client is lenient: then a file tells it', async () => {
    for (const name of [
      'organizeOutputBy',
      'allowPartialManifests',
      '_minimumFileSize',
      '_maximumFileSize',
      'colour',
    ])
      expect(await refused(`${name}=1`)).toContain(`'${name}' is not supported`);
    const { manifest } = await exportData(server, `${root}/$export?_type=Patient&colour=red`, {
      headers: { prefer: 'respond-async, handling=lenient' },
    });
    const [error] = manifest.json.error;
    expect(error).toMatchObject({ type: 'OperationOutcome', count: 1 });
    const lines = (await readFiles(server, [error])).get('OperationOutcome');
    expect(lines?.[0]).toMatchObject({
      issue: [
        { severity: 'warning', code: 'not-supported', diagnostics: expect.stringContaining("'colour'") },
      ],
    });
  });

  it('say that an export is asynchronous, and that a Group is not there', async () => {
    const { status, json } = await server.request('GET', `${root}/$export`);
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('respond-async')]);
    const missing = await server.request('GET', `${root}/Group/nobody/$export`, undefined, ASYNC);
    expect(missing.status).toBe(404);
  });
});

describe('_typeFilter', () => {
  it('takes resources that meet one of the searches of their type', async () => {
    const filters = ['code=29463-7', 'status=preliminary'].map(
      (query) => `_typeFilter=Observation${encodeURIComponent(`?${query}`)}`,
    );
    const found = await exportData(server, `${root}/$export?_type=Patient,Observation&${filters.join('&')}`);
    expect(idsOf(found, 'Observation')).toEqual(['a-height-early', 'a-weight', 'b-weight']);
    expect(idsOf(found, 'Patient')).toEqual(['ann', 'bob']);
  });

  it('limits the records of Patients, also by a chain', async () => {
    const filter = encodeURIComponent('Observation?code=8302-2&subject:Patient.name=ann');
    const found = await exportData(server, `${root}/Patient/$export?_typeFilter=${filter}`);
    expect(idsOf(found, 'Observation')).toEqual(['a-height', 'a-height-early']);
    expect(idsOf(found, 'Condition')).toEqual(['a-pain']);
  });
});

describe('_elements', () => {
  it('leaves the named elements and mandatory ones, and tags the resources', async () => {
    const { resources } = await exportData(
      server,
      `${root}/$export?_type=Patient,Observation&_elements=id,Patient.gender`,
    );
    const [patient] = resources.get('Patient') ?? [];
    expect(Object.keys(patient).sort()).toEqual(['gender', 'id', 'meta', 'resourceType']);
    expect(patient.meta.tag).toMatchObject([{ code: 'SUBSETTED' }]);
    const [first] = resources.get('Observation') ?? [];
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['status', 'code']));
    expect(first.subject).toBeUndefined();
  });
});

describe('patient', () => {
  it('limits the export to some Patients', async () => {
    const body = parameters({ name: 'patient', valueReference: { reference: 'Patient/bob' } });
    const found = await exportData(server, `${root}/Patient/$export`, { body });
    expect(idsOf(found, 'Patient')).toEqual(['bob']);
    expect(idsOf(found, 'Observation')).toEqual(['b-weight']);
  });

  it('must name Patients that exist, and members of the Group', async () => {
    await put({
      ...{ resourceType: 'Group', id: 'only-ann', type: 'person', actual: true },
      member: [{ entity: { reference: 'Patient/ann' } }],
    });
    const send = async (at: string, id: string): Promise<string> => {
      const body = parameters({ name: 'patient', valueReference: { reference: `Patient/${id}` } });
      const { status, json } = await server.request('POST', `${root}/${at}/$export`, body, ASYNC);
      expect(status).toBe(400);
      return json.issue[0].diagnostics;
    };
    expect(await send('Patient', 'nobody')).toContain('Patient/nobody does not exist');
    expect(await send('Group/only-ann', 'bob')).toContain('Patient/bob is not a member');
  });
});

describe('includeAssociatedData', () => {
  it('has all Provenance of the records, or the latest of each resource', async () => {
    const all = await exportData(server, `${root}/Patient/$export`);
    expect(idsOf(all, 'Provenance')).toEqual(['p-new', 'p-old']);
    const relevant = await exportData(
      server,
      `${root}/Patient/$export?includeAssociatedData=RelevantProvenanceResources`,
    );
    expect(idsOf(relevant, 'Provenance')).toEqual(['p-new', 'p-old']);
    const body = parameters({
      name: 'includeAssociatedData',
      valueCoding: { code: 'LatestProvenanceResources' },
    });
    const latest = await exportData(server, `${root}/Patient/$export`, { body });
    expect(idsOf(latest, 'Provenance')).toEqual(['p-new']);
    const typed = await exportData(server, `${root}/Patient/$export?_type=Patient,Provenance`);
    expect(idsOf(typed, 'Provenance')).toEqual(['p-new', 'p-old']);
    expect(typed.resources.has('Observation')).toBe(false);
  });
});

describe('separate-export-status', () => {
  it('has the state in a header of its own', async () => {
    const accepted = await server.request('GET', `${root}/$export?_type=Patient`, undefined, {
      prefer: 'respond-async, separate-export-status',
    });
    expect(accepted.headers['preference-applied']).toBe('respond-async, separate-export-status');
    for (;;) {
      const { status, headers, json } = await waitForExport(server, pathOf(accepted));
      expect(status).toBe(200);
      expect(headers['x-export-status']).toMatch(/^20[02]$/);
      if (headers['x-export-status'] === '202') continue;
      expect(json.output).toMatchObject([{ type: 'Patient', count: 2 }]);
      return;
    }
  });
});
