/** The two tenants: their initial data, and the seeds of their requests. */
import { generateData } from '../../properties/oracle/generate-data';
import type { JsonObject, Resource } from '../../properties/oracle/json';
import { makeSpace } from '../../properties/oracle/make-space';
import { createRandom, type Random } from '../../properties/oracle/random';
import type { Space } from '../../properties/oracle/space';
import type { Release } from '../../../src/core';
import { PUBLIC_URL, type Sent } from './world';

export const MARKER_SYSTEM = 'urn:marker';
export const markerOf = (tenant: string): string => `marker-of-${tenant}`;

export interface Tenant {
  readonly name: string;
  /** From which all is made. */
  readonly seed: number;
  /** Its neighbour. */
  readonly other: string;
  readonly random: Random;
  /** The initial data, by release. */
  readonly spaces: Readonly<Record<Release, Space>>;
  /** The initial data of the neighbour. */
  readonly otherSpaces: Readonly<Record<Release, Space>>;
  /** The latest reads, of which some are sent again. */
  readonly recent: Sent[];
}

/** The resource with the marker of its tenant: as a tag, and in a text or a code that searches find. */
export function marked(resource: Resource, tenant: string): Resource {
  const meta = (resource['meta'] ?? {}) as JsonObject;
  const tags = (meta['tag'] ?? []) as readonly JsonObject[];
  return {
    ...resource,
    meta: { ...meta, tag: [...tags, { system: MARKER_SYSTEM, code: markerOf(tenant) }] },
  };
}

function dataOf(tenant: string, release: Release, seed: number): Space {
  const root = `${PUBLIC_URL}/w/${tenant}/api/v1/fhir/${release}`;
  const resources = generateData({ seed, root }).map((resource) => marked(resource, tenant));
  return makeSpace({ release, root, resources });
}

export function makeTenants(names: readonly [string, string], seed: number): readonly [Tenant, Tenant] {
  const spaces = names.map((name, index) => ({
    r4: dataOf(name, 'r4', seed + index),
    r4b: dataOf(name, 'r4b', seed + index),
  }));
  const make = (name: string, other: string, index: number): Tenant => {
    const [own, others] = index === 0 ? spaces : [...spaces].reverse();
    if (own === undefined || others === undefined) throw new Error('there are two tenants');
    const random = createRandom(seed * 1000 + index);
    return { name, seed, other, random, spaces: own, otherSpaces: others, recent: [] };
  };
  return [make(names[0], names[1], 0), make(names[1], names[0], 1)];
}
