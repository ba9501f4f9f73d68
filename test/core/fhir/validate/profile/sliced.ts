/** Slices as differentials have them. */
import type { JsonObject } from '../../../../../src/core';

export type Slicing = { readonly rules?: string; readonly ordered?: boolean };

/** A sliced element and its slices. */
export function sliced(
  path: string,
  discriminators: readonly (readonly [type: string, path: string])[],
  slices: readonly JsonObject[],
  { rules = 'open', ordered = false }: Slicing = {},
): JsonObject[] {
  const discriminator = discriminators.map(([type, at]) => ({ type, path: at }));
  return [{ path, slicing: { discriminator, rules, ordered } }, ...slices];
}

export const slice = (path: string, sliceName: string, more: JsonObject = {}): JsonObject => ({
  id: `${path}:${sliceName}`,
  path,
  sliceName,
  ...more,
});
export const inSlice = (path: string, sliceName: string, below: string, more: JsonObject): JsonObject => ({
  id: `${path}:${sliceName}.${below}`,
  path: `${path}.${below}`,
  ...more,
});

export const IDENTIFIER = 'Patient.identifier';
/** Slices of Patient.identifier by system, each of which asks for a value of at most 3 characters. */
export const bySystem = (more: JsonObject = {}, slicing: Slicing = {}): JsonObject[] =>
  sliced(
    IDENTIFIER,
    [['value', 'system']],
    ['a', 'b'].flatMap((name) => [
      slice(IDENTIFIER, name, more),
      inSlice(IDENTIFIER, name, 'system', { min: 1, fixedUri: `urn:${name}` }),
      inSlice(IDENTIFIER, name, 'value', { min: 1, maxLength: 3 }),
    ]),
    slicing,
  );
export const identifiers = (...names: string[]): JsonObject => ({
  identifier: names.map((name) => ({ system: `urn:${name}`, value: name })),
});
