import type { Space } from './context';
import { findZone, type Zone } from './fhir/time-zone';

/** The zone of dates that name none. Throws where this host does not know what the one that made the tenant knew. */
export function zoneOf({ timeZone }: Pick<Space, 'timeZone'>): Zone {
  const zone = findZone(timeZone);
  if (zone === undefined)
    throw new Error(`This Node.js does not know the time zone '${timeZone}' of a tenant`);
  return zone;
}
