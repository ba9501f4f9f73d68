/** What $validate-code says of versions, and of what a value set needs and is not here. */
import { satisfiesVersion } from './business-version';
import { type ComposedValueSet, type Selection } from './compose';
import { type Member } from './membership';
import { type TerminologySource, toCanonical } from './source';
import { type CodeToValidate, ISSUES, NO_CODE, type ValidationIssue } from './validation-issues';

export interface FoundIssues {
  readonly issues: readonly ValidationIssue[];
  /** Code systems that are not here, as canonicals. */
  readonly missing: readonly string[];
}

const NOTHING: FoundIssues = { issues: [], missing: [] };

/**
 * Says that the version of a code is not that of the member which was found, and whether it is known at all. `valueSet`: undefined for a
 * code system.
 */
export async function issuesOfVersion(
  valueSet: ComposedValueSet | undefined,
  code: CodeToValidate,
  { system, version: used }: Member,
  source: TerminologySource,
): Promise<FoundIssues> {
  const { version } = code;
  if (version === undefined || used === undefined || satisfiesVersion(used, version)) return NOTHING;
  const isKnown = (await source.findCodeSystem(system, version)) !== undefined;
  const unknown = isKnown
    ? []
    : [ISSUES.unknownVersion(code, system, version, await source.listVersions(system))];
  const missing = isKnown ? [] : [toCanonical(system, version)];
  if (valueSet === undefined)
    return { issues: isKnown ? [ISSUES.otherSystem(code, toCanonical(system, used))] : unknown, missing };
  const asked = selectionsOf(valueSet, system).find((selection) => selection.version === used)?.asked;
  const { named, wanted } = asked ?? { named: used, wanted: used };
  const mismatch =
    wanted === undefined && !isKnown
      ? ISSUES.otherDefaultVersion(code, system, used)
      : wanted === undefined || wanted === named
        ? ISSUES.otherVersion(code, system, named ?? used)
        : ISSUES.otherAskedVersion(code, system, wanted, named ?? '');
  return { issues: [mismatch, ...unknown], missing };
}

/** Says what stands in the way of an answer: a value set, a code system or a version of it is not here. */
export async function issuesOfObstacles(
  valueSet: ComposedValueSet,
  code: CodeToValidate,
  source: TerminologySource,
): Promise<FoundIssues> {
  const issues = new Map<string, ValidationIssue>();
  const missing = new Set<string>();
  const add = (issue: ValidationIssue): void => void issues.set(issue.text, issue);
  for (const { system, codeSystem, obstacle, asked, missingValueSet } of selectionsOf(
    valueSet,
    code.system,
  )) {
    if (obstacle === undefined) continue;
    if (missingValueSet !== undefined) add(ISSUES.unknownValueSet(code, missingValueSet));
    else if (system === undefined || asked === undefined || asked.violated !== undefined)
      add(ISSUES.notLoaded(code, obstacle));
    else {
      const { wanted } = asked;
      missing.add(toCanonical(system, wanted));
      if (codeSystem !== undefined) add(ISSUES.notLoaded(code, obstacle));
      else if (wanted === undefined) add({ ...ISSUES.unknownSystem(code, system), diagnostics: obstacle });
      else {
        const versions = await source.listVersions(system);
        add({ ...ISSUES.unknownVersion(code, system, wanted, versions), diagnostics: obstacle });
        if (code.version !== undefined && code.version !== wanted)
          add(ISSUES.otherVersion(code, system, wanted));
      }
    }
  }
  return { issues: [...issues.values()], missing: [...missing] };
}

/**
 * Returns the issue that HL7's ecosystem has for an obstacle of an expansion: a version of a code system or a value set that is not here,
 * or a version that check-system-version does not allow. `diagnostics` is the obstacle in the words of this server.
 */
export async function issueOfObstacle(
  valueSet: ComposedValueSet,
  reason: string,
  source: TerminologySource,
): Promise<ValidationIssue | undefined> {
  const found = selectionsOf(valueSet, undefined).find(({ obstacle }) => obstacle === reason);
  const { system, codeSystem, version = '', asked, missingValueSet } = found ?? {};
  if (missingValueSet !== undefined)
    return { ...ISSUES.unknownValueSet(NO_CODE, missingValueSet), diagnostics: reason };
  if (system === undefined || asked === undefined) return undefined;
  if (asked.violated !== undefined) {
    const issue = ISSUES.versionCheck(NO_CODE, system, version, asked.violated);
    return { ...issue, diagnostics: reason };
  }
  if (codeSystem !== undefined || asked.wanted === undefined) return undefined;
  const versions = await source.listVersions(system);
  const issue = ISSUES.unknownVersionOfMany(NO_CODE, system, asked.wanted, versions);
  return { ...issue, diagnostics: reason };
}

/** The value set without the obstacles that check-system-version makes; undefined: there are none. */
export function withoutChecks(valueSet: ComposedValueSet): ComposedValueSet | undefined {
  const isViolating = ({ asked }: Selection): boolean => asked?.violated !== undefined;
  if (!valueSet.includes.some(isViolating)) return undefined;
  const includes = valueSet.includes.map((each) =>
    isViolating(each) ? { ...each, obstacle: undefined } : each,
  );
  return { ...valueSet, includes };
}

/** Says that a member has another version than check-system-version asks for. */
export function violatedCheck(
  valueSet: ComposedValueSet,
  code: CodeToValidate,
  { system, version = '' }: Member,
): readonly ValidationIssue[] {
  const { asked } = selectionsOf(valueSet, system).find((each) => each.asked?.violated !== undefined) ?? {};
  return asked?.violated === undefined ? [] : [ISSUES.versionCheck(code, system, version, asked.violated)];
}

/** The includes and excludes of a system, or of all, in a value set and those that it imports, and those that are not of one system. */
function selectionsOf(valueSet: ComposedValueSet, system: string | undefined): readonly Selection[] {
  const found: Selection[] = [];
  const seen = new Set<ComposedValueSet>();
  const addFrom = (composed: ComposedValueSet): void => {
    if (seen.has(composed)) return;
    seen.add(composed);
    for (const selection of [...composed.includes, ...composed.excludes]) {
      if (system !== undefined && selection.system !== undefined && selection.system !== system) continue;
      found.push(selection);
      selection.imports.forEach(addFrom);
    }
  };
  addFrom(valueSet);
  return found;
}
