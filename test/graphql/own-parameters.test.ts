/** Search parameters that a tenant has made are in the schema of that tenant, and in no other. */
import { gunzipSync } from 'node:zlib';
import { longestTurnMilliseconds } from '../support/processor-time';
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { startMeasuredServer, type MeasuredServer } from '../support/metrics';
import { createSender, gatewayPath } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: MeasuredServer;
beforeAll(async () => {
  server = await startMeasuredServer({ because: 'the test measures its processor time' });
  for (const name of ['north', 'south']) await server.app.core.tenants.create(name);
});
afterAll(() => server.close());

const URL = 'http://example.org/fhir/StructureDefinition/nickname';
const nickname = (id: string, code: string): object =>
  makeParameter(id, {
    code,
    base: ['Patient'],
    type: 'string',
    expression: `Patient.extension.where(url = '${URL}').value.ofType(string)`,
  });

describe.each(TESTED_RELEASES)('a search parameter of a tenant in %s', (release) => {
  const put = async (type: string, resource: object): Promise<void> => {
    const { id } = resource as { id: string };
    const { status, text } = await server.request(
      'PUT',
      `${server.path('north', release)}/${type}/${id}`,
      resource,
    );
    if (status !== 201) throw new Error(text);
  };
  beforeAll(async () => {
    for (const [id, value] of [
      ['ada', 'Café'],
      ['bob', 'Smith'],
    ] as const) {
      const extension = [{ url: URL, valueString: value }];
      await put('Patient', { resourceType: 'Patient', id, extension });
    }
    await put('SearchParameter', nickname('nick', 'nick-name'));
    // Arguments have these names already.
    await put('SearchParameter', nickname('other', 'where'));
    await put('SearchParameter', nickname('third', 'birth_date-x'));
    await put('SearchParameter', nickname('fourth', 'fhirpath'));
    // Every object of JavaScript has it.
    await put('SearchParameter', nickname('fifth', 'constructor'));
    await eventually(async () => {
      const path = `${server.path('north', release)}/Patient?nick-name=cafe&birth_date-x=cafe&where=cafe&fhirpath=cafe&constructor=cafe`;
      return (await server.request('GET', path)).status === 200;
    });
  });

  it('is an argument, a member of where and a chain, for that tenant alone', async () => {
    const query = `{
      argument: PatientList(nick_name: "cafe") { id }
      filter: PatientList(where: {nick_name: {startsWith: "smi"}, birth_date_x: {exact: "Smith"}, constructor: {exact: "Smith"}}) { id }
      chain: ObservationList(where: {subject: {Patient: {nick_name: {missing: true}}}}) { id }
      general: search(where: {Patient: {nick_name: {startsWith: "smi"}}}) { resources { id } }
    }`;
    const { status, found } = await createSender(server, 'north', release)(query);
    expect([status, found]).toEqual([
      200,
      {
        argument: [{ id: 'ada' }],
        filter: [{ id: 'bob' }],
        chain: [],
        general: { resources: [{ id: 'bob' }] },
      },
    ]);
    const south = await createSender(server, 'south', release)(query);
    expect([south.status, south.found]).toEqual([400, undefined]);
    const { found: still } = await createSender(
      server,
      'north',
      release,
    )(
      '{ PatientList(where: {_id: {eq: "bob"}}) { id } search(type: Patient, query: "where=cafe") { resources { id } } }',
    );
    expect(still).toEqual({ PatientList: [{ id: 'bob' }], search: { resources: [{ id: 'ada' }] } });
  });

  it('is in the file of the schema, for that tenant alone', async () => {
    const fields = async (tenant: string): Promise<string[]> => {
      const { text } = await server.request('GET', `${gatewayPath(tenant, release)}/schema.graphql`);
      const start = text.indexOf('input PatientWhere {');
      return [...text.slice(start, text.indexOf('}', start)).matchAll(/^ {2}(\w+):/gm)].map(
        ([, name = '']) => name,
      );
    };
    expect(await fields('north')).toEqual(expect.arrayContaining(['nick_name', 'birth_date_x', 'birthdate']));
    expect(await fields('south')).toContain('birthdate');
    expect(await fields('south')).not.toContain('nick_name');
  });

  it('does not include operations that a tenant defines: they cannot run, and are not in the schema', async () => {
    const definition = (id: string, kind: string): object => ({
      resourceType: 'OperationDefinition',
      id,
      name: 'Own',
      code: id,
      kind,
      status: 'active',
      resource: ['Patient'],
      system: true,
      type: true,
      instance: false,
    });
    await put('OperationDefinition', definition('own-operation', 'operation'));
    const send = createSender(server, 'north', release);
    const { found } = await send('{ operations { code } }');
    expect(found.operations.map(({ code }: { code: string }) => code)).not.toContain('own-operation');
    const { text } = await server.request('GET', `${gatewayPath('north', release)}/schema.graphql`);
    expect(text).not.toMatch(/own[-_]?operation/i);
    for (const type of ['', 'type: Patient, ']) {
      const { status, errors } = await send(`mutation { invoke(${type}code: "own-operation") { json } }`);
      expect([status, errors.map(({ extensions }) => extensions.code)]).toEqual([404, ['not-supported']]);
    }
  });
});

it('introspection of the schema of one tenant returns its parameters, and delays no others', async () => {
  const inThread = async (): Promise<number> => {
    const [, count] =
      /^andiron_introspections_total\{outcome="thread"\} (\d+)$/m.exec(await server.metrics()) ?? [];
    return Number(count ?? 0);
  };
  const before = await inThread();
  let bytes: Buffer = Buffer.alloc(0);
  const longest = await longestTurnMilliseconds(async () => {
    ({ bytes } = await server.request('GET', `${gatewayPath('north', 'r4')}/schema.json`, undefined, {
      'accept-encoding': 'gzip',
    }));
  });
  expect(await inThread()).toBe(before + 1);
  const { data } = JSON.parse(gunzipSync(bytes).toString()) as IntrospectionResult;
  const where = data.__schema.types.find(({ name }) => name === 'PatientWhere');
  expect(where?.inputFields.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['nick_name', 'birth_date_x', 'birthdate']),
  );
  // Worked out here it would take this thread more than a second.
  expect(longest).toBeLessThan(600);
});

interface IntrospectionResult {
  readonly data: {
    readonly __schema: {
      readonly types: readonly {
        readonly name: string;
        readonly inputFields: readonly { readonly name: string }[];
      }[];
    };
  };
}
