import type { CoreElement, CoreType } from './core-set';
import type { CodeSystemOfBinding, ElementDefinition, TypeStructure } from './model';

/** Input: one type of the core set and the lookup from value set url to code system. */
export function toStructure(
  type: CoreType,
  codeSystem: (valueSet: string) => CodeSystemOfBinding | undefined,
): TypeStructure {
  const elements = type.elements.map((element) => toElement(element, codeSystem));
  const byPath = new Map(elements.map((element) => [element.path, element]));
  const byParent = new Map<string, ElementDefinition[]>();
  for (const element of elements) {
    const parent = element.path.slice(0, Math.max(0, element.path.lastIndexOf('.')));
    const siblings = byParent.get(parent);
    if (siblings) siblings.push(element);
    else byParent.set(parent, [element]);
  }
  return {
    name: type.name,
    number: type.number,
    kind: type.kind,
    isAbstract: type.abstract === true,
    base: type.base,
    systemType: type.system,
    regex: type.regex,
    constraints: [],
    elements,
    element: (path) => byPath.get(path),
    children: (path) => byParent.get(path) ?? [],
  };
}

function toElement(
  element: CoreElement,
  codeSystem: (valueSet: string) => CodeSystemOfBinding | undefined,
): ElementDefinition {
  const types = (element.types ?? []).map((type) => (typeof type === 'string' ? { code: type } : type));
  const isChoice = element.path.endsWith('[x]');
  const name = element.path.slice(element.path.lastIndexOf('.') + 1, isChoice ? -3 : undefined);
  const isCode = types.some((type) => type.code === 'code');
  return {
    path: element.path,
    name,
    isChoice,
    min: element.min ?? 0,
    max: element.max === '*' ? Infinity : (element.max ?? 1),
    types,
    contentReference: element.contentReference,
    binding: element.binding,
    codeSystem: isCode && element.binding !== undefined ? codeSystem(element.binding) : undefined,
    constraints: [],
    isSummary: element.summary === true,
    isModifier: element.modifier === true,
  };
}
