import type { Space } from '../../context';
import { findZone } from '../../fhir/time-zone';
import type { Zone } from '../../../../packages/fhir-values/date';

/** The time zone of dates without one. Throws where this host lacks a zone that the host of the tenant's creation had. */
export function zoneOf({ timeZone }: Pick<Space, 'timeZone'>): Zone {
  const zone = findZone(timeZone);
  if (zone === undefined)
    throw new Error(`This Node.js does not know the time zone '${timeZone}' of a tenant`);
  return zone;
}
