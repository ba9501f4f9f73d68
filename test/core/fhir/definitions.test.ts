import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionsDigest, loadDefinitions, readBaseResources } from '../../../src/core/fhir/definitions';
import { RELEASE_NAMES } from '../../../src/core/fhir/release';
import { leastProcessorMilliseconds } from '../../support/processor-time';

describe.each(RELEASE_NAMES)('the definitions of %s', (release) => {
  const definitions = loadDefinitions(release);

  it('are loaded once, and both releases together in well under 400 ms', () => {
    const spent = leastProcessorMilliseconds(50, () => {
      expect(loadDefinitions(release)).toBe(definitions);
    });
    expect(spent).toBeLessThan(50);
  });

  it('name the concrete resource types, sorted', () => {
    expect(definitions.resourceTypes).toContain('Patient');
    expect(definitions.resourceTypes).not.toContain('DomainResource');
    expect(definitions.resourceTypes).toEqual([...definitions.resourceTypes].sort());
    expect(definitions.resourceTypes.length).toBe(release === 'r4' ? 146 : 141);
  });

  it('give every type a number of its own that leads back to its name', () => {
    for (const name of definitions.resourceTypes) {
      const number = definitions.typeNumber(name);
      expect(number === undefined ? undefined : definitions.typeName(number)).toBe(name);
    }
    expect(definitions.typeNumber('Nonsense')).toBeUndefined();
  });

  it('give every pair of type and search parameter a number and an ordinal without gaps', () => {
    let number = 0;
    for (const type of definitions.resourceTypes) {
      let ordinal = 0;
      for (const parameter of definitions.searchParameters(type).values()) {
        expect(parameter).toMatchObject({ type, number: ++number, ordinal: ordinal++ });
        expect(definitions.searchParameter(number)).toBe(parameter);
      }
      expect(ordinal).toBeGreaterThan(5);
    }
    expect(definitions.allSearchParameters.length).toBe(number);
  });

  it('have only those branches of a shared expression that belong to the type', () => {
    const expression = (type: string, code: string) =>
      definitions.searchParameters(type).get(code)?.expression;
    expect(expression('Observation', 'code')).toBe('Observation.code');
    expect(expression('Patient', '_id')).toBe('Resource.id');
    expect(expression('Observation', 'combo-code')).toBe('Observation.code | Observation.component.code');
    expect(expression('DeviceRequest', 'code')).toBe('(DeviceRequest.code as CodeableConcept)');
    for (const parameter of definitions.allSearchParameters) {
      for (const head of parameter.expression?.match(/(?<=^|[( ])[A-Z]\w+(?=\.)/g) ?? []) {
        expect([parameter.type, 'Resource', 'DomainResource']).toContain(head);
      }
    }
  });

  it('resolve the components of a composite', () => {
    expect(definitions.searchParameters('Observation').get('code-value-quantity')?.components).toEqual([
      {
        code: 'code',
        kind: 'token',
        url: 'http://hl7.org/fhir/SearchParameter/clinical-code',
        expression: 'code',
      },
      {
        code: 'value-quantity',
        kind: 'quantity',
        url: 'http://hl7.org/fhir/SearchParameter/Observation-value-quantity',
        expression: 'value.as(Quantity)',
      },
    ]);
  });

  it('have the structure of a type with its choices, cardinalities, targets and bindings', () => {
    const observation = definitions.structure('Observation');
    expect(observation?.element('value[x]')).toMatchObject({
      name: 'value',
      isChoice: true,
      min: 0,
      max: 1,
      isSummary: true,
    });
    expect(observation?.element('status')).toMatchObject({
      min: 1,
      isModifier: true,
      codeSystem: 'http://hl7.org/fhir/observation-status',
    });
    expect(observation?.element('component.referenceRange')?.contentReference).toBe(
      'Observation.referenceRange',
    );
    expect(definitions.structure('Patient')?.element('managingOrganization')?.types).toEqual([
      { code: 'Reference', targets: ['Organization'] },
    ]);
    expect(observation?.children('component').map((element) => element.name)).toContain('interpretation');
    expect(definitions.structure('id')).toMatchObject({
      kind: 'primitive',
      systemType: 'System.String',
      base: 'string',
    });
    expect(definitions.structure('Nonsense')).toBeUndefined();
    expect(definitions.conformsTo('Age', 'Quantity')).toBe(true);
    expect(definitions.conformsTo('Quantity', 'Age')).toBe(false);
  });

  it('have the system of each code where a value set uses several', () => {
    const systems = definitions.codeSystem('http://hl7.org/fhir/ValueSet/all-types');
    expect(systems).toBeInstanceOf(Map);
    expect(systems instanceof Map && systems.get('Patient')).toBe('http://hl7.org/fhir/resource-types');
    expect(systems instanceof Map && systems.get('Address')).toBe('http://hl7.org/fhir/data-types');
  });

  it('name for each clinical type the one date parameter that sorts it', () => {
    const code = (type: string) => definitions.sortDateParameter(type)?.code;
    expect(code('Observation')).toBe('date');
    expect(code('Encounter')).toBe('date');
    expect(code('Condition')).toBe('recorded-date');
    expect(code('MedicationRequest')).toBe('authoredon');
    expect(code('Claim')).toBe('created');
    expect(code('Organization')).toBeUndefined();
  });

  it('say which operations change state, in both releases alike', () => {
    const operation = (id: string) =>
      definitions.operations.get(`http://hl7.org/fhir/OperationDefinition/${id}`);
    expect(operation('ValueSet-expand')).toMatchObject({
      code: 'expand',
      type: true,
      instance: true,
      affectsState: false,
    });
    expect(operation('Claim-submit')).toMatchObject({ affectsState: true });
    expect(operation('Resource-meta')?.parameters.find(({ use }) => use === 'out')).toMatchObject({
      name: 'return',
      type: 'Meta',
    });
    const property = operation('CodeSystem-lookup')?.parameters.find(
      ({ name, use }) => name === 'property' && use === 'out',
    );
    expect(property?.parts.map((part) => part.name)).toContain('code');
  });

  it('have the compartments', () => {
    expect(definitions.compartments.get('Patient')?.parameters.get('Observation')).toEqual([
      'subject',
      'performer',
    ]);
  });

  it('bring the base resources one by one, without examples', () => {
    const counts = new Map<string, number>();
    const seen = new Set<string>();
    for (const { type, id, text } of readBaseResources(release)) {
      expect(text.startsWith(`{"resourceType":"${type}","id":"${id}"`)).toBe(true);
      expect(text.endsWith('}')).toBe(true);
      counts.set(type, (counts.get(type) ?? 0) + 1);
      seen.add(`${type}/${id}`);
    }
    expect(Object.fromEntries(counts)).toEqual(
      release === 'r4'
        ? {
            CodeSystem: 1060,
            CompartmentDefinition: 5,
            ConceptMap: 75,
            OperationDefinition: 46,
            SearchParameter: 1387,
            StructureDefinition: 646,
            ValueSet: 1311,
          }
        : {
            CodeSystem: 538,
            CompartmentDefinition: 5,
            ConceptMap: 74,
            OperationDefinition: 46,
            SearchParameter: 1426,
            StructureDefinition: 643,
            ValueSet: 716,
          },
    );
    expect(seen).toContain('StructureDefinition/Patient');
    expect(seen).not.toContain('OperationDefinition/example');
    expect(definitionsDigest(release)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('are in a file that any reader of gzip and JSON can open', () => {
    const file = join(__dirname, '../../../definitions', `${release}.json.gz`);
    const elements: unknown = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'));
    expect(Array.isArray(elements) && elements.length).toBe([...readBaseResources(release)].length + 1);
  });
});
