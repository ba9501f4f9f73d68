import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const FHIR_VERSIONS = { r4: '4.0.1', r4b: '4.3.0' } as const;
const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender';

describe.each(TESTED_RELEASES)('the capabilities of the server in %s', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'system', release);
  });

  it('is listed by the CapabilityStatement and the version of the specification', async () => {
    const { found } = await send('{ metadata { fhirVersion resourceTypes json } }');
    expect(found.metadata.fhirVersion).toBe(FHIR_VERSIONS[release]);
    expect(found.metadata.resourceTypes).toContain('Patient');
    expect(found.metadata.json).toMatchObject({
      resourceType: 'CapabilityStatement',
      fhirVersion: FHIR_VERSIONS[release],
    });
  });

  it('lists operations, of a level and of a type', async () => {
    const { found } = await send(`{
      all: operations { code definition levels types affectsState }
      instance: operations(level: INSTANCE) { code }
      valueSet: operations(type: ValueSet) { code }
      patient: operations(type: Patient) { code }
    }`);
    const codes = (list: { code: string }[]): string[] => list.map(({ code }) => code);
    expect(found.all).toContainEqual({
      code: 'expand',
      definition: 'http://hl7.org/fhir/OperationDefinition/ValueSet-expand',
      levels: expect.arrayContaining(['TYPE', 'INSTANCE']),
      types: ['ValueSet'],
      affectsState: false,
    });
    expect(codes(found.instance)).toContain('meta');
    expect(codes(found.valueSet)).toEqual(expect.arrayContaining(['expand', 'meta']));
    expect(codes(found.patient)).toContain('meta');
    expect(codes(found.patient)).not.toContain('expand');
  });

  it('validates a resource, sent as it is or in Parameters, and refuses input that is not FHIR', async () => {
    const patient = { resourceType: 'Patient', name: [{ family: ['Chalmers'] }], birthDate: '1974-02-30' };
    const invoke = (code: string, parameters: object, type = 'Patient') =>
      send(
        `mutation ($parameters: ParametersInput) {
          invoke(code: "${code}", type: ${type}, parameters: $parameters) { resource { resourceType } json }
        }`,
        { parameters },
      );
    const wrapped = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: patient }] };
    for (const parameters of [patient, wrapped]) {
      const { found } = await invoke('validate', parameters);
      expect(found.invoke.resource.resourceType).toBe('OperationOutcome');
      const issues: { severity: string; expression: string[] }[] = found.invoke.json.issue;
      const places = issues
        .filter(({ severity }) => severity === 'error')
        .map(({ expression }) => expression);
      expect(places.sort()).toEqual([['Patient.birthDate'], ['Patient.name[0].family']]);
    }
    const faulty = { resourceType: 'ValueSet', status: 'active', nothing: 1 };
    const refused = await invoke('expand', faulty, 'ValueSet');
    expect(refused.errors[0]?.extensions.resource.issue[0]?.['expression']).toEqual(['ValueSet.nothing']);
  });

  it('runs an operation with names and simple values', async () => {
    const { status, found } =
      await send(`mutation { invoke(code: "expand", type: ValueSet, parameters: {url: "${GENDER}", count: 2}) {
      resource { resourceType } json
    } }`);
    expect(status).toBe(200);
    expect(found.invoke.resource.resourceType).toBe('ValueSet');
    expect(found.invoke.json.expansion.contains).toHaveLength(2);
  });

  it('runs an operation with a Parameters resource, on a resource too', async () => {
    const parameters = {
      resourceType: 'Parameters',
      parameter: [
        { name: 'code', valueCode: 'male' },
        { name: 'url', valueUri: GENDER },
      ],
    };
    const { found } = await send(
      `mutation($parameters: ParametersInput) {
        check: invoke(code: "validate-code", type: ValueSet, level: TYPE, parameters: $parameters) { json }
        meta: invoke(code: "meta", type: ValueSet, id: "administrative-gender") { json }
      }`,
      {
        parameters: {
          ...parameters,
          parameter: [
            ...parameters.parameter,
            { name: 'system', valueUri: 'http://hl7.org/fhir/administrative-gender' },
          ],
        },
      },
    );
    expect(found.check.json.parameter).toContainEqual({ name: 'result', valueBoolean: true });
    expect(found.meta.json.resourceType).toBe('Parameters');
  });

  it('runs operations of types with an argument for each parameter, also where one is named id', async () => {
    const system = {
      ...{ resourceType: 'NamingSystem', id: 'cards', name: 'cards', status: 'active', kind: 'identifier' },
      date: '2026',
      uniqueId: [
        { type: 'uri', value: 'http://cards.example' },
        { type: 'oid', value: '1.2.3' },
      ],
    };
    const path = `${server.path('system', release)}/NamingSystem/cards`;
    expect((await server.request('PUT', path, system)).status).toBe(201);
    const coding = { system: 'http://hl7.org/fhir/administrative-gender', code: 'male' };
    const validation = [coding, { ...coding, code: 'none' }].map((valueCoding) => ({
      resourceType: 'Parameters',
      parameter: [{ name: 'coding', valueCoding }],
    }));
    const { found } = await send(
      `query ($validation: [ResourceInput!], $property: [JSON!]) {
        CapabilityStatementVersions { parameter(name: "default") { valueCode } }
        NamingSystemPreferredId(id: "http://cards.example", type: "oid") { parameter { valueString } }
        ValueSetBatchValidateCode(url: "${GENDER}", validation: $validation) { json }
        CodeSystemFindMatches(system: "${coding.system}", exact: true, property: $property) { json }
      }`,
      { validation, property: [{ code: 'display', value: 'Male' }] },
    );
    expect(found.CapabilityStatementVersions.parameter).toEqual([
      { valueCode: FHIR_VERSIONS[release].slice(0, 3) },
    ]);
    expect(found.NamingSystemPreferredId.parameter).toEqual([{ valueString: '1.2.3' }]);
    const results = found.ValueSetBatchValidateCode.json.parameter.map(
      ({ resource }: { resource: { parameter: { valueBoolean?: boolean }[] } }) =>
        resource.parameter[0]?.valueBoolean,
    );
    expect(results).toEqual([true, false]);
    expect(JSON.stringify(found.CodeSystemFindMatches.json)).toContain('"code":"male"');
    const coded = await send(
      `query ($property: [JSON!]) {
        CodeSystemFindMatches(system: "${coding.system}", exact: true, property: $property) { json }
      }`,
      { property: [{ code: 'display', value: coding }] },
    );
    expect(coded.errors[0]?.message).toContain('use invoke with Parameters');
  });

  it('answers with the errors of REST', async () => {
    const unknown = await send('mutation { invoke(code: "nonsense") { json } }');
    expect([unknown.status, unknown.errors[0]?.extensions.code]).toEqual([404, 'not-supported']);
    const wrongLevel = await send('mutation { invoke(code: "expand") { json } }');
    expect(wrongLevel.status).toBe(400);
    const nested = await send(
      'mutation { invoke(code: "expand", type: ValueSet, parameters: {url: {deep: 1}}) { json } }',
    );
    expect(nested.status).toBe(400);
  });
});
