import { fhirError } from '../../errors';
import { canonicalUnit } from '../../fhir/quantity';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import type { SearchType } from './search-type';

/** Distance in metres when the client gives none; the server may choose it (location.html#positional). */
const DEFAULT_DISTANCE = 50_000;
const DEFAULT_UNIT = 'km';
/** Common unit names that UCUM lacks, such as a plain mile. */
const SPOKEN_UNITS: ReadonlyMap<string, string> = new Map([['mi', '[mi_i]']]);
const NUMBER = /^[+-]?\d{1,20}(\.\d{1,20})?$/;

/**
 * `latitude|longitude|distance|unit`: positions within that distance along the earth's surface
 * (location.html#positional).
 */
export const nearType: SearchType = {
  modifiers: new Map(),
  predicates(_context, { stored, name }, value): Predicate[] {
    const refuse = (reason: string): Error =>
      fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
    const parts = splitUnescaped(value, '|').map(unescapeValue);
    const [latitudeText = '', longitudeText = '', distanceText = '', unit = ''] = parts;
    if (parts.length < 2 || parts.length > 4 || !NUMBER.test(latitudeText) || !NUMBER.test(longitudeText))
      throw refuse(
        'it is latitude|longitude, latitude|longitude|distance or latitude|longitude|distance|unit',
      );
    const latitude = Number(latitudeText);
    const longitude = Number(longitudeText);
    if (Math.abs(latitude) > 90) throw refuse('a latitude is between -90 and 90 degrees');
    if (Math.abs(longitude) > 180) throw refuse('a longitude is between -180 and 180 degrees');
    const metres = distanceText === '' && unit === '' ? DEFAULT_DISTANCE : toMetres(distanceText, unit);
    if (metres === undefined)
      throw refuse(
        'a distance is a number that is not negative, in a UCUM unit of length (km when none is given)',
      );
    return stored.rowsOf.map(({ number }) => ({
      index: 'position',
      parameter: number,
      latitude,
      longitude,
      metres,
    }));
  },
};

/** Converts a distance to metres; undefined for a text that is not a distance. */
function toMetres(distance: string, unit: string): number | undefined {
  if (!NUMBER.test(distance) || distance.startsWith('-')) return undefined;
  const code = unit === '' ? DEFAULT_UNIT : (SPOKEN_UNITS.get(unit) ?? unit);
  const length = canonicalUnit(code);
  return length?.unit === 'm' ? length.toCanonical(Number(distance)) : undefined;
}
