/**
 * Operations over HTTP at the three levels (docs/reference/behaviour.md, Operations). `$everything` is in everything.test.ts.
 */
import { RELEASE_NAMES } from '../../src/core';
import { openSharedServer, type HttpServer } from '../support/shared-server';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const GENDERS = 'http://hl7.org/fhir/ValueSet/administrative-gender';
const GENDER_CODES = 'http://hl7.org/fhir/administrative-gender';
const CLINICAL = 'http://terminology.hl7.org/CodeSystem/condition-clinical';

interface Issue {
  readonly severity: string;
  readonly code: string;
  readonly expression?: readonly string[];
}

/** Values of a data type, as members of an extension: `true` where it is one. */
const PRIMITIVES: readonly (readonly [type: string, value: unknown, isValid: boolean])[] = [
  ['date', '2024-02-29', true],
  ['date', '2023-02-29', false],
  ['date', '2023', true],
  ['date', '0000', false],
  ['date', '2023-13', false],
  ['date', '2023-1-1', false],
  ['date', '2023-01-01T00:00:00Z', false],
  ['dateTime', '2023-06-01T12:00:00+14:00', true],
  ['dateTime', '2023-06-01T12:00:00-14:01', false],
  ['dateTime', '2023-06-01T24:00:00Z', false],
  ['dateTime', '2023-06-01T12:00:00', false],
  ['dateTime', '2023-06-01T12:00Z', false],
  ['instant', '2023-06-01T12:00:00.123Z', true],
  ['instant', '2023-06-01', false],
  ['time', '23:59:60', true],
  ['time', '24:00:00', false],
  ['integer', 2_147_483_647, true],
  ['integer', 2_147_483_648, false],
  ['integer', '1', false],
  ['integer', 1.5, false],
  ['integer', -2_147_483_648, true],
  ['integer', -2_147_483_649, false],
  ['unsignedInt', 0, true],
  ['unsignedInt', -1, false],
  ['unsignedInt', 2_147_483_648, false],
  ['positiveInt', 1, true],
  ['positiveInt', 0, false],
  ['positiveInt', 2_147_483_648, false],
  ['decimal', 1.5, true],
  ['decimal', '1.5', false],
  ['boolean', true, true],
  ['boolean', 'true', false],
  ['code', 'a b', true],
  ['code', ' a', false],
  ['id', 'a.B-9', true],
  ['id', 'a_b', false],
  ['id', 'a'.repeat(65), false],
  ['oid', 'urn:oid:1.2.3', true],
  ['oid', 'urn:oid:3.1', false],
  ['uuid', 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520', true],
  ['uuid', 'urn:uuid:C757873D', false],
  ['base64Binary', 'Zm9v', true],
  ['base64Binary', 'Zm9', false],
  ['string', '', false],
  ['string', 7, false],
  ['markdown', '**bold**', true],
  ['markdown', '', false],
  ['uri', 'urn:x:y', true],
  ['uri', 'a b', false],
  ['url', 'http://example.org/a', true],
  ['url', 'http://example.org/a b', false],
  ['canonical', 'http://example.org/fhir/ValueSet/a|1', true],
  ['canonical', 'http://example.org/fhir/ValueSet/a b', false],
];

/** In the place of a value. */
const ABSENT = { extension: [{ url: 'http://example.org/why', valueCode: 'x' }] };

/** Members of a Patient that JSON allows and FHIR does not, and the place of the error; undefined: it is allowed. */
const SHAPES: readonly (readonly [title: string, members: object, place: string | undefined])[] = [
  ['an empty list', { name: [] }, 'Patient.name'],
  ['an empty list of primitives', { name: [{ family: 'C', given: [] }] }, 'Patient.name[0].given'],
  ['an empty object', { maritalStatus: {} }, 'Patient.maritalStatus'],
  ['an empty object in a list', { name: [{}] }, 'Patient.name[0]'],
  ['a list in a list', { name: [[{ family: 'C' }]] }, 'Patient.name[0]'],
  ['null in a list of objects', { name: [null] }, 'Patient.name[0]'],
  ['an object for a list', { name: {} }, 'Patient.name'],
  ['null', { name: null }, 'Patient.name'],
  ['null for one object', { maritalStatus: null }, 'Patient.maritalStatus'],
  ['null for one primitive', { gender: null }, 'Patient.gender'],
  ['a primitive for an object', { maritalStatus: 'married' }, 'Patient.maritalStatus'],
  ['a primitive for a list', { name: [{ family: 'C', given: 'A' }] }, 'Patient.name[0].given'],
  ['an empty string', { gender: '' }, 'Patient.gender'],
  ['an object for a primitive', { gender: { value: 'male' } }, 'Patient.gender'],
  ['a list for one object', { maritalStatus: [{ text: 'married' }] }, 'Patient.maritalStatus'],
  ['a list for one primitive', { gender: ['male'] }, 'Patient.gender'],
  ['nulls that keep the place of extensions', given([null, 'B'], [ABSENT, null]), undefined],
  ['a companion of fewer', given(['A', 'B'], [ABSENT]), 'Patient.name[0].given'],
  ['a companion of more', given(['A'], [null, ABSENT]), 'Patient.name[0].given'],
  ['an empty companion', given(['A'], []), 'Patient.name[0].given'],
  ['a companion of an object for a list', given(['A'], ABSENT), 'Patient.name[0].given'],
  ['a companion that is a list, of one primitive', { gender: 'male', _gender: [ABSENT] }, 'Patient.gender'],
  ['a companion that is a primitive', { gender: 'male', _gender: 'x' }, 'Patient.gender'],
  ['nulls without extensions', given([null, 'B'], [null, null]), 'Patient.name[0].given[0]'],
  ['a value and its extension of different kinds', given(['A'], { id: 'a' }), 'Patient.name[0].given'],
  ['an extension without a value', { _gender: ABSENT }, undefined],
  ['an empty extension of a primitive', { gender: 'male', _gender: {} }, 'Patient.gender'],
  ['a companion of an object', { _name: [{ id: 'a' }] }, 'Patient._name'],
  ['an unknown member', { nonsense: 1 }, 'Patient.nonsense'],
  ['the companion of an unknown member', { _unknown: { id: 'a' } }, 'Patient._unknown'],
];

function given(values: unknown, companion: unknown): object {
  return { name: [{ family: 'Chalmers', given: values, _given: companion }] };
}

describe.each(RELEASE_NAMES)('an operation under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);
  const parameters = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });
  const expand = (...parameter: object[]) => send('POST', '/ValueSet/$expand', parameters(...parameter));
  const codesOf = ({ json }: { json: { expansion: { contains?: { code: string }[] } } }) =>
    (json.expansion.contains ?? []).map(({ code }) => code);

  /** The errors of a resource that `$validate` is given. */
  async function errorsOf(resource: object): Promise<(string | undefined)[]> {
    const { status, json } = await send('POST', '/$validate', parameters({ name: 'resource', resource }));
    expect([status, json.resourceType]).toEqual([200, 'OperationOutcome']);
    return (json.issue as Issue[])
      .filter(({ severity }) => severity === 'error' || severity === 'fatal')
      .map(({ expression }) => expression?.[0]);
  }

  it.each([['/$unknown'], ['/Patient/$unknown'], ['/Patient/1/$unknown']])('%s is 404', async (rest) => {
    for (const method of ['POST', 'GET']) {
      const { status, json } = await send(method, rest, method === 'POST' ? parameters() : undefined);
      expect([json.resourceType, status, json.issue[0].code]).toEqual([
        'OperationOutcome',
        404,
        'not-supported',
      ]);
    }
  });

  it('expands a value set by its url, with and without a version', async () => {
    for (const url of [GENDERS, `${GENDERS}|${release === 'r4' ? '4.0.1' : '4.3.0'}`]) {
      const answer = await expand({ name: 'url', valueUri: url });
      expect([answer.status, answer.json.resourceType]).toEqual([200, 'ValueSet']);
      expect(answer.json.expansion.timestamp).toBeDefined();
      expect(codesOf(answer).sort()).toEqual(['female', 'male', 'other', 'unknown']);
    }
  });

  it('an unknown url is 404; none, or one of another type, is 400 with its place', async () => {
    for (const [parameter, expected, code] of [
      [[{ name: 'url', valueUri: 'http://example.org/nothing' }], 404, 'not-found'],
      [[{ name: 'url', valueUri: `${GENDERS}|0.1` }], 404, 'not-found'],
      [[], 400, 'invalid'],
    ] as const) {
      const { status, json } = await expand(...parameter);
      expect([status, json.resourceType, json.issue[0].code]).toEqual([expected, 'OperationOutcome', code]);
    }
    const wrong = await expand({ name: 'url', valueInteger: 3 });
    expect([wrong.status, wrong.json.issue[0].expression]).toEqual([
      400,
      ['Parameters.parameter[0].valueInteger'],
    ]);
  });

  it('an expansion comes in slices, and filtered', async () => {
    const url = { name: 'url', valueUri: GENDERS };
    const all = codesOf(await expand(url));
    const first = await expand(url, { name: 'count', valueInteger: 3 });
    const second = await expand(url, { name: 'offset', valueInteger: 3 }, { name: 'count', valueInteger: 3 });
    expect([first.json.expansion.total, second.json.expansion.offset]).toEqual([4, 3]);
    expect([...codesOf(first), ...codesOf(second)]).toEqual(all);
    expect(codesOf(await expand(url, { name: 'filter', valueString: 'fem' }))).toEqual(['female']);
    expect(codesOf(await expand(url, { name: 'count', valueInteger: 0 }))).toEqual([]);
    const negative = await expand(url, { name: 'count', valueInteger: -1 });
    expect([negative.status, negative.json.issue[0].expression]).toEqual([
      400,
      ['Parameters.parameter[1].valueInteger'],
    ]);
  });

  it('a value set with more codes than one answer may have is too costly, a slice of it is not', async () => {
    const concept = Array.from({ length: 10_001 }, (_none, index) => ({ code: `c${index}` }));
    const url = 'http://example.org/ValueSet/many';
    const valueSet = {
      resourceType: 'ValueSet',
      url,
      status: 'active',
      compose: { include: [{ system: 'http://example.org/s', concept }] },
    };
    expect((await send('POST', '/ValueSet', valueSet)).status).toBe(201);
    const whole = await expand({ name: 'url', valueUri: url });
    expect([whole.status, whole.json.issue[0].code]).toEqual([422, 'too-costly']);
    const slice = await expand({ name: 'url', valueUri: url }, { name: 'count', valueInteger: 2 });
    expect([slice.status, codesOf(slice)]).toEqual([200, ['c0', 'c1']]);
  });

  it.each([
    ['/$expand', 'at system level'],
    ['/Patient/$expand', 'on the type Patient'],
    ['/CodeSystem/gender/$lookup', 'on one resource'],
    ['/$lookup', 'at system level'],
    ['/Patient/$meta-add', 'on the type Patient'],
  ])('%s, where it is not defined, is 400 and names the levels where it is', async (rest, level) => {
    const { status, json } = await send('POST', rest, parameters());
    expect([status, json.issue[0].code]).toEqual([400, 'not-supported']);
    expect(json.issue[0].diagnostics).toContain(`cannot be called ${level}`);
    expect(json.issue[0].diagnostics).toContain('it is defined');
  });

  it('a body that is neither Parameters nor a fitting resource is 400, one that is no JSON 415', async () => {
    expect((await send('POST', '/ValueSet/$expand', { resourceType: 'Patient' })).status).toBe(400);
    for (const body of ['{', '[]', '""', '{}'])
      expect([body, (await send('POST', '/ValueSet/$expand', body)).status]).toEqual([body, 400]);
    expect((await send('POST', '/ValueSet/$expand', '{}', { 'content-type': 'text/plain' })).status).toBe(
      415,
    );
    const direct = await send('POST', '/Patient/$validate', { resourceType: 'Patient' });
    expect([direct.status, direct.json.resourceType]).toEqual([200, 'OperationOutcome']);
  });

  it('a parameter that is missing, too many, unknown, empty or of another type is 400 with its place', async () => {
    const url = { name: 'url', valueUri: GENDERS };
    for (const [wrong, place] of [
      [[url, url], 'Parameters.parameter[1].valueUri'],
      [[url, { name: 'count', valueString: '3' }], 'Parameters.parameter[1].valueString'],
      [[url, { name: 'count', valueInteger: 1.5 }], 'Parameters.parameter[1].valueInteger'],
      [[url, { name: 'count' }], 'Parameters.parameter[1]'],
      [[{ valueUri: GENDERS }], 'Parameters.parameter[0].name'],
    ] as const) {
      const { status, json } = await expand(...wrong);
      expect([status, json.issue[0].expression]).toEqual([400, [place]]);
    }
    const { id } = (await send('POST', '/Patient', { resourceType: 'Patient' })).json;
    const meta = { name: 'meta', valueMeta: { tag: [{ code: 'a' }] } };
    const unknown = await send(
      'POST',
      `/Patient/${id}/$meta-add`,
      parameters(meta, { name: 'metas', valueInteger: 3 }),
    );
    expect([unknown.status, unknown.json.issue[0].expression]).toEqual([
      400,
      ['Parameters.parameter[1].name'],
    ]);
    const missing = await send('POST', `/Patient/${id}/$meta-add`, parameters());
    expect([missing.status, missing.json.issue[0].expression]).toEqual([400, ['Parameters.parameter']]);
    expect(missing.json.issue[0].diagnostics).toContain("'meta' is required");
  });

  it('GET runs operations that change nothing, the dollar percent-encoded or not; others are 405', async () => {
    for (const code of ['$expand', '%24expand']) {
      const rest = `/ValueSet/${code}?url=${encodeURIComponent(GENDERS)}&_format=json`;
      const answer = await send('GET', rest);
      expect(answer.status).toBe(200);
      expect(codesOf(answer)).toHaveLength(4);
    }
    const { id } = (await send('POST', '/Patient', { resourceType: 'Patient' })).json;
    const changing = await send('GET', `/Patient/${id}/$meta-add`);
    expect([changing.status, changing.headers.allow]).toEqual([405, 'POST']);
    const complex = await send('GET', '/ValueSet/$expand?valueSet=x');
    expect([complex.status, complex.json.issue[0].code]).toEqual([400, 'invalid']);
  });

  it('$validate reports faults by their place in the resource, wrapped or not; without one it is 400', async () => {
    const broken = { resourceType: 'Patient', name: [{ family: ['Chalmers'] }] };
    for (const rest of ['/$validate', '/Patient/$validate'])
      for (const body of [broken, parameters({ name: 'resource', resource: broken })]) {
        const { status, json } = await send('POST', rest, body);
        expect([status, json.issue.map(({ expression }: Issue) => expression)]).toEqual([
          200,
          [['Patient.name[0].family']],
        ]);
      }
    expect((await send('POST', '/Patient/$validate', parameters())).status).toBe(400);
  });

  it.each([
    ['CodeSystem/$lookup', { system: CLINICAL, code: 'active' }, 'display', 'Active'],
    ['CodeSystem/$validate-code', { url: CLINICAL, code: 'active' }, 'result', true],
    ['CodeSystem/$validate-code', { url: CLINICAL, code: 'nonsense' }, 'result', false],
    ['CodeSystem/$subsumes', { system: CLINICAL, codeA: 'active', codeB: 'relapse' }, 'outcome', 'subsumes'],
    ['ConceptMap/$translate', { system: GENDER_CODES, code: 'male' }, 'result', true],
  ])('%s of %j answers Parameters; an unknown system is 404, or the result false', async (path, asked, name, detail) => {
    const invoke = (query: Readonly<Record<string, string>>) => send('GET', `/${path}?${new URLSearchParams(query).toString()}`);
    const { status, json } = await invoke(asked);
    expect([status, json.resourceType]).toEqual([200, 'Parameters']);
    const [found] = json.parameter.filter((parameter: { name: string }) => parameter.name === name);
    expect(Object.entries(found).find(([member]) => member.startsWith('value'))?.[1]).toBe(detail);
    const system = 'url' in asked ? 'url' : 'system';
    const unknown = await invoke({ ...asked, [system]: 'http://example.org/nobody-knows' });
    if (name === 'result' && 'url' in asked)
      expect(unknown.json.parameter[0]).toEqual({ name: 'result', valueBoolean: false });
    else expect([unknown.status, unknown.json.resourceType]).toEqual([404, 'OperationOutcome']);
  }); // prettier-ignore

  it.each(PRIMITIVES)('valueOf %s %j: %s', async (type, value, isValid) => {
    const member = `value${type.charAt(0).toUpperCase()}${type.slice(1)}`;
    const resource = {
      resourceType: 'Basic',
      code: { text: 'vector' },
      extension: [{ url: 'http://example.org/vector', [member]: value }],
    };
    expect(await errorsOf(resource)).toEqual(isValid ? [] : [`Basic.extension[0].value.ofType(${type})`]);
  });

  it.each(SHAPES)('%s: %j is reported at %s', async (_title, members, place) => {
    expect(await errorsOf({ resourceType: 'Patient', ...members })).toEqual(
      place === undefined ? [] : [place],
    );
  });
});
