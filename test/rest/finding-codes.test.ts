/** Codes by their properties (CodeSystem/$find-matches), and identifiers of systems (NamingSystem/$preferred-id). */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Part {
  readonly name: string;
  readonly valueCoding?: { readonly code: string };
  readonly part?: readonly Record<string, unknown>[];
}
interface Found {
  readonly parameter?: readonly { readonly name: string; readonly part: readonly Part[] }[];
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const base = `http://finding.example/${release}`;
  const drugs = `${base}/drugs`;
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const property = (code: string, value: object): object => ({
    name: 'property',
    part: [
      { name: 'code', valueCode: code },
      { name: 'value', ...value },
    ],
  });
  const find = (isExact: boolean, ...parameter: readonly object[]) =>
    send('POST', 'CodeSystem/$find-matches', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'system', valueUri: drugs },
        { name: 'exact', valueBoolean: isExact },
        ...parameter,
      ],
    });
  const codesOf = ({ parameter = [] }: Found): readonly unknown[] =>
    parameter.map(({ part }) => part[0]?.valueCoding?.code);

  beforeAll(async () => {
    const form = (code: string, strength: number): object => ({
      property: [
        { code: 'form', valueCoding: { system: 'urn:forms', code } },
        { code: 'strength', valueInteger: strength },
      ],
    });
    const resource = {
      ...{ resourceType: 'CodeSystem', id: 'drugs', url: drugs, version: '7', status: 'active' },
      content: 'complete',
      property: [
        { code: 'form', type: 'Coding' },
        { code: 'strength', type: 'integer' },
        { code: 'inactive', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' },
      ],
      concept: [
        {
          ...{ code: 'asa', display: 'Aspirin' },
          concept: [
            { code: 'asa-tab', display: 'Aspirin tablet', ...form('tablet', 500) },
            { code: 'asa-pow', display: 'Aspirin powder', ...form('powder', 500) },
          ],
        },
        { code: 'ibu-tab', display: 'Ibuprofen tablet', ...form('tablet', 400) },
        { code: 'old', display: 'Old', property: [{ code: 'inactive', valueBoolean: true }] },
      ],
    };
    expect((await send('PUT', 'CodeSystem/drugs', resource)).status).toBe(201);
  });

  describe('$find-matches', () => {
    const TABLET = property('form', { valueCoding: { system: 'urn:forms', code: 'tablet' } });
    const STRONG = property('strength', { valueInteger: 500 });

    it.each([
      ['a Coding', [TABLET], ['asa-tab', 'ibu-tab']],
      ['a code', [property('form', { valueCode: 'powder' })], ['asa-pow']],
      ['a number', [STRONG], ['asa-tab', 'asa-pow']],
      ['several', [TABLET, STRONG], ['asa-tab']],
      ['its parent', [property('parent', { valueCode: 'asa' })], ['asa-tab', 'asa-pow']],
      ['its child', [property('child', { valueCode: 'asa-tab' })], ['asa']],
      ['its display', [property('display', { valueString: 'Aspirin' })], ['asa']],
      ['its state', [property('inactive', { valueBoolean: true })], ['old']],
      ['its code and another', [property('code', { valueCode: 'asa-tab' }), STRONG], ['asa-tab']],
      ['its code and one that it lacks', [property('code', { valueCode: 'ibu-tab' }), STRONG], []],
      ['a code that does not exist', [property('code', { valueCode: 'none' })], []],
    ])('a machine finds the codes that have %s', async (_name, properties, codes) => {
      const { status, json } = await find(true, ...properties);
      expect([status, codesOf(json)]).toEqual([200, codes]);
    });

    it('a person gets what comes near, the best first, with what does not fit', async () => {
      const { json } = await find(false, TABLET, property('display', { valueString: 'aspirin' }));
      expect(codesOf(json)).toEqual(['asa-tab', 'asa', 'asa-pow', 'ibu-tab']);
      expect(json.parameter[0].part).toEqual([
        {
          name: 'code',
          valueCoding: { system: drugs, version: '7', code: 'asa-tab', display: 'Aspirin tablet' },
        },
      ]);
      expect(json.parameter[3].part[1]).toEqual({
        name: 'unmatched',
        part: [
          { name: 'code', valueCode: 'display' },
          { name: 'value', valueString: 'aspirin' },
        ],
      });
    });

    it('a code system may be named by its address', async () => {
      const parameter = [{ name: 'exact', valueBoolean: true }, STRONG];
      const path = 'CodeSystem/drugs/$find-matches';
      const { json } = await send('POST', path, { resourceType: 'Parameters', parameter });
      expect(codesOf(json)).toEqual(['asa-tab', 'asa-pow']);
    });

    it('one that the request hands along counts', async () => {
      const resource = {
        ...{ resourceType: 'CodeSystem', url: drugs, status: 'active', content: 'complete' },
        concept: [{ code: 'new', display: 'Aspirin' }],
      };
      const handed = { name: 'tx-resource', resource };
      const { json } = await find(true, property('display', { valueString: 'Aspirin' }), handed);
      expect(codesOf(json)).toEqual(['new']);
    });

    it('too many codes are no answer for a machine, and a person gets the first', async () => {
      const resource = {
        ...{ resourceType: 'CodeSystem', url: `${base}/many`, status: 'active', content: 'complete' },
        concept: Array.from({ length: 101 }, (_none, index) => ({ code: `c${index}`, display: 'same' })),
      };
      const of = async (isExact: boolean) => {
        const parameter = [
          { name: 'system', valueUri: `${base}/many` },
          { name: 'exact', valueBoolean: isExact },
          { name: 'tx-resource', resource },
          property('display', { valueString: 'same' }),
        ];
        return send('POST', 'CodeSystem/$find-matches', { resourceType: 'Parameters', parameter });
      };
      expect([(await of(true)).status, codesOf((await of(false)).json).length]).toEqual([422, 20]);
    });

    it.each([
      ['no property', [], 400, 'is required at least once'],
      ['one that the system lacks', [property('colour', { valueCode: 'red' })], 400, "no property 'colour'"],
      [
        'one without a value',
        [{ name: 'property', part: [{ name: 'code', valueCode: 'form' }] }],
        400,
        'needs a value',
      ],
      ['a composition', [STRONG, { name: 'compositional', valueBoolean: true }], 422, 'compositional'],
    ])('%s is refused', async (_name, parameter, expected, words) => {
      const { status, text } = await find(true, ...parameter);
      expect([status, text]).toEqual([expected, expect.stringContaining(words)]);
    });
  });

  describe('$preferred-id', () => {
    const system = (id: string, unique: readonly object[], status = 'active') =>
      send('PUT', `NamingSystem/${id}`, {
        ...{ resourceType: 'NamingSystem', id, name: id, status, kind: 'identifier', date: '2026' },
        uniqueId: unique,
      });
    const ask = async (id: string, type: string): Promise<unknown> => {
      const query = `id=${encodeURIComponent(id)}&type=${type}`;
      const { status, json } = await send('GET', `NamingSystem/$preferred-id?${query}`);
      return status === 200 ? json.parameter : [status, json.issue[0].diagnostics];
    };
    const oid = release === 'r4' ? '1.2.3.4.5' : '1.2.3.4.6';
    const uri = `${base}/insurance,number`;

    beforeAll(async () => {
      const unique = [
        { type: 'uri', value: `${base}/earlier` },
        { type: 'uri', value: uri, preferred: true },
        { type: 'oid', value: oid },
      ];
      expect((await system('insurance', unique)).status).toBe(201);
      const former = [
        { type: 'uri', value: uri },
        { type: 'oid', value: '9.9' },
      ];
      expect((await system('former', former, 'retired')).status).toBe(201);
    });

    it.each([
      ['the uri of an OID', oid, 'uri', uri],
      ['the uri of an OID as a uri', `urn:oid:${oid}`, 'uri', uri],
      ['the OID of a uri', uri, 'oid', oid],
      ['the preferred uri of another', `${base}/earlier`, 'uri', uri],
      ['the OID of one that is retired', '9.9', 'oid', '9.9'],
    ])('tells %s', async (_name, id, type, result) => {
      expect(await ask(id, type)).toEqual([{ name: 'result', valueString: result }]);
    });

    it('says what does not exist', async () => {
      expect(await ask(`${base}/none`, 'oid')).toEqual([404, expect.stringContaining('No NamingSystem has')]);
      expect(await ask(`${base}/insur`, 'oid')).toEqual([
        404,
        expect.stringContaining('No NamingSystem has'),
      ]);
      expect(await ask(uri, 'uuid')).toEqual([404, expect.stringContaining('none of the type uuid')]);
      expect(await ask(uri, 'color')).toEqual([400, expect.stringContaining('is one of oid, uuid, uri')]);
    });

    it('does not choose between systems that disagree', async () => {
      for (const [id, value] of [
        ['one', 'a'],
        ['other', 'b'],
      ] as const) {
        const unique = [
          { type: 'other', value: `shared-${release}` },
          { type: 'uri', value: `${base}/${value}` },
        ];
        expect((await system(id, unique)).status).toBe(201);
      }
      expect(await ask(`shared-${release}`, 'uri')).toEqual([422, expect.stringContaining('different ones')]);
    });
  });
});
