import { permissionsOf } from '../../authorization/visibility';
import { presentFor } from '../../authorization/write-guard';
import type { RequestContext } from '../../context';
import { type FhirError, fhirError } from '../../errors';
import { entryExpression, type EntryGuard } from '../../fhir/bundle/entry';
import type { IdMode } from '../../fhir/resource';
import type { EntryVersion, OutlinedEntry } from '../../preparation/bundle';
import { atEntry } from '../../preparation/entry-refusal';
import type { ResourceKey } from '../../search/rows/resource-key';
import type { SearchServices, Services } from '../../ports';
import type { VersionRow } from '../../storage/read/version-row';
import { checkGuard } from '../replace-version';
import { readBase, typeNumberOf } from '../../versions/resource-address';
import { toStoredVersion } from '../../versions/stored-version';

/** The write of a transaction's entry, after its resource has been determined. */
export interface PlannedWrite {
  readonly entry: OutlinedEntry;
  /** As `EntryVersion.member`; never negative. */
  readonly member: number;
  readonly kind: 'create' | 'update' | 'patch' | 'delete';
  readonly type: string;
  readonly typeNumber: number;
  readonly id: string;
  readonly key: ResourceKey;
  readonly idMode: IdMode;
  readonly guard: EntryGuard | undefined;
  /** True if the client chose the id of a new resource, which must not exist yet. */
  readonly mustBeFree: boolean;
  readonly isUnderCondition: boolean;
  /** The version that its criteria matched; it must still be current. */
  readonly found: number | undefined;
}

/**
 * The order of a transaction's writes (https://hl7.org/fhir/R4/http.html#trules); within a kind that of the entries.
 */
const ORDER: Readonly<Record<PlannedWrite['kind'], number>> = { delete: 0, create: 1, update: 2, patch: 2 };

export function inWritingOrder(writes: readonly PlannedWrite[]): PlannedWrite[] {
  return [...writes].sort(
    (one, other) => ORDER[one.kind] - ORDER[other.kind] || one.entry.index - other.entry.index,
  );
}

/** A write without what follows from its entry, its type and its id. */
export type WriteOfEntry = Pick<PlannedWrite, 'entry' | 'kind' | 'member' | 'type' | 'id'> &
  Partial<Pick<PlannedWrite, 'key' | 'idMode' | 'mustBeFree' | 'isUnderCondition' | 'found'>>;

/** A write of the resource with a given id. */
export function planWrite(
  services: Pick<Services, 'definitions' | 'keys'>,
  context: RequestContext,
  {
    entry,
    kind,
    member,
    type,
    id,
    key,
    idMode = kind === 'create' ? 'assigned' : { id },
    mustBeFree = false,
    isUnderCondition = false,
    found,
  }: WriteOfEntry,
): PlannedWrite {
  const { request } = entry;
  return {
    entry,
    member,
    kind,
    type,
    typeNumber: typeNumberOf(services, context, type),
    id,
    key: key ?? services.keys.keyOf(type, id),
    idMode,
    guard: 'guard' in request ? request.guard : undefined,
    mustBeFree,
    isUnderCondition,
    found,
  };
}

/**
 * Throws `invalidValue` if two entries write the same resource (http.html#trules); `ruleViolated` if one of them
 * deletes the match of the other's criteria.
 */
export function requireDifferent(writes: readonly PlannedWrite[]): void {
  const writesByName = new Map<string, PlannedWrite>();
  for (const write of writes) {
    const name = `${write.type}/${write.id}`;
    const other = writesByName.get(name);
    writesByName.set(name, write);
    if (other === undefined) continue;
    const place = entryExpression(write.entry.index, 'request.url');
    if (deletesFound(write, other) || deletesFound(other, write))
      throw overlapping(other.entry.index, name, place);
    const reason = `Entry ${other.entry.index} writes ${name} too; a transaction writes each resource once`;
    throw fhirError('invalidValue', { reason }, place);
  }
}

function deletesFound(one: PlannedWrite, other: PlannedWrite): boolean {
  return one.kind === 'delete' && other.kind !== 'delete' && other.isUnderCondition;
}

/** The error for an entry that deletes the match of another entry's condition. */
export function overlapping(other: number, name: string, place: string): FhirError {
  const reason = `Entry ${other} is about ${name} too, and one of both deletes it; the identities of a transaction must not overlap`;
  return fhirError('ruleViolated', { reason }, place);
}

/**
 * The version that a write makes from the current one; undefined: there is nothing to delete. Throws, at the entry,
 * preconditionFailed, notFound, gone, idTaken, baseResourceReadOnly.
 */
export async function nextVersion(
  services: SearchServices,
  context: RequestContext,
  write: PlannedWrite,
  stored: VersionRow | undefined,
): Promise<EntryVersion | undefined> {
  const current = await presentOf(services, context, write, stored);
  const { entry, member, kind, type, typeNumber, id, key, idMode, guard, mustBeFree, isUnderCondition } =
    write;
  const live = current !== undefined && current.change !== 'delete' ? current : undefined;
  const toVersion = (change: EntryVersion['change'], text?: string): EntryVersion => ({
    index: entry.index,
    member,
    type,
    id,
    idMode,
    typeNumber,
    key,
    storedId: services.keys.isOwn(key) ? null : id,
    expected: current?.version ?? 0,
    isUnderCondition,
    change,
    replaced: live?.body,
    current: text,
  });
  try {
    checkGuard(type, id, guard, live);
    if (mustBeFree && live !== undefined) throw fhirError('idTaken', { type, id });
    if (kind === 'create' || kind === 'update') return toVersion(kind);
    if (live === undefined) {
      const base = await readBase(services, context, { type, address: { type: typeNumber, key }, id });
      if (base !== undefined) throw fhirError('baseResourceReadOnly', { type, id });
      if (kind === 'delete') return undefined;
      throw fhirError(current === undefined ? 'notFound' : 'gone', { type, id });
    }
    return kind === 'delete'
      ? toVersion('delete')
      : toVersion('update', toStoredVersion(services, type, live).text);
  } catch (error) {
    throw atEntry(error, entry.index, type);
  }
}

async function presentOf(
  services: SearchServices,
  context: RequestContext,
  { kind, type, entry, guard }: PlannedWrite,
  stored: VersionRow | undefined,
): Promise<VersionRow | undefined> {
  try {
    const mustExist = guard?.ifMatch !== undefined;
    if (kind !== 'create')
      return await presentFor(services, context, { intent: kind, type, mustExist }, stored);
    permissionsOf(services, context)?.require(type, 'c');
    return stored;
  } catch (error) {
    throw atEntry(error, entry.index, type);
  }
}
