import { getIntrospectionQuery } from 'graphql';
import { slowness } from '../support/machine-speed';
import { leastAwaitedMilliseconds, mainThreadMilliseconds } from '../support/processor-time';
import { startServer, type TestServer } from '../support/server';
import { createSender, gatewayPath, putExample, type SendQuery, toGatewayAnswer } from './gateway-client';

const LIMIT_MS = 50;
const TRIES = 8;

let server: TestServer;
let send: SendQuery;
beforeAll(async () => {
  server = await startServer({ environment: { GRAPHQL_COST_LIMIT: '15000' } });
  send = createSender(server, 'system', 'r4');
  await putExample(server, 'system', 'r4', 'Patient-example');
});
afterAll(() => server.close());

const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const searches = (count: number, first: string): string =>
  times(count, (index) => `a${index}: search(type: Patient, first: ${first}) { resources { id } }`);

describe('the cost of a request', () => {
  it('is refused over the limit, by an error that names both', async () => {
    const { status, json, errors } = await send(`{ ${searches(15, '1000')} }`);
    expect([status, json.data]).toEqual([400, undefined]);
    expect(errors[0]?.extensions.code).toBe('too-costly');
    expect(errors[0]?.message).toMatch(/may cost 15150, and the limit is 15000/);
    expect(errors[0]?.extensions.resource.issue[0]).toMatchObject({ severity: 'error', code: 'too-costly' });
  });

  it('counts page sizes in variables, in queries and in parameters', async () => {
    const byVariable = `query($n: Int) { ${searches(15, '$n')} }`;
    expect((await send(byVariable, { n: 1000 })).errors[0]?.extensions.code).toBe('too-costly');
    expect((await send(byVariable, { n: 10 })).errors).toEqual([]);
    const by = (given: string): string =>
      times(15, (index) => `a${index}: search(type: Patient, ${given}) { total }`);
    for (const given of ['query: "_count=1000"', 'parameters: [{name: "_count", value: "1000"}]'])
      expect((await send(`{ ${by(given)} }`)).errors[0]?.extensions.code).toBe('too-costly');
  });

  it('is returned when a header or the request demands it, and otherwise not', async () => {
    const query =
      '{ search(type: Patient, first: 5) { resources { id } } read(type: Patient, id: "example") { id } }';
    const byHeader = await send(query, {}, { 'x-graphql-cost': '1' });
    expect(byHeader.json.extensions.cost).toEqual({
      statements: expect.any(Number),
      rows: expect.any(Number),
      cost: 17,
      limit: 15000,
    });
    const { statements, rows } = byHeader.json.extensions.cost;
    expect(statements).toBeGreaterThanOrEqual(2);
    expect(statements).toBeLessThanOrEqual(4);
    expect(rows).toBeGreaterThanOrEqual(2);
    const body = JSON.stringify({ query, extensions: { cost: true } });
    const headers = { 'content-type': 'application/json' };
    const inRequest = toGatewayAnswer(
      await server.request('POST', gatewayPath('system', 'r4'), body, headers),
    );
    expect(inRequest.json.extensions.cost.cost).toBe(17);
    expect(inRequest.found).toEqual(byHeader.found);
    expect((await send(query)).json.extensions).toBeUndefined();
  });
});

describe('a document over a limit', () => {
  const create = (selected: string): string =>
    `mutation { PatientCreate(res: {resourceType: "Patient"}) { resource { id ${selected} } } }`;
  const deep = (pairs: number): string =>
    pairs === 0 ? 'id' : `generalPractitioner { resource { id ... on Patient { ${deep(pairs - 1)} } } }`;

  it.each([
    ['levels', create(deep(10)), 'invalid', 'more than 20 levels of fields'],
    ['aliases', create(times(501, (index) => `a${index}: ${index % 2 ? 'id' : 'active'}`)), 'invalid', 'more than 500 aliases'],
    ['directives', create(times(201, (index) => `a${index}: id @skip(if: false)`)), 'invalid', 'more than 200 directives'],
    ['words', create(`name(given: [${times(10_000, () => '"x"')}]) { text }`), 'invalid', 'more than 10000 words'],
    ['cost', create(times(15, (index) => `a${index}: ObservationList(_reference: subject, _count: 1000) { id }`)), 'too-costly', 'and the limit is 15000'],
  ])('is refused before it changes anything: %s', async (_what, query, code, message) => {
    const versions = async (): Promise<number> =>
      (await send('{ history(type: Patient) { total } }')).found.history.total as number;
    const before = await versions();
    const { status, json, errors } = await send(query);
    expect([status, json.data, errors.map(({ extensions }) => extensions.code)]).toEqual([400, undefined, [code]]);
    expect(errors[0]?.message).toContain(message);
    expect(errors[0]?.extensions.resource).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code }] });
    expect(await versions()).toBe(before);
  });

  it('is answered where it is at the limit', async () => {
    const { status, errors } = await send(create(`${deep(8)} ${times(490, (index) => `a${index}: ${index % 2 ? 'id' : 'active'}`)}`));
    expect([status, errors]).toEqual([200, []]);
  });
}); // prettier-ignore

describe('a hostile document', () => {
  const circle = times(100, (index) => `fragment f${index} on Query { ...f${(index + 1) % 100} }`);
  const refused: readonly (readonly [string, string, object?])[] = [
    ['10,000 aliases', `{ ${times(10_000, (index) => `a${index}: metadata { fhirVersion }`)} }`],
    ['200 levels', `{ ${'search { edges { node '.repeat(70)} { id } ${'} } '.repeat(70)} }`],
    ['fragments in circles', `{ ...f0 } ${circle}`],
    ['1 MB of text', `{ metadata(${times(100_000, () => 'abcdefgh')}) { fhirVersion } }`],
    ['a megabyte of a comment', `{ nope } #${'x'.repeat(1_000_000)}`],
    ['fifty introspections', `{ ${times(50, (index) => `a${index}: __schema { types { fields { args { type { name } } type { name } } } }`)} }`],
    ['introspection in introspection', `{ __schema { types ${'{ fields { type '.repeat(8)} { name } ${'} } '.repeat(8)} } }`],
    ['a variable of wrong items by the ten thousand', 'query($p: [SearchParameterInput!]) { search(type: Patient, parameters: $p) { total } }', { p: Array.from({ length: 50_000 }, () => 5) }],
  ]; // prettier-ignore

  const requests = refused.map(([what, query, variables]) => ({
    what,
    body: JSON.stringify({ query, variables }),
  }));

  it.each(requests)('is refused within 50 ms of the main thread: $what', async ({ body }) => {
    const headers = { 'content-type': 'application/json' };
    const sendQuery = () => server.request('POST', gatewayPath('system', 'r4'), body, headers);
    const answer = toGatewayAnswer(await sendQuery());
    expect(answer.status).toBe(400);
    expect(answer.json.data).toBeUndefined();
    expect(answer.errors.length).toBeGreaterThan(0);
    expect(await leastAwaitedMilliseconds(LIMIT_MS, sendQuery, TRIES)).toBeLessThan(LIMIT_MS);
  });

  const fhir = '/w/system/api/v1/fhir/r4';
  it.each(
    requests.flatMap(({ what, body }) =>
      [`${fhir}/$graphql`, `${fhir}/Patient/example/$graphql`, `${gatewayPath('system', 'r4')}/stream`].map(
        (address) => ({ what, body, address }),
      ),
    ),
  )('is refused as fast at $address: $what', async ({ body, address }) => {
    const sendQuery = () => server.request('POST', address, body, { 'content-type': 'application/json' });
    const { text } = await sendQuery();
    expect(text.slice(0, 200)).toContain('{"errors":[{"message":"');
    expect(text).not.toContain('"data":{');
    expect(await leastAwaitedMilliseconds(LIMIT_MS, sendQuery, TRIES)).toBeLessThan(LIMIT_MS);
  });

  const FIVE_MEGABYTES = 5_000_000;
  const long: readonly (readonly [string, string, string])[] = [
    ['one text', 'query($v: String) { search(type: Patient, query: $v) { total } }', `"name=${'x'.repeat(FIVE_MEGABYTES)}"`],
    ['a text for a number', 'query($v: Int) { search(type: Patient, first: $v) { total } }', `"${'x'.repeat(FIVE_MEGABYTES)}"`],
    ['a list of wrong items', 'query($v: [SearchParameterInput!]) { search(type: Patient, parameters: $v) { total } }', `[5${',5'.repeat(FIVE_MEGABYTES / 2)}]`],
    ['a list of texts', 'query($v: [String]) { PatientList(name: $v) { id } }', `["x"${`,"${'x'.repeat(97)}"`.repeat(FIVE_MEGABYTES / 100)}]`],
    ['an object in objects', 'query($v: PatientWhere) { PatientList(where: $v) { id } }', `${'{"not":['.repeat(500_000)}${']}'.repeat(500_000)}`],
  ]; // prettier-ignore

  it.each(long)('is refused within 50 ms of the main thread, with variables of 5 MB: %s', async (_what, query, value) => {
    const body = Buffer.from(`{"query":${JSON.stringify(query)},"variables":{"v":${value}}}`);
    const headers = { 'content-type': 'application/json' };
    const sendQuery = async () => toGatewayAnswer(await server.request('POST', gatewayPath('system', 'r4'), body, headers));
    const answer = await sendQuery();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text.length).toBeLessThan(10_000);
    expect(await leastAwaitedMilliseconds(LIMIT_MS, sendQuery, TRIES)).toBeLessThan(LIMIT_MS);
  }); // prettier-ignore

  it('allows the standard introspection', async () => {
    const { errors, found } = await send(getIntrospectionQuery());
    expect(errors).toEqual([]);
    expect(found.__schema.types.length).toBeGreaterThan(20);
  });

  it('answers few of a flood of different introspections, refuses the others, and others are answered meanwhile', async () => {
    const documents = Array.from(
      { length: 40 },
      (_, index) => `{ __schema { queryType { a${index}: name } } }`,
    );
    const before = mainThreadMilliseconds();
    const flood = Promise.all(documents.map((query) => send(query)));
    const { found, errors } = await send('{ Patient(id: "example") { id } }');
    expect([found, errors]).toEqual([{ Patient: { id: 'example' } }, []]);
    const answers = await flood;
    const statuses = answers.map(({ status, json }) => [status, json.errors?.[0]?.extensions.code]);
    const answered = statuses.filter(([status]) => status === 200);
    expect(answered.length).toBeLessThanOrEqual(4);
    for (const [status, code] of statuses)
      if (status !== 200)
        expect([
          [429, 'throttled'],
          [503, 'throttled'],
        ]).toContainEqual([status, code]);
    const each = (mainThreadMilliseconds() - before) / documents.length;
    expect(each / slowness()).toBeLessThan(LIMIT_MS);
    // Also when no new introspection is executed; earlier ones are answered.
    const again = await send('{ __schema { queryType { b: name } } }');
    expect([again.status, again.headers['retry-after']]).toEqual([429, '1']);
    const answeredDocument = documents[statuses.findIndex(([status]) => status === 200)];
    if (answeredDocument !== undefined) expect((await send(answeredDocument)).status).toBe(200);
  });
});
