/** The Patients of a Group (docs/use/bulk-data.md, Groups). */
import { shownText } from '../../authorization/visibility';
import type { RequestContext } from '../../context';
import { isJsonObject, parseStoredObject, type JsonValue } from '../../fhir/json';
import { GROUP, PATIENT } from '../../fhir/type-names';
import { FhirError, fhirError } from '../../errors';
import type { SearchServices } from '../../ports';
import { zoneOf } from '../../search/values/space-zone';
import { dateRange } from '../../../../packages/fhir-values/date';
import { read } from '../../versions/read';
import { RECORD_LIMITS } from './record-limits';

/** Groups inside of Groups are followed so many times. */
const MOST_NESTED = 5;

/**
 * Returns the ids of the Patients who are members of a Group now: not those who are marked inactive, or whose period is over or has
 * not begun; those of Groups that are members, five times over. Throws notFound, gone, forbidden for the Group itself; a nested one
 * that cannot be read has no members. Throws tooCostly for more than 1,000 nested ones. Cost: a read for each Group.
 */
export async function readGroupMembers(
  services: SearchServices,
  context: RequestContext,
  id: string,
  now: number,
): Promise<readonly string[]> {
  const patients = new Set<string>();
  const seen = new Set([id]);
  let groups = [id];
  for (let depth = 0; groups.length > 0 && depth <= MOST_NESTED; depth++) {
    const nested: string[] = [];
    for (const group of groups) {
      const members = await membersOf(services, context, group, depth > 0);
      for (const { type, id: member } of currentOf(services, context, members, now)) {
        if (type === PATIENT) patients.add(member);
        else if (type === GROUP && !seen.has(member)) {
          seen.add(member);
          nested.push(member);
          requireFew(seen.size - 1);
        }
      }
    }
    groups = nested;
  }
  return [...patients];
}

function requireFew(groups: number): void {
  if (groups <= RECORD_LIMITS.groups) return;
  const reason = `The Group has more than ${RECORD_LIMITS.groups} Groups in it`;
  throw fhirError('tooCostly', { reason });
}

async function membersOf(
  services: SearchServices,
  context: RequestContext,
  id: string,
  isNested: boolean,
): Promise<readonly JsonValue[]> {
  try {
    const { text } = await read(services, context, GROUP, id);
    const { member, type } = parseStoredObject(shownText(services, context, text));
    // A Group of devices has no Patients, whatever their references look like.
    return type === 'person' && Array.isArray(member) ? member : [];
  } catch (error) {
    if (isNested && error instanceof FhirError && error.status < 500) return [];
    throw error;
  }
}

function* currentOf(
  services: SearchServices,
  { space }: RequestContext,
  members: readonly JsonValue[],
  now: number,
): Generator<{ readonly type: string; readonly id: string }> {
  const references = services.references(space);
  for (const member of members) {
    if (!isJsonObject(member) || member['inactive'] === true) continue;
    const { entity, period } = member;
    const reference = isJsonObject(entity) ? entity['reference'] : undefined;
    const local = typeof reference === 'string' ? references.local(reference) : undefined;
    if (local !== undefined && isWithin(period, now, zoneOf(space))) yield local;
  }
}

function isWithin(period: JsonValue | undefined, now: number, zone: ReturnType<typeof zoneOf>): boolean {
  if (!isJsonObject(period)) return true;
  const { start, end } = period;
  const from = typeof start === 'string' ? dateRange(start, zone)?.low : undefined;
  const to = typeof end === 'string' ? dateRange(end, zone)?.high : undefined;
  return (from === undefined || from <= now) && (to === undefined || now < to);
}
