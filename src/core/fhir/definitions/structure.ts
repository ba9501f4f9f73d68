import type { CoreBinding, CoreConstraint, CoreElement, CoreElementType, CoreType } from './core-set';
import type {
  CodeSystemOfBinding,
  ConstraintDefinition,
  ElementDefinition,
  ElementType,
  TypeStructure,
  ValueSetBinding,
} from './model';
import { parseValueSet } from './value-sets';

/** Tables that the types of a release share. */
export interface SharedRules {
  readonly constraints: readonly ConstraintDefinition[];
  readonly bindings: readonly ValueSetBinding[];
  codeSystem(valueSet: string): CodeSystemOfBinding | undefined;
}

export function toConstraint({ key, warning, human, expression }: CoreConstraint): ConstraintDefinition {
  return { key, severity: warning === true ? 'warning' : 'error', human, expression };
}

export function toBinding({ valueSet, strength, max }: CoreBinding): ValueSetBinding {
  return { valueSet, strength, maxValueSet: max };
}

/** Converts one type of the core set; `shared` has the tables that it refers to. */
export function toStructure(type: CoreType, shared: SharedRules): TypeStructure {
  const elements = type.elements.map((element) => toElement(element, shared));
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
    maxLength: type.maxLength,
    minValue: type.minValue,
    maxValue: type.maxValue,
    constraints: pick(shared.constraints, type.constraints),
    valueSetBinding: type.binding === undefined ? undefined : shared.bindings[type.binding],
    elements,
    element: (path) => byPath.get(path),
    children: (path) => byParent.get(path) ?? [],
  };
}

function toElement(element: CoreElement, shared: SharedRules): ElementDefinition {
  const types = (element.types ?? []).map((type) => toElementType(type, shared));
  const isChoice = element.path.endsWith('[x]');
  const name = element.path.slice(element.path.lastIndexOf('.') + 1, isChoice ? -3 : undefined);
  const isCode = types.some((type) => type.code === 'code');
  const valueSetBinding = element.binding === undefined ? undefined : shared.bindings[element.binding];
  const required = valueSetBinding?.strength === 'required' ? valueSetBinding.valueSet : undefined;
  const binding = required === undefined ? undefined : parseValueSet(required).url;
  return {
    path: element.path,
    name,
    isChoice,
    min: element.min ?? 0,
    max: element.max === '*' ? Infinity : (element.max ?? 1),
    types,
    contentReference: element.contentReference,
    binding,
    codeSystem: isCode && binding !== undefined ? shared.codeSystem(binding) : undefined,
    valueSetBinding,
    constraints: pick(shared.constraints, element.constraints),
    isSummary: element.summary === true,
    isModifier: element.modifier === true,
  };
}

function toElementType(type: string | CoreElementType, shared: SharedRules): ElementType {
  if (typeof type === 'string') return { code: type };
  const { code, targets, hierarchy, constraints } = type;
  return {
    code,
    ...(targets === undefined ? {} : { targets }),
    ...(hierarchy === true ? { isHierarchy: true } : {}),
    ...(constraints === undefined ? {} : { constraints: pick(shared.constraints, constraints) }),
  };
}

const NONE: readonly never[] = [];

function pick<Value>(table: readonly Value[], indexes: readonly number[] | undefined): readonly Value[] {
  return indexes === undefined ? NONE : indexes.flatMap((index) => table[index] ?? []);
}
