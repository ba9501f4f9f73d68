import { setImmediate } from 'node:timers/promises';
import { shownText, visibilityOf, type Visibility } from '../../authorization/visibility';
import type { StoredVersion } from '../../storage/read/stored-version';
import type { RequestContext } from '../../context';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import type { LocalReference } from '../../fhir/reference';
import { pointersOf } from '../../fhir/reference/pointers';
import type { RecordRequest } from '../../operation-types/environment';
import { compartmentOwners } from '../../search/parameters/compartment';
import type { SearchServices } from '../../ports';
import type { ResourceAddress } from '../../storage/read/version-address';
import { keyOfText, keyText, type PageRow } from '../../storage/read/version-row';
import type { RecordStep } from './record-steps';
import { toStoredVersion } from '../../versions/stored-version';
import { GROUP, PATIENT } from '../../fhir/type-names';
import { isIn } from './record-parts';

/** Resources per statement. */
const CHUNK = 200;
/** Characters of parsed text after which other requests get a turn. */
const TURN = 300_000;

/** A type and the decimal form of a 64-bit key. */
export interface RecordAddress {
  readonly type: string;
  readonly key: string;
}

/** Reads the resources of a record and those that they refer to, and decides which to show. */
export class RecordReader {
  private parsed = 0;
  /** Patients whose data may be included, beside data of no patient. */
  private readonly ownPatients: ReadonlySet<string>;

  /** Of a Group: the ids of the members. */
  private readonly members: ReadonlySet<string> | undefined;

  /**
   * `owner`: the resource of the record; undefined: the records of all resources of the type, or of the members of a Group.
   */
  constructor(
    private readonly services: SearchServices,
    private readonly context: RequestContext,
    private readonly request: RecordRequest,
    {
      owner,
      members,
    }: { readonly owner: JsonObject | undefined; readonly members: readonly string[] | undefined },
  ) {
    const { type, id } = request.owner;
    this.members = members && new Set(members);
    this.ownPatients =
      owner === undefined || id === undefined || type === PATIENT
        ? new Set()
        : this.ownersOf(PATIENT, { type, id }, owner);
  }

  /**
   * True if a resource belongs to a step; a resource that was shown does not belong to a later one. In the record of a Group, that of
   * several members is in the first of their records.
   */
  isOfStep(step: RecordStep, version: StoredVersion, content: JsonObject): boolean {
    if (!step.isShown && this.isRequested(version)) return false;
    const { owner } = this.request;
    if (owner.id !== undefined) return true;
    if (step.part !== undefined && this.isGroup(version)) return step.part.from === '';
    const owners = [...this.ownersOf(owner.type, version, content)];
    if (step.part === undefined) return owners.length > 0;
    const [first] = owners.filter((id) => this.members?.has(id) === true).sort();
    return first !== undefined && isIn(step.part, first);
  }

  /** True if a referenced resource may be included, judged by its type and id before it is read. */
  mayComeAlong({ type, id }: LocalReference): boolean {
    const { owner, types } = this.request;
    if (types !== undefined && !types.includes(type)) return false;
    if (this.isGroup({ type, id })) return false;
    if (type === owner.type && (owner.id === undefined || owner.id === id)) return false;
    return type !== PATIENT || this.ownPatients.has(id);
  }

  /** True if a referenced resource is included: not if it is part of the record or belongs to another patient. */
  async comesAlong(version: StoredVersion): Promise<boolean> {
    if (!this.isRequested(version) || this.isGroup(version)) return false;
    const content = await this.contentOf(version);
    const { owner } = this.request;
    const owners = this.ownersOf(owner.type, version, content);
    if (owner.id === undefined ? owners.size > 0 : owners.has(owner.id)) return false;
    const patients = [...this.ownersOf(PATIENT, version, content)];
    return patients.length === 0 || patients.some((id) => this.ownPatients.has(id));
  }

  pointersOf(content: JsonObject): readonly LocalReference[] {
    return pointersOf(content, this.services.references(this.context.space));
  }

  /** The content without elements that are hidden from the caller, so that their references are not followed. */
  async contentOf({ text }: StoredVersion): Promise<JsonObject> {
    this.parsed += text.length;
    if (this.parsed > TURN) {
      this.parsed = 0;
      await setImmediate();
    }
    return parseStoredObject(shownText(this.services, this.context, text));
  }

  addressOf({ type, id }: LocalReference): RecordAddress {
    return { type, key: keyText(this.services.keys.keyOf(type, id)) };
  }

  /** The current version at each address, in their order; undefined: there is none. Reads in chunks on demand. */
  async *versionsOf(addresses: readonly RecordAddress[]): AsyncGenerator<StoredVersion | undefined> {
    const { services, context } = this;
    const space = context.space.number;
    const definitions = services.definitions(context.space.release);
    const visibility = visibilityOf(services, context);
    for (let start = 0; start < addresses.length; start += CHUNK) {
      const chunk = addresses.slice(start, start + CHUNK);
      const places = chunk.map(({ type, key }): ResourceAddress => {
        return { type: definitions.typeNumber(type) ?? 0, key: keyOfText(key) };
      });
      const rows = await services.reader.readCurrent(space, places);
      const seen = visibility && (await this.shortSeen(visibility, chunk, rows));
      for (const [index, row] of rows.entries()) {
        const type = chunk[index]?.type ?? '';
        if (row === undefined || row.change === 'delete') {
          yield undefined;
          continue;
        }
        const whole = await services.reader.complete(space, row);
        const isSeen =
          visibility === undefined ||
          (row.omittedBytes === undefined
            ? seen?.has(row) === true
            : visibility.permissions.allows(type, 'r') &&
              (await visibility.seesCurrent(type, 'r', space, whole)));
        yield isSeen ? toStoredVersion(services, type, whole) : undefined;
      }
    }
  }

  /** The visible ones of the live rows with their texts. Cost: a statement for each type with conditions on others. */
  private async shortSeen(
    visibility: Visibility,
    addresses: readonly RecordAddress[],
    rows: readonly (PageRow | undefined)[],
  ): Promise<ReadonlySet<PageRow>> {
    const byType = new Map<string, PageRow[]>();
    for (const [index, row] of rows.entries()) {
      const type = addresses[index]?.type ?? '';
      if (row === undefined || row.change === 'delete' || row.omittedBytes !== undefined) continue;
      if (!visibility.permissions.allows(type, 'r')) continue;
      const ofType = byType.get(type);
      if (ofType === undefined) byType.set(type, [row]);
      else ofType.push(row);
    }
    const space = this.context.space.number;
    const seen = [...byType].map(([type, ofType]) => visibility.amongCurrent(type, 'r', space, ofType));
    return new Set((await Promise.all(seen)).flatMap((ofType) => [...ofType]));
  }

  /** True for the Group whose record it is. */
  private isGroup({ type, id }: Pick<LocalReference, 'type' | 'id'>): boolean {
    return type === GROUP && id === this.request.group;
  }

  private isRequested({ type, lastUpdated }: StoredVersion): boolean {
    const { types, since } = this.request;
    return (types === undefined || types.includes(type)) && (since === undefined || lastUpdated >= since);
  }

  private ownersOf(
    ownerType: string,
    { type, id }: Pick<StoredVersion, 'type' | 'id'>,
    resource: JsonObject,
  ): ReadonlySet<string> {
    const { services, context } = this;
    const definitions = services.definitions(context.space.release);
    const references = services.references(context.space);
    return compartmentOwners(definitions, ownerType, { type, id, resource }, references);
  }
}
