/** The Patients of a Group (docs/use/bulk-data.md, Groups). */
import { shownText } from '../../authorization/visibility';
import { turns } from '../../concurrency/turns';
import type { RequestContext } from '../../context';
import { isJsonObject, parseStoredObject, type JsonValue } from '../../fhir/json';
import type { LocalReference } from '../../fhir/reference';
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
 * that cannot be read has no members. Throws tooCostly for more than 1,000 nested ones, and for more than `limit` entries of `member` in
 * all of them, whatever they name, or more than 640 characters for each. Cost: a read for each Group; other work comes first in between.
 */
export async function readGroupMembers(
  services: SearchServices,
  context: RequestContext,
  id: string,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly string[]> {
  const spent = new MemberBudget(limit);
  const currentOf = memberReader(services, context, now);
  const patients = new Set<string>();
  const seen = new Set([id]);
  let groups = [id];
  for (let depth = 0; groups.length > 0 && depth <= MOST_NESTED; depth++) {
    const nested: string[] = [];
    for (const group of groups) {
      const text = await textOf(services, context, group, depth > 0);
      await turns.take();
      for (const entry of entriesOf(services, context, text, spent)) {
        if (turns.next() !== undefined) await turns.take();
        const member = currentOf(entry);
        if (member?.type === PATIENT) patients.add(member.id);
        else if (member?.type === GROUP && !seen.has(member.id)) {
          seen.add(member.id);
          nested.push(member.id);
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

/** Counts what the Groups have, before and after each is parsed. Throws tooCostly. */
class MemberBudget {
  private members = 0;
  private characters = 0;

  constructor(private readonly limit: number) {}

  addText(text: string): void {
    const most = this.limit * RECORD_LIMITS.charactersOfMember;
    this.characters += text.length;
    if (this.characters <= most) return;
    throw fhirError('tooCostly', {
      reason: `The Group and the Groups in it have more than ${most} characters`,
    });
  }

  addMembers(count: number): void {
    this.members += count;
    if (this.members <= this.limit) return;
    throw fhirError('tooCostly', {
      reason: `The Group and the Groups in it have more than ${this.limit} members`,
    });
  }
}

/** Reads the text of a Group; empty: a nested one that cannot be read. */
async function textOf(
  services: SearchServices,
  context: RequestContext,
  id: string,
  isNested: boolean,
): Promise<string> {
  try {
    return (await read(services, context, GROUP, id)).text;
  } catch (error) {
    if (isNested && error instanceof FhirError && error.status < 500) return '';
    throw error;
  }
}

function entriesOf(
  services: SearchServices,
  context: RequestContext,
  text: string,
  spent: MemberBudget,
): readonly JsonValue[] {
  spent.addText(text);
  const { member, type } = parseStoredObject(shownText(services, context, text));
  if (!Array.isArray(member)) return [];
  spent.addMembers(member.length);
  // A Group of devices has no Patients, whatever their references look like.
  return type === 'person' ? member : [];
}

/** Returns a function that says which resource an entry names, if it is a member now. */
function memberReader(
  services: SearchServices,
  { space }: RequestContext,
  now: number,
): (entry: JsonValue) => LocalReference | undefined {
  const references = services.references(space);
  const zone = zoneOf(space);
  return (entry) => {
    if (!isJsonObject(entry) || entry['inactive'] === true) return undefined;
    const { entity, period } = entry;
    const reference = isJsonObject(entity) ? entity['reference'] : undefined;
    const local = typeof reference === 'string' ? references.local(reference) : undefined;
    return isWithin(period, now, zone) ? local : undefined;
  };
}

function isWithin(period: JsonValue | undefined, now: number, zone: ReturnType<typeof zoneOf>): boolean {
  if (!isJsonObject(period)) return true;
  const { start, end } = period;
  const from = typeof start === 'string' ? dateRange(start, zone)?.low : undefined;
  const to = typeof end === 'string' ? dateRange(end, zone)?.high : undefined;
  return (from === undefined || from <= now) && (to === undefined || now < to);
}
