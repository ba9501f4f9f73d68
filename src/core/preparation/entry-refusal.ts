import { FhirError, type Issue } from '../errors';
import { entryExpression } from '../fhir/bundle/entry';
import type { RefusedEntry } from './bundle';

/** Limit on the issues of a refused transaction. */
export const MOST_ISSUES = 100;

/** Throws one error with the issues of all refused entries; does nothing without any. */
export function throwRefusals(refused: readonly RefusedEntry[]): void {
  const [first] = refused;
  if (first === undefined) return;
  // A 400 of one entry takes precedence over a 422 of another (docs/reference/behaviour.md, Status codes).
  const { refusal } = refused.find(({ refusal: { key } }) => new FhirError(key, []).status === 400) ?? first;
  const issues = refused.flatMap((each) => each.refusal.issues).slice(0, MOST_ISSUES);
  throw new FhirError(refusal.key, issues);
}

/** Returns the issues with expressions that begin at the Bundle. */
export function inEntry(issues: readonly Issue[], index: number, type: string): readonly Issue[] {
  return issues.map((issue) => ({ ...issue, expression: placeInEntry(issue.expression, index, type) }));
}

/** A FhirError with its issues located in the Bundle; any other error unchanged. */
export function atEntry(error: unknown, index: number, type: string): unknown {
  return error instanceof FhirError
    ? new FhirError(error.key, inEntry(error.issues, index, type), error.allowed)
    : error;
}

function placeInEntry(expression: string | undefined, index: number, type: string): string {
  if (expression === undefined || expression === '') return entryExpression(index);
  // An entry that is a Bundle itself has entries of its own.
  if (type !== 'Bundle' && expression.startsWith('Bundle.entry[')) return expression;
  const root = /^[A-Z][A-Za-z]*/.exec(expression)?.[0] ?? '';
  if (root !== type && root !== 'Binary' && root !== 'Parameters') return entryExpression(index, 'resource');
  return entryExpression(index, `resource${expression.slice(root.length)}`);
}
