/** Checks that codes belong to a value set or a code system and have a correct display ($validate-code). */
import { isSelfOrBelow, type CodeSystem } from './code-system';
import { type ComposedValueSet } from './compose';
import { displayOf, isDisplay } from './display';
import { findMember, isAbstract, type Member, ValueSetEvaluation, systemsOf } from './membership';
import { toCanonical } from './source';

export interface CodeToValidate {
  /** Undefined: any system of the value set. */
  readonly system: string | undefined;
  readonly version: string | undefined;
  readonly code: string;
  readonly display: string | undefined;
}

export interface ValidationOptions {
  /** False: abstract codes are invalid. Undefined and true: they are valid. */
  readonly abstract?: boolean;
  readonly displayLanguage?: string;
}

export interface Validation {
  readonly result: boolean;
  readonly message?: string;
  /** The display to show; present if the code is in the value set. */
  readonly display?: string;
}

/**
 * Validates one code. Throws `notSupported` if the result depends on a code system that is not available, `tooCostly`.
 * Cost: linear in the includes of the value set, not in its codes.
 */
export function validateInValueSet(
  valueSet: ComposedValueSet,
  code: CodeToValidate,
  options: ValidationOptions,
): Validation {
  const evaluation = new ValueSetEvaluation();
  const systems = code.system === undefined ? systemsOf(valueSet, evaluation) : [code.system];
  const members = [...systems]
    .map((system) => findMember(valueSet, system, code.code, evaluation))
    .filter((member) => member !== undefined);
  const [member] = members;
  const name =
    valueSet.url === undefined
      ? 'the given value set'
      : `the value set ${toCanonical(valueSet.url, valueSet.version)}`;
  if (member === undefined) {
    evaluation.requireNoObstacle();
    return { result: false, message: `The code ${nameOf(code)} is not in ${name}` };
  }
  if (members.length > 1) {
    const found = members.map(({ system }) => system).join(', ');
    return {
      result: false,
      message: `The code '${code.code}' is in ${name} under several systems: ${found}`,
    };
  }
  return validateMember(member, code, options);
}

/** As `validateInValueSet`, for a code system: the code must be one of its concepts. */
export function validateInCodeSystem(
  codeSystem: CodeSystem,
  code: CodeToValidate,
  options: ValidationOptions,
): Validation {
  const concept = codeSystem.find(code.code);
  if (concept === undefined || (code.system !== undefined && code.system !== codeSystem.url)) {
    const name = toCanonical(codeSystem.url, codeSystem.version);
    return { result: false, message: `The code ${nameOf(code)} is not in the code system ${name}` };
  }
  const { url: system, version } = codeSystem;
  return validateMember(
    { system, version, code: concept.code, codeSystem, concept, listed: undefined },
    code,
    options,
  );
}

/** Combines the results of several codings of one concept: true if one is valid, else all errors. */
export function combineValidations(validations: readonly Validation[]): Validation {
  const answer = validations.length === 1 ? validations[0] : validations.find(({ result }) => result);
  if (answer !== undefined) return answer;
  const messages = validations.map(({ message }) => message).filter((message) => message !== undefined);
  return {
    result: false,
    message: messages.length === 0 ? 'There is no coding to check' : messages.join('; '),
  };
}

/** Returns the relation of code A to code B; undefined if one of them is not in the system. */
export function subsumption(
  codeSystem: CodeSystem,
  codeA: string,
  codeB: string,
): 'equivalent' | 'subsumes' | 'subsumed-by' | 'not-subsumed' | undefined {
  const a = codeSystem.find(codeA);
  const b = codeSystem.find(codeB);
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 'equivalent';
  if (isSelfOrBelow(b, a)) return 'subsumes';
  return isSelfOrBelow(a, b) ? 'subsumed-by' : 'not-subsumed';
}

function validateMember(member: Member, code: CodeToValidate, options: ValidationOptions): Validation {
  const display = displayOf(member, options.displayLanguage);
  const shown = display === undefined ? {} : { display };
  const wrong = (message: string): Validation => ({ result: false, message, ...shown });
  if (code.version !== undefined && member.version !== undefined && code.version !== member.version) {
    return wrong(
      `The version ${code.version} of ${member.system} was given, but this server has version ${member.version}`,
    );
  }
  if (options.abstract === false && isAbstract(member)) {
    return wrong(`The code ${nameOf(code)} is abstract and not for use as a value`);
  }
  if (code.display !== undefined && display !== undefined && !isDisplay(member, code.display)) {
    return wrong(`'${code.display}' is not a display of ${nameOf(code)}, which is '${display}'`);
  }
  return { result: true, ...shown };
}

function nameOf({ system, code }: CodeToValidate): string {
  return system === undefined ? `'${code}'` : `'${system}|${code}'`;
}
