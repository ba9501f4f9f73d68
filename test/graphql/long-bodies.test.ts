/** A long request is parsed in a worker thread, and most of its variables stay text: clients see no difference. */
import {
  DECIMALS,
  exactPieces,
  FAULTS,
  missingPieces,
  nestedExtensions,
  patientNamed,
} from '../support/exact';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, gatewayPath, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const CREATE = 'mutation($r: ResourceInput!) { create(resource: $r) { resource { id json } } }';
const UPDATE = 'mutation($r: ResourceInput!) { update(resource: $r) { versionId resource { json } } }';
const patchOf = (id: string): string =>
  `mutation($patch: [JsonPatchOperation!]!) { patch(type: Patient, id: "${id}", patch: $patch) { resource { json } } }`;

/** Padding that makes a body long: characters that are not part of any value. */
const BLANKS = ' '.repeat(300_000);
/** Extensions of 500 kB, more than stays values. */
const many = (count = 10_000): string =>
  Array.from(
    { length: count },
    (_, index) => `{"valueDecimal":${index}.50,"url":"http://example.org/${index}"}`,
  ).join();

describe.each(TESTED_RELEASES)('under %s', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'system', release);
  });

  it('decimals, texts and the order of members are returned unchanged', async () => {
    // An Observation of 3,600 components.
    const pieces = exactPieces(Array.from({ length: 300 }, () => DECIMALS).flat());
    const [head = '', components = '', rest = ''] = pieces;
    const text = (id: string): string => `{"r":{${head},${id}${components}${rest}}}`;
    expect(text('').length).toBeGreaterThan(256 * 1024);
    const created = await send(CREATE, text(''));
    expect([created.status, created.errors, missingPieces(created.text, pieces)]).toEqual([200, [], []]);
    const updated = await send(UPDATE, text('"id":"exact-long",'));
    expect([updated.status, missingPieces(updated.text, pieces)]).toEqual([200, []]);
  });

  it('so are those of a patch, and of a value that is a variable by itself', async () => {
    const id = 'long-patch';
    await send(UPDATE, `{"r":${patientNamed('{"family":"A"}', id)}}`);
    const patch = `[{"op":"add","path":"/extension","value":[${many()}]},{"op":"replace","path":"/name/0/family","value":"B"}]`;
    const patched = await send(patchOf(id), `{"patch":${patch}}`);
    expect(patched.errors).toEqual([]);
    expect(patched.text).toContain(`"name":[{"family":"B"}],"extension":[${many()}]`);
    const query = `mutation($v: JSON, $o: JsonPatchOperation!) { patch(type: Patient, id: "${id}", patch: [{op: replace, path: "/extension", value: $v}, $o]) { resource { json } } }`;
    const contact = `{"name":{"extension":[${many()}]}}`;
    const again = await send(
      query,
      `{"v":[${many(11_000)}],"o":{"op":"add","path":"/contact","value":[${contact}]}}`,
    );
    expect(again.errors).toEqual([]);
    expect(again.text).toContain(`"extension":[${many(11_000)}],"contact":[${contact}]`);
  });

  it('a Binary of 400 kB is returned unchanged', async () => {
    const data = 'QUJD'.repeat(100_000);
    const binary = `{"contentType":"text/plain","data":"${data}","resourceType":"Binary"`;
    const { errors, text } = await send(CREATE, `{"r":${binary}}}`);
    expect(errors).toEqual([]);
    expect(text).toContain(`"contentType":"text/plain","data":"${data}"`);
  });

  it('a variable inside of a literal is inserted into it', async () => {
    const query = 'mutation($e: JSON) { create(resource: {resourceType: "Patient", active: true, extension: $e}) { resource { json } } }'; // prettier-ignore
    const { errors, text } = await send(query, `{"e":[${many(11_000)}]}`);
    expect(errors).toEqual([]);
    expect(text).toContain(`"active":true,"extension":[${many(11_000)}]}`);
  });

  it('an operation gets its whole input', async () => {
    const resource = patientNamed('{"family":"A"}').replace(/}$/, `,"extension":[${many(12_000)},{"url":"x:y"}]}`);
    const input = `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":${resource}}]}`;
    const { errors, found } = await send(
      'mutation($p: ParametersInput) { invoke(code: "validate", type: Patient, parameters: $p) { json } }',
      `{"p":${input}}`,
    );
    expect(errors).toEqual([]);
    const expressions = found.invoke.json.issue.flatMap(({ expression }: { expression: string[] }) => expression);
    expect(expressions).toContain('Patient.extension[12000]');
  }); // prettier-ignore

  it('a literal may be long as well', async () => {
    const text = 'x'.repeat(600_000);
    const { errors, found } = await send(
      `mutation { create(resource: {resourceType: "Patient", name: [{text: "${text}"}]}) { resource { json } } }`,
    );
    expect(errors).toEqual([]);
    expect(found.create.resource.json.name[0].text).toBe(text);
  });

  describe('a refused value in a short body is refused in the same way in a long one', () => {
    const alike = async (query: string, variables: string): Promise<number> => {
      const short = await send(query, variables);
      const long = await send(query, variables + BLANKS);
      expect([long.status, long.text]).toEqual([short.status, short.text]);
      return short.status;
    };

    it.each(FAULTS)('$title', async ({ name }) => {
      expect(await alike(CREATE, `{"r":${patientNamed(name)}}`)).toBe(400);
    });

    it.each([
      ['no JSON', '{"r":}'],
      ['variables that are no object', '[1]'],
      ['a variable of another type', '{"r":[1]}'],
      ['a variable that is missing', '{}'],
      ['a resource without a type', '{"r":{"active":true}}'],
      ['a resource that breaks a rule', '{"r":{"resourceType":"Patient","contact":[{"gender":"male"}]}}'],
      ['too many levels', `{"r":{"resourceType":"Patient",${nestedExtensions(33)}}}`],
    ])('%s', async (_title, variables) => {
      const status = await alike(CREATE, variables);
      expect(status).toBeGreaterThanOrEqual(400);
    });

    it('several requests in one body', async () => {
      const post = (body: string) =>
        server.request('POST', gatewayPath(server.tenant('system'), release), body, {
          'content-type': 'application/json',
        });
      const one = JSON.stringify({ query: '{ metadata { fhirVersion } }' });
      const short = await post(`[${one},${one}]`);
      const long = await post(`[${one},${BLANKS}${one}]`);
      const longer = await post(`[${Array.from({ length: 20_000 }, () => one).join()}]`);
      expect([short.status, long.text, longer.status]).toEqual([400, short.text, 422]);
    });
  });

  describe('a value that is too long for its position', () => {
    it('a list where a resource should be', async () => {
      const { status, errors } = await send(CREATE, `{"r":[${many(12_000)}]}`);
      expect([status, errors[0]?.extensions.code]).toEqual([400, 'value']);
      expect(errors[0]?.message).toMatch(/ResourceInput must be a JSON object/);
    });

    it('a patch of 1,001 operations, and one of 20,000', async () => {
      await send(UPDATE, `{"r":${patientNamed('{"family":"A"}', 'long-list')}}`);
      const patchOfTests = (count: number): string =>
        `{"patch":[${Array.from({ length: count }, () => '{"op":"test","path":"/active","value":true}').join()}]}`;
      const refused = await send(patchOf('long-list'), patchOfTests(1_001) + BLANKS);
      expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([413, 'too-long']);
      const longer = await send(patchOf('long-list'), patchOfTests(20_000));
      expect(longer.status).toBe(400);
      expect(longer.errors[0]?.message).toMatch(/list in the variables is too long/);
    });

    it('variables without number', async () => {
      const variables = Object.fromEntries(Array.from({ length: 7_000 }, (_, index) => [`v${index}`, { a: { b: 'x'.repeat(40) } }])); // prettier-ignore
      const { status, errors } = await send('mutation { create(resource: {resourceType: "Patient"}) { versionId } }', variables); // prettier-ignore
      expect([status, errors]).toEqual([200, []]);
      const query =
        'query($list: [SearchParameterInput!]) { search(type: Patient, parameters: $list) { total } }';
      const list = Array.from({ length: 12_000 }, () => ({ name: '_id', value: 'a'.repeat(20) }));
      const search = await send(query, { list });
      expect([search.status, search.errors[0]?.message]).toEqual([
        400,
        'A list in the variables is too long',
      ]);
    });

    it('members of the body itself', async () => {
      const query = '"query":"{ metadata { fhirVersion } }"';
      const body = `{${query},"extensions":{"a":[${many(12_000)}]}}`;
      const answer = await server.request('POST', gatewayPath(server.tenant('system'), release), body, {
        'content-type': 'application/json',
      });
      expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([422, 'too-costly']);
    });
  });
});
