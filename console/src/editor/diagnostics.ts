/** Findings of the server as marks in the editor. */
import type { Diagnostic } from '@codemirror/lint';
import type { Issue } from '../api/failure';
import { placeOfWords, placesIn, type Place } from './json-place';

/** Where findings are; one without an expression is at the beginning. */
export async function placesOfIssues(text: string): Promise<(issue: Issue) => Place> {
  const placeOf = await placesIn(text);
  return ({ expression: [first], text: words }) => {
    if (first !== undefined) return placeOf(first);
    return placeOfWords(text, words) ?? { from: 0, to: Math.min(1, text.length) };
  };
}

function severityOf({ severity }: Issue): Diagnostic['severity'] {
  if (severity === 'fatal' || severity === 'error') return 'error';
  return severity === 'warning' ? 'warning' : 'info';
}

export async function diagnosticsOf(text: string, issues: readonly Issue[]): Promise<readonly Diagnostic[]> {
  if (issues.length === 0) return [];
  const placeOf = await placesOfIssues(text);
  return issues.map((issue) => ({
    ...placeOf(issue),
    severity: severityOf(issue),
    message: issue.text,
  }));
}
