/** Observation/$lastn over HTTP: https://hl7.org/fhir/R4/observation-operation-lastn.html */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const LOINC = 'http://loinc.org';
const VITAL = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }],
};
const coded = (...codes: string[]) => ({
  coding: codes.map((code) => (code.startsWith('x') ? { system: 'urn:x', code } : { system: LOINC, code })),
});

const OBSERVATIONS: readonly (readonly [id: string, code: object, effective: object])[] = [
  ['pulse-1', coded('8867-4'), { effectiveDateTime: '2021-01-01T10:00:00Z' }],
  ['pulse-2', coded('8867-4'), { effectiveDateTime: '2021-01-02T10:00:00Z' }],
  ['pulse-3', coded('8867-4'), { effectiveDateTime: '2021-01-03T10:00:00Z' }],
  // At the same moment as the one before, in another zone.
  ['pulse-3b', coded('8867-4'), { effectiveDateTime: '2021-01-03T12:00:00+02:00' }],
  ['pulse-none', coded('8867-4'), {}],
  // One code under two names, joined by the one that has both.
  ['heat-1', coded('8310-5'), { effectiveDateTime: '2021-02-01' }],
  ['heat-2', coded('x-heat'), { effectivePeriod: { start: '2021-02-03', end: '2021-02-04' } }],
  ['heat-3', coded('8310-5', 'x-heat'), { effectiveDateTime: '2021-01-31' }],
  ['text-1', { text: 'Text' }, { effectiveDateTime: '2021-03-01' }],
  ['text-2', { text: 'textM' }, { effectiveDateTime: '2021-03-02' }],
  ['same-code', { coding: [{ system: 'urn:y', code: '8867-4' }] }, { effectiveDateTime: '2020-01-01' }],
];

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const get = (query: string) =>
    server.request('GET', `${server.path('system', release)}/Observation/$lastn?${query}`);

  beforeAll(async () => {
    const others = [['bobs', coded('8867-4'), { effectiveDateTime: '2022-01-01' }]] as const;
    for (const [id, code, effective] of [...OBSERVATIONS, ...others]) {
      const { status, text } = await server.request(
        'PUT',
        `${server.path('system', release)}/Observation/${id}`,
        {
          resourceType: 'Observation',
          id,
          status: id === 'pulse-2' ? 'amended' : 'final',
          category: [VITAL],
          code,
          subject: { reference: id === 'bobs' ? 'Patient/bob' : 'Patient/ann' },
          ...effective,
        },
      );
      if (status !== 201) throw new Error(text);
    }
  });

  async function invoke(query: string): Promise<string[]> {
    const { status, json, text } = await get(query);
    if (status !== 200) throw new Error(`${status} ${text}`);
    expect(json).toMatchObject({ resourceType: 'Bundle', type: 'searchset' });
    const ids = (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id);
    expect(json.total).toBe(ids.length);
    return ids;
  }

  it('the newest of each code comes, newest first, with those of the same moment', async () => {
    const ids = await invoke('patient=ann&category=vital-signs');
    expect(ids.slice(0, 3)).toEqual(['text-2', 'text-1', 'heat-2']);
    expect(ids.slice(3, 5).sort()).toEqual(['pulse-3', 'pulse-3b']);
    expect(ids.slice(5)).toEqual(['same-code']);
  });

  it('max is the number of each; a tie is not cut', async () => {
    expect((await invoke('subject=Patient/ann&code=8867-4&max=1')).sort()).toEqual([
      'pulse-3',
      'pulse-3b',
      'same-code',
    ]);
    const pulse = `patient=ann&code=${LOINC}|8867-4`;
    expect((await invoke(`${pulse}&max=2`)).sort()).toEqual(['pulse-3', 'pulse-3b']);
    expect((await invoke(`${pulse}&max=3`)).slice(2)).toEqual(['pulse-2']);
    expect((await invoke(`${pulse}&max=9`)).slice(2)).toEqual(['pulse-2', 'pulse-1', 'pulse-none']);
    expect(await invoke('patient=ann&code=8310-5,x-heat&max=2')).toEqual(['heat-2', 'heat-1']);
  });

  it('other search parameters narrow it, also with max in a body', async () => {
    expect(await invoke(`patient=ann&code=${LOINC}|8867-4&status=amended`)).toEqual(['pulse-2']);
    expect(await invoke(`patient=ann&code=${LOINC}|8867-4&date=lt2021-01-02`)).toEqual(['pulse-1']);
    expect(await invoke('patient=nobody&category=vital-signs')).toEqual([]);
    const path = `${server.path('system', release)}/Observation/$lastn?patient=ann&code=${encodeURIComponent(`${LOINC}|8867-4`)}`;
    const parameter = [{ name: 'max', valuePositiveInt: 3 }];
    const { status, json } = await server.request('POST', path, { resourceType: 'Parameters', parameter });
    expect([status, json.total]).toEqual([200, 3]);
    expect(json.link[0].url).toContain('/Observation/$lastn?patient=ann&code=');
  });

  it.each([
    ['category=vital-signs', "needs one of 'patient' and 'subject'"],
    ['patient=ann', "needs 'category' or a parameter for a code"],
    ['patient=ann&code=x&max=0', "'max' is wrong"],
    ['patient=ann&code=x&_sort=date', "'_sort' is not allowed for $lastn"],
    ['patient=ann&code=x&_include=*', "'_include' is not allowed for $lastn"],
    ['patient=ann&code=x&nobody=1', "'nobody' is not a search parameter"],
    ['patient=ann&code=x&_cursor=AAAA', 'The page cursor does not belong to this search'],
  ])('%s is 400', async (query, message) => {
    const { status, json } = await get(query);
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain(message);
  });
});
