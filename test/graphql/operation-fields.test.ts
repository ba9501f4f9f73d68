/** Operations as fields, typed by their OperationDefinitions. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, putExample, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('north');
  await server.createTenant('values');
  for (const release of TESTED_RELEASES) await putExample(server, 'system', release, 'Patient-example');
});
afterAll(() => server.close());

const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender';

describe.each(TESTED_RELEASES)('operations of %s', (release) => {
  let send: SendQuery;
  const data = async (
    query: string,
    variables: object = {},
  ): Promise<Awaited<ReturnType<SendQuery>>['found']> => {
    const { status, errors, found } = await send(query, variables);
    expect([status, errors]).toEqual([200, []]);
    return found;
  };
  beforeAll(() => {
    send = createSender(server, 'system', release);
  });

  it('answer with the resource that they return, of its own type', async () => {
    const found = await data(`{
      ValueSetExpand(url: "${GENDER}", count: 2) { resourceType url expansion { total contains { code display } } }
      byId: ValueSetExpand(id: "administrative-gender", filter: "fem") { expansion { contains { code } } }
    }`);
    expect(found.ValueSetExpand).toMatchObject({ resourceType: 'ValueSet', url: GENDER });
    expect(found.ValueSetExpand.expansion.contains).toHaveLength(2);
    expect(found.byId.expansion.contains).toEqual([{ code: 'female' }]);
  });

  it('have a cost before they run', async () => {
    const expand = `ValueSetExpand(url: "${GENDER}") { id }`;
    const costOf = async (query: string): Promise<unknown> =>
      (await send(query, {}, { 'x-graphql-cost': '1' })).json.extensions.cost.cost;
    expect([await costOf(`{ ${expand} }`), await costOf(`{ a: ${expand} b: ${expand} }`)]).toEqual([
      101, 202,
    ]);
  });

  it('answer with the last values of each code of a patient', async () => {
    const observation = (id: string, code: string, value: number, date: string) => ({
      ...{ resourceType: 'Observation', id, status: 'final', effectiveDateTime: date },
      category: [
        {
          coding: [
            { system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' },
          ],
        },
      ],
      code: { coding: [{ system: 'http://loinc.org', code }] },
      subject: { reference: 'Patient/example' },
      valueQuantity: { value, unit: 'kg' },
    });
    for (const each of [
      observation('kg-1', '29463-7', 70, '2020-01-01'),
      observation('kg-2', '29463-7', 71, '2021-01-01'),
      observation('kg-3', '29463-7', 72, '2022-01-01'),
      observation('cm-1', '8302-2', 180, '2020-01-01'),
    ])
      await server.request('PUT', `${server.path('values', release)}/Observation/${each.id}`, each);
    const { found, errors } = await createSender(
      server,
      'values',
      release,
    )(`{
      last: ObservationLastn(patient: "example", category: "vital-signs") { entry { resource { id } } }
      weights: ObservationLastn(patient: "example", code: "http://loinc.org|29463-7", max: 2) {
        entry { resource { ... on Observation { valueQuantity { value } } } }
      }
    }`);
    expect(errors).toEqual([]);
    const idsOf = ({ entry }: { entry: { resource: { id: string } }[] }) =>
      entry.map(({ resource }) => resource.id);
    expect(idsOf(found.last).sort()).toEqual(['cm-1', 'kg-3']);
    expect(found.weights.entry).toEqual([
      { resource: { valueQuantity: { value: 72 } } },
      { resource: { valueQuantity: { value: 71 } } },
    ]);
  });

  it('answer with Parameters where they return several or values', async () => {
    const found = await data(`{
      ValueSetValidateCode(url: "${GENDER}", system: "http://hl7.org/fhir/administrative-gender", code: "male") {
        parameter(name: "result") { valueBoolean }
      }
      CodeSystemLookup(system: "http://hl7.org/fhir/administrative-gender", code: "female") {
        parameter(name: "display") { valueString }
      }
      AnyMeta(type: "Patient", id: "example") { parameter { name valueMeta { versionId } } }
    }`);
    expect(found).toEqual({
      ValueSetValidateCode: { parameter: [{ valueBoolean: true }] },
      CodeSystemLookup: { parameter: [{ valueString: 'Female' }] },
      AnyMeta: { parameter: [{ name: 'return', valueMeta: { versionId: '1' } }] },
    });
  });

  it('take data types and resources as JSON, literals and variables alike', async () => {
    const coding = { system: 'http://hl7.org/fhir/administrative-gender', code: 'other' };
    const patient = { resourceType: 'Patient', birthDate: '1974-02-30' };
    const found = await data(
      `query ($coding: JSON, $patient: ResourceInput) {
        variable: CodeSystemLookup(coding: $coding) { parameter(name: "display") { valueString } }
        literal: CodeSystemLookup(coding: {system: "${coding.system}", code: "male"}) { parameter(name: "display") { valueString } }
        AnyValidate(type: "Patient", resource: $patient) { issue(severity: error) { expression } }
      }`,
      { coding, patient },
    );
    expect(found.variable.parameter).toEqual([{ valueString: 'Other' }]);
    expect(found.literal.parameter).toEqual([{ valueString: 'Male' }]);
    expect(found.AnyValidate.issue).toEqual([{ expression: ['Patient.birthDate'] }]);
  });

  it('answer page by page', async () => {
    const page = `entry { resource { resourceType id } search { mode } } link(relation: "next") { url }`;
    const { PatientEverything } = await data(`{ PatientEverything(id: "example") { type ${page} } }`);
    expect(PatientEverything).toMatchObject({
      type: 'searchset',
      entry: [{ resource: { resourceType: 'Patient', id: 'example' }, search: { mode: 'match' } }],
    });
    const wrong = await send('{ PatientEverything(id: "example", _cursor: "nonsense") { id } }');
    expect([wrong.status, wrong.errors[0]?.extensions.code]).toEqual([400, 'value']);
  });

  it('that change something are mutations', async () => {
    const change = `mutation ($meta: JSON) {
      AnyMetaAdd(type: "Patient", id: "example", meta: $meta) { parameter { valueMeta { tag { code } } } }
    }`;
    const meta = { tag: [{ system: 'urn:tags', code: 'seen' }] };
    const found = await data(change, { meta });
    expect(found.AnyMetaAdd.parameter[0].valueMeta.tag).toContainEqual({ code: 'seen' });
    const asQuery = await send(change.replace('mutation', 'query'), { meta });
    expect([asQuery.status, asQuery.found]).toEqual([400, undefined]);
  });

  it('are of one tenant', async () => {
    const north = createSender(server, 'north', release);
    const { status, errors } = await north('{ AnyMeta(type: "Patient", id: "example") { id } }');
    expect([status, errors[0]?.extensions.code]).toEqual([404, 'not-found']);
  });

  it('are refused as invoke refuses them', async () => {
    const refusal = async (query: string): Promise<unknown[]> => {
      const { status, errors } = await send(query);
      return [status, errors[0]?.extensions.code];
    };
    expect(await refusal('{ ValueSetExpand(nothing: 1) { id } }')).toEqual([400, 'invalid']);
    expect(await refusal('{ ValueSetExpand(url: "http://nowhere.example/vs") { id } }')).toEqual([
      404,
      'not-found',
    ]);
    expect(await refusal('{ AnyMeta(id: "example") { id } }')).toEqual([400, 'value']);
    expect(await refusal('{ CodeSystemLookup(coding: {nothing: 1}) { id } }')).toEqual([400, 'structure']);
  });
});
