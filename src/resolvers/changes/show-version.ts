import type { StoredVersion } from '../../core/index';
import type { ResourceSource } from '../../schema/types/resource';
import { type SourceTools, toResource, toReturnedResource } from '../resource-source';

/**
 * Returns a version that a change made, or would have made, as a resource. That of a dry run is not cached and has a
 * key of its own, because real versions will later get its number, and perhaps its time.
 */
export function showVersion(tools: SourceTools, version: StoredVersion, isDryRun: boolean): ResourceSource {
  return isDryRun ? toReturnedResource(version.text) : toResource(version, tools);
}
