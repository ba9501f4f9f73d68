import type { StoredVersion } from '../../core/index';
import type { ResourceSource } from '../../schema/types/resource';
import { parseResource, type ParsedResources } from '../parsed-resources';
import { type SourceTools, toResource } from '../resource-source';

/**
 * Parses without a cache: real versions will later get the numbers, and perhaps the times, of versions of a dry run.
 */
const UNCACHED: ParsedResources = { of: ({ text }) => parseResource(text) };

/** Returns a version that a change made, or would have made, as a resource. */
export function showVersion(
  { extensionBase, parsed }: SourceTools,
  version: StoredVersion,
  isDryRun: boolean,
): ResourceSource {
  return toResource(version, { extensionBase, parsed: isDryRun ? UNCACHED : parsed });
}
