/**
 * Values that do not change while a resource is looked at, such as `%rootResource.contained.id`: found once, however
 * many elements ask for them. Without this a resource of n references and n contained resources would cost n².
 */
import type { JsonValue } from '../json';
import type { PathNodes } from './value';

/** What was found, by the part of the expression (an object that stands for it). */
export type Findings = Map<object, PathNodes>;

/**
 * What was found for each resource (root, contained, entry of a Bundle) of one validation. A resource is told by its
 * object, so that a memory must not outlive a change of it. Cost: one comparison for the resource that was asked last.
 */
export class PathMemory {
  private last: JsonValue | undefined;
  private findings: Findings | undefined;
  private readonly byResource = new Map<JsonValue, Findings>();

  of(resource: JsonValue): Findings {
    if (this.findings && this.last === resource) return this.findings;
    let findings = this.byResource.get(resource);
    if (!findings) this.byResource.set(resource, (findings = new Map<object, PathNodes>()));
    this.last = resource;
    this.findings = findings;
    return findings;
  }
}
