/** What $validate-code says of a code that was found: its display, status and case. */
import { type JsonObject } from '../json';
import { isFragment } from './code-system';
import { displayOf, isDisplay, rightDisplays, statusOfFormerDisplay } from './display';
import { isAbstract, isInactive, type Member } from './membership';
import { choiceMember, objectsMember, standardsStatus } from './members';
import { parseLanguages } from './languages';
import { toCanonical } from './source';
import { type CodeToValidate, ISSUES, type ValidationIssue } from './validation-issues';

export interface ValidationOptions {
  /** False: abstract codes are invalid. Undefined and true: they are valid. */
  readonly abstract?: boolean;
  /** True: inactive codes are invalid. */
  readonly activeOnly?: boolean;
  readonly displayLanguage?: string;
  /** True: a wrong display is a warning. */
  readonly lenientDisplay?: boolean;
  /** True: only whether the value set has the code counts, and not its display. */
  readonly membershipOnly?: boolean;
}

/** `valueSet`: the name of the value set that has the code; undefined for a code system. */
export function issuesOfMember(
  code: CodeToValidate,
  member: Member,
  options: ValidationOptions & { readonly valueSet?: string },
): readonly ValidationIssue[] {
  const { valueSet } = options;
  const issues: ValidationIssue[] = [];
  const refuse = (issue: ValidationIssue): void => {
    issues.push(issue);
    if (valueSet !== undefined) issues.push(ISSUES.notInValueSet(code, valueSet));
  };
  const { system, codeSystem } = member;
  const status = statusOf(member);
  if (options.abstract === false && isAbstract(member)) refuse(ISSUES.abstract(code, system));
  if (isInactive(member)) {
    issues.push(ISSUES.inactive(code, status));
    if (options.activeOnly === true) refuse(ISSUES.notActive(code));
  } else if (status !== undefined) issues.push(ISSUES.deprecated(code, status));
  if (valueSet !== undefined && member.listed !== undefined && isDeprecatedIn(member.listed))
    issues.push(ISSUES.deprecatedInValueSet(code, system, valueSet));
  if (member.code !== code.code)
    issues.push(ISSUES.otherCase(code, member.code, toCanonical(system, member.version)));
  if (member.concept === undefined && codeSystem !== undefined && isFragment(codeSystem))
    issues.push(ISSUES.unknownInFragment(code, codeSystem.url, codeSystem.version));
  return options.membershipOnly === true ? issues : [...issues, ...issuesOfDisplay(code, member, options)];
}

function issuesOfDisplay(
  code: CodeToValidate,
  member: Member,
  { displayLanguage, lenientDisplay }: ValidationOptions,
): readonly ValidationIssue[] {
  const isOneOfMany = member.codeSystem?.isBuiltIn === true && member.listed === undefined;
  const display = displayOf(member, displayLanguage);
  if (code.display === undefined || display === undefined || isOneOfMany) return [];
  const { system } = member;
  const languages =
    displayLanguage === undefined || parseLanguages(displayLanguage)?.length === 0
      ? undefined
      : displayLanguage;
  const right = rightDisplays(member, languages);
  if (isDisplay(member, code.display)) {
    const former = statusOfFormerDisplay(member, code.display);
    if (former !== undefined) return [ISSUES.formerDisplay(code, former, right)];
    return languages !== undefined && right.length === 0
      ? [ISSUES.displayNoneInLanguage(code, system, languages)]
      : [];
  }
  const wrong =
    languages !== undefined && right.length === 0
      ? ISSUES.wrongDisplayNoneInLanguage(code, system, display, languages)
      : ISSUES.wrongDisplay(code, system, right, languages);
  return [lenientDisplay === true ? { ...wrong, severity: 'warning' } : wrong];
}

const NOT_IN_FORCE: ReadonlySet<string | undefined> = new Set(['deprecated', 'withdrawn']);

/** The status for which a concept is not to be used, by its property or its standards status; undefined: it says none. */
export function statusOf(member: Member): string | undefined {
  if (member.concept === undefined) return undefined;
  const { element } = member.concept;
  const property = objectsMember(element, 'property').find(({ code }) => code === 'status');
  const value = property && choiceMember(property)?.[1];
  const status = typeof value === 'string' ? value : standardsStatus(element);
  return isInactive(member) || NOT_IN_FORCE.has(status) ? status : undefined;
}

const DEPRECATED_IN_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/valueset-deprecated';

function isDeprecatedIn(listed: JsonObject): boolean {
  const isMarked = objectsMember(listed, 'extension').some((extension) => {
    const value = choiceMember(extension)?.[1];
    return extension['url'] === DEPRECATED_IN_VALUE_SET && (value === true || value === 'true');
  });
  return isMarked || NOT_IN_FORCE.has(standardsStatus(listed));
}
