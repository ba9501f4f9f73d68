/** Checks that codes belong to a value set or a code system and have a correct display ($validate-code). */
import { satisfiesVersion } from './business-version';
import { isFragment, isSelfOrBelow, type CodeSystem } from './code-system';
import { type ComposedValueSet } from './compose';
import { displayOf, isDisplay } from './display';
import { findMember, isAbstract, isInactive, type Member, ValueSetEvaluation, systemsOf } from './membership';
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
  /** True: a wrong display is a warning. */
  readonly lenientDisplay?: boolean;
}

/** A code of http://hl7.org/fhir/issue-type */
type IssueCode = 'code-invalid' | 'invalid' | 'not-found' | 'incomplete';

export interface Validation {
  readonly result: boolean;
  /** The reason of the result, if there is something to say; also in `issues`. */
  readonly message?: string;
  /** The display to show; present if the code is in the value set. */
  readonly display?: string;
  /** As stored if the code was found, else as given. */
  readonly code?: string;
  readonly system?: string;
  readonly version?: string;
  /** True: the code was found, and is inactive. */
  readonly isInactive?: boolean;
  readonly issues: readonly {
    readonly severity: 'error' | 'warning';
    readonly code: IssueCode;
    readonly diagnostics: string;
  }[];
}

/**
 * Validates one code; false if the result depends on a code system that is not available. Throws `tooCostly`.
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
    const [obstacle] = evaluation.obstacles;
    const [fragment] = evaluation.fragments;
    if (obstacle === undefined && fragment !== undefined) return unchecked(code, fragment);
    return obstacle === undefined
      ? invalid(code, 'code-invalid', `The code ${nameOf(code)} is not in ${name}`)
      : invalid(code, 'not-found', `The code ${nameOf(code)} cannot be checked: ${obstacle}`);
  }
  if (members.length > 1) {
    const found = members.map(({ system }) => system).join(', ');
    const message = `The code '${code.code}' is in ${name} under several systems: ${found}`;
    return invalid(code, 'invalid', message);
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
    const isOther = code.system !== undefined && code.system !== codeSystem.url;
    if (isFragment(codeSystem) && !isOther) return unchecked(code, codeSystem);
    return invalid(code, 'code-invalid', `The code ${nameOf(code)} is not in the code system ${name}`);
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
  const message = messages.length === 0 ? 'There is no coding to check' : messages.join('; ');
  const issues = validations.flatMap((validation) => validation.issues);
  return {
    result: false,
    message,
    issues: issues.length === 0 ? [{ severity: 'error', code: 'invalid', diagnostics: message }] : issues,
  };
}

/** The result for a code whose system does not exist here, or is stored without its codes. */
export function unavailable(code: CodeToValidate, reason: string): Validation {
  return invalid(code, 'not-found', reason);
}

function invalid({ code, system, version }: CodeToValidate, issue: IssueCode, message: string): Validation {
  return {
    result: false,
    message,
    code,
    ...(system === undefined ? {} : { system }),
    ...(version === undefined ? {} : { version }),
    issues: [{ severity: 'error', code: issue, diagnostics: message }],
  };
}

/** A code that a fragment of a code system does not have may exist. */
function unchecked({ code }: CodeToValidate, { url, version, content }: CodeSystem): Validation {
  const message = `The code '${url}|${code}' cannot be checked, because only some codes of its code system are here (content: ${content})`;
  return {
    result: true,
    message,
    code,
    system: url,
    ...(version === undefined ? {} : { version }),
    issues: [{ severity: 'warning', code: 'incomplete', diagnostics: message }],
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
  if (a.code === b.code) return 'equivalent';
  if (isSelfOrBelow(b, a)) return 'subsumes';
  return isSelfOrBelow(a, b) ? 'subsumed-by' : 'not-subsumed';
}

function validateMember(member: Member, code: CodeToValidate, options: ValidationOptions): Validation {
  const display = displayOf(member, options.displayLanguage);
  const found = {
    code: member.code,
    system: member.system,
    ...(member.version === undefined ? {} : { version: member.version }),
    ...(display === undefined ? {} : { display }),
    ...(isInactive(member) ? { isInactive: true } : {}),
  };
  const wrong = (message: string, isWarning = false): Validation => ({
    result: isWarning,
    message,
    ...found,
    issues: [{ severity: isWarning ? 'warning' : 'error', code: 'invalid', diagnostics: message }],
  });
  if (
    code.version !== undefined &&
    member.version !== undefined &&
    !satisfiesVersion(member.version, code.version)
  ) {
    return wrong(
      `The version ${code.version} of ${member.system} was given, but this server has version ${member.version}`,
    );
  }
  if (options.abstract === false && isAbstract(member)) {
    return wrong(`The code ${nameOf(code)} is abstract and not for use as a value`);
  }
  const isOneOfMany = member.codeSystem?.isBuiltIn === true && member.listed === undefined;
  if (
    code.display !== undefined &&
    display !== undefined &&
    !isOneOfMany &&
    !isDisplay(member, code.display)
  ) {
    const message = `'${code.display}' is not a display of ${nameOf(code)}, which is '${display}'`;
    return wrong(message, options.lenientDisplay === true);
  }
  const { codeSystem } = member;
  if (member.concept === undefined && codeSystem !== undefined && isFragment(codeSystem))
    return { ...unchecked(code, codeSystem), ...found };
  return { result: true, ...found, issues: [] };
}

function nameOf({ system, code }: CodeToValidate): string {
  return system === undefined ? `'${code}'` : `'${system}|${code}'`;
}
