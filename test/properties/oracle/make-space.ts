/** A space of resources, for the oracle. */
import type { Resource } from './json';
import { EVERY, officialTargets, type Release } from './official';
import type { Space } from './space';
import { createTerminology } from './terminology';

export interface SpaceOptions {
  readonly release: Release;
  readonly root: string;
  readonly resources: readonly Resource[];
  /** Every version that was ever stored, by `Type/id/_history/version`. */
  /** false: no search depends on a contained resource */
  readonly hasContained?: boolean;
  readonly versions?: ReadonlyMap<string, Resource>;
}

export function makeSpace({ release, root, resources, versions, hasContained = true }: SpaceOptions): Space {
  const types = [...new Set(resources.map(({ resourceType }) => resourceType))];
  return {
    release,
    resources,
    hasContained,
    root,
    now: () => Date.now(),
    terminology: createTerminology(resources),
    targetsOf(type, code) {
      const targets = officialTargets(release, type, code);
      return targets.some((target) => EVERY.includes(target)) ? types : targets;
    },
    versionOf({ type, id, version }) {
      return versions?.get(`${type}/${id}/_history/${version ?? ''}`);
    },
  };
}
