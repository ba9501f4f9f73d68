/** If-None-Exist as HAPI's, Firely's and other clients send it, in the header and in entries. */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('If-None-Exist of %s', (release) => {
  const root = (): string => server.path('system', release);
  const base = (): string => `${PUBLIC_ADDRESS}${root()}`;
  const patient = (value: string): object => ({
    resourceType: 'Patient',
    identifier: [{ system: 'urn:mrn', value }],
  });
  const bundle = (type: string, value: string, ifNoneExist: string): object => ({
    resourceType: 'Bundle',
    type,
    entry: [{ resource: patient(value), request: { method: 'POST', url: 'Patient', ifNoneExist } }],
  });
  const FORMS: readonly (readonly [string, string])[] = [
    ['the parameters alone', ''],
    ['a question mark before them', '?'],
    ['the type before them', 'Patient?'],
    ['our own address before them', 'BASE/Patient?'],
  ];
  const WAYS = ['header', 'batch', 'transaction'] as const;

  async function create(way: (typeof WAYS)[number], value: string, ifNoneExist: string): Promise<string> {
    const { status, json } =
      way === 'header'
        ? await server.request('POST', `${root()}/Patient`, patient(value), { 'if-none-exist': ifNoneExist })
        : await server.request('POST', root(), bundle(way, value, ifNoneExist));
    const response = json.entry?.[0]?.response;
    const { issue = response?.outcome?.issue } = json;
    return `${response?.status.slice(0, 3) ?? status} ${status < 300 && issue === undefined ? '' : JSON.stringify(issue)}`;
  }

  it.each(WAYS.flatMap((way) => FORMS.map(([form, prefix]) => [way, form, prefix] as const)))(
    'in a %s, with %s, creates once',
    async (way, form, prefix) => {
      const value = `${way} ${form}`;
      const criteria = `${prefix.replace('BASE', base())}identifier=${encodeURIComponent(`urn:mrn|${value}`)}`;
      expect(await create(way, value, criteria)).toMatch(/^201/);
      expect(await create(way, value, criteria)).toMatch(/^200/);
    },
  );

  it.each(
    WAYS.flatMap((way) =>
      ['Observation?', 'https://other.example/fhir/Patient?', 'Nothing?'].map(
        (prefix) => [way, prefix] as const,
      ),
    ),
  )('in a %s is refused with %s before the parameters, and nothing is stored', async (way, prefix) => {
    const value = `refused ${way} ${prefix}`;
    const criteria = `identifier=${encodeURIComponent(`urn:mrn|${value}`)}`;
    expect(await create(way, value, prefix + criteria)).toMatch(/^400 .*must search Patient/);
    const { json } = await server.request('GET', `${root()}/Patient?${criteria}&_summary=count`);
    expect(json.total).toBe(0);
  });

  it('may have a question mark in a value', async () => {
    const value = 'http://a.example/?b=c';
    const criteria = `identifier=urn:mrn|${value}`;
    expect(await create('header', value, criteria)).toMatch(/^201/);
    expect(await create('header', value, criteria)).toMatch(/^200/);
  });
});
