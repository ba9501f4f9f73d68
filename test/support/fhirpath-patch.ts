/** FHIRPath patches as Parameters resources, from a shorter form. */
import { loadDefinitions } from '../../src/core/fhir/definitions';
import type { JsonObject, JsonValue } from '../../src/core/fhir/json';
import { applyFhirPathPatch } from '../../src/core/fhir/patch';
import type { Release } from '../../src/core/fhir/release';

/** As wide as they are by default. */
export const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

/** The result of a patch. */
export function run(release: Release, resource: JsonObject, patch: JsonObject): JsonValue {
  const current = { value: resource, marked: false };
  return applyFhirPathPatch(current, patch, loadDefinitions(release), limits).value;
}

/** One operation: `value` is the content of the part of that name, such as `{ valueDate: '1930-01-01' }`. */
export interface PatchStep {
  readonly type: string;
  readonly path?: string;
  readonly name?: string;
  readonly value?: JsonObject;
  readonly index?: number;
  readonly source?: number;
  readonly destination?: number;
}

/** The parts of an anonymous type, by name. */
export function parts(...members: readonly (readonly [name: string, content: JsonObject])[]): JsonObject {
  return { part: members.map(([name, content]) => ({ name, ...content })) };
}

const MEMBERS: readonly (readonly [name: keyof PatchStep, member: string])[] = [
  ['type', 'valueCode'],
  ['path', 'valueString'],
  ['name', 'valueString'],
  ['index', 'valueInteger'],
  ['source', 'valueInteger'],
  ['destination', 'valueInteger'],
];

export function toParameters(...steps: readonly PatchStep[]): JsonObject {
  if (steps.length === 0) return { resourceType: 'Parameters' };
  return { resourceType: 'Parameters', parameter: steps.map(toOperation) };
}

function toOperation(step: PatchStep): JsonObject {
  const part: JsonValue[] = [];
  for (const [name, member] of MEMBERS) {
    const value = step[name];
    if (typeof value === 'string' || typeof value === 'number') part.push({ name, [member]: value });
  }
  if (step.value !== undefined) part.push({ name: 'value', ...step.value });
  return { name: 'operation', part };
}

export const patient: JsonObject = {
  resourceType: 'Patient',
  id: 'p1',
  meta: { versionId: '3', lastUpdated: '2026-01-01T00:00:00Z', tag: [{ code: 'a' }] },
  active: true,
  name: [
    { use: 'official', family: 'Chalmers', given: ['Peter', 'James'], _given: [null, { id: 'second' }] },
    { use: 'usual', given: ['Jim'] },
  ],
  birthDate: '1974-12-25',
  _birthDate: { extension: [{ url: 'http://example.org/time', valueTime: '14:35:45' }] },
  deceasedBoolean: false,
  contact: [{ gender: 'female' }, { name: { text: 'Marie' } }],
};

export const observation: JsonObject = {
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'weight' },
  subject: { reference: '#p' },
  contained: [{ resourceType: 'Patient', id: 'p', name: [{ family: 'Windsor' }] }],
  valueQuantity: { value: 72.5, unit: 'kg' },
  note: [{ text: 'first' }],
};

export const add = (path: string, name: string, value: JsonObject): PatchStep => ({
  type: 'add',
  path,
  name,
  value,
});
export const replace = (path: string, value: JsonObject): PatchStep => ({ type: 'replace', path, value });
export const remove = (path: string): PatchStep => ({ type: 'delete', path });
export const insert = (path: string, index: number, value: JsonObject): PatchStep => {
  return { type: 'insert', path, index, value };
};
export const move = (path: string, source: number, destination: number): PatchStep => {
  return { type: 'move', path, source, destination };
};

/** The resource with other members; undefined removes one. */
export function changed(resource: JsonObject, members: Record<string, JsonValue | undefined>): JsonObject {
  const copy: JsonObject = { ...resource };
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete copy[name];
    else copy[name] = value;
  }
  return copy;
}
