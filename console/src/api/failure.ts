/** Failures of requests, in words that people can act on. */
import { isObject, objectsOf, parseJson, textOf, type JsonValue } from './json';

/** An issue of an OperationOutcome. */
export interface Issue {
  readonly severity: string;
  readonly code: string;
  readonly text: string;
  /** FHIRPath of the places in the input. */
  readonly expression: readonly string[];
}

/** A request that the server has refused, or that did not reach it (status 0). */
export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly issues: readonly Issue[],
  ) {
    super(issues.map(({ text }) => text).join('\n'));
    this.name = 'Failure';
  }
}

/** The issues of an OperationOutcome; none for any other value. */
export function issuesOf(value: JsonValue | undefined): readonly Issue[] {
  if (!isObject(value) || value['resourceType'] !== 'OperationOutcome') return [];
  return objectsOf(value['issue']).map((issue) => {
    const details = isObject(issue['details']) ? textOf(issue['details']['text']) : undefined;
    const expression = issue['expression'];
    return {
      severity: textOf(issue['severity']) ?? 'error',
      code: textOf(issue['code']) ?? '',
      text: textOf(issue['diagnostics']) ?? details ?? textOf(issue['code']) ?? '',
      expression: Array.isArray(expression)
        ? expression.flatMap((each: JsonValue) => textOf(each) ?? [])
        : [],
    };
  });
}

/** The errors of a GraphQL document that the server has not run. */
function graphqlIssues(value: JsonValue): readonly Issue[] {
  if (!isObject(value)) return [];
  return objectsOf(value['errors']).flatMap(({ message }) => {
    const text = textOf(message);
    return text === undefined ? [] : [{ severity: 'error', code: 'invalid', text, expression: [] }];
  });
}

/** The failure that an answer states, in an OperationOutcome or otherwise. */
export function toFailure(status: number, text: string): Failure {
  let issues: readonly Issue[] = [];
  try {
    const value = parseJson(text);
    issues = [...issuesOf(value), ...graphqlIssues(value)];
  } catch {
    // A proxy may answer anything; the status says enough.
  }
  if (issues.length > 0) return new Failure(status, issues);
  return new Failure(status, [
    {
      severity: 'error',
      code: 'exception',
      text: `The server answered with the status ${status}`,
      expression: [],
    },
  ]);
}
