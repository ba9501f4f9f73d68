import type { StoredVersion } from '../../api/version';
import type { Definitions } from '../../fhir/definitions';
import type { QueryParameter } from '../../fhir/query-text';
import { toSubset } from '../../fhir/subset';
import { parseSubset } from '../../search/parse-subset';

/**
 * A version reduced to the elements that `_summary` and `_elements` ask for (http.html, the parameters of all
 * interactions). Throws invalidParameterValue. Cost: none without these parameters; else parses the text.
 */
export function applySummary(
  definitions: Definitions,
  version: StoredVersion,
  parameters: readonly QueryParameter[],
): StoredVersion {
  if (parameters.length === 0) return version;
  const { type, text } = version;
  const subset = parseSubset(definitions, type, parameters);
  return subset === undefined ? version : { ...version, text: toSubset(definitions, type, text, subset) };
}
