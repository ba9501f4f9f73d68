import { fhirError } from '../errors';
import type { Definitions } from '../fhir/definitions';
import type { QueryParameter } from '../fhir/query-text';
import type { Subset } from '../fhir/subset';
import { parseChoice } from './choice';

/**
 * Parses the part of one resource that `_summary` and `_elements` select; undefined: the whole resource. Other
 * parameters are ignored. `_summary=count` is for searches only. Throws invalidParameterValue.
 */
export function parseSubset(
  definitions: Definitions,
  type: string,
  parameters: readonly QueryParameter[],
): Subset | undefined {
  let subset: Subset | undefined;
  for (const [name, value] of parameters) {
    if (value === '') continue;
    if (name === '_summary') {
      const summary = parseChoice(name, value, ['true', 'text', 'data', 'false'] as const);
      if (summary !== 'false') subset = { kind: summary };
    } else if (name === '_elements') {
      subset ??= { kind: 'elements', names: parseElements(definitions, type, value) };
    }
  }
  return subset;
}

/** Parses `_elements=a,Type.b`: names of elements of the searched type, or of another one that is included. */
export function parseElements(
  definitions: Definitions,
  type: string,
  value: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const part of value.split(',')) {
    const dot = part.indexOf('.');
    const owner = dot === -1 ? type : part.slice(0, dot);
    const element = dot === -1 ? part : part.slice(dot + 1);
    const structure = definitions.isResourceType(owner) ? definitions.structure(owner) : undefined;
    const isElement =
      structure !== undefined &&
      (structure.element(element) ?? structure.element(`${element}[x]`)) !== undefined &&
      !element.includes('.');
    if (!isElement) {
      const reason = `'${part.slice(0, 80)}' is not an element of ${owner === type ? type : 'a resource type'}; write element or Type.element`;
      throw fhirError('invalidParameterValue', { parameter: '_elements', value: value.slice(0, 80), reason });
    }
    const elements = names.get(owner) ?? new Set<string>();
    names.set(owner, elements.add(element));
  }
  return names;
}
