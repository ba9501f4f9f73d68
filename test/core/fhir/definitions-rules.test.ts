import {
  loadDefinitions,
  readBaseResources,
  type ElementDefinition,
} from '../../../src/core/fhir/definitions';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../../src/core/fhir/json';
import { RELEASE_NAMES } from '../../../src/core/fhir/release';
import { stringMember } from '../../../src/core/fhir/terminology/members';

const keysOf = (rules: readonly { readonly key: string }[] | undefined) =>
  (rules ?? []).map(({ key }) => key);

const objectsOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

describe.each(RELEASE_NAMES)('the rules for values in the definitions of %s', (release) => {
  const definitions = loadDefinitions(release);
  const structure = (name: string) => {
    const found = definitions.structure(name);
    if (found === undefined) throw new Error(`There is no type ${name}`);
    return found;
  };
  const element = (type: string, path: string): ElementDefinition => {
    const found = structure(type).element(path);
    if (found === undefined) throw new Error(`There is no element ${type}.${path}`);
    return found;
  };
  const types = new Map<string, JsonObject>();
  const profiles = new Map<string, JsonObject>();

  beforeAll(() => {
    for (const { type, text } of readBaseResources(release)) {
      if (type !== 'StructureDefinition') continue;
      const { value } = parseJson(text);
      if (!isJsonObject(value)) throw new Error('a StructureDefinition is no object');
      if (value['derivation'] === 'constraint') profiles.set(stringMember(value, 'url') ?? '', value);
      else types.set(stringMember(value, 'type') ?? '', value);
    }
  });

  const elementsOf = (definition: JsonObject): JsonObject[] => {
    const snapshot = definition['snapshot'];
    return isJsonObject(snapshot) ? objectsOf(snapshot['element']) : [];
  };

  it('give a type all of its constraints, the inherited ones too', () => {
    expect(keysOf(structure('Patient').constraints)).toEqual(['dom-2', 'dom-3', 'dom-4', 'dom-5', 'dom-6']);
    expect(keysOf(structure('Age').constraints)).toEqual(['age-1', 'ele-1', 'qty-3']);
    expect(keysOf(structure('string').constraints)).toEqual(['ele-1']);
    expect(structure('Patient').constraints[4]).toEqual({
      key: 'dom-6',
      severity: 'warning',
      human: 'A resource should have narrative for robust management',
      expression: 'text.`div`.exists()',
    });
    expect(structure('Observation').constraints.find(({ key }) => key === 'obs-6')).toEqual({
      key: 'obs-6',
      severity: 'error',
      human: 'dataAbsentReason SHALL only be present if Observation.value[x] is not present',
      expression: 'dataAbsentReason.empty() or value.empty()',
    });
  });

  it('give an element only the constraints that its types do not have', () => {
    expect(keysOf(element('Patient', 'contact').constraints)).toEqual(['pat-1']);
    expect(keysOf(element('Patient', 'name').constraints)).toEqual([]);
    expect(keysOf(element('Patient', 'extension').constraints)).toEqual([]);
    expect(keysOf(element('Bundle', 'entry').constraints)).toEqual(['bdl-5', 'bdl-8']);
  });

  it('give an element with a contentReference the constraints of the referenced element', () => {
    expect(keysOf(element('Observation', 'referenceRange').constraints)).toEqual(['obs-3']);
    expect(keysOf(element('Observation', 'component.referenceRange').constraints)).toEqual(['obs-3']);
    expect(keysOf(element('Questionnaire', 'item.item').constraints)).toEqual(
      keysOf(element('Questionnaire', 'item').constraints),
    );
  });

  it('carry the constraints of SimpleQuantity where a Quantity must be one', () => {
    const [quantity] = element('MedicationRequest', 'dispenseRequest.quantity').types;
    expect(quantity?.code).toBe('Quantity');
    expect(quantity?.constraints).toMatchObject([{ key: 'sqty-1', severity: 'error' }]);
    expect(element('Observation', 'value[x]').types.some((type) => type.constraints !== undefined)).toBe(
      false,
    );
  });

  it('lose no constraint and no binding of the official snapshots', () => {
    let constraints = 0;
    let bindings = 0;
    for (const [type, definition] of types) {
      const { constraints: ofType, valueSetBinding } = structure(type);
      for (const official of elementsOf(definition)) {
        const path = (stringMember(official, 'path') ?? '').slice(type.length + 1);
        const found = path === '' ? undefined : structure(type).element(path);
        if (path !== '' && found === undefined) {
          expect([type, path]).toEqual([type, 'value']);
          continue;
        }
        const reachable =
          found === undefined
            ? ofType
            : [
                ...found.constraints,
                ...[
                  found,
                  ...(found.contentReference === undefined
                    ? []
                    : [structure(type).element(found.contentReference.slice(type.length + 1))]),
                ].flatMap((each) => each?.types.flatMap(({ code }) => structure(code).constraints) ?? []),
              ];
        for (const constraint of objectsOf(official['constraint'])) {
          constraints++;
          expect([type, path, keysOf(reachable)]).toEqual([
            type,
            path,
            expect.arrayContaining([constraint['key']]),
          ]);
        }
        const binding = official['binding'];
        if (!isJsonObject(binding) || binding['strength'] === 'example') continue;
        bindings++;
        expect([type, path, (found ?? { valueSetBinding }).valueSetBinding]).toMatchObject([
          type,
          path,
          { valueSet: binding['valueSet'], strength: binding['strength'] },
        ]);
      }
    }
    expect(constraints).toBeGreaterThan(7_000);
    expect(bindings).toBeGreaterThan(700);
  });

  it('have the strength and the maximum value set of a binding', () => {
    expect(element('Patient', 'gender').valueSetBinding).toEqual({
      valueSet: `http://hl7.org/fhir/ValueSet/administrative-gender|${definitions.fhirVersion}`,
      strength: 'required',
    });
    expect(element('Patient', 'gender').binding).toBe('http://hl7.org/fhir/ValueSet/administrative-gender');
    expect(element('Patient', 'maritalStatus').valueSetBinding?.strength).toBe('extensible');
    expect(element('Patient', 'maritalStatus').binding).toBeUndefined();
    expect(element('Patient', 'language').valueSetBinding).toEqual({
      valueSet: 'http://hl7.org/fhir/ValueSet/languages',
      strength: 'preferred',
      maxValueSet: 'http://hl7.org/fhir/ValueSet/all-languages',
    });
    expect(element('Observation', 'code').valueSetBinding).toBeUndefined();
    expect(structure('Age').valueSetBinding?.maxValueSet).toBe('http://hl7.org/fhir/ValueSet/all-time-units');
  });

  it('limit numbers and strings, also of the types that specialise them', () => {
    const limitsOf = (name: string) => {
      const { maxLength, minValue, maxValue } = structure(name);
      return { maxLength, minValue, maxValue };
    };
    const integers = { minValue: -2147483648, maxValue: 2147483647 };
    expect(limitsOf('integer')).toEqual(integers);
    expect(limitsOf('positiveInt')).toEqual(integers);
    expect(limitsOf('string')).toEqual({ maxLength: 1048576 });
    expect(limitsOf('markdown')).toEqual({ maxLength: 1048576 });
    expect(limitsOf('uri')).toEqual({});
    expect(limitsOf('Patient')).toEqual({});
  });

  describe('list the codes of a value set', () => {
    const GENDERS = 'http://hl7.org/fhir/ValueSet/administrative-gender';

    it('with and without the system', () => {
      const genders = definitions.codeList(GENDERS);
      expect([...(genders?.codes ?? [])]).toEqual(['male', 'female', 'other', 'unknown']);
      expect(genders?.has('female')).toBe(true);
      expect(genders?.has('Female')).toBe(false);
      expect(genders?.hasCoding('http://hl7.org/fhir/administrative-gender', 'female')).toBe(true);
      expect(
        genders?.hasCoding('http://terminology.hl7.org/CodeSystem/v3-AdministrativeGender', 'female'),
      ).toBe(false);
      expect(definitions.codeList(GENDERS)).toBe(genders);
    });

    it('named with the version of the specification, but with no other one', () => {
      expect(definitions.codeList(`${GENDERS}|${definitions.fhirVersion}`)).toBe(
        definitions.codeList(GENDERS),
      );
      expect(definitions.codeList(`${GENDERS}|5.0.0`)).toBeUndefined();
    });

    it('with the code that two of its systems share', () => {
      const list = definitions.codeList('http://hl7.org/fhir/ValueSet/all-types');
      expect(list?.hasCoding('http://hl7.org/fhir/resource-types', 'Patient')).toBe(true);
      expect(list?.hasCoding('http://hl7.org/fhir/data-types', 'Patient')).toBe(false);
      expect(list?.hasCoding('http://hl7.org/fhir/data-types', 'HumanName')).toBe(true);
    });

    it('only when every code can be listed', () => {
      for (const name of ['mimetypes', 'all-languages', 'ucum-units', 'all-time-units', 'nonsense']) {
        expect(definitions.codeList(`http://hl7.org/fhir/ValueSet/${name}`)).toBeUndefined();
      }
      expect(definitions.codeList('http://loinc.org/vs/LL379-9')).toBeUndefined();
    });

    it('or say which code system is meant as a whole', () => {
      const whole = (name: string) => definitions.wholeSystem(`http://hl7.org/fhir/ValueSet/${name}`);
      expect(whole('mimetypes')).toEqual({ system: 'urn:ietf:bcp:13' });
      expect(whole('all-languages')).toEqual({ system: 'urn:ietf:bcp:47' });
      expect(whole('ucum-units')).toEqual({ system: 'http://unitsofmeasure.org' });
      expect(whole('all-time-units')).toEqual({ system: 'http://unitsofmeasure.org', unit: 'a' });
      expect(whole('all-distance-units')).toEqual({ system: 'http://unitsofmeasure.org', unit: 'm' });
      expect(whole('administrative-gender')).toBeUndefined();
      const media = element('Expression', 'language').valueSetBinding?.maxValueSet ?? '';
      expect(definitions.wholeSystem(media)).toEqual({ system: 'urn:ietf:bcp:13' });
    });

    it('without the abstract codes, which only group others', () => {
      const list = definitions.codeList('http://hl7.org/fhir/ValueSet/item-type');
      expect(list?.has('boolean')).toBe(true);
      expect(list?.has('question')).toBe(false);
    });

    it('for every required binding but those of media types, units and LOINC', () => {
      const listed = new Set<string>();
      const open = new Set<string>();
      for (const name of types.keys()) {
        for (const { valueSetBinding } of structure(name).elements) {
          if (valueSetBinding?.strength !== 'required') continue;
          const list = definitions.codeList(valueSetBinding.valueSet);
          if (list === undefined) open.add(valueSetBinding.valueSet.replace(/\|.*/, ''));
          else listed.add(valueSetBinding.valueSet);
        }
      }
      expect([...open].sort()).toEqual([
        'http://hl7.org/fhir/ValueSet/mimetypes',
        'http://hl7.org/fhir/ValueSet/ucum-units',
        'http://loinc.org/vs/LL379-9',
      ]);
      expect(listed.size).toBe(release === 'r4' ? 221 : 231);
    });
  });

  it('name no profile of a type but SimpleQuantity', () => {
    const named = new Set<unknown>();
    for (const definition of types.values()) {
      for (const official of elementsOf(definition)) {
        for (const type of objectsOf(official['type'])) {
          const profile = type['profile'];
          if (Array.isArray(profile)) profile.forEach((url) => named.add(url));
        }
      }
    }
    expect([...named]).toEqual(['http://hl7.org/fhir/StructureDefinition/SimpleQuantity']);
    expect(profiles.has('http://hl7.org/fhir/StructureDefinition/SimpleQuantity')).toBe(true);
  });
});
