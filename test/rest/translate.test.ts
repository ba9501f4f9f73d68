/** ConceptMap/$translate over HTTP: https://hl7.org/fhir/R4/conceptmap-operation-translate.html */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const GENDER = 'http://hl7.org/fhir/administrative-gender';
const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0001';
const V3 = 'http://terminology.hl7.org/CodeSystem/v3-AdministrativeGender';
const MAP_V2 = 'http://hl7.org/fhir/ConceptMap/cm-administrative-gender-v2';
const MAP_V3 = 'http://hl7.org/fhir/ConceptMap/cm-administrative-gender-v3';
const LOCAL = 'http://example.org/local';
const LOINC = 'http://loinc.org';

const fallback = {
  resourceType: 'ConceptMap',
  id: 'fallback',
  url: 'http://example.org/ConceptMap/fallback',
  status: 'active',
  group: [
    {
      source: LOCAL,
      target: LOINC,
      element: [{ code: 'rare', target: [{ code: '9999-9', equivalence: 'inexact', comment: 'by hand' }] }],
      unmapped: { mode: 'fixed', code: '0000-0', display: 'Anything' },
    },
    { source: LOCAL, target: 'urn:same', element: [{ code: 'x' }], unmapped: { mode: 'provided' } },
  ],
};

const laboratory = {
  resourceType: 'ConceptMap',
  id: 'laboratory',
  url: 'http://example.org/ConceptMap/laboratory',
  version: '2',
  status: 'active',
  sourceUri: 'http://example.org/ValueSet/local',
  targetUri: 'http://example.org/ValueSet/loinc',
  group: [
    {
      source: LOCAL,
      target: LOINC,
      targetVersion: '2.70',
      element: [
        {
          code: 'glu',
          target: [
            {
              code: '2339-0',
              display: 'Glucose in Blood',
              equivalence: 'narrower',
              comment: 'of blood alone',
              dependsOn: [
                { property: 'http://example.org/specimen', system: 'urn:specimen', value: 'blood' },
              ],
              product: [
                { property: 'http://example.org/unit', system: 'http://unitsofmeasure.org', value: 'mg/dL' },
              ],
            },
            { code: '2340-8', display: 'Glucose', equivalence: 'wider' },
          ],
        },
        { code: 'old', target: [{ equivalence: 'unmatched' }] },
      ],
      unmapped: { mode: 'other-map', url: fallback.url },
    },
  ],
};

interface Parameter {
  readonly name: string;
  readonly part?: readonly Parameter[];
  readonly [value: string]: unknown;
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  // As the maps of each release have it.
  const SAME = release === 'r4' ? 'equal' : 'equivalent';
  const [WIDER, NARROWER] = release === 'r4' ? ['wider', 'narrower'] : ['narrower', 'wider'];
  const send = (method: string, rest: string, body?: unknown, tenant = 'system') =>
    server.request(method, `${server.path(tenant, release)}/${rest}`, body);

  beforeAll(async () => {
    for (const map of [laboratory, fallback]) {
      const { status, text } = await send('PUT', `ConceptMap/${map.id}`, map);
      if (status !== 201) throw new Error(text);
    }
  });

  /** The result, and each match as `equivalence system|code`. */
  function resultOf(parameters: readonly Parameter[]): { result: unknown; matches: string[] } {
    const matches = parameters
      .filter(({ name }) => name === 'match')
      .map(({ part = [] }) => {
        const coding = part.find(({ name }) => name === 'concept')?.['valueCoding'] as
          { system: string; code: string } | undefined;
        const equivalence = part.find(({ name }) => name === 'equivalence')?.['valueCode'];
        return `${String(equivalence)} ${coding === undefined ? '-' : `${coding.system}|${coding.code}`}`;
      });
    return {
      result: parameters.find(({ name }) => name === 'result')?.['valueBoolean'],
      matches: matches.sort(),
    };
  }

  async function invoke(query: Record<string, string>, rest = 'ConceptMap/$translate') {
    const { status, json, text } = await send('GET', `${rest}?${new URLSearchParams(query).toString()}`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    expect(json.resourceType).toBe('Parameters');
    return resultOf(json.parameter);
  }

  it('a map of the specification translates a code, by its url and by its address', async () => {
    const male = { system: GENDER, code: 'male' };
    const expected = { result: true, matches: [`${SAME} ${V2}|M`] };
    expect(await invoke({ ...male, url: MAP_V2 })).toEqual(expected);
    expect(await invoke(male, 'ConceptMap/cm-administrative-gender-v2/$translate')).toEqual(expected);
    expect(await invoke({ system: GENDER, code: 'other', url: MAP_V2 })).toEqual({
      result: true,
      matches: [`${WIDER} ${V2}|A`, `${WIDER} ${V2}|O`],
    });
  });

  it('without a map all maps from the system are used, each match with its source', async () => {
    const { json } = await send('GET', `ConceptMap/$translate?system=${GENDER}&code=female`);
    const sources = (json.parameter as Parameter[])
      .filter(({ name }) => name === 'match')
      .map(({ part = [] }) => part.find(({ name }) => name === 'source')?.['valueUri']);
    expect(sources.sort()).toEqual([MAP_V2, MAP_V3]);
    expect(await invoke({ system: GENDER, code: 'female', targetsystem: V3 })).toMatchObject({
      matches: [`${SAME} ${V3}|F`],
    });
    const target = 'http://terminology.hl7.org/ValueSet/v2-0001';
    expect(await invoke({ system: GENDER, code: 'female', target })).toMatchObject({
      matches: [`${SAME} ${V2}|F`],
    });
    expect(
      await invoke({ system: GENDER, code: 'female', target, source: 'administrative-gender' }),
    ).toMatchObject({
      matches: [`${SAME} ${V2}|F`],
    });
    expect(await invoke({ system: GENDER, code: 'female', source: 'http://example.org/other' })).toEqual({
      result: false,
      matches: [],
    });
  });

  it('a map without a value set translates to the codes of the one that is asked for, and to no others', async () => {
    const valueSet = (id: string, code: string): object => ({
      ...{ resourceType: 'ValueSet', id, url: `http://example.org/ValueSet/${id}`, status: 'active' },
      compose: { include: [{ system: LOINC, concept: [{ code }] }] },
    });
    for (const [id, code] of [
      ['with-rare', '9999-9'],
      ['without-rare', '1-1'],
    ] as const)
      expect((await send('PUT', `ValueSet/${id}`, valueSet(id, code))).status).toBe(201);
    const rare = { system: LOCAL, code: 'rare', url: fallback.url };
    const asked = async (target: string): Promise<readonly unknown[]> => {
      const query = new URLSearchParams({ ...rare, target }).toString();
      const { json } = await send('GET', `ConceptMap/$translate?${query}`);
      const { result, matches } = resultOf(json.parameter);
      const message = (json.parameter as Parameter[]).find(({ name }) => name === 'message');
      return [result, matches, message?.['valueString']];
    };
    expect(await asked('http://example.org/ValueSet/with-rare')).toEqual([
      ...[true, [`inexact ${LOINC}|9999-9`], undefined],
    ]);
    expect(await asked('with-rare')).toEqual([true, [`inexact ${LOINC}|9999-9`], undefined]);
    expect(await asked('http://example.org/ValueSet/without-rare')).toEqual([
      ...[false, [], 'The translations are not in the value set http://example.org/ValueSet/without-rare'],
    ]);
    expect(await asked('http://example.org/ValueSet/never')).toEqual([
      ...[false, [], expect.stringContaining('http://example.org/ValueSet/never is not here')],
    ]);
  });

  it('the other way round wider is narrower', async () => {
    expect(await invoke({ system: V2, code: 'O', url: MAP_V2, reverse: 'true' })).toEqual({
      result: true,
      matches: [`${NARROWER} ${GENDER}|other`],
    });
    expect((await invoke({ system: V2, code: 'M', reverse: 'true' })).matches).toEqual([
      `${SAME} ${GENDER}|male`,
    ]);
  });

  it('a coding, and each coding of a concept, is translated', async () => {
    const coding = { system: GENDER, code: 'male' };
    const post = async (parameter: object) => {
      const body = { resourceType: 'Parameters', parameter: [{ name: 'url', valueUri: MAP_V2 }, parameter] };
      const { status, json } = await send('POST', 'ConceptMap/$translate', body);
      expect(status).toBe(200);
      return resultOf(json.parameter);
    };
    expect(await post({ name: 'coding', valueCoding: coding })).toEqual({
      result: true,
      matches: [`${SAME} ${V2}|M`],
    });
    const concept = { coding: [coding, { system: GENDER, code: 'unknown' }, { code: 'x' }], text: 'either' };
    expect(await post({ name: 'codeableConcept', valueCodeableConcept: concept })).toEqual({
      result: true,
      matches: [`${SAME} ${V2}|M`, `${SAME} ${V2}|U`],
    });
  });

  it('a mapping that depends on another element is used when that is given, with its products', async () => {
    const given = (valueCodeableConcept: object) => ({
      name: 'dependency',
      part: [
        { name: 'element', valueUri: 'http://example.org/specimen' },
        { name: 'concept', valueCodeableConcept },
      ],
    });
    const translate = async (...more: object[]) => {
      const parameter = [
        { name: 'url', valueUri: `${laboratory.url}|2` },
        { name: 'code', valueCode: 'glu' },
        { name: 'system', valueUri: LOCAL },
        ...more,
      ];
      return (await send('POST', 'ConceptMap/$translate', { resourceType: 'Parameters', parameter })).json
        .parameter;
    };
    expect(resultOf(await translate()).matches).toEqual([`wider ${LOINC}|2340-8`]);
    const urine = given({ coding: [{ system: 'urn:specimen', code: 'urine' }] });
    expect(resultOf(await translate(urine)).matches).toEqual([`wider ${LOINC}|2340-8`]);
    const parameters = await translate(given({ coding: [{ system: 'urn:specimen', code: 'blood' }] }));
    expect(resultOf(parameters).matches).toEqual([`narrower ${LOINC}|2339-0`, `wider ${LOINC}|2340-8`]);
    expect(parameters[1].part).toEqual([
      { name: 'equivalence', valueCode: 'narrower' },
      {
        name: 'concept',
        valueCoding: { system: LOINC, version: '2.70', code: '2339-0', display: 'Glucose in Blood' },
      },
      {
        name: 'product',
        part: [
          { name: 'element', valueUri: 'http://example.org/unit' },
          { name: 'concept', valueCoding: { system: 'http://unitsofmeasure.org', code: 'mg/dL' } },
        ],
      },
      { name: 'source', valueUri: laboratory.url },
    ]);
  });

  it('that there is no translation is a match, and no result', async () => {
    const { json } = await send('GET', `ConceptMap/laboratory/$translate?system=${LOCAL}&code=old`);
    expect(resultOf(json.parameter)).toEqual({ result: false, matches: ['unmatched -'] });
    expect(json.parameter[1]).toEqual({
      name: 'message',
      valueString: 'The concept map states that there is no translation',
    });
  });

  it('an unmapped code is translated as the map defines: by another map, to a fixed code, or unchanged', async () => {
    expect(await invoke({ url: laboratory.url, system: LOCAL, code: 'rare', targetsystem: LOINC })).toEqual({
      result: true,
      matches: [`inexact ${LOINC}|9999-9`],
    });
    expect(await invoke({ url: laboratory.url, system: LOCAL, code: 'never' })).toEqual({
      result: true,
      matches: ['equal urn:same|never', `relatedto ${LOINC}|0000-0`],
    });
  });

  it('a map may come with the question', async () => {
    const parameter = [
      { name: 'conceptMap', resource: { ...fallback, id: undefined, url: 'http://example.org/mine' } },
      { name: 'code', valueCode: 'rare' },
      { name: 'system', valueUri: LOCAL },
      { name: 'targetsystem', valueUri: LOINC },
    ];
    const { json } = await send('POST', 'ConceptMap/$translate', { resourceType: 'Parameters', parameter });
    expect(resultOf(json.parameter)).toEqual({ result: true, matches: [`inexact ${LOINC}|9999-9`] });
  });

  it('a map that has changed translates as it is now', async () => {
    const translateX = () => invoke({ system: LOCAL, code: 'x' }, 'ConceptMap/changing/$translate');
    const store = async (code: string): Promise<void> => {
      const element = [{ code: 'x', target: [{ code, equivalence: 'equal' }] }];
      const group = [{ source: LOCAL, target: LOINC, element }];
      const map = { ...fallback, id: 'changing', url: 'http://example.org/ConceptMap/changing', group };
      const { status, text } = await send('PUT', `ConceptMap/${map.id}`, map);
      if (status > 201) throw new Error(text);
    };
    for (const code of ['1-1', '2-2', '1-1']) {
      await store(code);
      expect(await translateX()).toEqual({ result: true, matches: [`equal ${LOINC}|${code}`] });
    }
    expect((await send('DELETE', 'ConceptMap/changing')).status).toBeLessThan(300);
  });

  it("another tenant's maps do not exist", async () => {
    const query = `system=${encodeURIComponent(LOCAL)}&code=glu`;
    expect((await send('GET', `ConceptMap/$translate?${query}`, undefined, 'other')).status).toBe(404);
    const named = `url=${encodeURIComponent(laboratory.url)}&${query}`;
    expect((await send('GET', `ConceptMap/$translate?${named}`, undefined, 'other')).status).toBe(404);
  });

  it.each([
    [`system=${GENDER}&code=male&url=http://example.org/nothing`, 404],
    ['system=http://example.org/unknown&code=male', 404],
    [`url=${MAP_V2}`, 400],
    [`url=${MAP_V2}&code=male`, 400],
  ])('%s is %d', async (query, expected) => {
    const { status, json } = await send('GET', `ConceptMap/$translate?${query}`);
    expect([status, json.resourceType]).toEqual([expected, 'OperationOutcome']);
  });
});
