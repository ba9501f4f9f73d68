import { loadDefinitions } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import type { Release } from '../fhir/release';
import { checkTenantParameter, type ParameterPair } from '../search/parameters/tenant-parameter-check';
import type { TenantParameter } from '../search/parameters/tenant-parameter';

/** The search parameters of an imported tenant, built as if each SearchParameter version were written again. */
export class ImportedParameters {
  /** By id of the SearchParameter, in the order in which each became searchable. */
  private readonly registered = new Map<string, readonly ParameterPair[]>();

  constructor(private readonly release: Release) {}

  get all(): Iterable<readonly [owner: string, pairs: readonly ParameterPair[]]> {
    return this.registered;
  }

  /** Takes the next version in the order of version numbers; undefined: a deletion. Cost: below a millisecond. */
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

  /** checkTenantParameter uses names and definitions only. */
  private toParameter(
    owner: string,
    { resource_type: number, code, url, definition }: ParameterPair,
  ): TenantParameter {
    const type = loadDefinitions(this.release).typeName(number) ?? '';
    return { number: 0, type, slot: 0, code, url, owner, state: 'active', definition };
  }
}
