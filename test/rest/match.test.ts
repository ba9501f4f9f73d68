/** Patient/$match over HTTP: https://hl7.org/fhir/R4/patient-operation-match.html */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const SYSTEM = 'http://hospital.example/mrn';
const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade';

const patients = [
  { id: 'ana', identifier: [{ system: SYSTEM, value: 'a|1' }], name: [{ family: 'Martín', given: ['Ana'] }], gender: 'female', birthDate: '1984-02-28', telecom: [{ system: 'email', value: 'ana@example.org' }] },
  { id: 'anna', name: [{ family: 'Martin', given: ['Anna'] }], gender: 'female', birthDate: '1984-02-28' },
  { id: 'twin', name: [{ family: 'Martín', given: ['Eva'] }], gender: 'female', birthDate: '1984-02-28' },
  { id: 'otto', name: [{ family: 'Schmidt', given: ['Otto'] }], gender: 'male', birthDate: '1951-11-03' },
  ...[1, 2].map((number) => ({ id: `double-${number}`, identifier: [{ system: SYSTEM, value: 'both' }], name: [{ family: 'Doble' }] })),
]; // prettier-ignore

interface Entry {
  readonly resource: { readonly id: string };
  readonly search: { readonly mode: string; readonly score?: number; readonly extension?: readonly object[] };
}

describe.each(TESTED_RELEASES)('Patient/$match of %s', (release) => {
  const root = (tenant = 'system') => server.path(tenant, release);
  const match = (body: object, tenant?: string) =>
    server.request('POST', `${root(tenant)}/Patient/$match`, body);
  const parameters = (resource: object, ...more: object[]) => ({
    resourceType: 'Parameters',
    parameter: [{ name: 'resource', resource: { resourceType: 'Patient', ...resource } }, ...more],
  });
  const found = (entry: readonly Entry[] = []) =>
    entry.filter(({ search }) => search.mode === 'match').map(({ resource }) => resource.id);

  beforeAll(async () => {
    for (const patient of patients) {
      const body = { resourceType: 'Patient', ...patient };
      expect((await server.request('PUT', `${root()}/Patient/${patient.id}`, body)).status).toBe(201);
    }
  });

  it('grades the candidates, the most likely first', async () => {
    const candidate = {
      name: [{ family: 'martin', given: ['ana'] }],
      birthDate: '1984-02-28',
      gender: 'female',
    };
    const { status, json } = await match(parameters(candidate));
    expect([status, json.type, json.issue]).toEqual([200, 'searchset', undefined]);
    expect(found(json.entry)).toEqual(['ana', 'anna', 'twin'].slice(0, json.total));
    const scores = json.entry.map(({ search }: Entry) => search.score ?? 0);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(json.entry[0]).toMatchObject({
      fullUrl: `${server.root('system', release)}/Patient/ana`,
      search: { mode: 'match', extension: [{ url: GRADE, valueCode: 'probable' }] },
    });
    expect(scores[0]).toBeGreaterThan(scores[1]);
  });

  it('accepts the bare Patient, finds by an identifier with separators in it, and by an e-mail address', async () => {
    const identifier = [{ system: SYSTEM, value: 'a|1' }];
    const byNumber = await match({ resourceType: 'Patient', identifier });
    expect([found(byNumber.json.entry), byNumber.json.entry[0].search.extension[0].valueCode]).toEqual([
      ['ana'],
      'certain',
    ]);
    const byMail = await match(
      parameters({
        telecom: [{ system: 'email', value: 'ANA@example.org' }],
        name: [{ given: ['Ana'] }],
        gender: 'female',
      }),
    );
    expect(found(byMail.json.entry)).toContain('ana');
  });

  it('finds a record although its birth date or its family name was written wrong', async () => {
    const given = ['Otto'];
    const wrongDay = await match(
      parameters({ name: [{ family: 'Schmidt', given }], birthDate: '1951-03-11' }),
    );
    expect(found(wrongDay.json.entry)).toEqual(['otto']);
    const wrongName = await match(
      parameters({ name: [{ family: 'Schmitd', given }], birthDate: '1951-11-03' }),
    );
    expect(found(wrongName.json.entry)).toEqual(['otto']);
  });

  it('onlyCertainMatches gives the one that is certain, and nothing where two are', async () => {
    const only = { name: 'onlyCertainMatches', valueBoolean: true };
    const one = await match(parameters({ identifier: [{ system: SYSTEM, value: 'a|1' }] }, only));
    expect(found(one.json.entry)).toEqual(['ana']);
    const double = { identifier: [{ system: SYSTEM, value: 'both' }], name: [{ family: 'Doble' }] };
    expect(found((await match(parameters(double))).json.entry)).toEqual(['double-1', 'double-2']);
    const none = await match(parameters(double, only));
    expect([none.status, none.json.total, found(none.json.entry)]).toEqual([200, 0, []]);
    expect(none.json.entry[0].search.mode).toBe('outcome');
  });

  it('count limits the answer, and total is the number of all matches', async () => {
    const double = { identifier: [{ system: SYSTEM, value: 'both' }] };
    const { json } = await match(parameters(double, { name: 'count', valueInteger: 1 }));
    expect([json.total, found(json.entry)]).toEqual([2, ['double-1']]);
  });

  it('no match is an empty Bundle, in another tenant too', async () => {
    const noMatch = await match(parameters({ name: [{ family: 'Unheard', given: ['Of'] }] }));
    expect([noMatch.status, noMatch.json.total, noMatch.json.entry]).toEqual([200, 0, undefined]);
    const elsewhere = await match(parameters({ identifier: [{ system: SYSTEM, value: 'a|1' }] }), 'other');
    expect(elsewhere.json.total).toBe(0);
  });

  it.each<[string, object]>([
    ['nothing to find it by', { resourceType: 'Patient', gender: 'male' }],
    ['a resource of another type', { resourceType: 'Practitioner', name: [{ family: 'Martin' }] }],
    ['a member that FHIR does not have', { resourceType: 'Patient', nmae: 'x' }],
  ])('%s is refused: 400', async (_what, resource) => {
    const { status, json } = await match({
      resourceType: 'Parameters',
      parameter: [{ name: 'resource', resource }],
    });
    expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
  });

  it('a count of none is refused, and so is the operation on one patient', async () => {
    const candidate = parameters({ birthDate: '1984-02-28' }, { name: 'count', valueInteger: 0 });
    expect((await match(candidate)).status).toBe(400);
    const one = await server.request(
      'POST',
      `${root()}/Patient/ana/$match`,
      parameters({ gender: 'female' }),
    );
    expect(one.status).toBe(400);
  });
});
