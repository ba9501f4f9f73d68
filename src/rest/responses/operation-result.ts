import { documentText, type InvocationResult } from '../../core';
import { writeSearchset } from '../bundle';
import type { Parameter } from '../requests/query';

/**
 * Returns the result of an operation as JSON text. `root` is `{fhir_root}`, `address` that of the operation without a
 * query, `presentation` the format parameters of further pages.
 */
export function writeOperationResult(
  result: InvocationResult,
  root: string,
  address: string,
  presentation: readonly Parameter[],
): string {
  if ('text' in result) return result.text;
  if ('stored' in result) return result.stored.version.text;
  if ('document' in result) return documentText(result.document, root);
  const { page } = result;
  return writeSearchset(page, root, { address, used: [...page.used, ...presentation], next: page.next });
}
