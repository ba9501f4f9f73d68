import { fhirError } from '../../errors';
import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import type { Definitions } from '../../fhir/definitions';
import type { QueryParameter } from '../../fhir/query-text';
import type { Subset } from '../../fhir/subset';
import { parseChoice } from './choice';

/**
 * Parses the part of one resource that `_summary` and `_elements` select; undefined: the whole resource. Other
 * parameters are ignored. `_summary=count` is for searches only. `type` undefined: resources of all types. Throws
 * invalidParameterValue.
 */
export function parseSubset(
  definitions: Definitions,
  type: string | undefined,
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

/**
 * Parses `_elements=a,Type.b`: names of elements of the searched type, or of another one that is included. Without a type
 * `a` must be an element of all types.
 */
export function parseElements(
  definitions: Definitions,
  type: string | undefined,
  value: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const part of value.split(',')) {
    const dot = part.indexOf('.');
    const named = dot === -1 ? type : part.slice(0, dot);
    const element = dot === -1 ? part : part.slice(dot + 1);
    const owner = named ?? EVERY_TYPE;
    const types = named === undefined ? definitions.resourceTypes : [named];
    if (!types.every((each) => isElementOf(definitions, each, element))) {
      const whose = owner === EVERY_TYPE ? 'all resource types' : owner === type ? type : 'a resource type';
      const hint = didYouMean(element, elementsOf(definitions, named), 'write element or Type.element');
      const reason = `'${part.slice(0, 80)}' is not an element of ${whose}${hint}`;
      throw fhirError('invalidParameterValue', { parameter: '_elements', value: value.slice(0, 80), reason });
    }
    const elements = names.get(owner) ?? new Set<string>();
    names.set(owner, elements.add(element));
  }
  return names;
}

/** The name of any type in a `Subset`. */
const EVERY_TYPE = '*';

/** The names of the elements of a type, those of a choice without their types. */
function elementsOf(definitions: Definitions, type: string | undefined): readonly string[] {
  if (type === undefined || !definitions.isResourceType(type)) return [];
  return (definitions.structure(type)?.children('') ?? []).map(({ name }) => name);
}

function isElementOf(definitions: Definitions, type: string, element: string): boolean {
  if (element.includes('.') || !definitions.isResourceType(type)) return false;
  const structure = definitions.structure(type);
  return (structure?.element(element) ?? structure?.element(`${element}[x]`)) !== undefined;
}
