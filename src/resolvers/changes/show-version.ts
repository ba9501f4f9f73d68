import type { StoredVersion } from '../../core/index';
import type { ResourceSource } from '../../schema/types/resource';
import { parseResource, type ParsedResources } from '../parsed-resources';
import { type SourceTools, toResource } from '../resource-source';

/** For versions of a dry run: others will have their numbers, and perhaps their times. */
const NOTHING_REMEMBERED: ParsedResources = { of: ({ text }) => parseResource(text) };

/** A version that a change made, or would have made. */
export function showVersion(
  { extensionBase, parsed }: SourceTools,
  version: StoredVersion,
  isDryRun: boolean,
): ResourceSource {
  return toResource(version, { extensionBase, parsed: isDryRun ? NOTHING_REMEMBERED : parsed });
}
