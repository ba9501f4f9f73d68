/**
 * Cache of values that depend only on the resource, such as `%rootResource.contained.id`. Without it a resource of n
 * references and n contained resources would cost n².
 */
import type { JsonValue } from '../json';
import type { PathNodes } from './value';

/** Values by the compiled part of the expression. */
export type CachedValues = Map<object, PathNodes>;

/**
 * The cached values of each resource (root, contained, entry of a Bundle) of one validation. The key is the resource's
 * object, so that the cache must not outlive a change of the resource. Cost: one comparison for the resource of the
 * last call.
 */
export class PathCache {
  private last: JsonValue | undefined;
  private findings: CachedValues | undefined;
  private readonly byResource = new Map<JsonValue, CachedValues>();

  of(resource: JsonValue): CachedValues {
    if (this.findings && this.last === resource) return this.findings;
    let findings = this.byResource.get(resource);
    if (!findings) this.byResource.set(resource, (findings = new Map<object, PathNodes>()));
    this.last = resource;
    this.findings = findings;
    return findings;
  }
}
