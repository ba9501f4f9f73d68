/** Shared by the generators of resources: random numbers, ids that collide, references of every form. */
import { makeIdentifier } from './generate-values';
import { Digits, type JsonObject, type Members } from './json';
import type { Random } from './random';

export const HL7_CODES = 'http://terminology.hl7.org/CodeSystem/';
export const number = (value: number): Digits => new Digits(String(value));

/** The id of resources that are in another tenant only. */
export const NOWHERE = 'nowhere';

export interface Maker {
  readonly random: Random;
  /** The address of the space. */
  readonly root: string;
  readonly counts: Readonly<Record<string, number>>;
}

export const idsOf = ({ counts }: Maker, type: string): string[] => {
  // Resources of several types share the same ids; types that share none have ids of their own.
  const stem = ['Patient', 'Group', 'Practitioner', 'Organization', 'Location'].includes(type)
    ? 'x'
    : type.slice(0, 3).toLowerCase();
  return Array.from({ length: counts[type] ?? 0 }, (_unused, index) => `${stem}${index}`);
};

/** A reference to one of these types: relative, absolute, versioned, to nowhere or elsewhere. */
export function refer(maker: Maker, types: readonly string[]): JsonObject {
  const { random, root } = maker;
  const type = random.pick(types);
  const id = random.pick(idsOf(maker, type));
  const literal = `${type}/${id}`;
  const form = random.below(20);
  if (form === 0) return { reference: `${root}/${literal}` };
  if (form === 1) return { reference: `${literal}/_history/1` };
  if (form === 2) return { reference: `${type}/${NOWHERE}` };
  if (form === 3) return { reference: `https://elsewhere.example/fhir/${literal}` };
  if (form === 4) return { reference: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520', type };
  if (form === 5) return { identifier: makeIdentifier(random), display: 'only a name' };
  if (form === 6) return { reference: literal, identifier: makeIdentifier(random) };
  return { reference: literal };
}

export const maybe = <T>({ random }: Maker, share: number, make: () => T): T | undefined =>
  random.chance(share) ? make() : undefined;
export const some = <T>({ random }: Maker, most: number, make: () => T): T[] =>
  Array.from({ length: random.below(most + 1) }, make);

export type Make = (maker: Maker) => Members;
