/** Shared by the generators of searches. */
import type { Feature } from './features';
import type { JsonObject } from './json';
import type { Random } from './random';
import type { Space } from './space';

export interface GeneratedSearch {
  /** A type, a compartment and type such as `Patient/1/Observation`; undefined: of the system */
  readonly type: string | undefined;
  /** Encoded, without the question mark. */
  readonly query: string;
}

export interface QueryMaker {
  readonly space: Space;
  readonly random: Random;
  readonly isOn: (feature: Feature) => boolean;
  /** A resource in focus: values are taken from it where it has some, so that it meets all criteria. */
  readonly focus?: JsonObject | undefined;
}

export interface Criterion {
  readonly name: string;
  readonly value: string;
}

export const encodeQuery = (parts: readonly Criterion[]): string =>
  parts.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');

export const idsOfType = ({ resources }: Space, type: string): string[] =>
  resources.filter(({ resourceType }) => resourceType === type).map(({ id }) => id);
