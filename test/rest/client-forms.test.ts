/**
 * Requests in the forms in which widely used clients send them: HAPI FHIR's and Firely's libraries (headers, media types,
 * `_format`, conditions), and Bundles as Synthea writes them.
 */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const MRN = 'http://hospital.example/mrn';
const patient = (value: string, more: object = {}): object => ({
  resourceType: 'Patient',
  identifier: [{ system: MRN, value }],
  name: [{ family: 'Chalmers', given: ['Peter'] }],
  ...more,
});

/** Headers that HAPI's client sends with each request. */
const HAPI = {
  'user-agent': 'HAPI-FHIR/7.2.0 (FHIR Client; FHIR 4.0.1/R4; apache)',
  'accept-charset': 'utf-8',
  accept: 'application/fhir+json;q=1.0, application/json+fhir;q=0.9',
};
const HAPI_BODY = { ...HAPI, 'content-type': 'application/fhir+json; charset=UTF-8' };

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const root = (): string => server.path('system', release);
  const base = (): string => `${PUBLIC_ADDRESS}${root()}`;
  const fhirVersion = release === 'r4' ? '4.0' : '4.3';
  /** Headers that Firely's client sends with each request. */
  const FIRELY = {
    'user-agent': '.NET FhirClient for FHIR 4.0.0.0',
    accept: `application/fhir+json; fhirVersion=${fhirVersion}`,
  };
  const FIRELY_BODY = {
    ...FIRELY,
    'content-type': `application/fhir+json; fhirVersion=${fhirVersion}; charset=utf-8`,
    prefer: 'return=representation',
  };
  const send = (
    method: string,
    rest: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) => server.request(method, `${root()}${rest}`, body, headers);
  const named = (name: string): string => `${release}-${name}`;

  it('HAPI: a conditional create whose header has the type, and again', async () => {
    const headers = {
      ...HAPI_BODY,
      'if-none-exist': `Patient?identifier=${MRN}%7C${named('hapi')}`,
      prefer: 'return=representation',
    };
    expect((await send('POST', '/Patient?_format=json', patient(named('hapi')), headers)).status).toBe(201);
    expect((await send('POST', '/Patient?_format=json', patient(named('hapi')), headers)).status).toBe(200);
  });

  it('HAPI: a conditional update, a search by POST, a patch and a conditional delete', async () => {
    const criteria = `identifier=${MRN}%7C${named('written')}`;
    expect((await send('PUT', `/Patient?${criteria}`, patient(named('written')), HAPI_BODY)).status).toBe(
      201,
    );
    const form = { ...HAPI, 'content-type': 'application/x-www-form-urlencoded' };
    const found = await send('POST', '/Patient/_search?_format=json', `${criteria}&_count=10`, form);
    expect(found.json.entry).toHaveLength(1);
    const patch = [{ op: 'replace', path: '/name/0/family', value: 'Windsor' }];
    const patchHeaders = { ...HAPI, 'content-type': 'application/json-patch+json; charset=UTF-8' };
    const patched = await send(
      'PATCH',
      `/Patient/${found.json.entry[0].resource.id}?_format=json`,
      patch,
      patchHeaders,
    );
    expect(patched.json.name[0].family).toBe('Windsor');
    expect((await send('DELETE', `/Patient?${criteria}`, undefined, HAPI)).status).toBe(200);
  });

  it('HAPI: a transaction with conditions, relative urls with a slash, and placeholders', async () => {
    const { status, json } = await send(
      'POST',
      '',
      {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [
          {
            fullUrl: 'urn:uuid:3bc44de3-069d-442d-829b-f3ef68cae371',
            resource: patient(named('together')),
            request: {
              method: 'POST',
              url: '/Patient',
              ifNoneExist: `Patient?identifier=${MRN}%7C${named('together')}`,
            },
          },
          {
            resource: {
              resourceType: 'Observation',
              status: 'final',
              code: { text: 'weight' },
              subject: { reference: 'urn:uuid:3bc44de3-069d-442d-829b-f3ef68cae371' },
            },
            request: { method: 'POST', url: 'Observation' },
          },
          {
            request: { method: 'GET', url: `/Patient?identifier=${MRN}%7C${named('together')}&_format=json` },
          },
        ],
      },
      HAPI_BODY,
    );
    expect([status, json.issue]).toEqual([200, undefined]);
    expect(json.entry[1].resource.subject.reference).toBe(`Patient/${json.entry[0].resource.id}`);
    expect(json.entry[2].resource.total).toBe(1);
  });

  it('Firely: create, conditional create, read if changed, update of a version and history', async () => {
    const created = await send('POST', '/Patient?_format=json', patient(named('firely')), FIRELY_BODY);
    expect(created.status).toBe(201);
    const { id } = created.json;
    const again = {
      ...FIRELY_BODY,
      'if-none-exist': `${base()}/Patient?identifier=${MRN}|${named('firely')}`,
    };
    const found = await send('POST', '/Patient', patient(named('firely')), again);
    expect([found.status, found.json.id]).toEqual([200, id]);
    const known = { ...FIRELY, 'if-none-match': 'W/"1"' };
    expect((await send('GET', `/Patient/${id}?_format=json`, undefined, known)).status).toBe(304);
    const changed = patient(named('firely'), { id, active: true });
    const guarded = { ...FIRELY_BODY, 'if-match': 'W/"1"' };
    expect((await send('PUT', `/Patient/${id}?_format=json`, changed, guarded)).status).toBe(200);
    expect((await send('PUT', `/Patient/${id}?_format=json`, changed, guarded)).status).toBe(412);
    const history = await send(
      'GET',
      `/Patient/${id}/_history?_format=json&_since=2020-01-01T00:00:00+01:00`,
      undefined,
      FIRELY,
    );
    expect(history.json.total).toBe(2);
  });

  it('Firely: a search by dates with the plus of a time zone as it is, and $validate with a resource', async () => {
    const { status } = await send(
      'GET',
      '/Patient?_lastUpdated=ge2020-01-01T00:00:00+01:00&_summary=count&_format=json',
      undefined,
      FIRELY,
    );
    expect(status).toBe(200);
    const parameters = {
      resourceType: 'Parameters',
      parameter: [{ name: 'resource', resource: patient('x') }],
    };
    const validated = await send('POST', '/Patient/$validate?_format=json', parameters, FIRELY_BODY);
    expect(validated.json.resourceType).toBe('OperationOutcome');
  });

  it('Synthea: organizations and practitioners once, then a patient that refers to them by criteria', async () => {
    const SYNTHEA = 'https://github.com/synthetichealth/synthea';
    const NPI = 'http://hl7.org/fhir/sid/us-npi';
    const organization = `${release === 'r4' ? 'd' : 'e'}692e283-0833-3201-8e55-4f868a9c0736`;
    const npi = release === 'r4' ? '9999902199' : '9999902198';
    const hospitals = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [
        {
          fullUrl: `urn:uuid:${organization}`,
          resource: {
            resourceType: 'Organization',
            identifier: [{ system: SYNTHEA, value: organization }],
            active: true,
            name: 'HALLMARK HEALTH SYSTEM',
          },
          request: {
            method: 'POST',
            url: 'Organization',
            ifNoneExist: `identifier=${SYNTHEA}|${organization}`,
          },
        },
        {
          fullUrl: 'urn:uuid:0000016d-3a85-4cca-0000-00000000aa50',
          resource: {
            resourceType: 'Practitioner',
            identifier: [{ system: NPI, value: npi }],
            active: true,
            name: [{ family: 'Kuhn96' }],
          },
          request: { method: 'POST', url: 'Practitioner', ifNoneExist: `identifier=${NPI}|${npi}` },
        },
      ],
    };
    for (const expected of ['201 Created', '200 OK']) {
      const { json } = await send('POST', '', hospitals);
      expect(json.entry.map(({ response }: { response: { status: string } }) => response.status)).toEqual([
        expected,
        expected,
      ]);
    }
    const person = 'urn:uuid:8e4d4f8e-2f0c-9d4a-3f6b-1b6c0d6e7a55';
    const { status, json } = await send('POST', '', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        {
          fullUrl: person,
          resource: { resourceType: 'Patient', name: [{ family: 'Abbott774' }] },
          request: { method: 'POST', url: 'Patient' },
        },
        {
          fullUrl: 'urn:uuid:8e4d4f8e-2f0c-9d4a-3f6b-1b6c0d6e7a56',
          resource: {
            resourceType: 'Encounter',
            status: 'finished',
            class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
            subject: { reference: person, display: 'Mr. Abbott774' },
            participant: [
              { individual: { reference: `Practitioner?identifier=${NPI}|${npi}`, display: 'Dr. Kuhn96' } },
            ],
            serviceProvider: {
              reference: `Organization?identifier=${SYNTHEA}|${organization}`,
              display: 'HALLMARK HEALTH SYSTEM',
            },
          },
          request: { method: 'POST', url: 'Encounter' },
        },
      ],
    });
    expect([status, json.issue]).toEqual([200, undefined]);
    const encounter = json.entry[1].resource;
    expect(encounter.subject.reference).toBe(`Patient/${json.entry[0].resource.id}`);
    expect(encounter.participant[0].individual.reference).toMatch(/^Practitioner\/[^?]+$/);
    expect(encounter.serviceProvider.reference).toMatch(/^Organization\/[^?]+$/);
  });
});
