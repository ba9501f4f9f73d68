import type { StoredVersion } from '../../storage/read/stored-version';
import { turns } from '../../concurrency/turns';
import type { Definitions } from '../../fhir/definitions';
import type { QueryParameter } from '../../fhir/query-text';
import { toSubset, type Subset } from '../../fhir/subset';
import { parseSubset } from '../../search/requests/parse-subset';

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

/** The same for the versions of a page; a deletion has nothing to reduce. Other requests come first between them. */
export async function applySummaries<Version extends StoredVersion>(
  definitions: Definitions,
  versions: readonly Version[],
  subset: Subset | undefined,
): Promise<readonly Version[]> {
  if (subset === undefined) return versions;
  const parts: Version[] = [];
  for (const version of versions) {
    await turns.take();
    const { type, text, change } = version;
    parts.push(
      change === 'delete' ? version : { ...version, text: toSubset(definitions, type, text, subset) },
    );
  }
  return parts;
}
