import { fhirError } from '../../errors';
import { parseQueryText, type QueryParameter } from '../../fhir/query-text';
import type { ReferenceResolver } from '../../fhir/reference';

/**
 * The criteria of If-None-Exist for a create of the type. R4 asks for the parameters alone; clients also send `?…`,
 * `Type?…` and `{our base}/Type?…`. Throws invalidValue for another type, or an address that is not ours.
 * Source: https://hl7.org/fhir/R4/http.html#ccreate
 */
export function parseIfNoneExist(
  { local }: Pick<ReferenceResolver, 'local'>,
  type: string,
  text: string,
): readonly QueryParameter[] {
  const mark = text.indexOf('?');
  const before = text.slice(0, Math.max(0, mark));
  // A question mark after the first name is part of a value.
  if (mark === -1 || before.includes('=')) return parseQueryText(text);
  if (before !== '' && local(`${before}/1`)?.type !== type) {
    throw fhirError('invalidValue', {
      reason: `If-None-Exist of a create of ${type} must search ${type}, not '${before.slice(0, 200)}'`,
    });
  }
  return parseQueryText(text.slice(mark + 1));
}
