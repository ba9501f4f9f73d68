/** The data of a search: the resources of one tenant and release. */
import { type JsonObject, type Resource } from './json';
import type { Release } from './official';
import type { Terminology } from './terminology';
import { targetOf, type Target } from './reference';

export interface Space {
  readonly release: Release;
  readonly resources: readonly Resource[];
  /** The address of the space, such as https://fhir.example.org/w/system/api/v1/fhir/r4 */
  readonly root: string;
  /** Milliseconds, for `ap` of dates. */
  now(): number;
  readonly terminology: Terminology;
  /** True: contained resources take part in chains; otherwise undefined. */
  readonly hasContained: boolean;
  /** The types that a reference parameter may refer to in this release. */
  targetsOf(type: string, code: string): readonly string[];
  /** A stored version that may not be the current one. */
  versionOf(target: Target): Resource | undefined;
}

/** A resource under test, and its container: itself where it has none. */
export interface Item {
  readonly resource: JsonObject;
  readonly container: JsonObject;
}

export type Predicate = (item: Item) => boolean;

export const alone = (resource: JsonObject): Item => ({ resource, container: resource });

const byIdentity = new WeakMap<readonly Resource[], ReadonlyMap<string, Resource>>();

function resourcesByIdentity({ resources }: Space): ReadonlyMap<string, Resource> {
  const cached = byIdentity.get(resources);
  if (cached !== undefined) return cached;
  const made = new Map(resources.map((resource) => [`${resource.resourceType}/${resource.id}`, resource]));
  byIdentity.set(resources, made);
  return made;
}

export function findLocal(space: Space, text: string): Resource | undefined {
  const target = targetOf(text, space.root);
  return target === undefined ? undefined : resourcesByIdentity(space).get(`${target.type}/${target.id}`);
}
