/**
 * The content of a client is returned to the last digit and sign; content that cannot be stored exactly is refused,
 * with the place.
 */
import { exactCodeSystem, exactPieces, exactText, FAULTS, missingPieces, nestedExtensions, patientNamed, TEXTS, toBadBytes } from '../support/exact'; // prettier-ignore
import { type SharedServer, openSharedServer } from '../support/shared-server';
import {
  createSender,
  gatewayPath,
  toGatewayAnswer,
  type GatewayAnswer,
  type SendQuery,
} from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const CREATE = 'mutation($r: ResourceInput!) { create(resource: $r) { resource { id json } } }';
const UPDATE = 'mutation($r: ResourceInput!) { update(resource: $r) { resource { id json } } }';
const INVOKE =
  'mutation($p: ParametersInput) { invoke(code: "lookup", type: CodeSystem, parameters: $p) { json } }';
const patchOf = (type: string, id: string): string =>
  `mutation($patch: [JsonPatchOperation!]!) { patch(type: ${type}, id: "${id}", patch: $patch) { resource { json } } }`;

/** The JSON text of a resource as a literal of GraphQL, whose names have no quotes. */
function toLiteral(json: string): string {
  return json.replace(/"(\w+)":/g, '$1:');
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'system', release);
  });

  async function update(id: string): Promise<GatewayAnswer> {
    const answer = await send(UPDATE, `{"r":${exactText(id)}}`);
    expect([answer.status, answer.errors]).toEqual([200, []]);
    return answer;
  }

  describe('decimals, texts and the order of members are returned unchanged', () => {
    it('by a create with variables, and by one with literals', async () => {
      const byVariables = await send(CREATE, `{"r":${exactText()}}`);
      expect([byVariables.status, missingPieces(byVariables.text)]).toEqual([200, []]);
      expect(byVariables.found.create.resource.json.note.map(({ text }: { text: string }) => text)).toEqual(TEXTS);
      const byLiterals = await send(`mutation { create(resource: ${toLiteral(exactText())}) { resource { json } } }`);
      expect([byLiterals.status, missingPieces(byLiterals.text)]).toEqual([200, []]);
    }); // prettier-ignore

    it('by an update, a read, a read of the version, a history and a search', async () => {
      const id = 'exact-graphql';
      const updated = await update(id);
      expect(missingPieces(updated.text)).toEqual([]);
      await update(id);
      for (const [query, count] of [
        [`{ read(type: Observation, id: "${id}") { json } }`, 1],
        [`{ read(type: Observation, id: "${id}", versionId: "1") { json meta { tag { code display } } } }`, 1],
        [`{ history(type: Observation, id: "${id}") { versions { resource { json } } } }`, 2],
        [`{ search(type: Observation, query: "_id=${id}") { total resources { json } edges { node { json } } } }`, 2],
      ] as const) {
        const answer = await send(query);
        const pieces = Array.from({ length: count }, () => exactPieces()).flat();
        expect([query, answer.status, missingPieces(answer.text, pieces)]).toEqual([query, 200, []]);
      }
    }); // prettier-ignore

    it('by a patch, those of the patch as well, with variables and with literals', async () => {
      const added = '{"text":"\u202b😀 e\u0301","extension":[{"valueDecimal":0.500,"url":"http://example.org/a"}]}';
      const [first = '', second = '', third = ''] = exactPieces();
      const expected = [
        first,
        second.replace('"value":1.00}', '"value":1.000}'),
        third.replace('],"extension"', `,${added}],"extension"`),
      ];
      const patch = `[{"op":"replace","path":"/component/0/valueQuantity/value","value":1.000},{"op":"add","path":"/note/-","value":${added}},{"op":"test","path":"/component/1/valueQuantity/value","value":0.1}]`; // prettier-ignore
      await update('exact-patch-1');
      const byVariables = await send(patchOf('Observation', 'exact-patch-1'), `{"patch":${patch}}`);
      expect([byVariables.status, missingPieces(byVariables.text, expected)]).toEqual([200, []]);
      await update('exact-patch-2');
      const literal = toLiteral(patch).replace(/op:"(\w+)"/g, 'op:$1');
      const byLiterals = await send(`mutation { patch(type: Observation, id: "exact-patch-2", patch: ${literal}) { resource { json } } }`);
      expect([byLiterals.status, missingPieces(byLiterals.text, expected)]).toEqual([200, []]);
    }); // prettier-ignore

    it('by operations: meta returns its part, lookup the properties of the code system', async () => {
      const id = 'exact-meta';
      const extension = '"extension":[{"valueDecimal":1.50,"url":"http://example.org/b"}]';
      await send(UPDATE, `{"r":${exactText(id).replace('"meta":{', `"meta":{${extension},`)}}`);
      const meta = await send(`mutation { invoke(code: "meta", type: Observation, id: "${id}") { json } }`);
      expect(meta.text).toContain('"valueDecimal":1.50,"url":"http://example.org/b"');
      expect(meta.text).toContain(JSON.stringify(TEXTS.join(' ')));

      expect((await send(UPDATE, `{"r":${exactCodeSystem('exact')}}`)).errors).toEqual([]);
      const input = '{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"http://example.org/exact"},{"name":"code","valueCode":"a"}]}'; // prettier-ignore
      for (const lookup of [
        await send(INVOKE, `{"p":${input}}`),
        await send(`mutation { invoke(code: "lookup", type: CodeSystem, parameters: ${toLiteral(input)}) { json } }`),
        await send(INVOKE, { p: { system: 'http://example.org/exact', code: 'a' } }),
      ]) {
        expect([lookup.status, lookup.errors]).toEqual([200, []]);
        expect(lookup.text).toContain('"valueDecimal":1.00');
        expect(lookup.text).toContain(JSON.stringify(TEXTS.join(' ')));
      }
    }); // prettier-ignore
  });

  describe('a value that cannot be stored exactly is refused, with the place, and changes nothing', () => {
    const id = 'exact-refused';
    const version = async (): Promise<string> =>
      (await send(`{ read(type: Patient, id: "${id}") { meta { versionId } } }`)).found.read.meta.versionId;
    beforeAll(async () => {
      expect((await send(UPDATE, `{"r":${patientNamed('{"family":"A"}', id)}}`)).errors).toEqual([]);
    });
    afterEach(async () => {
      expect(await version()).toBe('1');
    });

    /** The ways to send a Patient or a part of one; and the place of its name then. */
    const ways: readonly (readonly [
      title: string,
      query: string,
      toVariables: (name: string) => string,
      root: string,
    ])[] = [
      ['create', CREATE, (name) => `{"r":${patientNamed(name)}}`, 'variables.r.name[0]'],
      ['update', UPDATE, (name) => `{"r":${patientNamed(name, id)}}`, 'variables.r.name[0]'],
      [
        'patch',
        patchOf('Patient', id),
        (name) => `{"patch":[{"op":"add","path":"/name","value":[${name}]}]}`,
        'variables.patch[0].value[0]',
      ],
      [
        'invoke',
        INVOKE,
        (name) => `{"p":{"resourceType":"Parameters","parameter":[{"name":"coding","resource":${patientNamed(name)}}]}}`,
        'variables.p.parameter[0].resource.name[0]',
      ],
    ]; // prettier-ignore

    describe.each(ways)('by %s with variables', (_title, query, toVariables, root) => {
      it.each(FAULTS)('$title', async ({ name, place, code, says: message }) => {
        const { status, errors } = await send(query, toVariables(name));
        expect(status).toBe(400);
        expect(errors[0]?.extensions).toMatchObject({ code, resource: { issue: [{ severity: 'error', code }] } });
        expect(errors[0]?.message).toMatch(message);
        expect(String(errors[0]?.extensions.resource.issue[0]?.expression)).toContain(root + place);
      }); // prettier-ignore

      it('bytes that are not UTF-8', async () => {
        const body = `{"query":${JSON.stringify(query)},"variables":${toVariables('{"family":"aBYTEb"}')}}`;
        const { bytes, column } = toBadBytes(body);
        const headers = { 'content-type': 'application/json' };
        const answer = await server.request(
          'POST',
          gatewayPath(server.tenant('system'), release),
          bytes,
          headers,
        );
        const { status, errors } = toGatewayAnswer(answer);
        expect(status).toBe(400);
        expect(errors[0]?.message).toBe(
          `The body is not valid JSON: line 1, column ${column}: its bytes are not UTF-8`,
        );
      });
    });

    const toQuery: readonly (readonly [title: string, toQuery: (name: string) => string])[] = [
      ['create', (name) => `create(resource: {resourceType: "Patient", name: [${name}]}) { versionId }`],
      ['update', (name) => `update(resource: {resourceType: "Patient", id: "${id}", name: [${name}]}) { versionId }`],
      ['patch', (name) => `patch(type: Patient, id: "${id}", patch: [{op: add, path: "/name", value: [${name}]}]) { versionId }`],
      ['invoke', (name) => `invoke(code: "lookup", type: CodeSystem, parameters: {resourceType: "Parameters", parameter: [{name: "coding", resource: {resourceType: "Patient", name: [${name}]}}]}) { json }`],
    ]; // prettier-ignore
    interface Literal {
      readonly title: string;
      readonly name: string;
      readonly message: RegExp;
      /** The place in the document, or below the name in the resource. */
      readonly place: { readonly locations: readonly object[] } | string;
    }
    const once = { locations: [{ line: 1 }] };
    const literals: readonly Literal[] = [
      { title: 'a member that stands twice', name: '{family: "A", family: "B"}', message: /only one input field named "family"/, place: { locations: [{ line: 1 }, { line: 1 }] } },
      { title: 'U+0001', name: '{family: "a\\u0001b"}', message: /U\+0001/, place: once },
      { title: 'half of a surrogate pair', name: '{family: "a\\ud83d"}', message: /Invalid Unicode escape sequence/, place: once },
      { title: '__proto__', name: '{__proto__: {family: "A"}}', message: /'__proto__'/, place: once },
      { title: 'constructor', name: '{constructor: {family: "A"}}', message: /'constructor'/, place: '[0].constructor' },
      { title: 'too many levels', name: `${'{extension: ['.repeat(40)}{url: "a"}${']}'.repeat(40)}`, message: /deeper than 64 levels/, place: '[0].extension[0].extension[0]' },
    ]; // prettier-ignore
    describe.each(toQuery)('by %s with literals', (_title, query) => {
      it.each(literals)('$title', async ({ name, message, place }) => {
        const { status, errors } = await send(`mutation { ${query(name)} }`);
        expect(status).toBe(400);
        expect(errors[0]?.message).toMatch(message);
        if (typeof place !== 'string') expect(errors[0]).toMatchObject(place);
        else expect(String(errors[0]?.extensions.resource.issue[0]?.['expression'])).toContain(place);
      });
    });
  });

  describe('the limit of levels', () => {
    const withLevels = (id: string, extensions: number): string => `{"resourceType":"Patient","id":"${id}",${nestedExtensions(extensions)}}`;
    const READ = (id: string): string => `{ read(type: Patient, id: "${id}") { meta { versionId tag { code } } json } }`;

    it('is the same as in REST: 64, which can be read and patched as well', async () => {
      const id = 'exact-levels';
      const { status, errors } = await send(UPDATE, `{"r":${withLevels(id, 31)}}`);
      expect([status, errors]).toEqual([200, []]);
      const { found, text } = await send(READ(id));
      expect([found.read.meta.versionId, text.includes(nestedExtensions(31))]).toEqual(['1', true]);
      const patch = '{"patch":[{"op":"add","path":"/active","value":true}]}';
      expect((await send(patchOf('Patient', id), patch)).errors).toEqual([]);
      const refused = await send(UPDATE, `{"r":${withLevels(id, 32)}}`);
      expect([refused.status, refused.errors[0]?.message]).toEqual([400, 'The body is nested deeper than 64 levels']);
    });
  }); // prettier-ignore
});
