/** Compiles the rules for the content of an element or of a whole type. */
import type { Definitions, ElementDefinition, ElementType } from '../definitions';
import type { JsonObject, JsonValue } from '../json';
import { compileBinding, type BindingCheck } from './binding';
import { compileInvariants, type Invariant } from './invariants';
import { splitObjectName, structureOf } from './member-definition';
import { checkNarrative } from './narrative';
import type { ValidationRun } from './run';
import { TYPE_RULES, type TypeRule } from './type-rules';

/** Checks a value of the right shape; `companion` is the object with id and extensions of a primitive. */
export type ContentRule = (value: JsonValue, companion: JsonObject | undefined, run: ValidationRun) => void;

/**
 * Returns the rules of an element for values of one of its types, without the rules of the type itself. `type` is
 * undefined for a contentReference.
 */
export function rulesOfElement(
  definitions: Definitions,
  objectName: string,
  element: ElementDefinition,
  type: ElementType | undefined,
): readonly ContentRule[] {
  const [typeName] = splitObjectName(objectName);
  const choice = element.isChoice ? type?.code : undefined;
  const rules = compileInvariants(definitions, typeName, element.path, choice).map(toRule);
  if (type === undefined) return rules;
  const binding = compileBinding(definitions, element, type.code);
  if (binding !== undefined) rules.push(toBindingRule(binding));
  if (type.code === 'xhtml') rules.push(checkDiv);
  return rules;
}

/** Returns the rules of a type (`Period`), or of a nested element without those of `rulesOfElement`. */
export function rulesOfObject(definitions: Definitions, objectName: string): readonly ContentRule[] {
  const rules = (TYPE_RULES.get(objectName) ?? []).map((rule) => toContentRule(rule, definitions));
  const [typeName, path] = splitObjectName(objectName);
  if (path !== '') return rules;
  const binding = compileBinding(definitions, structureOf(definitions, typeName), typeName);
  if (binding !== undefined) rules.unshift(toBindingRule(binding));
  return [...compileInvariants(definitions, typeName, '').map(toRule), ...rules];
}

function toRule(invariant: Invariant): ContentRule {
  const { key, human, severity } = invariant;
  const sentence = `${key}: ${human.length > LONGEST_SENTENCE ? `${human.slice(0, LONGEST_SENTENCE)}…` : human}`;
  if (severity === 'error') {
    return (value, companion, run) => {
      if (!invariant.holds(value, companion, run)) run.report('invariant', sentence);
    };
  }
  return (value, companion, run) => {
    if (run.wantsWarnings && !invariant.holds(value, companion, run))
      run.report('invariant', sentence, [], 'warning');
  };
}

const LONGEST_SENTENCE = 280;

function toBindingRule(binding: BindingCheck): ContentRule {
  return (value, _companion, run) => {
    if (value !== null) binding(value, run);
  };
}

function toContentRule(rule: TypeRule, definitions: Definitions): ContentRule {
  return (value, _companion, run) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) rule(value, run, definitions);
  };
}

const checkDiv: ContentRule = (value, _companion, run) => {
  if (typeof value !== 'string') return;
  const { fault, warnings } = checkNarrative(value);
  if (fault !== undefined) run.report('narrative', fault);
  for (const warning of warnings) run.report('narrative', warning, [], 'warning');
};
