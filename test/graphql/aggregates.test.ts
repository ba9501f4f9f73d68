/** Counts by the values that resources have; that they are right is shown in test/properties/aggregates.test.ts. */
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('here', { 'time-zone': 'Europe/Copenhagen' });
  await server.createTenant('elsewhere');
});
afterAll(() => server.close());

const LOINC = 'http://loinc.org';

function observation(id: string, code: string, patient: string | undefined, effective?: string): object {
  const display = code === '8867-4' ? { display: 'Heart rate' } : {};
  return {
    resourceType: 'Observation',
    id,
    status: id === 'o1' ? 'amended' : 'final',
    code: { coding: [{ system: LOINC, code, ...display }, { code: 'local' }] },
    ...(patient === undefined ? {} : { subject: { reference: patient } }),
    ...(effective === undefined ? {} : { effectiveDateTime: effective }),
  };
}

const OBSERVATIONS = [
  observation('o1', '8867-4', 'Patient/ann', '2020-12-31T23:30:00Z'),
  observation('o2', '8867-4', 'Patient/ann', '2021-01-31'),
  observation('o3', '29463-7', 'Patient/bob', '2021'),
  observation('o4', '8867-4', 'https://elsewhere.example/Patient/cid', '2021-02-28T23:59:00+01:00'),
  observation('o5', '29463-7', undefined),
];

describe.each(TESTED_RELEASES)('counts in %s', (release) => {
  let send: SendQuery;
  beforeAll(async () => {
    send = createSender(server, 'here', release);
    const patient = (id: string): object => ({ resourceType: 'Patient', id, name: [{ family: id }] });
    const entry = [patient('ann'), ...OBSERVATIONS].map((resource) => {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      return { resource, request: { method: 'PUT', url: `${resourceType}/${id}` } };
    });
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
    for (const tenant of ['here', 'elsewhere']) {
      const shown = tenant === 'here' ? bundle : { ...bundle, entry: entry.slice(0, 3) };
      const { status, text } = await server.request('POST', server.path(tenant, release), shown);
      if (status !== 200) throw new Error(text);
    }
  });

  it('are of all matches of a list, together and by code, reference and date', async () => {
    const { errors, found } = await send(`{
      ObservationAggregate(status: [final, amended], where: {_id: {not: "none"}}) {
        count
        countBy(parameter: code) { value system code display count }
        byStatus: countBy(parameter: "status") { code count }
        countByReference(parameter: subject) { value count resource { id ... on Patient { name { family } } } }
        patients: countByReference(parameter: patient) { value }
        years: countByDate(parameter: date, bucket: year) { value count }
        months: countByDate(parameter: date, bucket: month) { value count }
        days: countByDate(parameter: date, bucket: day) { value count }
      }
    }`);
    expect(errors).toEqual([]);
    expect(found.ObservationAggregate).toEqual({
      count: 5,
      countBy: [
        { value: '|local', system: null, code: 'local', display: null, count: 5 },
        { value: `${LOINC}|8867-4`, system: LOINC, code: '8867-4', display: 'Heart rate', count: 3 },
        { value: `${LOINC}|29463-7`, system: LOINC, code: '29463-7', display: null, count: 2 },
      ],
      byStatus: [
        { code: 'final', count: 4 },
        { code: 'amended', count: 1 },
      ],
      countByReference: [
        { value: 'Patient/ann', count: 2, resource: { id: 'ann', name: [{ family: 'ann' }] } },
        { value: 'Patient/bob', count: 1, resource: null },
        { value: 'https://elsewhere.example/Patient/cid', count: 1, resource: null },
      ],
      patients: [
        { value: 'Patient/ann' },
        { value: 'Patient/bob' },
        { value: 'https://elsewhere.example/Patient/cid' },
      ],
      // In the time zone of the tenant the year 2021 had begun.
      years: [{ value: '2021', count: 4 }],
      months: [
        { value: '2021', count: 1 },
        { value: '2021-01', count: 2 },
        { value: '2021-02', count: 1 },
      ],
      days: [
        { value: '2021', count: 1 },
        { value: '2021-01-01', count: 1 },
        { value: '2021-01-31', count: 1 },
        { value: '2021-02-28', count: 1 },
      ],
    });
  });

  it('are of the matches of the arguments alone, in this tenant', async () => {
    const query = `query($who: [reference]) {
      ObservationAggregate(subject: $who) {
        count
        countBy(parameter: code, _count: 1) { code count }
        countByDate(parameter: _lastUpdated, bucket: year) { count }
      }
    }`;
    const ann = await send(query, { who: ['Patient/ann'] });
    expect([ann.errors, ann.found.ObservationAggregate]).toEqual([
      [],
      { count: 2, countBy: [{ code: '8867-4', count: 2 }], countByDate: [{ count: 2 }] },
    ]);
    const noMatch = await send(query, { who: ['Patient/nobody'] });
    expect(noMatch.found.ObservationAggregate).toEqual({ count: 0, countBy: [], countByDate: [] });
    const elsewhere = await createSender(server, 'elsewhere', release)('{ ObservationAggregate { count countBy(parameter: status) { code count } } }'); // prettier-ignore
    expect(elsewhere.found.ObservationAggregate).toEqual({
      count: 2,
      countBy: [
        { code: 'amended', count: 1 },
        { code: 'final', count: 1 },
      ],
    });
  });

  it('give the least, greatest, mean and sum of quantities, converted by UCUM, in each unit', async () => {
    const weight = (id: string, value: object): object => ({
      resource: {
        ...{
          resourceType: 'Observation',
          id,
          status: 'final',
          code: { text: 'weight' },
          valueQuantity: value,
        },
        subject: { reference: 'Patient/weighed' },
      },
      request: { method: 'PUT', url: `Observation/${id}` },
    });
    const ucum = (value: number, code: string): object => ({
      ...{ value, unit: code, system: 'http://unitsofmeasure.org', code },
    });
    const entry = [
      weight('w1', ucum(70.5, 'kg')),
      weight('w2', ucum(71, 'kg')),
      weight('w3', ucum(69_000, 'g')),
      weight('w4', { ...ucum(1, 'kg'), comparator: '<' }),
      weight('w5', ucum(36.6, 'Cel')),
      weight('w6', { value: 3, unit: 'stones' }),
    ];
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
    expect((await server.request('POST', server.path('elsewhere', release), bundle)).status).toBe(200);
    const query = `query($unit: String) {
      ObservationAggregate(subject: "Patient/weighed") {
        statistics(parameter: value_quantity, unit: $unit) { unit code system count inexact min max avg sum }
      }
    }`;
    const elsewhere = createSender(server, 'elsewhere', release);
    const { errors, found } = await elsewhere(query);
    const ofOne = (unit: string, value: number, inUcum = true): object => ({
      ...{ unit, code: inUcum ? unit : null, system: inUcum ? 'http://unitsofmeasure.org' : null },
      ...{ count: 1, inexact: 0, min: value, max: value, avg: value, sum: value },
    });
    expect([errors, found.ObservationAggregate.statistics]).toEqual([
      [],
      [
        {
          ...{ unit: 'kg', code: 'kg', system: 'http://unitsofmeasure.org' },
          ...{ count: 3, inexact: 1, min: 69, max: 71, avg: 70.1666666666667, sum: 210.5 },
        },
        ofOne('stones', 3, false),
        ofOne('Cel', 36.6),
      ],
    ]);
    const inGrams = await elsewhere(query, { unit: 'g' });
    expect(inGrams.found.ObservationAggregate.statistics).toMatchObject([
      { unit: 'g', count: 3, inexact: 1, min: 69_000, max: 71_000, sum: 210_500 },
    ]);
    const asKelvin = await elsewhere(query, { unit: 'K' });
    expect(asKelvin.found.ObservationAggregate.statistics).toMatchObject([{ count: 1, min: 309.75 }]);
    const inStones = await elsewhere(query, { unit: 'stones' });
    expect(inStones.found.ObservationAggregate.statistics).toMatchObject([{ count: 1, min: 3, code: null }]);
    const other = await elsewhere(query, { unit: 'mol' });
    expect(other.found.ObservationAggregate.statistics).toEqual([]);
  });

  it('are of base conformance resources and the tenant’s own', async () => {
    const { errors, found } = await send('{ ValueSetAggregate(url: "http://hl7.org/fhir/ValueSet/administrative-gender") { count countBy(parameter: status) { code count } } }'); // prettier-ignore
    expect([errors, found.ValueSetAggregate.count, found.ValueSetAggregate.countBy.length]).toEqual([
      [],
      1,
      1,
    ]);
  });

  it('are of one moment, and their cost is calculated before they run', async () => {
    const { json } = await send(
      '{ ObservationAggregate { count countBy(parameter: code) { code } countByReference(parameter: subject, _count: 10) { resource { id } } } }',
      {},
      { 'x-graphql-cost': '1' },
    );
    // The aggregate, two counts, ten groups, and a statement with ten resources.
    expect(json.extensions.cost).toMatchObject({ cost: 10 + 1 + 500 + 500 + 10 + (1 + 10) });
    // The start, the counts, reads of the matches, reads of references.
    expect(json.extensions.cost.statements).toBeLessThanOrEqual(16);
    const many = Array.from({ length: 51 }, (_, at) => `c${at}: countBy(parameter: code) { code }`).join(' ');
    const refused = await send(`{ ObservationAggregate { ${many} } }`);
    expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([400, 'too-costly']);
  });

  it.each([
    [400, 'a parameter of another kind', '{ ObservationAggregate { countBy(parameter: subject) { code } } }'],
    [400, 'a parameter of another type', '{ ObservationAggregate { countBy(parameter: gender) { code } } }'],
    [400, 'no part of time', '{ ObservationAggregate { countByDate(parameter: date) { value } } }'],
    [400, 'a page', '{ ObservationAggregate(_count: 3) { count } }'],
    [200, 'no groups at all', '{ ObservationAggregate { countBy(parameter: code, _count: 0) { code } } }'],
    [
      200,
      'more groups than there may be',
      '{ ObservationAggregate { countBy(parameter: code, _count: 1001) { code } } }',
    ],
    [
      200,
      'a value that is none',
      '{ ObservationAggregate(date: "yesterday") { countBy(parameter: code) { code } } }',
    ],
  ])('are refused (%i) by %s', async (expected, _what, query) => {
    const { status, errors } = await send(query);
    const code = expected === 400 ? 'invalid' : 'value';
    expect([status, errors.map(({ extensions }) => extensions.code)]).toEqual([expected, [code]]);
  });

  it('with more groups than an answer may have are too costly, and the error names the remedy; the largest groups are returned on request', async () => {
    const entry = Array.from({ length: 1_001 }, (_none, index) => ({
      resource: {
        ...{ resourceType: 'Basic', id: `many-${index}`, code: { text: 'many' } },
        identifier: [{ system: 'urn:many', value: String(index) }, ...(index < 3 ? [{ value: 'few' }] : [])],
        author: { reference: `Patient/many-${index}` },
      },
      request: { method: 'PUT', url: `Basic/many-${index}` },
    }));
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
    expect((await server.request('POST', server.path('here', release), bundle)).status).toBe(200);
    for (const field of ['countBy(parameter: identifier)', 'countByReference(parameter: author)']) {
      const { status, errors } = await send(`{ BasicAggregate { ${field} { count } } }`);
      expect([field, status, errors.map(({ extensions }) => extensions.code)]).toEqual([
        field,
        200,
        ['too-costly'],
      ]);
      expect(errors[0]?.message).toContain('more than 1000 values here: request fewer of the largest groups');
    }
    const { errors, found } = await send(
      '{ BasicAggregate { count countBy(parameter: identifier, _count: 2) { value count } } }',
    );
    expect([errors, found.BasicAggregate.count]).toEqual([[], 1_001]);
    expect(found.BasicAggregate.countBy[0]).toEqual({ value: '|few', count: 3 });
    expect(found.BasicAggregate.countBy).toHaveLength(2);
  });

  it('are by the search parameters of a tenant, too', async () => {
    const own = makeParameter('own-note', { code: 'own-note', base: ['Observation'], type: 'token', expression: 'Observation.status' }); // prettier-ignore
    const put = await server.request('PUT', `${server.path('here', release)}/SearchParameter/own-note`, own);
    expect(put.status).toBe(201);
    await eventually(async () => {
      const { status } = await server.request('GET', `${server.path('here', release)}/Observation?own-note=final`); // prettier-ignore
      return status === 200;
    });
    const query = '{ ObservationAggregate { countBy(parameter: own_note) { code count } } }';
    const { errors, found } = await send(query);
    expect([errors, found]).toEqual([[], { ObservationAggregate: { countBy: [{ code: 'final', count: 4 }, { code: 'amended', count: 1 }] } }]); // prettier-ignore
    expect((await createSender(server, 'elsewhere', release)(query)).status).toBe(400);
  });
});
