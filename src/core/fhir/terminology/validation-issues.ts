/**
 * What $validate-code says of a code: one row for each kind of issue, with the codes and texts of HL7's terminology ecosystem
 * (https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/requirements.html), which validators and their translations read.
 */
import { type JsonObject } from '../json';
import { type RightDisplay } from './display';
import { toCanonical } from './source';

export interface CodeToValidate {
  /** Undefined: any system of the value set. */
  readonly system: string | undefined;
  readonly version: string | undefined;
  readonly code: string;
  readonly display: string | undefined;
  /** FHIRPath of the coding, such as `CodeableConcept.coding[0]`; undefined: its parts are parameters of the request. */
  readonly place?: string;
}

export interface ValidationIssue {
  readonly severity: 'error' | 'warning' | 'information';
  /** A code of http://hl7.org/fhir/issue-type */
  readonly code: string;
  /** A code of `TX_ISSUE_TYPES` */
  readonly type: string;
  readonly text: string;
  /** FHIRPath of the wrong part; undefined: the issue is not of one code. */
  readonly expression: string | undefined;
  /** True: the parameter `message` has the text too. */
  readonly isInMessage: boolean;
  /** What else a person can do about it. */
  readonly diagnostics?: string | undefined;
}

/** For issues that are not of one code. */
export const NO_CODE: CodeToValidate = {
  system: undefined,
  version: undefined,
  code: '',
  display: undefined,
};

export const TX_ISSUE_TYPES = 'http://hl7.org/fhir/tools/CodeSystem/tx-issue-type';

/** Severity, issue type and type of HL7's ecosystem; and which part of the code is wrong. */
interface Kind {
  readonly is: readonly [severity: ValidationIssue['severity'], code: string, type: string];
  /** `coding`: the code as a whole; undefined: no part of one code. */
  readonly at?: 'code' | 'system' | 'version' | 'display' | 'coding';
  /** True: a hint that `message` leaves out. */
  readonly isAside?: boolean;
}

function kind<Details extends readonly unknown[]>(
  { is: [severity, code, type], at, isAside = false }: Kind,
  textOf: (code: CodeToValidate, ...details: Details) => string,
) {
  return (of: CodeToValidate, ...details: Details): ValidationIssue => ({
    ...{ severity, code, type, text: textOf(of, ...details) },
    ...{ expression: at === undefined ? undefined : expressionOf(of, at), isInMessage: !isAside },
  });
}

function expressionOf({ place }: CodeToValidate, at: NonNullable<Kind['at']>): string {
  if (at === 'coding') return place ?? 'code';
  return place === undefined ? at : `${place}.${at}`;
}

const NOT_FOUND = { is: ['error', 'not-found', 'not-found'], at: 'system' } as const;
const MISMATCH = { is: ['error', 'invalid', 'vs-invalid'], at: 'version' } as const;
const COMMENT = { is: ['warning', 'business-rule', 'code-comment'], at: 'code' } as const;

/** The function of each kind makes an issue of a code. To add a kind, add a row. */
export const ISSUES = {
  notInValueSet: kind(
    { is: ['error', 'code-invalid', 'not-in-vs'], at: 'code' },
    (code, valueSet: string) =>
      `The provided code '${nameOf(code)}' was not found in the value set '${valueSet}'`,
  ),
  /** Of one of several codings. */
  thisNotInValueSet: kind(
    { is: ['information', 'code-invalid', 'this-code-not-in-vs'], at: 'code', isAside: true },
    (code, valueSet: string) =>
      `The provided code '${nameOf(code)}' was not found in the value set '${valueSet}'`,
  ),
  noCodingInValueSet: kind(
    { is: ['error', 'code-invalid', 'not-in-vs'] },
    (_code, valueSet: string) => `No valid coding was found for the value set '${valueSet}'`,
  ),
  noCoding: kind({ is: ['error', 'invalid', 'invalid-data'] }, () => 'There is no coding to check'),
  unknownCode: kind(
    { is: ['error', 'code-invalid', 'invalid-code'], at: 'code' },
    ({ code }, system: string, version: string | undefined) =>
      `Unknown code '${code}' in the CodeSystem '${system}'${versionText(version)}`,
  ),
  unknownInFragment: kind(
    { is: ['warning', 'code-invalid', 'invalid-code'], at: 'code', isAside: true },
    ({ code }, system: string, version: string | undefined) =>
      `Unknown Code '${code}' in the CodeSystem '${system}'${versionText(version)} - note that the code system is labeled as a fragment, so the code may be valid in some other fragment`,
  ),
  otherSystem: kind(
    { is: ['error', 'invalid', 'invalid-data'], at: 'system' },
    (code, codeSystem: string) => `The code '${nameOf(code)}' is not of the CodeSystem '${codeSystem}'`,
  ),
  unknownSystem: kind(
    NOT_FOUND,
    (_code, system: string) =>
      `A definition for CodeSystem '${system}' could not be found, so the code cannot be validated`,
  ),
  unknownVersion: kind(
    NOT_FOUND,
    (_code, system: string, version: string, versions: readonly string[]) =>
      `A definition for CodeSystem '${system}' version '${version}' could not be found, so the code cannot be validated. ${versionsText(versions)}`,
  ),
  /** `reason`: a sentence of the server itself. */
  notLoaded: kind(NOT_FOUND, (_code, reason: string) => reason),
  systemIsValueSet: kind(
    { is: ['error', 'invalid', 'invalid-data'], at: 'system' },
    ({ system = '' }) => `The Coding references a value set, not a code system ('${system}')`,
  ),
  systemIsSupplement: kind(
    { is: ['error', 'invalid', 'invalid-data'], at: 'system' },
    (_code, supplement: string) =>
      `CodeSystem ${supplement} is a supplement, so can't be used as a value in Coding.system`,
  ),
  noSystem: kind(
    { is: ['warning', 'invalid', 'invalid-data'], at: 'coding' },
    () =>
      'Coding has no system. A code with no system has no defined meaning, and it cannot be validated. A system should be provided',
  ),
  cannotInfer: kind(
    { is: ['error', 'not-found', 'cannot-infer'], at: 'code' },
    ({ code }, valueSet: string) =>
      `The System URI could not be determined for the code '${code}' in the ValueSet '${valueSet}'`,
  ),
  ambiguous: kind(
    { is: ['error', 'not-found', 'cannot-infer'], at: 'code' },
    ({ code }, valueSet: string, systems: readonly string[]) =>
      `The System URI could not be determined for the code '${code}' in the ValueSet '${valueSet}': value set expansion has multiple matches: [${systems.join(', ')}]`,
  ),
  unknownValueSet: kind(
    { is: ['error', 'not-found', 'not-found'] },
    (_code, valueSet: string) => `A definition for the value Set '${valueSet}' could not be found`,
  ),
  unknownSupplement: kind(
    { is: ['error', 'not-found', 'not-found'] },
    (_code, supplement: string) => `Required supplement not found: ${supplement}`,
  ),
  /** Of an expansion. */
  unknownVersionOfMany: kind(
    { is: ['error', 'not-found', 'not-found'] },
    (_code, system: string, version: string, versions: readonly string[]) =>
      `A definition for CodeSystem '${system}' version '${version}' could not be found, so the value set cannot be expanded. ${versionsText(versions)}`,
  ),
  otherVersion: kind(
    MISMATCH,
    ({ version = '' }, system: string, included: string) =>
      `The code system '${system}' version '${included}' in the ValueSet include is different to the one in the value ('${version}')`,
  ),
  /** The request asks for another version than the value set. */
  otherAskedVersion: kind(
    MISMATCH,
    ({ version = '' }, system: string, asked: string, included: string) =>
      `The code system '${system}' version '${asked}' resulting from the version '${included}' in the ValueSet include is different to the one in the value ('${version}')`,
  ),
  otherDefaultVersion: kind(
    { is: ['warning', 'invalid', 'vs-invalid'], at: 'version', isAside: true },
    ({ version = '' }, system: string, used: string) =>
      `The code system '${system}' version '${used}' for the versionless include in the ValueSet include is different to the one in the value ('${version}')`,
  ),
  versionCheck: kind(
    { is: ['error', 'exception', 'version-error'], at: 'version' },
    (_code, system: string, used: string, required: string) =>
      `The version '${used}' is not allowed for system '${system}': required to be '${required}' by a version-check parameter`,
  ),
  abstract: kind(
    { is: ['error', 'business-rule', 'code-rule'], at: 'code' },
    ({ code }, system: string) => `Code '${system}#${code}' is abstract, and not allowed in this context`,
  ),
  notActive: kind(
    { is: ['error', 'business-rule', 'code-rule'], at: 'code' },
    ({ code }) => `The concept '${code}' is valid but is not active`,
  ),
  inactive: kind(
    { is: ['warning', 'business-rule', 'code-comment'], at: 'coding' },
    ({ code }, status: string | undefined) =>
      `The concept '${code}' has a status of ${status === undefined || status === 'inactive' ? '' : `${status} and `}inactive and its use should be reviewed`,
  ),
  deprecated: kind(
    COMMENT,
    ({ code }, status: string) => `The concept '${code}' is ${status} and its use should be reviewed`,
  ),
  deprecatedInValueSet: kind(
    { ...COMMENT, isAside: true },
    ({ code }, system: string, valueSet: string) =>
      `The presence of the concept '${code}' in the system '${system}' in the value set ${valueSet} is marked with a status of deprecated and its use should be reviewed`,
  ),
  otherCase: kind(
    { is: ['information', 'business-rule', 'code-rule'], at: 'code', isAside: true },
    ({ code }, right: string, codeSystem: string) =>
      `The code '${code}' differs from the correct code '${right}' by case. Although the code system '${codeSystem}' is case insensitive, implementers are strongly encouraged to use the correct case anyway`,
  ),
  wrongDisplay: kind(
    { is: ['error', 'invalid', 'invalid-display'], at: 'display' },
    (code, system: string, right: readonly RightDisplay[], languages: string | undefined) =>
      `Wrong Display Name '${code.display ?? ''}' for ${system}#${code.code}. Valid display is ${choiceOf(right)} (for the language(s) '${languages ?? '--'}')`,
  ),
  wrongDisplayNoneInLanguage: kind(
    { is: ['error', 'invalid', 'invalid-display'], at: 'display' },
    (code, system: string, display: string, languages: string) =>
      `Wrong Display Name '${code.display ?? ''}' for ${system}#${code.code}. There are no valid display names found for language(s) '${languages}'. Default display is '${display}'`,
  ),
  displayNoneInLanguage: kind(
    { is: ['information', 'invalid', 'invalid-display'], at: 'display' },
    (code, system: string, languages: string) =>
      `There are no valid display names found for the code ${system}#${code.code} for language(s) '${languages}'. The display is '${code.display ?? ''}' which is a valid display for the default language`,
  ),
  formerDisplay: kind(
    { is: ['warning', 'invalid', 'display-comment'], at: 'display', isAside: true },
    ({ code, display = '' }, status: string, right: readonly RightDisplay[]) =>
      `'${display}' is no longer considered a correct display for code '${code}' (status = ${status}). The correct display is one of ${right.map(({ value }) => `"${value}"`).join(', ')}.`,
  ),
} as const;

/** The texts of the issues that are for people, sorted; undefined: there are none. */
export function messageOf(issues: readonly ValidationIssue[]): string | undefined {
  const texts = new Set(issues.flatMap(({ isInMessage, text }) => (isInMessage ? [text] : [])));
  return texts.size === 0 ? undefined : [...texts].sort().join('; ');
}

/** The element of `OperationOutcome.issue`. `location` repeats `expression` for clients of R4 that read only the former. */
export function toIssueElement(issue: ValidationIssue): JsonObject {
  const { severity, code, type, text, expression, diagnostics } = issue;
  return {
    severity,
    code,
    details: { coding: [{ system: TX_ISSUE_TYPES, code: type }], text },
    ...(diagnostics === undefined ? {} : { diagnostics }),
    ...(expression === undefined ? {} : { location: [expression], expression: [expression] }),
  };
}

function nameOf({ system = '', version, code, display }: CodeToValidate): string {
  return `${toCanonical(system, version)}#${code}${display === undefined ? '' : ` ('${display}')`}`;
}

function versionsText(versions: readonly string[]): string {
  return versions.length === 0
    ? 'No versions of this code system are known'
    : `Valid versions: ${listOf(versions)}`;
}

function versionText(version: string | undefined): string {
  return version === undefined ? '' : ` version '${version}'`;
}

function choiceOf(right: readonly RightDisplay[]): string {
  const texts = right.map(
    ({ value, language }) => `'${value}'${language === undefined ? '' : ` (${language})`}`,
  );
  return texts.length === 1 ? listOf(texts) : `one of ${texts.length} choices: ${listOf(texts)}`;
}

/** `a, b or c`. */
function listOf(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length <= 1 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}
