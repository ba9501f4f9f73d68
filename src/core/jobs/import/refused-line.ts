import type { RefusedLine } from '../../storage/jobs/import-part';
import type { ErrorKey, FhirError, Issue } from '../../errors';
import { toOutcomeResource } from '../../outcome';

const EXTENSIONS = 'http://hl7.org/fhir/StructureDefinition/operationoutcome-';

/** Returns the OperationOutcome of a line: each issue has its number, the outcome the name of the file. `line` 0: the file as a whole. */
export function refusedLine(name: string, line: number, issues: readonly Issue[]): RefusedLine {
  const { resourceType, issue } = toOutcomeResource(
    line === 0
      ? issues
      : issues.map((each) => ({ ...each, diagnostics: each.diagnostics.replace(/^The body /, 'The line ') })),
  );
  const place = [{ url: `${EXTENSIONS}issue-line`, valueInteger: line }];
  const placed = Array.isArray(issue)
    ? issue.map((each) => Object.assign({}, line === 0 ? {} : { extension: place }, each))
    : [];
  const extension = [{ url: `${EXTENSIONS}file`, valueString: name }];
  return { line, outcome: JSON.stringify({ resourceType, extension, issue: placed }) };
}

/** What to do about errors that exported lines have, by their key. */
const ADVICE: Partial<Record<ErrorKey, string>> = {
  foreignReference: 'if the lines come from there, name that FHIR base as inputSource',
  subsetted:
    'long content is not in the line: send it by PUT Binary/{id}, or move the whole tenant by npx --no-install andiron tenant export',
};

/** Returns the issues of a refused line, with what to do about them. */
export function withAdvice(key: ErrorKey, issues: readonly Issue[]): readonly Issue[] {
  const advice = ADVICE[key];
  if (advice === undefined) return issues;
  return issues.map((issue) =>
    issue.code === 'business-rule' ? { ...issue, diagnostics: `${issue.diagnostics}; ${advice}` } : issue,
  );
}

const IN_ENTRY = /^Bundle\.entry\[(\d+)\](?:\.resource)?/;

/** True if an error of a transaction is that of some of its entries. */
export function namesEntry({ issues }: FhirError): boolean {
  return issues.some(({ expression = '' }) => IN_ENTRY.test(expression));
}

/**
 * Returns the issues of an error of a transaction by the index of their entry, with expressions that begin at the resource.
 * `typeOf`: the type of an entry's resource. Issues that name no entry are left out.
 */
export function issuesByEntry(
  { issues }: FhirError,
  typeOf: (index: number) => string,
): ReadonlyMap<number, readonly Issue[]> {
  const byEntry = new Map<number, Issue[]>();
  for (const issue of issues) {
    const [prefix, found] = IN_ENTRY.exec(issue.expression ?? '') ?? [];
    if (prefix === undefined || found === undefined) continue;
    const index = Number(found);
    const rest = (issue.expression ?? '').slice(prefix.length);
    // What is wrong with the request of an entry is wrong with the resource, from which it was made.
    const expression = typeOf(index) + (rest.startsWith('.request') ? '' : rest);
    byEntry.set(index, [...(byEntry.get(index) ?? []), { ...issue, expression }]);
  }
  return byEntry;
}
