/** The target of a request: chosen at random among the data of the tenant, and sometimes of its neighbour. */
import { FEATURES } from '../../../properties/oracle/features';
import { generateSearch } from '../../../properties/oracle/generate-query';
import type { Resource } from '../../../properties/oracle/json';
import type { Random } from '../../../properties/oracle/random';
import type { Release } from '../../../../src/core';
import type { Tenant } from '../tenant';
import { addressOf } from './shapes';

/** One of the makers, by their weights. */
export function weighted<T>(
  random: Random,
  makers: readonly (readonly [weight: number, make: () => T])[],
): T {
  let left = random.next() * makers.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of makers) {
    left -= weight;
    if (left < 0) return make();
  }
  const [last] = makers.slice(-1);
  if (last === undefined) throw new Error('nothing to choose from');
  return last[1]();
}

export const releaseOf = (random: Random): Release => (random.chance(0.7) ? 'r4' : 'r4b');
export const resourceOf = ({ random, spaces }: Tenant, release: Release): Resource =>
  random.pick(spaces[release].resources);
const serverId = (random: Random): string =>
  `@${random.chance(0.15) ? 'foreign-' : ''}id:${random.below(1000)}@`;

/** Returns the address of one of the tenant's own resources, of one that the server has made, or of none. */
export function anyAddress(tenant: Tenant, release: Release): string {
  const { random } = tenant;
  if (random.chance(0.12)) return `${random.pick(['Patient', 'Observation'])}/${serverId(random)}`;
  if (random.chance(0.03)) return 'Patient/nowhere';
  return addressOf(resourceOf(tenant, release));
}

export function anyCriteria(
  { random, spaces, otherSpaces }: Tenant,
  release: Release,
): { type: string; query: string } {
  const space = random.chance(0.2) ? otherSpaces[release] : spaces[release];
  const on = new Set<string>(FEATURES);
  const { type, query } = generateSearch({ space, random, isOn: (feature) => on.has(feature) });
  return { type: type ?? '', query };
}

/** A resource as another of its type has it: the same ids get other contents all the time. */
export function changed(tenant: Tenant, release: Release): Resource {
  const { random, spaces } = tenant;
  const one = resourceOf(tenant, release);
  const others = spaces[release].resources.filter(
    ({ resourceType }) => resourceType === one.resourceType && one.resourceType !== 'Questionnaire',
  );
  const from = others.length > 0 ? random.pick(others) : one;
  // Definitions keep their urls: two of one url are another matter.
  return typeof from['url'] === 'string' ? one : { ...from, id: one.id };
}
