/** `near=latitude|longitude|distance|unit` by the great circle. */
import { digitsOf, isObject, membersOf } from './json';
import { splitAt } from './query-text';
import { BadSearch, Unclear } from './refusal';
import type { Predicate } from './space';

const METRES: Readonly<Record<string, number>> = {
  km: 1000,
  m: 1,
  '[mi_us]': 1609.347219,
  '[mi_i]': 1609.344,
};
const EARTH = 6_371_008.8;
/** Readings of the earth's radius differ by half a percent: borders are not tested. */
const UNSURE = 0.006;
const DEFAULT_KM = 50;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

export function distanceMetres(from: readonly [number, number], to: readonly [number, number]): number {
  const [latitude, longitude] = from.map(radians) as [number, number];
  const [otherLatitude, otherLongitude] = to.map(radians) as [number, number];
  const half =
    Math.sin((otherLatitude - latitude) / 2) ** 2 +
    Math.cos(latitude) * Math.cos(otherLatitude) * Math.sin((otherLongitude - longitude) / 2) ** 2;
  return 2 * EARTH * Math.asin(Math.sqrt(Math.min(1, half)));
}

/** @throws BadSearch */
export function nearPredicate(text: string): Predicate {
  const [latitude = '', longitude = '', distance = '', unit = ''] = splitAt(text, '|');
  const at: [number, number] = [Number(latitude), Number(longitude)];
  const metres = METRES[unit === '' ? 'km' : unit];
  if (latitude === '' || longitude === '' || metres === undefined || at.some(Number.isNaN))
    throw new BadSearch(text);
  const limit = (distance === '' ? DEFAULT_KM : Number(distance)) * metres;
  if (Number.isNaN(limit) || Math.abs(at[0]) > 90 || Math.abs(at[1]) > 180) throw new BadSearch(text);
  return ({ resource }) =>
    membersOf([resource], 'position').some((position) => {
      if (!isObject(position)) return false;
      const there: [number, number] = [
        Number(digitsOf(position['latitude'])),
        Number(digitsOf(position['longitude'])),
      ];
      const apart = distanceMetres(at, there);
      if (Math.abs(apart - limit) < limit * UNSURE) throw new Unclear('at the border of the circle');
      return apart <= limit;
    });
}
