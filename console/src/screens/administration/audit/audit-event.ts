/** The parts of an event as people read them. */
import { parseRelative } from '../../../../../packages/fhir-values/reference';

/** True for the reference to a record: a person may also be the id of an account. */
export function isLinked(id: string): boolean {
  return parseRelative(id) !== undefined;
}

/** A request without the escapes of addresses; one that cannot be read is left as it is. */
export function shownQuery(query = ''): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '));
  } catch {
    return query;
  }
}
