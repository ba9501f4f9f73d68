/**
 * Checks codes against the bindings of elements to value sets (https://hl7.org/fhir/R4/terminologies.html#strength).
 * Codes that the definitions can decide are checked at once. The others go to `run.pending` for the terminology
 * service.
 */
import type { Definitions, ElementDefinition } from '../definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { shorten, type JsonPath } from '../json/fault';
import { nameValueSet, notIn } from './coding-name';
import type { PendingCode, ValidationRun } from './run';
import { testValueSet, type ValueSetTest } from './value-set-test';

type Coding = PendingCode['codings'][number];

/** Checks one value; the current place of the run is that of the value. */
export type BindingCheck = (value: JsonValue, run: ValidationRun) => void;

/** A compiled binding: what it requires of a code. */
interface BindingRule {
  readonly valueSet: string;
  /** The name of the value set in sentences. */
  readonly name: string;
  readonly strength: 'required' | 'extensible';
  /** False for a maximum value set: it limits codes, but does not require one. */
  readonly needsCode: boolean;
  /** Undefined if only the terminology service can decide. */
  readonly test: ValueSetTest | undefined;
}

/**
 * Compiles the check of an element's binding for values of one of its types. Returns undefined if the binding can
 * neither refuse nor warn, or if the type has no codes. Cost: for a `code` with a list, one lookup without allocation.
 *
 * A code outside a required or maximum value set is an error of the rule `binding`. A code outside an extensible value
 * set is a warning, checked only if the run `wantsWarnings`. Shapes are not checked: values of the wrong shape are
 * skipped.
 */
export function compileBinding(
  definitions: Definitions,
  element: Pick<ElementDefinition, 'valueSetBinding'>,
  typeCode: string,
): BindingCheck | undefined {
  const binding = element.valueSetBinding;
  const compile = compilerOf(definitions, typeCode);
  if (binding === undefined || compile === undefined) return undefined;
  const { valueSet, strength, maxValueSet } = binding;
  const own = strength === 'preferred' ? undefined : compile(toRule(definitions, valueSet, strength, true));
  const ownCheck: BindingCheck | undefined =
    own !== undefined && strength === 'extensible'
      ? (value, run) => {
          if (run.wantsWarnings) own(value, run);
        }
      : own;
  if (maxValueSet === undefined) return ownCheck;
  const maximum = compile(toRule(definitions, maxValueSet, 'required', false));
  if (ownCheck === undefined) return maximum;
  return (value, run) => {
    maximum(value, run);
    ownCheck(value, run);
  };
}

function toRule(
  definitions: Definitions,
  valueSet: string,
  strength: BindingRule['strength'],
  needsCode: boolean,
): BindingRule {
  const test = testValueSet(definitions, valueSet);
  return { valueSet, name: nameValueSet(valueSet), strength, needsCode, test };
}

/** Returns the compiler for types that can be bound (terminologies.html#4.1.1) and their specializations (Age …). */
function compilerOf(
  definitions: Definitions,
  typeCode: string,
): ((rule: BindingRule) => BindingCheck) | undefined {
  if (typeCode === 'code' || typeCode === 'string' || typeCode === 'uri') return checkCode;
  if (typeCode === 'Coding') return checkCoding;
  if (typeCode === 'CodeableConcept') return checkConcept;
  if (typeCode === 'CodeableReference') return checkCodeableReference;
  return definitions.conformsTo(typeCode, 'Quantity') ? checkQuantity : undefined;
}

const NO_PATH: JsonPath = [];
const FIRST_CODING: JsonPath = ['coding', 0];

function checkCode(rule: BindingRule): BindingCheck {
  const { test } = rule;
  if (test === undefined) {
    return (value, run) => {
      if (typeof value === 'string') defer(run, rule, [{ code: value }]);
    };
  }
  return (value, run) => {
    if (typeof value === 'string' && !test.hasCode(value)) refuse(run, rule, { code: value }, NO_PATH);
  };
}

function checkCoding(rule: BindingRule): BindingCheck {
  return (value, run) => {
    if (isJsonObject(value)) checkOneCoding(value, run, rule, NO_PATH);
  };
}

/**
 * Checks system and code, which a Quantity has where a Coding has them. A Quantity without code, system and unit is a
 * plain number; qty-3 covers a code without a system.
 */
function checkQuantity(rule: BindingRule): BindingCheck {
  return (value, run) => {
    if (!isJsonObject(value)) return;
    const { system, code, unit } = value;
    const isNumber = code === undefined && system === undefined && unit === undefined;
    const lacksSystem = code !== undefined && system === undefined;
    if (!isNumber && !lacksSystem) checkOneCoding(value, run, rule, NO_PATH);
  };
}

function checkCodeableReference(rule: BindingRule): BindingCheck {
  const check = checkConcept(rule);
  return (value, run) => {
    const concept = isJsonObject(value) ? value['concept'] : undefined;
    if (concept === undefined) return;
    run.push('concept');
    check(concept, run);
    run.pop();
  };
}

/** At least one coding must match; the others may express the same concept in other systems. */
function checkConcept(rule: BindingRule): BindingCheck {
  return (value, run) => {
    if (!isJsonObject(value)) return;
    const codings = value['coding'];
    if (!Array.isArray(codings) || codings.length === 0) {
      if (rule.strength === 'required' && rule.needsCode && value['text'] !== undefined) {
        report(run, {
          rule,
          found: `A text alone is not enough: one coding must be in ${rule.name}`,
          code: undefined,
        });
      }
      return;
    }
    const { test, needsCode } = rule;
    const [first] = codings;
    if (codings.length === 1 && isJsonObject(first)) {
      checkOneCoding(first, run, rule, FIRST_CODING);
      return;
    }
    if (!needsCode && !codings.some(hasCode)) return;
    if (test === undefined) deferAll(codings, run, rule);
    else if (!codings.some((coding) => isIn(coding, test))) refuseAll(codings, run, rule);
  };
}

function hasCode(coding: JsonValue): boolean {
  return isJsonObject(coding) && coding['code'] !== undefined;
}

function isIn(coding: JsonValue, test: ValueSetTest): boolean {
  if (!isJsonObject(coding)) return true;
  const { system, code } = coding;
  if (typeof code !== 'string') return hasNoCodeReason(coding);
  return typeof system === 'string' && test.hasCoding(system, code);
}

/** True if an extension or `_code` may say why the coding has no code. The binding then does not refuse it. */
function hasNoCodeReason(coding: JsonObject): boolean {
  return (
    coding['_code'] !== undefined || (coding['extension'] !== undefined && coding['display'] === undefined)
  );
}

function deferAll(codings: readonly JsonValue[], run: ValidationRun, rule: BindingRule): void {
  const given: Coding[] = [];
  for (const coding of codings) {
    if (!isJsonObject(coding)) return;
    const { system, code } = coding;
    if (typeof code === 'string' && typeof system === 'string') given.push({ system, code });
    else if (typeof code !== 'string' && hasNoCodeReason(coding)) return;
  }
  if (given.length > 0) defer(run, rule, given);
  else refuseAll(codings, run, rule);
}

function refuseAll(codings: readonly JsonValue[], run: ValidationRun, rule: BindingRule): void {
  const named = codings.map((coding) => (isJsonObject(coding) ? textsOf(coding) : {}));
  report(run, { rule, found: notIn(named, rule.name), code: undefined });
}

function textsOf({ system, code }: JsonObject): { system?: string; code?: string } {
  return {
    ...(typeof system === 'string' ? { system } : {}),
    ...(typeof code === 'string' ? { code } : {}),
  };
}

/** Checks a Coding or Quantity that is at `below` the current place. */
function checkOneCoding(coding: JsonObject, run: ValidationRun, rule: BindingRule, below: JsonPath): void {
  const { system, code } = coding;
  if (typeof code !== 'string') {
    if (rule.needsCode && code === undefined && !hasNoCodeReason(coding)) {
      report(run, {
        rule,
        found: `A code is missing: it must be in ${rule.name}`,
        code: undefined,
        below,
      });
    }
    return;
  }
  if (typeof system !== 'string') {
    if (system !== undefined || coding['_system'] !== undefined) return;
    const found = `The code '${shorten(code)}' has no system, so that it is not in ${rule.name}`;
    report(run, { rule, found, code, below });
    return;
  }
  if (rule.test === undefined) defer(run, rule, [{ system, code }], [...below, 'code']);
  else if (!rule.test.hasCoding(system, code)) refuse(run, rule, { system, code }, below);
}

function refuse(run: ValidationRun, rule: BindingRule, coding: Coding, below: JsonPath): void {
  const { system, code } = coding;
  const isSystemAtFault = system !== undefined && rule.test?.hasSystem(system) === false;
  const place = system === undefined ? below : [...below, isSystemAtFault ? 'system' : 'code'];
  report(run, { rule, found: notIn([coding], rule.name), code, below: place });
}

function report(
  run: ValidationRun,
  {
    rule,
    found,
    code,
    below,
  }: {
    readonly rule: BindingRule;
    readonly found: string;
    readonly code: string | undefined;
    readonly below?: JsonPath;
  },
): void {
  const allowed = rule.test === undefined ? '' : `; ${rule.test.allowed(code)}`;
  run.report('binding', found + allowed, below, rule.strength === 'required' ? 'error' : 'warning');
}

function defer(
  run: ValidationRun,
  { valueSet, strength }: BindingRule,
  codings: readonly Coding[],
  below?: JsonPath,
): void {
  run.addPendingCode({ valueSet, strength, codings }, below);
}
