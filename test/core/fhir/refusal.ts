import { FhirError, type ErrorKey } from '../../../src/core/errors';

/** The refusal that `action` throws, reduced to what a client is told. */
export function refusalOf(action: () => unknown): {
  key: ErrorKey;
  status: number;
  reason: string;
  expression?: string;
} {
  try {
    action();
  } catch (thrown) {
    if (!(thrown instanceof FhirError)) throw thrown;
    const [issue] = thrown.issues;
    return {
      key: thrown.key,
      status: thrown.status,
      reason: issue?.diagnostics ?? '',
      ...(issue?.expression === undefined ? {} : { expression: issue.expression }),
    };
  }
  throw new Error('nothing was refused');
}
