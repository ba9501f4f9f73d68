/** Resources on which random expressions are run: official examples, and ones with much in them. */
import type { JsonObject, JsonValue } from '../../../src/core/fhir/json';
import { readExamples, textOf } from '../../core/fhir/path/examples';

const TYPES = [
  'Patient',
  'Observation',
  'Bundle',
  'Questionnaire',
  'MedicationRequest',
  'ValueSet',
  'Encounter',
  'Condition',
];

function times<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const LARGE: readonly JsonObject[] = [
  {
    resourceType: 'Patient',
    id: 'names',
    birthDate: '2020-01-01',
    managingOrganization: { reference: `Organization/${'a/'.repeat(2_000)}` },
    name: times(300, (index) => ({ family: `f${index}`, given: ['a', 'b'] })),
  },
  {
    resourceType: 'Basic',
    id: 'extensions',
    code: { text: 'a'.repeat(200_000) },
    extension: times(40_000, (index) => ({ url: 'http://example.org/a', valueInteger: index })),
  },
  {
    resourceType: 'Observation',
    id: 'quantities',
    status: 'final',
    code: { text: '1'.repeat(100_000) },
    component: times(2_000, (index) => ({
      code: { text: `c${index}` },
      valueQuantity: {
        value: index,
        system: 'http://unitsofmeasure.org',
        code: index % 2 === 0 ? 'mg' : 'g',
      },
    })),
  },
];

export function readResources(): readonly JsonObject[] {
  const examples = readExamples('r4');
  return [
    ...TYPES.flatMap((type) => examples.filter(({ resourceType }) => resourceType === type).slice(0, 3)),
    ...LARGE,
  ];
}

/** Names of the members of a resource, at any depth. */
export function memberNames(resource: JsonObject): readonly string[] {
  const names = new Set<string>();
  const rest: JsonValue[] = [resource];
  for (let value = rest.pop(), count = 0; value !== undefined && count < 2_000; value = rest.pop(), count++) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value) && name !== 'resourceType') names.add(nameInPath(name));
      rest.push(member);
    }
  }
  return [...names];
}

/** `valueQuantity` is `value` in FHIRPath. */
function nameInPath(name: string): string {
  return /^value[A-Z]/.test(name) ? 'value' : name.replace(/^_/, '');
}

export function describeResource(resource: JsonObject): string {
  return `${textOf(resource['resourceType'])}/${textOf(resource['id'])}`;
}
