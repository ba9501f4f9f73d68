/** The terminology of the specification judges codes here; test/core/interactions/pending-codes.test.ts writes them. */
import { setImmediate } from 'node:timers/promises';
import { fhirError } from '../../../src/core/errors';
import type { JsonObject } from '../../../src/core/fhir/json';
import { MAX_FINDINGS, type PendingCode } from '../../../src/core/fhir/validate';
import { createCodeChecker } from '../../../src/core/validation/pending-codes';
import { leastAwaitedMilliseconds } from '../../support/processor-time';
import { makeEnvironment, type TestEnvironment } from './specification-environment';
import { TESTED_RELEASES } from '../../support/releases';

const WARDS = 'http://hospital.example/ValueSet/wards';
const WARD_SYSTEM = 'http://hospital.example/CodeSystem/wards';
const CATEGORY = 'http://hl7.org/fhir/ValueSet/condition-category';
const CATEGORY_SYSTEM = 'http://terminology.hl7.org/CodeSystem/condition-category';

const wardSystem: JsonObject = {
  resourceType: 'CodeSystem',
  id: 'wards',
  url: WARD_SYSTEM,
  status: 'active',
  content: 'complete',
  property: [
    { code: 'notSelectable', uri: 'http://hl7.org/fhir/concept-properties#notSelectable', type: 'boolean' },
  ],
  concept: [
    { code: 'B', property: [{ code: 'notSelectable', valueBoolean: true }] },
    { code: 'B3', display: 'Ward B3' },
    { code: 'C1' },
  ],
};

function valueSet(url: string, include: readonly JsonObject[]): JsonObject {
  const id = url.slice(url.lastIndexOf('/') + 1);
  return { resourceType: 'ValueSet', id, url, status: 'active', compose: { include: [...include] } };
}

describe.each(TESTED_RELEASES)('codes of %s that need the terminology of a tenant', (release) => {
  const makeHospital = (): TestEnvironment => {
    const environment = makeEnvironment(release);
    environment.store(wardSystem);
    environment.store(valueSet(WARDS, [{ system: WARD_SYSTEM }]));
    return environment;
  };
  const ward = (code: string): PendingCode => ({
    valueSet: WARDS,
    strength: 'required',
    codings: [{ system: WARD_SYSTEM, code }],
    expression: 'Location.type.coding[0].code',
  });
  const judge = (
    pending: readonly PendingCode[],
    environment = makeHospital(),
    codeChecker = createCodeChecker(),
  ) => codeChecker.check(environment.context.space, environment, pending);

  it('are valid if their value set has them', async () => {
    expect(await judge([])).toEqual([]);
    expect(await judge([ward('B3'), ward('C1')])).toEqual([]);
    expect(await judge([{ ...ward('B3'), codings: [{ code: 'B3' }] }])).toEqual([]);
    const codings = [{ system: CATEGORY_SYSTEM, code: 'encounter-diagnosis' }];
    expect(await judge([{ ...ward(''), valueSet: CATEGORY, codings }])).toEqual([]);
  });

  it('are refused if a required value set does not have them', async () => {
    const [wrong, other] = await judge([
      ward('D9'),
      { ...ward('B3'), codings: [{ system: 'http://snomed.info/sct', code: 'B3' }] },
    ]);
    expect(wrong).toEqual({
      rule: 'binding',
      severity: 'error',
      diagnostics: `'${WARD_SYSTEM}|D9' is not in the value set ${WARDS}`,
      expression: 'Location.type.coding[0].code',
    });
    expect(other).toMatchObject({ rule: 'binding', severity: 'error' });
  });

  it('cause only a warning if the value set is extensible', async () => {
    expect(await judge([{ ...ward('D9'), strength: 'extensible' }])).toMatchObject([
      {
        rule: 'binding',
        severity: 'warning',
        diagnostics: expect.stringContaining('if one has the same meaning'),
      },
    ]);
  });

  it('may occur with codings of other systems if one coding is in the value set', async () => {
    const [good, wrong, other] = [
      { system: WARD_SYSTEM, code: 'B3' },
      { system: WARD_SYSTEM, code: 'D9' },
      { system: 'http://snomed.info/sct', code: '225746001' },
    ];
    expect(await judge([{ ...ward(''), codings: [other, wrong, good] }])).toEqual([]);
    expect(await judge([{ ...ward(''), codings: [other, wrong] }])).toMatchObject([
      { diagnostics: expect.stringContaining(`None of the 2 codings 'http://snomed.info/sct|225746001', `) },
    ]);
  });

  it('are refused if they are abstract', async () => {
    expect(await judge([ward('B')])).toMatchObject([
      { rule: 'binding', severity: 'error', diagnostics: expect.stringContaining('it is abstract') },
    ]);
  });

  it('are accepted with a note if the value set or code system does not exist', async () => {
    const environment = makeHospital();
    environment.store(
      valueSet('http://hospital.example/ValueSet/drugs', [{ system: 'http://drugs.example' }]),
    );
    const nowhere = { ...ward('x'), valueSet: 'http://nowhere.example/ValueSet/none|2' };
    const drug = {
      ...ward('x'),
      valueSet: 'http://hospital.example/ValueSet/drugs',
      codings: [{ system: 'http://drugs.example', code: 'x' }],
    };
    expect(await judge([nowhere, drug, { ...nowhere, strength: 'extensible' }], environment)).toMatchObject([
      {
        rule: 'unresolved',
        severity: 'warning',
        diagnostics: expect.stringContaining('it does not exist'),
      },
      {
        rule: 'unresolved',
        severity: 'warning',
        diagnostics: expect.stringContaining('http://drugs.example'),
      },
      { rule: 'unresolved', severity: 'information' },
    ]);
  });

  it('are refused even if another part of the value set does not exist', async () => {
    const environment = makeHospital();
    environment.store(valueSet(WARDS, [{ system: WARD_SYSTEM }, { system: 'http://drugs.example' }]));
    expect(await judge([ward('B3')], environment)).toEqual([]);
    expect(await judge([ward('D9')], environment)).toMatchObject([{ rule: 'binding', severity: 'error' }]);
  });

  it('are validated against the current value set', async () => {
    const environment = makeHospital();
    const codeChecker = createCodeChecker();
    expect(await judge([ward('D9')], environment, codeChecker)).toHaveLength(1);
    const [first] = Array.isArray(wardSystem['concept']) ? wardSystem['concept'] : [];
    environment.store({ ...wardSystem, concept: [first ?? {}, { code: 'D9' }] });
    expect(await judge([ward('D9')], environment, codeChecker)).toEqual([]);
    expect(await judge([ward('B3')], environment, codeChecker)).toHaveLength(1);
  });

  it('need no second lookup of the value set', async () => {
    const environment = makeHospital();
    const codeChecker = createCodeChecker();
    await judge([ward('B3'), ward('B3'), ward('C1')], environment, codeChecker);
    const before = environment.lookups();
    expect(before).toBeLessThanOrEqual(2);
    await judge([ward('C1'), ward('D9')], environment, codeChecker);
    expect(environment.lookups()).toBe(before);
  });

  it('are not cached across spaces', async () => {
    const [environment, other] = [makeHospital(), makeEnvironment(release)];
    const codeChecker = createCodeChecker();
    expect(await judge([ward('B3')], environment, codeChecker)).toEqual([]);
    const { space } = environment.context;
    const elsewhere = { ...space, number: space.number + 1 };
    expect(await codeChecker.check(elsewhere, other, [ward('B3')])).toMatchObject([{ rule: 'unresolved' }]);
    expect(await judge([ward('B3')], environment, codeChecker)).toEqual([]);
  });

  it('fail the request if the storage fails, so that no invalid code is accepted', async () => {
    const environment = makeHospital();
    const failing: TestEnvironment = {
      ...environment,
      findCanonical: () => Promise.reject(fhirError('storageUnavailable', {})),
    };
    await expect(judge([ward('D9')], failing)).rejects.toMatchObject({ key: 'storageUnavailable' });
  });

  it(`are reported up to ${MAX_FINDINGS} errors, which warnings do not displace`, async () => {
    const unknown = { ...ward('x'), valueSet: 'http://nowhere.example/ValueSet/none' };
    const many = Array.from({ length: 300 }, (_, index) => ward(`D${index}`));
    const findings = await judge([...many.map(() => unknown), ...many]);
    expect(findings.filter(({ severity }) => severity === 'warning')).toHaveLength(MAX_FINDINGS);
    expect(findings.filter(({ severity }) => severity === 'error')).toHaveLength(MAX_FINDINGS);
  });

  it('are looked up in limited number, and required ones beyond it are refused', async () => {
    const environment = makeHospital();
    const concept = Array.from({ length: 5_100 }, (_, index) => ({ code: `W${index}` }));
    environment.store({ ...wardSystem, concept });
    const pending = concept.map(({ code }) => ward(code));
    expect(await judge(pending.slice(0, 5_000), environment)).toEqual([]);
    expect(await judge([...pending.slice(0, 5_000), ward('W0')], environment)).toEqual([]);
    const findings = await judge(pending, environment);
    expect(findings).toHaveLength(100);
    expect(findings[0]).toMatchObject({ rule: 'tooCostly', severity: 'error' });
    const valueSets = pending.slice(0, 101).map((code, index) => ({ ...code, valueSet: `${WARDS}${index}` }));
    expect((await judge(valueSets, environment)).at(-1)).toMatchObject({ rule: 'tooCostly' });
  });

  it('are validated within the time limit for any value set', async () => {
    const environment = makeHospital();
    const inner = 'http://hospital.example/ValueSet/inner';
    const filter = [{ property: 'code', op: 'regex', value: 'never' }];
    const nine = Array.from({ length: 900 }, () => ({ system: WARD_SYSTEM, filter }));
    environment.store(valueSet(inner, nine));
    environment.store(
      valueSet(
        WARDS,
        Array.from({ length: 900 }, () => ({ valueSet: [inner] })),
      ),
    );
    const pending = Array.from({ length: 50 }, (_, index) => ward(`D${index}`));
    let findings: Awaited<ReturnType<typeof judge>> = [];
    const spent = await leastAwaitedMilliseconds(5_000, async () => {
      const codeChecker = createCodeChecker();
      await judge(pending.slice(0, 1), environment, codeChecker);
      findings = await judge(pending, environment, codeChecker);
    });
    expect(spent).toBeLessThan(5_000);
    expect(findings).toHaveLength(pending.length);
    for (const finding of findings) expect(finding).toMatchObject({ rule: 'tooCostly', severity: 'error' });
  });

  it('do not block other requests', async () => {
    const environment = makeHospital();
    const concept = Array.from({ length: 5_000 }, (_, index) => ({ code: `W${index}` }));
    environment.store({ ...wardSystem, concept });
    const filter = [{ property: 'code', op: 'regex', value: 'W4999' }];
    environment.store(
      valueSet(
        WARDS,
        Array.from({ length: 150 }, () => ({ system: WARD_SYSTEM, filter })),
      ),
    );
    const pending = concept.map(({ code }): PendingCode => ({ ...ward(code), strength: 'extensible' }));
    const codeChecker = createCodeChecker();
    await judge(pending.slice(0, 1), environment, codeChecker);
    const others = { turns: 0, areOver: false };
    const working = (async () => {
      for (; !others.areOver; others.turns++) await setImmediate();
    })();
    const findings = await judge(pending, environment, codeChecker);
    others.areOver = true;
    await working;
    expect(findings.length).toBe(MAX_FINDINGS);
    expect(others.turns).toBeGreaterThan(3);
  });
});
