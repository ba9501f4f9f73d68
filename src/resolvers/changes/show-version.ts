import type { StoredVersion } from '../../core/index';
import type { ResourceSource } from '../../schema/types/resource';
import { type SourceTools, toDryResource, toResource } from '../resource-source';

/** Returns a version that a change made, or would have made, as a resource. */
export function showVersion(tools: SourceTools, version: StoredVersion, isDryRun: boolean): ResourceSource {
  return isDryRun ? toDryResource(version, tools) : toResource(version, tools);
}
