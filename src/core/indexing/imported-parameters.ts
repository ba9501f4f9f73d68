import { loadDefinitions } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import type { Release } from '../fhir/release';
import { checkTenantParameter, type ParameterPair } from '../search/tenant-parameter-check';
import type { TenantParameter } from '../search/tenant-parameter';

/** What an imported tenant is searched by: its SearchParameters as if each version were written again. */
export class ImportedParameters {
  /** By the ids of SearchParameters, in the order in which each became one that is searched by. */
  private readonly registered = new Map<string, readonly ParameterPair[]>();

  constructor(private readonly release: Release) {}

  get all(): Iterable<readonly [owner: string, pairs: readonly ParameterPair[]]> {
    return this.registered;
  }

  /** The next version in the order of their numbers; undefined: a deletion. Cost: below a millisecond. */
  write(owner: string, resource: JsonObject | undefined): void {
    const pairs = resource === undefined ? [] : this.pairsOf(owner, resource);
    if (pairs.length > 0) this.registered.set(owner, pairs);
    else this.registered.delete(owner);
  }

  private pairsOf(owner: string, resource: JsonObject): readonly ParameterPair[] {
    const list = [...this.registered].flatMap(([other, pairs]) =>
      pairs.map((pair) => this.toParameter(other, pair)),
    );
    return checkTenantParameter(loadDefinitions(this.release), owner, resource, { change: 1, list }).pairs;
  }

  /** A check looks at names and definitions alone. */
  private toParameter(
    owner: string,
    { resource_type: number, code, url, definition }: ParameterPair,
  ): TenantParameter {
    const type = loadDefinitions(this.release).typeName(number) ?? '';
    return { number: 0, type, slot: 0, code, url, owner, state: 'active', definition };
  }
}
