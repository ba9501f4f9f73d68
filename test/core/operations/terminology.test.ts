import { type JsonObject, type JsonValue } from '../../../src/core/fhir/json';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { checkParameters } from '../../../src/core/operation-types/parameters';
import { leastAwaitedMilliseconds } from '../../support/processor-time';
import { invoke, makeEnvironment, valuesOf } from './specification-environment';
import { TESTED_RELEASES } from '../../support/releases';

const GENDER = 'http://hl7.org/fhir/ValueSet/administrative-gender';
const GENDER_SYSTEM = 'http://hl7.org/fhir/administrative-gender';
const CLINICAL = 'http://terminology.hl7.org/CodeSystem/condition-clinical';
const OPERATION = 'http://hl7.org/fhir/OperationDefinition/';
/** Out parameters of $validate-code in HL7's terminology ecosystem. */
const OF_ECOSYSTEM: readonly (JsonValue | undefined)[] = [
  ...['code', 'system', 'version', 'issues', 'codeableConcept', 'inactive', 'status', 'normalized-code'],
  ...['x-caused-by-unknown-system', 'x-unknown-system'],
];

describe.each(TESTED_RELEASES)('terminology operations in %s', (release) => {
  const environment = makeEnvironment(release);
  const definitions = loadDefinitions(release);
  const version = definitions.fhirVersion;

  async function call(
    type: string,
    code: string,
    parameter: readonly JsonObject[],
    id?: string,
  ): Promise<JsonObject> {
    const level = id === undefined ? 'type' : 'instance';
    const answer = await invoke(environment, { level, type, id, code }, parameter);
    if (answer['resourceType'] === 'Parameters') {
      const definition = definitions.operations.get(`${OPERATION}${type}-${code}`);
      const declared = definition?.parameters.filter(({ use }) => use === 'out') ?? [];
      const entries = (answer['parameter'] as readonly JsonObject[] | undefined) ?? [];
      const ofR4 = entries.filter(({ name }) => code !== 'validate-code' || !OF_ECOSYSTEM.includes(name));
      expect(checkParameters(code, ofR4, declared, definitions)).toEqual([]);
    }
    return answer;
  }
  const expand = (parameter: readonly JsonObject[], id?: string) => call('ValueSet', 'expand', parameter, id);
  const validate = async (...parameter: JsonObject[]) =>
    valuesOf(await call('ValueSet', 'validate-code', parameter)) as {
      result: boolean;
      message?: string;
      display?: string;
    };
  const lookup = (...parameter: JsonObject[]) => call('CodeSystem', 'lookup', parameter);

  test('$expand returns the value set and its expansion', async () => {
    const answer = await expand([{ name: 'url', valueUri: GENDER }]);
    expect(answer).toMatchObject({
      resourceType: 'ValueSet',
      url: GENDER,
      expansion: {
        identifier: expect.stringMatching(/^urn:uuid:/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        total: 4,
        parameter: ['used-codesystem', 'version'].map((name) => ({
          name,
          valueUri: `${GENDER_SYSTEM}|${version}`,
        })),
      },
    });
    expect(answer).not.toHaveProperty('compose');
    expect((answer['expansion'] as JsonObject)['contains']).toMatchObject(
      ['male', 'female', 'other', 'unknown'].map((code) => ({ system: GENDER_SYSTEM, version, code })),
    );
  });

  test('$expand accepts a version in the URL, an id, or the value set itself', async () => {
    const total = (answer: JsonObject): JsonValue | undefined => (answer['expansion'] as JsonObject)['total'];
    expect(total(await expand([{ name: 'url', valueUri: `${GENDER}|${version}` }]))).toBe(4);
    expect(
      total(
        await expand([
          { name: 'url', valueUri: GENDER },
          { name: 'valueSetVersion', valueString: version },
        ]),
      ),
    ).toBe(4);
    expect(total(await expand([], 'administrative-gender'))).toBe(4);
    const valueSet = {
      resourceType: 'ValueSet',
      status: 'active',
      compose: { include: [{ valueSet: [GENDER] }] },
    };
    expect(total(await expand([{ name: 'valueSet', resource: valueSet }]))).toBe(4);
  });

  test('$expand is 404 for a value set, version or id that does not exist', async () => {
    for (const url of ['http://nowhere.example/vs', `${GENDER}|9`]) {
      const asked = expand([{ name: 'url', valueUri: url }]);
      await expect(asked).rejects.toMatchObject({
        status: 404,
        key: 'notFoundInTerminology',
        issues: [{ details: { code: 'not-found', text: expect.stringContaining(`'${url}'`) } }],
      });
    }
    await expect(expand([], 'nothing')).rejects.toMatchObject({ status: 404 });
  });

  test('$expand is 422 if codes are missing or too many', async () => {
    await expect(
      expand([{ name: 'url', valueUri: 'http://hl7.org/fhir/ValueSet/body-site' }]),
    ).rejects.toMatchObject({
      status: 422,
      key: 'notSupported',
      message: expect.stringContaining('http://snomed.info/sct'),
    });
    const small = makeEnvironment(release);
    small.maxExpansionCodes = 3;
    const asked = (...more: JsonObject[]) =>
      invoke(small, { level: 'type', type: 'ValueSet', code: 'expand' }, [
        { name: 'url', valueUri: GENDER },
        ...more,
      ]);
    await expect(asked()).rejects.toMatchObject({ status: 422, key: 'tooCostly' });
    expect(
      await asked({ name: 'count', valueInteger: 2 }, { name: 'offset', valueInteger: 3 }),
    ).toMatchObject({ expansion: { total: 4, offset: 3, contains: [{ code: 'unknown' }] } });
  });

  test('$expand repeats its parameters, and includes the definition if requested', async () => {
    const answer = await expand([
      { name: 'url', valueUri: GENDER },
      { name: 'filter', valueString: 'MALE' },
      { name: 'exclude-system', valueCanonical: 'http://nowhere.example' },
      { name: 'includeDefinition', valueBoolean: true },
    ]);
    expect(answer).toMatchObject({
      compose: { include: [{ system: GENDER_SYSTEM }] },
      expansion: { total: 2 },
    });
    expect((answer['expansion'] as JsonObject)['parameter']).toEqual(
      expect.arrayContaining([
        { name: 'filter', valueString: 'MALE' },
        { name: 'exclude-system', valueUri: 'http://nowhere.example' },
      ]),
    );
  });

  test('$expand finds the words of a filter in displays of any language', async () => {
    const url = { name: 'url', valueUri: 'http://hl7.org/fhir/ValueSet/languages' };
    const codesOf = async (filter: string, ...more: JsonObject[]): Promise<readonly unknown[]> => {
      const { expansion } = await expand([url, { name: 'filter', valueString: filter }, ...more]);
      const { contains = [] } = expansion as { contains?: readonly JsonObject[] };
      return contains.map(({ code }) => code);
    };
    const dutch = { name: 'displayLanguage', valueCode: 'nl' };
    expect(await codesOf('austria österreich')).toEqual(['de-AT']);
    expect([await codesOf('dänisch', dutch), await codesOf('danish', dutch)]).toEqual([['da'], ['da']]);
  });

  test('$expand uses the requested versions of code systems', async () => {
    const url = { name: 'url', valueUri: GENDER };
    const wrong = { name: 'check-system-version', valueCanonical: `${GENDER_SYSTEM}|9` };
    await expect(expand([url, wrong])).rejects.toMatchObject({
      key: 'notSupported',
      message: expect.stringContaining('9'),
    });
    const forced = { name: 'force-system-version', valueCanonical: `${GENDER_SYSTEM}|9` };
    await expect(expand([url, forced])).rejects.toMatchObject({ key: 'notSupported' });
    expect(await expand([url, { name: 'exclude-system', valueCanonical: GENDER_SYSTEM }])).toMatchObject({
      expansion: { total: 0 },
    });
  });

  test('$expand refuses parameters that it does not support', async () => {
    const date = { name: 'date', valueDateTime: '2020-01-01' };
    await expect(expand([{ name: 'url', valueUri: GENDER }, date])).rejects.toMatchObject({
      key: 'notSupported',
      issues: [{ expression: 'Parameters.parameter[1].valueDateTime' }],
    });
  });

  test('the same request is answered from the cache until the terminology changes', async () => {
    const own = makeEnvironment(release);
    const asked = (...more: JsonObject[]) =>
      invoke(own, { level: 'type', type: 'ValueSet', code: 'expand' }, [
        ...more,
        { name: 'url', valueUri: GENDER },
      ]);
    const first = await asked();
    const lookups = own.lookups();
    expect(await asked()).toEqual(first);
    expect(own.lookups()).toBe(lookups);
    expect(await asked({ name: 'activeOnly', valueBoolean: true })).not.toEqual(first);
    const concept = [{ code: 'divers' }];
    own.store({
      resourceType: 'CodeSystem',
      status: 'active',
      id: 'mine',
      url: GENDER_SYSTEM,
      version: '10',
      content: 'complete',
      concept,
    });
    expect(await asked()).toMatchObject({
      expansion: { total: 1, contains: [{ code: 'divers', version: '10' }] },
    });
    own.store({
      resourceType: 'CodeSystem',
      status: 'active',
      id: 'mine',
      url: GENDER_SYSTEM,
      version: '10',
      content: 'complete',
      concept: [{ code: 'x' }],
    });
    expect(await asked()).toMatchObject({ expansion: { total: 1, contains: [{ code: 'x' }] } });
  });

  test('a warm expansion takes less than a millisecond of processor time', async () => {
    const parameter = [{ name: 'url', valueUri: GENDER }];
    await expand(parameter);
    const rounds = 200;
    const spent = await leastAwaitedMilliseconds(rounds, async () => {
      for (let round = 0; round < rounds; round++)
        await invoke(environment, { level: 'type', type: 'ValueSet', code: 'expand' }, parameter);
    });
    expect(spent / rounds).toBeLessThan(1);
  });

  test('an expansion preserves the digits of decimals in extensions', async () => {
    const own = makeEnvironment(release);
    const extension = [
      { url: 'http://hl7.org/fhir/StructureDefinition/ordinalValue', valueDecimal: '\u00011.50' },
    ];
    own.store({
      resourceType: 'CodeSystem',
      status: 'active',
      id: 'm',
      url: 'http://zoo.example',
      content: 'complete',
      concept: [{ code: 'a', extension }],
    });
    own.store({
      resourceType: 'ValueSet',
      status: 'active',
      id: 'm',
      url: 'http://zoo.example/vs',
      compose: { include: [{ system: 'http://zoo.example' }] },
    });
    const answer = await invoke(own, { level: 'type', type: 'ValueSet', code: 'expand' }, [
      { name: 'url', valueUri: 'http://zoo.example/vs' },
    ]);
    expect(answer).toMatchObject({ expansion: { contains: [{ code: 'a', extension }] } });
  });

  test('$validate-code checks codes of a value set and their displays', async () => {
    const url = { name: 'url', valueUri: GENDER };
    const code = { name: 'code', valueCode: 'male' };
    const system = { name: 'system', valueUri: GENDER_SYSTEM };
    const male = { result: true, display: 'Male', code: 'male', system: GENDER_SYSTEM, version };
    expect(await validate(url, code)).toEqual(male);
    expect(await validate(url, code, system, { name: 'display', valueString: ' male ' })).toEqual(male);
    const wrong = await validate(url, code, system, { name: 'display', valueString: 'Female' });
    expect(wrong).toMatchObject({
      result: false,
      display: 'Male',
      message: expect.stringContaining('Female'),
    });
    expect(await validate(url, { name: 'code', valueCode: 'm' })).toMatchObject({
      result: false,
      message: expect.stringContaining("'#m'"),
    });
    expect(await validate(url, code, { name: 'system', valueUri: CLINICAL })).toMatchObject({
      result: false,
    });
    expect(await validate(url, code, system, { name: 'systemVersion', valueString: '1' })).toMatchObject({
      result: false,
    });
    expect(await validate(url, code, system, { name: 'systemVersion', valueString: version })).toMatchObject({
      result: true,
    });
    expect(valuesOf(await call('ValueSet', 'validate-code', [code], 'administrative-gender'))).toMatchObject({
      result: true,
    });
  });

  test('$validate-code accepts a coding, and a concept with one valid coding', async () => {
    const url = { name: 'url', valueUri: GENDER };
    const right = { system: GENDER_SYSTEM, code: 'female' };
    const wrong = { system: 'http://zoo.example', code: 'bat' };
    expect(await validate(url, { name: 'coding', valueCoding: right })).toMatchObject({
      result: true,
      display: 'Female',
    });
    expect(
      await validate(url, { name: 'codeableConcept', valueCodeableConcept: { coding: [wrong, right] } }),
    ).toMatchObject({ result: true });
    const none = await validate(url, {
      name: 'codeableConcept',
      valueCodeableConcept: { coding: [wrong, wrong] },
    });
    expect(none).toMatchObject({
      result: false,
      message: expect.stringMatching(/'http:\/\/zoo.example' could not be found.*No valid coding was found/),
      'x-unknown-system': 'http://zoo.example',
    });
    await expect(validate(url)).rejects.toMatchObject({ status: 400 });
    await expect(
      validate(url, { name: 'coding', valueCoding: { system: GENDER_SYSTEM } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  test('$validate-code returns a result if possible, and an error otherwise', async () => {
    const include = [{ system: GENDER_SYSTEM }, { system: 'http://loinc.org' }];
    const valueSet = {
      name: 'valueSet',
      resource: { resourceType: 'ValueSet', status: 'active', compose: { include } },
    };
    expect(await validate(valueSet, { name: 'code', valueCode: 'male' })).toMatchObject({ result: true });
    const coding = { name: 'coding', valueCoding: { system: 'http://loinc.org', code: '8867-4' } };
    for (const asked of [coding, { name: 'code', valueCode: '8867-4' }])
      expect(await validate(valueSet, asked)).toMatchObject({
        result: false,
        message: expect.stringContaining("CodeSystem 'http://loinc.org' could not be found"),
        'x-caused-by-unknown-system': 'http://loinc.org',
        issues: {
          issue: [
            {
              diagnostics: expect.stringContaining(
                'LOINC (http://loinc.org) is not loaded here: load it from its publisher',
              ),
            },
          ],
        },
      });
  });

  test('$validate-code refuses abstract codes if requested', async () => {
    const concept = [{ code: 'a', property: [{ code: 'notSelectable', valueBoolean: true }] }];
    const codeSystem = {
      resourceType: 'CodeSystem',
      status: 'active',
      url: 'http://zoo.example',
      content: 'complete',
      concept,
    };
    const ask = async (...more: JsonObject[]) => {
      const parameter = [
        { name: 'codeSystem', resource: codeSystem },
        { name: 'code', valueCode: 'a' },
        ...more,
      ];
      return valuesOf(await call('CodeSystem', 'validate-code', parameter));
    };
    expect(await ask()).toEqual({ result: true, code: 'a', system: 'http://zoo.example' });
    expect(await ask({ name: 'abstract', valueBoolean: false })).toMatchObject({ result: false });
    expect(await ask({ name: 'abstract', valueBoolean: true })).toMatchObject({ result: true });
  });

  test('CodeSystem/$validate-code finds codes by url and id', async () => {
    const ask = async (code: string, id?: string) => {
      const url = id === undefined ? [{ name: 'url', valueUri: CLINICAL }] : [];
      return valuesOf(
        await call('CodeSystem', 'validate-code', [...url, { name: 'code', valueCode: code }], id),
      );
    };
    expect(await ask('active')).toMatchObject({
      result: true,
      display: 'Active',
      code: 'active',
      system: CLINICAL,
    });
    expect(await ask('active', 'condition-clinical')).toMatchObject({ result: true });
    expect(await ask('asleep')).toMatchObject({ result: false });
  });

  test('$lookup returns the properties that the code system has', async () => {
    const answer = await lookup(
      { name: 'code', valueCode: 'recurrence' },
      { name: 'system', valueUri: CLINICAL },
    );
    expect(answer).toMatchObject({ resourceType: 'Parameters' });
    expect(answer['parameter']).toEqual(
      expect.arrayContaining([
        { name: 'name', valueString: 'ConditionClinicalStatusCodes' },
        { name: 'version', valueString: version },
        { name: 'display', valueString: 'Recurrence' },
        {
          name: 'property',
          part: [
            { name: 'code', valueCode: 'parent' },
            { name: 'value', valueCode: 'active' },
            { name: 'description', valueString: 'Active' },
          ],
        },
      ]),
    );
    expect(JSON.stringify(answer)).not.toContain('"child"');
  });

  test('$lookup returns only the requested properties, and accepts a coding', async () => {
    const answer = await lookup(
      { name: 'coding', valueCoding: { system: CLINICAL, code: 'active' } },
      { name: 'property', valueCode: 'child' },
    );
    const entries = answer['parameter'] as JsonObject[];
    expect(entries.map(({ name }) => name)).toEqual(['name', 'version', 'display', 'property', 'property']);
  });

  test('$lookup is 404 for an unknown code, 422 without content, 400 without a system', async () => {
    const code = { name: 'code', valueCode: 'x' };
    for (const [system, status, message] of [
      [
        'http://loinc.org',
        404,
        /^LOINC \(http:\/\/loinc\.org\) is not loaded here: load it from its publisher by npx --no-install andiron import-terminology, load a package that has it, or store it as a CodeSystem \(.*#load-a-code-system\)$/,
      ],
      [
        'http://nowhere.example',
        404,
        /^The code system http:\/\/nowhere\.example is not loaded here: load .*#load-a-code-system\)$/,
      ],
      [
        'http://snomed.info/sct',
        422,
        /^SNOMED CT.* is not loaded here: it is stored without its codes .*; load .*#load-a-code-system\)$/,
      ],
    ] as const) {
      const asked = lookup(code, { name: 'system', valueUri: system });
      await expect(asked).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
    }
    await expect(lookup(code, { name: 'system', valueUri: 'http://nowhere.example' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(lookup(code, { name: 'system', valueUri: CLINICAL })).rejects.toMatchObject({ status: 404 });
    await expect(lookup(code, { name: 'system', valueUri: 'http://snomed.info/sct' })).rejects.toMatchObject({
      status: 422,
    });
    await expect(lookup(code)).rejects.toMatchObject({ status: 400 });
    await expect(lookup()).rejects.toMatchObject({ status: 400 });
  });

  test.each([
    ['active', 'recurrence', 'subsumes'],
    ['recurrence', 'active', 'subsumed-by'],
    ['active', 'active', 'equivalent'],
    ['active', 'resolved', 'not-subsumed'],
  ])('$subsumes: %s to %s is %s', async (codeA, codeB, outcome) => {
    const codes = [
      { name: 'codeA', valueCode: codeA },
      { name: 'codeB', valueCode: codeB },
    ];
    expect(
      valuesOf(await call('CodeSystem', 'subsumes', [...codes, { name: 'system', valueUri: CLINICAL }])),
    ).toEqual({ outcome });
    expect(valuesOf(await call('CodeSystem', 'subsumes', codes, 'condition-clinical'))).toEqual({ outcome });
    await expect(call('CodeSystem', 'subsumes', codes)).rejects.toMatchObject({ status: 400 });
  });

  test('$meta returns Parameters at all three levels', async () => {
    const profile = ['http://zoo.example/a', 'http://zoo.example/b'];
    const tag = (code: string) => [{ system: 'http://zoo.example/tags', code }];
    const meta = { versionId: '1', tag: tag('mine') };
    environment.store({ resourceType: 'Patient', id: 'p', meta });
    const system = await invoke(environment, { level: 'system', code: 'meta' });
    expect(system).toEqual({
      resourceType: 'Parameters',
      parameter: [{ name: 'return', valueMeta: { profile, tag: tag('all') } }],
    });
    const type = await invoke(environment, { level: 'type', type: 'Patient', code: 'meta' });
    expect(valuesOf(type)).toEqual({ return: { profile, tag: tag('Patient') } });
    const instance = await invoke(environment, { level: 'instance', type: 'Patient', id: 'p', code: 'meta' });
    expect(valuesOf(instance)).toEqual({ return: meta });
    await expect(
      invoke(environment, { level: 'instance', type: 'Patient', id: 'q', code: 'meta' }),
    ).rejects.toMatchObject({ status: 404 });
  });
});
