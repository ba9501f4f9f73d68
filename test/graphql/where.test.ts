/** Lists by the typed argument `where`; the grammar as a whole is compared with REST in test/properties/graphql-where.long.ts. */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('structure');
  await server.createTenant('north');
});
afterAll(() => server.close());

const PATIENTS = [
  {
    id: 'ann',
    gender: 'female',
    birthDate: '1970-05-17',
    name: [{ family: 'Abel', given: ['Ann, the first'] }],
  },
  { id: 'bob', gender: 'male', birthDate: '1980', name: [{ family: 'Abel' }], active: true },
  { id: 'cid', gender: 'male', birthDate: '1990-01', identifier: [{ system: 'urn:a', value: 'x|1' }] },
];
const observation = (id: string, patient: string, code: string, value: number, date: string): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code }] },
  subject: { reference: `Patient/${patient}` },
  valueQuantity: { value, unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' },
  effectiveDateTime: date,
});
const OBSERVATIONS = [
  observation('a1', 'ann', 'x', 5.4, '2020'),
  observation('a2', 'ann', 'y', 1, '2021'),
  observation('b1', 'bob', 'x', 20, '2021-06-01T12:00:00Z'),
];

describe.each(TESTED_RELEASES)('where, in %s', (release) => {
  let send: SendQuery;
  const ids = async (type: string, where: string): Promise<string[]> => {
    const { found, errors } = await send(`{ list: ${type}List(where: ${where}) { id } }`);
    expect(errors).toEqual([]);
    return found.list.map(({ id }: { id: string }) => id).sort();
  };

  beforeAll(async () => {
    send = createSender(server, 'system', release);
    const resources = [...PATIENTS.map((one) => ({ resourceType: 'Patient', ...one })), ...OBSERVATIONS];
    for (const resource of resources as { resourceType: string; id: string }[]) {
      const { resourceType, id } = resource;
      await server.request('PUT', `${server.path('system', release)}/${resourceType}/${id}`, resource);
    }
    const other = `${server.path('north', release)}/Patient/ann`;
    await server.request('PUT', other, { resourceType: 'Patient', ...PATIENTS[0] });
  });

  it.each([
    ['all members are met', 'Patient', '{gender: {eq: male}, family: {startsWith: "ab"}}', ['bob']],
    ['values of a member are alternatives', 'Patient', '{_id: {eq: ["ann", "cid"]}}', ['ann', 'cid']],
    ['filters of one parameter are all met', 'Patient', '{birthdate: [{ge: "1975"}, {lt: "1985"}]}', ['bob']],
    ['members of one filter are all met', 'Patient', '{birthdate: {ge: "1975", lt: "1985"}}', ['bob']],
    [
      'alternatives of several parameters',
      'Patient',
      '{or: [{gender: {eq: female}}, {active: {eq: true}}]}',
      ['ann', 'bob'],
    ],
    [
      'and, or and not nest',
      'Patient',
      '{not: {or: [{gender: {eq: female}}, {birthdate: {ge: "1985"}}]}}',
      ['bob'],
    ],
    ['modifiers are members', 'Patient', '{gender: {not: male}}', ['ann']],
    ['what has no value is missing', 'Patient', '{active: {missing: true}}', ['ann', 'cid']],
    ['commas and bars of a text are text', 'Patient', '{given: {exact: "Ann, the first"}}', ['ann']],
    ['commas of a text are no alternatives', 'Patient', '{given: {startsWith: "zzz,ann"}}', []],
    [
      'bars of a token are written with a backslash',
      'Patient',
      '{identifier: {eq: "urn:a|x\\\\|1"}}',
      ['cid'],
    ],
    ['no values are met by nothing', 'Patient', '{family: {exact: []}}', []],
    ['none of no values is met by all', 'Patient', '{gender: {not: []}}', ['ann', 'bob', 'cid']],
    ['an empty where is met by all', 'Patient', '{}', ['ann', 'bob', 'cid']],
    ['quantities keep their digits', 'Observation', '{value_quantity: {eq: "5.4||mg"}}', ['a1']],
    [
      'quantities have prefixes',
      'Observation',
      '{value_quantity: {gt: "5.4|http://unitsofmeasure.org|mg"}}',
      ['b1'],
    ],
    ['composites', 'Observation', '{code_value_quantity: {eq: "http://loinc.org|x$gt10"}}', ['b1']],
    ['references', 'Observation', '{subject: {eq: "Patient/bob"}}', ['b1']],
    [
      'what is referred to meets all of it',
      'Observation',
      '{subject: {Patient: {family: {exact: "Abel"}, gender: {eq: male}}}}',
      ['b1'],
    ],
    [
      'what refers to it meets all of it',
      'Patient',
      '{_has: {Observation: {subject: {code: {eq: x}, date: {eq: "2021"}}}}}',
      ['bob'],
    ],
    [
      'two that refer to it meet one each',
      'Patient',
      '{_has: [{Observation: {subject: {code: {eq: x}}}}, {Observation: {subject: {code: {eq: y}}}}]}',
      ['ann'],
    ],
    ['nothing refers to it', 'Patient', '{not: {_has: {Observation: {subject: {}}}}}', ['cid']],
    ['a filter expression', 'Patient', '{_filter: "gender eq female or birthdate ge 1985"}', ['ann', 'cid']],
  ])('%s', async (_title, type, where, found) => {
    expect(await ids(type, where)).toEqual(found);
  });

  it('narrows connections, which count and have further pages, and lists on resources', async () => {
    const query = `query ($where: PatientWhere, $cursor: String) {
      PatientConnection(where: $where, _sort: "birthdate", _count: 1, _cursor: $cursor) {
        count next edges { resource { id ObservationList(_reference: subject, where: {code: {eq: x}}) { id } } }
      }
    }`;
    const where = { family: { startsWith: 'abel' } };
    const first = (await send(query, { where })).found.PatientConnection;
    expect(first).toMatchObject({
      count: 2,
      edges: [{ resource: { id: 'ann', ObservationList: [{ id: 'a1' }] } }],
    });
    const second = (await send(query, { where, cursor: first.next })).found.PatientConnection;
    expect(second).toMatchObject({
      next: null,
      edges: [{ resource: { id: 'bob', ObservationList: [{ id: 'b1' }] } }],
    });
    const other = await send(query, { where: { family: { startsWith: 'cid' } }, cursor: first.next });
    expect(other.errors[0]?.extensions.code).toBe('value');
  });

  it('is met together with arguments', async () => {
    const { found } = await send(
      '{ PatientList(gender: male, where: {family: {startsWith: "abel"}}) { id } }',
    );
    expect(found.PatientList).toEqual([{ id: 'bob' }]);
  });

  it('sees nothing of other tenants', async () => {
    const north = createSender(server, 'north', release);
    const { found } = await north('{ PatientList(where: {or: [{gender: {eq: male}}, {}]}) { id } }');
    expect(found.PatientList).toEqual([{ id: 'ann' }]);
  });

  it('is refused before it runs where its types say so, else as REST refuses it', async () => {
    const refusal = async (where: string): Promise<unknown[]> => {
      const { status, errors } = await send(`{ PatientList(where: ${where}) { id } }`);
      return [status, errors[0]?.extensions.code];
    };
    expect(await refusal('{nothing: {eq: "x"}}')).toEqual([400, 'invalid']);
    expect(await refusal('{gender: {exact: "x"}}')).toEqual([400, 'invalid']);
    expect(await refusal('{general_practitioner: {Patient: {}}}')).toEqual([400, 'invalid']);
    expect(await refusal('{birthdate: {eq: "soon"}}')).toEqual([400, 'value']);
    expect(await refusal('{family: {startsWith: ""}}')).toEqual([400, 'value']);
    const many = Array.from({ length: 201 }, () => '{active: {eq: true}}').join(' ');
    expect(await refusal(`{or: [${many}]}`)).toEqual([422, 'too-costly']);
  });

  it('is also an argument of search, for one type at a time', async () => {
    const { found, errors } = await send(
      `query($w: SearchWhere, $p: PatientWhere!) {
        byVariable: search(where: $w) { resources { id } total }
        nested: search(type: Patient, where: {Patient: $p}, query: "active=true") { resources { id } }
        measured: search(where: {Observation: {value_quantity: {gt: "10||mg"}}}) { resources { id } }
      }`,
      { w: { Patient: { family: { exact: 'Abel' } } }, p: { gender: { eq: 'male' } } },
    );
    expect(errors).toEqual([]);
    expect(found.byVariable.total).toBe(2);
    expect((found.byVariable.resources as { id: string }[]).map(({ id }) => id).sort()).toEqual([
      'ann',
      'bob',
    ]);
    expect(found.nested.resources).toEqual([{ id: 'bob' }]);
    expect(found.measured.resources).toEqual([{ id: 'b1' }]);
  });

  it.each([
    ['{Patient: {}, Observation: {}}', 'must specify exactly one key'],
    ['{}', 'must specify exactly one key'],
    ['{Patient: null}', 'must be non-null'],
    ['{Patient: {nothing: {eq: "a"}}}', 'is not defined by type "PatientWhere"'],
  ])('of search is not %s', async (where, message) => {
    const { status, errors } = await send(`{ search(where: ${where}) { total } }`);
    expect([status, errors[0]?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('of search is of the type that is searched', async () => {
    const { errors } = await send('{ search(type: Observation, where: {Patient: {}}) { total } }');
    expect(errors[0]?.message).toContain("'type' is Observation, and 'where' has conditions on Patient");
  });
});
