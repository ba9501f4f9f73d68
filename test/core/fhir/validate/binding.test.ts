import {
  loadDefinitions,
  type ElementDefinition,
  type ValueSetBinding,
} from '../../../../src/core/fhir/definitions';
import type { JsonObject, JsonValue } from '../../../../src/core/fhir/json';
import { compileBinding } from '../../../../src/core/fhir/validate/binding';
import { MAX_ADVICE, ValidationRun } from '../../../../src/core/fhir/validate/run';
import { leastProcessorMilliseconds } from '../../../support/processor-time';
import { TESTED_RELEASES } from '../../../support/releases';

const CLINICAL = 'http://terminology.hl7.org/CodeSystem/condition-clinical';

describe.each(TESTED_RELEASES)('a binding of %s', (release) => {
  const definitions = loadDefinitions(release);
  const version = definitions.fhirVersion;

  const elementOf = (type: string, path: string): ElementDefinition => {
    const element = definitions.structure(type)?.element(path);
    if (element === undefined) throw new Error(`There is no element ${type}.${path}`);
    return element;
  };

  const checkBinding = (
    element: Pick<ElementDefinition, 'valueSetBinding'>,
    typeCode: string,
    value: JsonValue,
    wantsWarnings = false,
  ): ValidationRun => {
    const run = new ValidationRun('Basic', {}, true);
    run.wantsWarnings = wantsWarnings;
    run.push('element');
    compileBinding(definitions, element, typeCode)?.(value, run);
    run.pop();
    return run;
  };

  /** The binding of a type's own element, asked about a value of its first type. */
  const check = (path: string, value: JsonValue, wantsWarnings = false): ValidationRun => {
    const dot = path.indexOf('.');
    const element = elementOf(path.slice(0, dot), path.slice(dot + 1));
    return checkBinding(element, element.types[0]?.code ?? '', value, wantsWarnings);
  };

  const bound = (valueSetBinding: ValueSetBinding) => ({ valueSetBinding });
  const GENDERS = bound({
    valueSet: 'http://hl7.org/fhir/ValueSet/administrative-gender',
    strength: 'required',
  });
  const ELSEWHERE = 'http://hospital.example/ValueSet/wards';
  const WARDS = bound({ valueSet: ELSEWHERE, strength: 'required' });

  describe('refuses a code', () => {
    it('that is not in the required value set, and lists the codes that are', () => {
      expect(check('Patient.gender', 'female').findings).toEqual([]);
      expect(check('Patient.gender', 'Female').findings).toEqual([
        {
          rule: 'binding',
          severity: 'error',
          diagnostics: `'Female' is not in the value set http://hl7.org/fhir/ValueSet/administrative-gender|${version}; allowed are male, female, other, unknown of http://hl7.org/fhir/administrative-gender`,
          expression: 'Basic.element',
        },
      ]);
    });

    it('that is not in a long list, and suggests the most similar one', () => {
      expect(check('Money.currency', 'CHF').findings).toEqual([]);
      const [finding] = check('Money.currency', 'chf').findings;
      expect(finding?.diagnostics).toMatch(/allowed are AED, .+ … \(182 in all\); did you mean 'CHF'\?$/);
      expect(check('Money.currency', 'Fr.').findings[0]?.diagnostics).toMatch(/\(182 in all\)$/);
    });

    it("with only a readable length of the client's text", () => {
      const [finding] = check('Patient.gender', 'x'.repeat(1_000_000)).findings;
      expect(finding?.diagnostics.length).toBeLessThan(350);
    });

    it.each([
      'text/plain',
      'application/fhir+json; fhirVersion=4.0',
      'image/svg+xml',
      'text/html;charset=utf-8',
      'json',
    ])('unless it is a media type such as %s, where one is needed', (code) =>
      expect(check('Attachment.contentType', code).findings).toEqual([]),
    );

    it.each([
      'pdf',
      'text',
      'text/',
      '/plain',
      'text/plain;',
      'text/pl ain',
      'text/plain; charset',
      `${'x'.repeat(200)}/y`,
      '',
    ])('that is no media type where one is needed: %s', (code) =>
      expect(check('Attachment.contentType', code).findings).toMatchObject([
        {
          rule: 'binding',
          diagnostics: expect.stringContaining("needed is a media type such as 'text/plain'"),
        },
      ]),
    );

    it.each([
      'en',
      'de-CH',
      'zh-Hant-TW',
      'sl-rozaj-biske',
      'es-419',
      'i-klingon',
      'x-ours',
      'en-GB-oed',
      'de-CH-1996',
    ])('unless it is a language tag such as %s, where any language is allowed', (code) =>
      expect(check('Patient.language', code).findings).toEqual([]),
    );

    it.each(['english language', 'en_US', 'e', 'en-', 'de-CH-CH', 'english-', 'x', 'a-DE'])(
      'that is no language tag: %s',
      (code) =>
        expect(check('Patient.language', code).findings).toMatchObject([
          { rule: 'binding', severity: 'error' },
        ]),
    );

    it('in an instant even if it was made to be slow', () => {
      for (const part of ['a', '-a', 'a-', 'aa-', '-x', ';a=', 'a/a', '; a="', '1', '-aaa']) {
        const codes = [part.repeat(2_000_000), `en${part.repeat(50)}!`, `text/plain${part.repeat(80)}`];
        for (const path of ['Attachment.contentType', 'Patient.language', 'Patient.gender']) {
          for (const code of codes) {
            expect(leastProcessorMilliseconds(200, () => check(path, code))).toBeLessThan(200);
          }
        }
      }
    });
  });

  describe('requires of a CodeableConcept', () => {
    const status = (value: JsonValue) => check('Condition.clinicalStatus', value);

    it('that one of its codings is in the required value set', () => {
      const active = { system: CLINICAL, code: 'active' };
      const local = { system: 'http://hospital.example/status', code: 'A' };
      expect(status({ coding: [active] }).findings).toEqual([]);
      expect(status({ coding: [local, active], text: 'Active' }).findings).toEqual([]);
      expect(status({ coding: [local, { ...active, code: 'actve' }] }).findings).toMatchObject([
        {
          diagnostics: expect.stringContaining(
            `None of the 2 codings 'http://hospital.example/status|A', '${CLINICAL}|actve' is in the value set`,
          ),
          expression: 'Basic.element',
        },
      ]);
    });

    it('the right code, the right system, and a system at all, each at its place', () => {
      expect(status({ coding: [{ system: CLINICAL, code: 'actve' }] }).findings).toMatchObject([
        {
          expression: 'Basic.element.coding[0].code',
          diagnostics: expect.stringContaining(`'${CLINICAL}|actve'`),
        },
      ]);
      expect(
        status({ coding: [{ system: 'http://snomed.info/sct', code: 'active' }] }).findings,
      ).toMatchObject([{ expression: 'Basic.element.coding[0].system' }]);
      expect(status({ coding: [{ code: 'active' }] }).findings).toMatchObject([
        {
          expression: 'Basic.element.coding[0]',
          diagnostics: expect.stringContaining("'active' has no system"),
        },
      ]);
      expect(status({ coding: [{ system: CLINICAL, display: 'Active' }] }).findings).toMatchObject([
        { expression: 'Basic.element.coding[0]', diagnostics: expect.stringContaining('A code is missing') },
      ]);
    });

    it('more than a text, but not more than a reason why there is nothing', () => {
      expect(status({ text: 'active' }).findings).toMatchObject([
        { expression: 'Basic.element', diagnostics: expect.stringContaining('A text alone is not enough') },
      ]);
      const extension = [
        { url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' },
      ];
      expect(status({ extension }).findings).toEqual([]);
      expect(status({ coding: [{ extension }] }).findings).toEqual([]);
      expect(status({ coding: [{ system: CLINICAL, _code: { extension } }] }).findings).toEqual([]);
    });

    it('a language in the system of language tags, even where others are but preferred', () => {
      const language = (coding: JsonValue) =>
        check('Patient.communication.language', { coding: [coding] }).findings;
      expect(language({ system: 'urn:ietf:bcp:47', code: 'gsw' })).toEqual([]);
      expect(language({ display: 'Swiss German' })).toEqual([]);
      expect(language({ system: 'urn:ietf:bcp:47', code: 'Swiss German' })).toMatchObject([
        { rule: 'binding' },
      ]);
      expect(language({ system: 'http://hospital.example/languages', code: 'gsw' })).toMatchObject([
        { expression: 'Basic.element.coding[0].system' },
      ]);
      expect(check('Patient.communication.language', { text: 'Swiss German' }).findings).toEqual([]);
    });

    it('any UCUM unit where units are bound', () => {
      const unit = (code: string) =>
        check('ResearchElementDefinition.characteristic.unitOfMeasure', {
          coding: [{ system: 'http://unitsofmeasure.org', code }],
        }).findings;
      for (const code of ['mg/dL', '[IU]/L', '{score}', '10*3/uL', '%']) expect(unit(code)).toEqual([]);
      for (const code of ['mmHg', 'meter', 'tablets', 'mg/', 'm'.repeat(1_000_000)]) {
        expect(unit(code)).toMatchObject([{ diagnostics: expect.stringContaining('needed is a UCUM unit') }]);
      }
    });
  });

  it('requires of an Age, a Duration and a Distance a unit of time or length', () => {
    const quantity = (type: string, code: string) => {
      const structure = definitions.structure(type);
      const value = { value: 4, unit: code, system: 'http://unitsofmeasure.org', code };
      return checkBinding({ valueSetBinding: structure?.valueSetBinding }, type, value).findings;
    };
    for (const code of ['a', 'mo', 'wk', 'd', 'h', 'min', 's', 'ms']) {
      expect([...quantity('Age', code), ...quantity('Duration', code)]).toEqual([]);
    }
    for (const code of ['m', 'km', '[mi_i]']) expect(quantity('Distance', code)).toEqual([]);
    expect(quantity('Age', 'kg')).toMatchObject([
      {
        expression: 'Basic.element.code',
        diagnostics: expect.stringContaining("a UCUM unit that can be converted into 'a'"),
      },
    ]);
    expect(quantity('Age', 'years')).toHaveLength(1);
    expect(quantity('Distance', 'h')).toHaveLength(1);
  });

  it('requires of a Quantity code and system, but nothing of a plain number', () => {
    const units = bound({ valueSet: 'http://hl7.org/fhir/ValueSet/units-of-time', strength: 'required' });
    const quantity = (value: JsonValue) => checkBinding(units, 'Quantity', value).findings;
    expect(quantity({ value: 3, system: 'http://unitsofmeasure.org', code: 'h' })).toEqual([]);
    expect(quantity({ value: 3 })).toEqual([]);
    expect(quantity({ value: 3, unit: 'hours' })).toMatchObject([{ expression: 'Basic.element' }]);
    expect(quantity({ value: 3, system: 'http://unitsofmeasure.org', code: 'kg' })).toMatchObject([
      { expression: 'Basic.element.code' },
    ]);
  });

  it('checks the concept of a CodeableReference, not its reference', () => {
    const reference = (value: JsonValue) => checkBinding(GENDERS, 'CodeableReference', value).findings;
    expect(reference({ reference: { reference: 'Patient/1' } })).toEqual([]);
    expect(
      reference({
        concept: { coding: [{ system: 'http://hl7.org/fhir/administrative-gender', code: 'x' }] },
      }),
    ).toMatchObject([{ expression: 'Basic.element.concept.coding[0].code' }]);
  });

  it('is nothing where codes are only examples or preferred, and for types without codes', () => {
    expect(compileBinding(definitions, elementOf('Observation', 'code'), 'CodeableConcept')).toBeUndefined();
    expect(
      compileBinding(definitions, elementOf('Observation', 'category'), 'CodeableConcept'),
    ).toBeUndefined();
    expect(compileBinding(definitions, GENDERS, 'Reference')).toBeUndefined();
    expect(compileBinding(definitions, GENDERS, 'boolean')).toBeUndefined();
    expect(compileBinding(definitions, {}, 'code')).toBeUndefined();
  });

  it('passes over values of the wrong shape, which others report', () => {
    const shapes: Readonly<Record<string, readonly JsonValue[]>> = {
      code: [null, 1, [], {}],
      Coding: [null, 1, 'male', [], { code: 1 }, { system: 1, code: 'male' }],
      CodeableConcept: [null, 1, 'male', [], { coding: 'male' }, { coding: {} }, { coding: [1, null] }],
      Quantity: [null, 1, 'male', [], { code: 1, system: 'http://unitsofmeasure.org' }],
      CodeableReference: [null, 1, 'male', [], { concept: 1 }],
    };
    for (const [type, values] of Object.entries(shapes)) {
      for (const value of values) {
        expect([type, value, checkBinding(GENDERS, type, value).findings]).toEqual([type, value, []]);
      }
    }
  });

  describe('leaves to the terminology service', () => {
    it('codes of a value set that the definitions do not list', () => {
      const coding = { system: 'http://hospital.example/wards', code: 'B3', display: 'Ward B3' };
      expect(checkBinding(WARDS, 'Coding', coding).pending).toEqual([
        {
          valueSet: ELSEWHERE,
          strength: 'required',
          codings: [{ system: 'http://hospital.example/wards', code: 'B3' }],
          expression: 'Basic.element.code',
        },
      ]);
      expect(checkBinding(WARDS, 'code', 'B3').pending).toMatchObject([
        { codings: [{ code: 'B3' }], expression: 'Basic.element' },
      ]);
    });

    it('all codings of a concept together, without those that can be in no value set', () => {
      const coding: JsonObject[] = [
        { system: 'http://hospital.example/wards', code: 'B3' },
        { code: 'ward' },
        { system: 'http://snomed.info/sct', code: '225746001' },
      ];
      const run = checkBinding(WARDS, 'CodeableConcept', { coding });
      expect(run.findings).toEqual([]);
      expect(run.pending).toMatchObject([{ codings: [coding[0], coding[2]], expression: 'Basic.element' }]);
      const without = checkBinding(WARDS, 'CodeableConcept', { coding: [{ code: 'a' }, { code: 'b' }] });
      expect(without.findings).toMatchObject([{ rule: 'binding', severity: 'error' }]);
      expect(without.pending).toEqual([]);
    });

    it('extensible bindings, but only when warnings are wanted', () => {
      const married = {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', code: 'M' }],
      };
      expect(check('Patient.maritalStatus', married).pending).toEqual([]);
      expect(check('Patient.maritalStatus', married, true).pending).toMatchObject([
        { strength: 'extensible', expression: 'Basic.element.coding[0].code' },
      ]);
      expect(check('Patient.maritalStatus', { text: 'married' }, true)).toMatchObject({
        findings: [],
        pending: [],
      });
      expect(check('Patient.maritalStatus', { coding: [{ code: 'M' }] }, true).findings).toMatchObject([
        { rule: 'binding', severity: 'warning' },
      ]);
    });

    it(`at most ${MAX_ADVICE} codes that would only warn, with a note`, () => {
      const run = new ValidationRun('Basic', {}, true);
      run.wantsWarnings = true;
      const binding = compileBinding(definitions, elementOf('Patient', 'maritalStatus'), 'CodeableConcept');
      const required = compileBinding(definitions, WARDS, 'code');
      for (let index = 0; index < MAX_ADVICE + 100; index++) {
        binding?.({ coding: [{ system: 'http://hospital.example/status', code: `${index}` }] }, run);
        required?.('B3', run);
      }
      expect(run.pending.filter(({ strength }) => strength === 'extensible')).toHaveLength(MAX_ADVICE);
      expect(run.pending.filter(({ strength }) => strength === 'required')).toHaveLength(MAX_ADVICE + 100);
      expect(run.findings).toMatchObject([{ rule: 'tooCostly', severity: 'information' }]);
    });
  });
});
