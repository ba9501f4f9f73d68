/** Checks that codes belong to a value set or a code system and have a correct display ($validate-code). */
import { hasConcepts, isFragment, isSelfOrBelow, type CodeSystem } from './code-system';
import { type ComposedValueSet } from './compose';
import { displayOf } from './display';
import { findMember, isInactive, type Member, ValueSetEvaluation, systemsOf } from './membership';
import { describeNotLoaded } from './not-loaded';
import { withConcepts } from './stored-code-system';
import { type TerminologySource, toCanonical } from './source';
import { issuesOfMember, statusOf, type ValidationOptions } from './validation-of-member';
import { issuesOfObstacles, issuesOfVersion, violatedCheck, withoutChecks } from './validation-of-versions';
import { type CodeToValidate, ISSUES, NO_CODE, type ValidationIssue } from './validation-issues';

/** What is known of the code that was checked. */
export interface FoundCode {
  /** As given. */
  readonly code?: string;
  readonly system?: string;
  readonly version?: string;
  /** The display to show. */
  readonly display?: string;
  /** As the code system writes the code, if that differs. */
  readonly normalizedCode?: string;
  /** True: the code was found, and is inactive. */
  readonly isInactive?: boolean;
  readonly status?: string;
  /** True: the code system has the code. */
  readonly isConcept?: boolean;
}

export interface Validation {
  readonly result: boolean;
  readonly found: FoundCode;
  readonly issues: readonly ValidationIssue[];
  /** Code systems, as canonicals, without which the result is false: others may know the code. */
  readonly missing: readonly string[];
  /** The code system of a code that is in the value set in no case, if nothing is known of it. */
  readonly unknown: readonly string[];
}

/** Where and how codes are checked. */
export interface ValidationContext {
  readonly source: TerminologySource;
  readonly options: ValidationOptions;
}

/**
 * Validates one code; false if the result depends on a code system that is not available. Throws `tooCostly`.
 * Cost: linear in the includes of the value set, not in its codes; for an invalid code also that of its code system.
 */
export async function validateInValueSet(
  valueSet: ComposedValueSet,
  code: CodeToValidate,
  { source, options }: ValidationContext,
): Promise<Validation> {
  const {
    members: [member, ...others],
    evaluation,
  } = await findMembers(valueSet, code, source);
  const name = nameOf(valueSet);
  if (member !== undefined && others.length > 0) {
    const systems = [member, ...others].map(({ system }) => system);
    return toValidation({ code: code.code }, [
      ISSUES.ambiguous(code, name, systems),
      ISSUES.notInValueSet(code, name),
    ]);
  }
  if (member !== undefined) {
    const version = await issuesOfVersion(valueSet, code, member, source);
    return toValidation(
      foundOf(code, member, options),
      [...version.issues, ...issuesOfMember(code, member, { ...options, valueSet: name })],
      version,
    );
  }
  if (evaluation.obstacles.size > 0) {
    const unchecked = withoutChecks(valueSet);
    const [violating] = unchecked === undefined ? [] : (await findMembers(unchecked, code, source)).members;
    if (violating === undefined) {
      const obstacles = await issuesOfObstacles(valueSet, code, source);
      const found = obstacles.missing.length === 0 ? {} : givenOf(code);
      // Nothing is confirmed while something stands in the way.
      return { ...toValidation(found, obstacles.issues, obstacles), result: false };
    }
    const version = await issuesOfVersion(valueSet, code, violating, source);
    const issues = [...version.issues, ...violatedCheck(valueSet, code, violating)];
    return toValidation(foundOf(code, violating, options), issues, version);
  }
  const [fragment] = evaluation.fragments;
  return fragment === undefined
    ? validateOutside(valueSet, code, { source, options })
    : toValidation(foundIn(fragment, code), [ISSUES.unknownInFragment(code, fragment.url, fragment.version)]);
}

/** The result for a code that a value set does not have: why, as far as its code system says. */
async function validateOutside(
  valueSet: ComposedValueSet,
  code: CodeToValidate,
  { source, options }: ValidationContext,
): Promise<Validation> {
  const name = nameOf(valueSet);
  const notIn = ISSUES.notInValueSet(code, name);
  if (code.system === undefined) {
    const reason = code.place === undefined ? ISSUES.cannotInfer(code, name) : ISSUES.noSystem(code);
    return toValidation({ code: code.code }, [reason, notIn]);
  }
  if (options.membershipOnly === true) return toValidation(givenOf(code), [notIn]);
  const [inactive] = valueSet.excludesInactive
    ? (await findMembers({ ...valueSet, excludesInactive: false }, code, source)).members
    : [];
  if (inactive !== undefined) {
    const issues = issuesOfMember(code, inactive, { ...options, activeOnly: true, valueSet: name });
    return toValidation(foundOf(code, inactive, options), issues);
  }
  const used = valueSet.includes.find(({ system }) => system === code.system);
  const { version = used?.version } = code;
  const codeSystem = await source.findCodeSystem(code.system, version);
  if (codeSystem === undefined || !hasConcepts(codeSystem)) {
    const issue = await issueOfUnknown(code, codeSystem, source);
    const isUnknown = issue.type === 'not-found';
    return toValidation(givenOf(code), [issue, notIn], {
      missing: [],
      unknown: isUnknown ? [code.system] : [],
    });
  }
  const concept = await withConcepts(source.concepts, () => codeSystem.find(code.code));
  if (concept === undefined)
    return toValidation(foundIn(codeSystem, code), [notIn, unknownIn(codeSystem, code)]);
  return toValidation(foundOf(code, toMember(codeSystem, concept), options), [notIn]);
}

/** As `validateInValueSet`, for a code system: the code must be one of its concepts. */
export async function validateInCodeSystem(
  codeSystem: CodeSystem,
  code: CodeToValidate,
  { source, options }: ValidationContext,
): Promise<Validation> {
  const name = toCanonical(codeSystem.url, codeSystem.version);
  if (code.system !== undefined && code.system !== codeSystem.url)
    return toValidation(givenOf(code), [ISSUES.otherSystem(code, name)]);
  const concept = await withConcepts(source.concepts, () => codeSystem.find(code.code));
  if (concept === undefined) return toValidation(foundIn(codeSystem, code), [unknownIn(codeSystem, code)]);
  const member = toMember(codeSystem, concept);
  const version = await issuesOfVersion(undefined, code, member, source);
  return toValidation(
    foundOf(code, member, options),
    [...version.issues, ...issuesOfMember(code, member, options)],
    version,
  );
}

/** The result for a code whose code system does not exist here, or is stored without its codes. */
export async function validateWithoutSystem(
  code: CodeToValidate & { readonly system: string },
  codeSystem: CodeSystem | undefined,
  source: TerminologySource,
): Promise<Validation> {
  const issue = await issueOfUnknown(code, codeSystem, source);
  const missing = [toCanonical(code.system, code.version)];
  return toValidation(givenOf(code), [issue], { missing, unknown: [] });
}

/** Combines the results of the codings of a CodeableConcept: true if one is valid. `valueSet`: undefined for a code system. */
export function combineValidations(
  validations: readonly Validation[],
  valueSet: ComposedValueSet | undefined,
): Validation {
  const [first] = validations;
  if (first === undefined) return toValidation({}, [ISSUES.noCoding(NO_CODE)]);
  const issues = validations.map((validation) =>
    validation.issues.map((issue) =>
      issue.type === 'not-in-vs'
        ? { ...issue, severity: 'information' as const, type: 'this-code-not-in-vs', isInMessage: false }
        : issue,
    ),
  );
  const valid = validations.find(({ result }) => result);
  if (valid !== undefined) {
    const asides = issues.flat().filter(({ type }) => type === 'this-code-not-in-vs');
    return { ...valid, issues: [...valid.issues, ...asides] };
  }
  const isOutside = ({ issues: own }: Validation): boolean => own.some(({ type }) => type === 'not-in-vs');
  const inside = validations.find((validation) => !isOutside(validation));
  return {
    result: false,
    found: inside?.found.isConcept === true ? inside.found : {},
    issues: [
      ...(inside === undefined && valueSet !== undefined
        ? [ISSUES.noCodingInValueSet(NO_CODE, nameOf(valueSet))]
        : []),
      ...issues.flat(),
    ],
    missing: validations.flatMap(({ missing }) => missing),
    unknown: validations.flatMap(({ unknown }) => unknown),
  };
}

function toValidation(
  found: FoundCode,
  issues: readonly ValidationIssue[],
  { missing, unknown = [] }: { readonly missing: readonly string[]; readonly unknown?: readonly string[] } = {
    missing: [],
  },
): Validation {
  return { result: !issues.some(({ severity }) => severity === 'error'), found, issues, missing, unknown };
}

/** Says what stands in the way where a code system is not known, or has no codes here. */
async function issueOfUnknown(
  code: CodeToValidate,
  codeSystem: CodeSystem | undefined,
  source: TerminologySource,
): Promise<ValidationIssue> {
  const { system = '', version } = code;
  if (codeSystem?.content === 'supplement')
    return ISSUES.systemIsSupplement(code, toCanonical(codeSystem.url, codeSystem.version));
  const diagnostics = describeNotLoaded(system, version, codeSystem);
  if (codeSystem !== undefined) return ISSUES.notLoaded(code, diagnostics ?? '');
  if ((await source.findValueSet(system)) !== undefined) return ISSUES.systemIsValueSet(code);
  const issue =
    version === undefined
      ? ISSUES.unknownSystem(code, system)
      : ISSUES.unknownVersion(code, system, version, await source.listVersions(system));
  return { ...issue, diagnostics };
}

function unknownIn(codeSystem: CodeSystem, code: CodeToValidate): ValidationIssue {
  const { url, version } = codeSystem;
  return isFragment(codeSystem)
    ? ISSUES.unknownInFragment(code, url, version)
    : ISSUES.unknownCode(code, url, version);
}

function findMembers(
  valueSet: ComposedValueSet,
  { system, code }: CodeToValidate,
  { concepts }: TerminologySource,
): Promise<{ readonly members: readonly Member[]; readonly evaluation: ValueSetEvaluation }> {
  return withConcepts(concepts, () => {
    const evaluation = new ValueSetEvaluation();
    const systems = system === undefined ? systemsOf(valueSet, evaluation) : [system];
    const members = [...systems]
      .map((each) => findMember(valueSet, each, code, evaluation))
      .filter((member) => member !== undefined);
    return { members, evaluation };
  });
}

function toMember(codeSystem: CodeSystem, concept: NonNullable<Member['concept']>): Member {
  const { url: system, version } = codeSystem;
  return { system, version, code: concept.code, codeSystem, concept, listed: undefined };
}

function givenOf({ code, system, version }: CodeToValidate): FoundCode {
  return {
    code,
    ...(system === undefined ? {} : { system }),
    ...(version === undefined ? {} : { version }),
  };
}

/** A code that a code system does not have. */
function foundIn({ url, version }: CodeSystem, { code }: CodeToValidate): FoundCode {
  return { code, system: url, ...(version === undefined ? {} : { version }) };
}

function foundOf(
  { code }: CodeToValidate,
  member: Member,
  { displayLanguage }: ValidationOptions,
): FoundCode {
  const display = displayOf(member, displayLanguage);
  const status = statusOf(member);
  return {
    ...{ code, system: member.system, isConcept: true },
    ...(member.version === undefined ? {} : { version: member.version }),
    ...(display === undefined ? {} : { display }),
    ...(member.code === code ? {} : { normalizedCode: member.code }),
    ...(isInactive(member) ? { isInactive: true } : {}),
    ...(status === undefined ? {} : { status }),
  };
}

function nameOf({ url, version }: ComposedValueSet): string {
  return url === undefined ? '(unidentified)' : toCanonical(url, version);
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
